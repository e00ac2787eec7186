"""Comments name their subject first. Those of headers name no callers: these change, and a header does not notice.
A path in a comment is one of a file or folder that there is, and so is the bare name of a file."""

import ast
import io
import pathlib
import re
import tempfile
import tokenize
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["baselines", "reports", "runner"]
READ = [*FOLDERS, "suites", "tests"]
ENDINGS = {".cpp", ".cu", ".cuh", ".h", ".hpp", ".py"}

# "Of rows in Python." → "Rows of Python submissions only.", "What a session writes." → "Files of a session."
FIRST_WORDS = {"Of", "What", "Whatever", "Who", "Whoever", "Whom", "Whose"}
# "Which tasks are measured" has a subject, "Which is why" and "Which of them are" have none.
NO_NOUN = {"a", "an", "are", "can", "has", "have", "he", "is", "it", "may", "must", "no", "of", "one", "ones", "she",
           "the", "they", "was", "we", "were", "you"}
CALLERS = re.compile(r"\b([Cc]alled|Used|Asked) by\b(?! one thread)|\bUsed (for|in)\b|\b(Called (when|where|wherever)|Used throughout)\b")
# Behind a field its name is no subject: "int seconds;  // of timing" → "// seconds of timing after which …".
NO_SUBJECT = {"of", "that", "what", "whatever", "who", "whoever", "whom", "whose"}
PATH = re.compile(r"(?<![\w/.<-])((?:[a-z0-9_]+/)+[a-z0-9_]+(?:\.\w+)?)")
FILE = re.compile(r"(?<![\w/.<-])([a-z0-9_]+\.(?:hpp|cpp|cu|cuh|inc))\b")
# Files of submissions and of torch, which no folder of ours has.
NOT_OURS = {"cuda.cu", "kernel.cu", "v2.cpp"}
# The hash of a task's Python file is in its lowered form: another comment would make another task of it.
TASKS = re.compile(r"suites/level\d+/")


def comments(text):
    """(line, words) of each comment that has lines of its own."""
    start, words = 0, []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        found = re.match(r"\s*//+ ?(.*)", line)
        if found:
            start = start or number
            words.append(found[1])
        elif words:
            yield start, " ".join(words)
            start, words = 0, []


def trailing(text):
    """(line, words) of each comment that stands behind code."""
    for number, line in enumerate(text.splitlines(), start=1):
        code, mark, words = line.partition("  // ")
        if mark and code.strip() and not code.lstrip().startswith("//") and code.count('"') % 2 == 0:
            yield number, words


def docstrings(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            words = ast.get_docstring(node)
            if words:
                yield node.body[0].lineno, " ".join(words.split())


def python_comments(text):
    """The same of Python, docstrings included."""
    begun = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT or token.line[:token.start[1]].strip():
            continue
        if token.start[0] - 1 not in begun[-1:]:
            yield token.start[0], token.string.lstrip("#").strip()
        begun.append(token.start[0])
    yield from docstrings(text)


def comments_of(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return [*comments(text)]
    try:
        return [*python_comments(text)]
    except (SyntaxError, tokenize.TokenError):  # a submission of the tests
        return []


def subjectless(words):
    """The word or words that a comment begins with instead of its subject; empty: it has one."""
    first, second = (re.sub(r"\W+$", "", word) for word in [*words.split(" "), "", ""][:2])
    if first in FIRST_WORDS:
        return first
    return f"{first} {second}" if first == "Which" and second in NO_NOUN else ""


def faults(path, root=ROOT):
    for line, words in comments_of(path):
        file = path.relative_to(root)
        place = f"{file}:{line}"
        if begins := subjectless(words):
            yield f"{place}: begins with \"{begins}\"; name the thing"
        if path.suffix == ".hpp" and file.parts[0] != "tests" and CALLERS.search(words):
            yield f"{place}: says who calls it; say what a caller has to keep"


def parts_of(path):
    """The names that a comment may use for a file or folder: the end of its path, with or without the ending."""
    whole = path.relative_to(ROOT)
    for name in {whole, whole.with_suffix("")}:
        yield from ("/".join(name.parts[start:]) for start in range(len(name.parts) - 1))


def dead_paths(paths):
    """Paths below a room's folder in comments that nothing has."""
    there = {part for folder in READ for path in (ROOT / folder).rglob("*")
             if "__pycache__" not in path.parts for part in parts_of(path)}
    rooms = {path.name for folder in FOLDERS for path in (ROOT / folder).iterdir() if path.is_dir()} | set(FOLDERS)
    for path in paths:
        for line, words in comments(path.read_text(encoding="utf-8")):
            for name in PATH.findall(words):
                if name.split("/")[0] in rooms and name not in there:
                    yield f"{path.relative_to(ROOT)}:{line}: there is no {name}"


def dead_files(paths, root=ROOT):
    """Bare names of files in comments that no folder has."""
    there = {path.name for path in files_in(READ, ENDINGS | {".inc"})} | NOT_OURS
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for line, words in [*comments(text), *trailing(text)]:
            for name in FILE.findall(words):
                if name not in there:
                    yield f"{path.relative_to(root)}:{line}: there is no {name}"


def without_subject(paths):
    for path in paths:
        for line, words in trailing(path.read_text(encoding="utf-8")):
            if words.split(" ", 1)[0] in NO_SUBJECT:
                yield f"{path.relative_to(ROOT)}:{line}: {words}"


def files_in(folders, endings):
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*"))
            if path.suffix in endings and "__pycache__" not in path.parts]


class CommentsTest(unittest.TestCase):
    def test_each_names_its_subject_first(self):
        files = [path for path in files_in(READ, ENDINGS) if not TASKS.match(path.relative_to(ROOT).as_posix())]
        for ending, least in ((".hpp", 600), (".cpp", 1000), (".cu", 100), (".py", 300)):
            seen = sum(path.suffix == ending for path in files)
            self.assertGreater(seen, least, f"the scan saw {seen} {ending} files only")
        found = [fault for path in files for fault in faults(path)]
        if found:
            self.fail("\n".join(found))

    def test_a_path_in_a_comment_is_there(self):
        found = [*dead_paths(files_in(FOLDERS, {".hpp", ".cpp"}))]
        if found:
            self.fail("\n".join(found))

    def test_a_file_in_a_comment_is_there(self):
        found = [*dead_files(files_in(FOLDERS, {".hpp", ".cpp"}))]
        if found:
            self.fail("\n".join(found))

    def test_planted_names_of_files_are_found(self):
        with tempfile.TemporaryDirectory() as name:
            file = pathlib.Path(name) / "a.hpp"
            file.write_text("// See gone.hpp.\nint a;  // as in result.hpp and gone.cpp\n", encoding="utf-8")
            self.assertEqual([*dead_files([file], file.parent)],
                             ["a.hpp:1: there is no gone.hpp", "a.hpp:2: there is no gone.cpp"])

    def test_no_trailing_comment_lacks_a_subject(self):
        self.assertEqual([*without_subject(files_in(FOLDERS, {".hpp", ".cpp", ".cu", ".cuh"}))], [])

    def test_comments_behind_code_are_told_from_others(self):
        text = 'int a;  // of this\n  // of that\nf("  // of no comment");\n// a  // of b\nint c;  // what, "d"\n'
        self.assertEqual([*trailing(text)], [(1, "of this"), (5, 'what, "d"')])

    def test_planted_comments_are_found(self):
        planted = {
            "a.hpp": "// Whose it is.\nint a;\n// Called by main().\nint b;\n// Called wherever.\nint c;\n",
            "b.cpp": "int a;\n// Of who compares two files,\n// after the first draw.\nint b;  // Of no interest.\n",
            "c.cu": "// Which of them are slow.\n\n  // Which tasks are slow.\n  // What may follow.\n",
            "d.py": '"""What a session writes."""\n\n# Files of a session.\n# Who wrote them\nA = "# Of text"\n\n\n'
                    'def f():\n    """Whoever calls."""\n    # Whatever comes.\n    return A  # Of a line with code.\n',
            "e.py": "# Of a file that is no Python\nif\n",
        }
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            found = []
            for file, text in planted.items():
                (folder / file).write_text(text, encoding="utf-8")
                found += [fault.split(";")[0] for fault in faults(folder / file, folder)]
        begins = 'begins with "{}"'.format
        self.assertEqual(sorted(found), [
            f"a.hpp:1: {begins('Whose')}", "a.hpp:3: says who calls it", "a.hpp:5: says who calls it",
            f"b.cpp:2: {begins('Of')}", f"c.cu:1: {begins('Which of')}", f"d.py:10: {begins('Whatever')}",
            f"d.py:1: {begins('What')}", f"d.py:9: {begins('Whoever')}"])


if __name__ == "__main__":
    unittest.main()
