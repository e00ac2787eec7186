"""The command line is a face: what it is told and how it ends, no room knows.

No header outside of runner/cli names a struct that options are typed into, or CLI11; and no function
outside of it returns an exit code of kbench. It has at most 5,000 lines and 60 files.
"""

import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["baselines", "reports", "runner"]
CLI = "runner/cli"
# The rooms that read CLI11's finished table, and know no verb of it.
READS_TABLES = "runner/options"
# Other programs than kbench end with codes of their own.
OTHER_PROGRAMS = {"runner/oracle/server.hpp"}

STRUCT = re.compile(r"^struct (\w+)\s*[:{]", re.MULTILINE)
COMMENT = re.compile(r"//.*")
# A declaration "int name(" with the comment above it, if there is one.
RETURNS_INT = re.compile(r"((?:^[ \t]*//.*\n)*)^[ \t]*(?:\[\[nodiscard\]\] )?(?:static |virtual )?int (\w+)\(", re.MULTILINE)
EXIT = re.compile(r"\bexit (?:code|status)", re.IGNORECASE)
# A command by its name, whatever its comment says.
COMMAND = re.compile(r"(?:^call$|^perform$|_command$|^exit_code|_exit_code$|^code_of)")


def typed_options(root):
    """Structs of the command line: those of its options, and those that verbs are added with."""
    names = set()
    for header in sorted((root / CLI).glob("*.hpp")):
        names |= set(STRUCT.findall(header.read_text(encoding="utf-8")))
    return names


def sources_outside(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = str(path.relative_to(root))
            if path.suffix in (".hpp", ".h", ".cpp") and not name.startswith(CLI + "/"):
                yield name, path.read_text(encoding="utf-8")


def named_options(name, text, options):
    code = COMMENT.sub("", text)
    if re.search(r"\bCLI::", code) and not name.startswith(READS_TABLES + "/"):
        yield f"{name}: names CLI11"
    words = set(re.findall(r"\w+", code))
    for struct in sorted(words & options):
        yield f"{name}: names {struct}, which options are typed into"


def exit_codes(name, text):
    if re.search(r"\bExitCode\b|exit_codes\.hpp", COMMENT.sub("", text)):
        yield f"{name}: knows exit codes"
    if not name.endswith(".hpp") or name in OTHER_PROGRAMS:
        return
    for comment, function in RETURNS_INT.findall(text):
        if EXIT.search(comment) or COMMAND.search(function):
            yield f"{name}: {function}() returns an exit code"


def faults(root):
    options = typed_options(root)
    for name, text in sources_outside(root):
        if name.endswith((".hpp", ".h")):
            yield from named_options(name, text, options)
        yield from exit_codes(name, text)


class TreeCase(unittest.TestCase):
    def test_no_room_knows_the_command_line(self):
        self.assertGreater(len(typed_options(ROOT)), 20, "the scan saw almost no options")
        self.assertGreater(len(list(sources_outside(ROOT))), 500, "the scan saw almost nothing")
        self.assertEqual(list(faults(ROOT)), [])


    def test_the_command_line_stays_a_face(self):
        """Code that grows beyond that belongs to a room."""
        files = [path for path in (ROOT / CLI).rglob("*") if path.suffix in (".hpp", ".cpp")]
        lines = sum(path.read_text(encoding="utf-8").count("\n") for path in files)
        self.assertLessEqual(lines, 5000)
        self.assertLessEqual(len(files), 60)


class PlantedCase(unittest.TestCase):
    """One file in a tree of its own, beside a command line with RunOptions."""

    def plant(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for file, content in (("runner/cli/options.hpp", "struct RunOptions : RunRequest {\n};\n"), (name, text)):
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(content, encoding="utf-8")
            return list(faults(root))

    def test_good_ones_pass(self):
        self.assertEqual(self.plant("runner/run/run_session.hpp", "// Asked for by RunOptions.\nint rows();\n"), [])
        self.assertEqual(self.plant("runner/cli/run_command.hpp", "ExitCode call(const RunOptions& options);\n"), [])
        self.assertEqual(self.plant("runner/options/option_table.hpp", "void read(const CLI::App& app);\n"), [])

    def test_typed_options_are_found(self):
        self.assertEqual(len(self.plant("runner/run/x.hpp", "void run(const RunOptions& options);\n")), 1)
        self.assertEqual(len(self.plant("reports/x.hpp", "struct RunOptions;\n")), 1)
        self.assertEqual(len(self.plant("runner/run/x.hpp", "void add(CLI::App& app);\n")), 1)

    def test_exit_codes_are_found(self):
        self.assertEqual(len(self.plant("runner/judge/x.cpp", "ExitCode end() { return ExitCode::kGood; }\n")), 1)
        self.assertEqual(len(self.plant("runner/judge/x.hpp", "// Returns the exit status.\nint judge();\n")), 1)
        self.assertEqual(len(self.plant("runner/again/x.hpp", "int reproduce_command(const Row& row);\n")), 1)
        self.assertEqual(len(self.plant("runner/again/x.hpp", "[[nodiscard]] int call(const Row& row);\n")), 1)


if __name__ == "__main__":
    unittest.main()
