"""Completions as the shells themselves give them, and the manual page as its readers check it."""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
import unittest

import cli_case
from cli_case import KBENCH, ROOT, TINY, USAGE

# Words that are typed, some that must be offered, and some that must not.
LINES = [
    ("kbench ", ["run", "report", "tasks", "completions"], ["list", "--device"]),
    ("kbench tasks ", ["list", "show", "lint"], ["run", "report"]),
    ("kbench run --de", ["--device"], ["--db", "list"]),
    ("kbench run --device ", ["cpu", "cuda"], ["small", "--device"]),
    ("kbench run --size s", ["small"], ["full"]),
    ("kbench report --variants ", ["best", "first", "mean"], ["cpu"]),
    ("kbench report j", ["json", "jsonl", "junit"], ["html", "run"]),
    ("kbench tasks lint --format ", ["table", "json"], ["csv"]),
    ("kbench completions ", ["bash", "zsh", "fish"], ["html"]),
    ("kbench run --rerun t", ["timeout", "timing_inconsistent"], ["crash", "failed"]),
    ("kbench run --level ", ["1", "2", "3"], ["4"]),
    ("kbench tasks list --level ", ["1", "2", "3"], ["4"]),
    ("kbench import --level ", [], ["1", "2", "3"]),
    ("kbench help tr", ["trust", "trainer"], ["tasks", "run"]),
]
FILES = ["kbench report --db sto", "kbench run mine"]


class CompletionsTest(cli_case.CliCase):
    shell = None

    @classmethod
    def setUpClass(cls):
        if cls.shell is None:
            raise unittest.SkipTest("no shell of its own")
        if shutil.which(cls.shell) is None:
            raise unittest.SkipTest(f"there is no {cls.shell} here")

    def setUp(self):
        super().setUp()
        result = self.kbench("completions", self.shell)
        self.assert_good(result)
        self.assertEqual(result.stderr, "")
        self.script = self.folder / f"kbench.{self.shell}"
        self.script.write_text(result.stdout, encoding="utf-8")
        (self.folder / "stored.sqlite").touch()
        (self.folder / "mine.cpp").touch()

    @staticmethod
    def path():
        """The program that is tested stands there as kbench."""
        return f"{KBENCH.parent}:{os.environ['PATH']}"

    def shell_output(self, *words):
        result = subprocess.run([self.shell, *words], cwd=self.folder, capture_output=True, text=True,
                                stdin=subprocess.DEVNULL, check=False, timeout=60,
                                env={"PATH": self.path(), "HOME": str(self.folder)})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def test_it_parses(self):
        self.shell_output("-n", str(self.script))

    def test_what_is_offered(self):
        for line, wanted, unwanted in LINES:
            with self.subTest(line=line):
                offered = self.offered(line)
                self.assertLessEqual(set(wanted), offered)
                self.assertFalse(set(unwanted) & offered, offered)

    def test_names_of_the_suite_and_the_database(self):
        self.kbench("run", ROOT / "tests/faults/submissions/honest/level1/019_relu.cpp", "--checks-only", "--name",
                    "ann", "--device", "cpu", "--suite", TINY, "--no-lint", "--db", "mine.sqlite")
        self.assert_good(self.kbench("tag", "latest", "first-try", "--db", "mine.sqlite"))
        (self.folder / "submissions" / "bob").mkdir(parents=True)
        for line, wanted, unwanted in (
                ("kbench run --task level1/01", ["level1/019_relu"], ["level2/076_gemm_add_relu"]),
                (f"kbench tasks show --suite {TINY} ", ["level1/019_relu"], ["level1/089_cumsum"]),
                ("kbench run --tag sc", ["scan"], ["matmul"]),
                ("kbench run --family sc", ["scan"], ["matmul"]),
                ("kbench explain --db mine.sqlite ", ["latest", "first-try"], ["ann"]),
                ("kbench compare --db mine.sqlite fi", ["first-try"], ["latest"]),
                ("kbench report --db mine.sqlite --run ", ["latest", "first-try"], []),
                ("kbench tag --db mine.sqlite --remove ", ["first-try"], ["latest"]),
                ("kbench history --db mine.sqlite --agent ", ["ann", "bob"], ["latest"])):
            with self.subTest(line=line):
                offered = self.offered(line)
                self.assertLessEqual(set(wanted), offered)
                self.assertFalse(set(unwanted) & offered, offered)

    def test_a_hostile_name_is_never_offered(self):
        """A shell expands the words that it completes, and a folder may be anybody's."""
        for name in ("$(touch harm)", "`touch harm`", "good"):
            (self.folder / "submissions" / name).mkdir(parents=True)
        self.assertEqual(self.offered("kbench history --agent ") & {"good", "harm)", "$(touch"}, {"good"})
        self.assertFalse((self.folder / "harm").exists())

    def test_files_where_files_are_meant(self):
        for line, file in zip(FILES, ("stored.sqlite", "mine.cpp")):
            with self.subTest(line=line):
                self.assertIn(file, self.offered(line))


class BashTest(CompletionsTest):
    shell = "bash"

    def offered(self, line):
        script = f"""
          source {self.script}
          COMP_LINE=$1 COMP_POINT=${{#1}}
          read -ra COMP_WORDS <<< "$1"
          [[ $1 == *' ' ]] && COMP_WORDS+=('')
          COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
          _kbench
          printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        return set(self.shell_output("--norc", "-c", script, "bash", line).split())

    def test_a_value_behind_an_equals_sign(self):
        script = f"""
          source {self.script}
          COMP_WORDS=(kbench run --size = f) COMP_CWORD=4
          _kbench
          echo "${{COMPREPLY[@]}}"
        """
        self.assertEqual(self.shell_output("--norc", "-c", script).split(), ["full"])


class FishTest(CompletionsTest):
    shell = "fish"

    def offered(self, line):
        text = self.shell_output("--no-config", "-c",
                                 f"source {self.script}; complete -C '{line}'")
        return {entry.split("\t")[0] for entry in text.splitlines()}


class ZshTest(CompletionsTest):
    """In a terminal of its own: zsh completes nowhere else."""

    shell = "zsh"
    # The key for completions completes as often as a user presses it to see a list. Then it says that the list is
    # there.
    LISTED = "<the list is complete>"
    WIDGET = f"""
      complete-and-say() {{
        zle expand-or-complete; zle -R
        zle expand-or-complete; zle -R
        print -n -- '{LISTED}'
      }}
      zle -N complete-and-say
      bindkey '^I' complete-and-say
    """

    def offered(self, line):
        (self.folder / ".zshrc").write_text(
            "PS1='ready> '; unsetopt zle_bracketed_paste 2>/dev/null; autoload -U compinit\n"
            "compinit -u -D; zstyle ':completion:*' list-separator '##'\n"
            "zstyle ':completion:*' menu no; setopt no_beep; LISTMAX=1000\n"
            "unset zle_bracketed_paste\n"
            f"source {self.script}\n{self.WIDGET}", encoding="utf-8")
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-i"], {"PATH": self.path(), "TERM": "dumb",
                                              "HOME": str(self.folder),
                                              "ZDOTDIR": str(self.folder), "COLUMNS": "200",
                                              "LINES": "200"})
        try:
            self.read(terminal, "ready> ")
            os.write(terminal, line.encode() + b"\t")
            text = re.sub("##[^\r\n]*", "", self.read(terminal, self.LISTED))  # descriptions
        finally:
            os.kill(child, signal.SIGKILL)
            os.close(terminal)
            os.waitpid(child, 0)
        only = re.search(re.escape(line) + r"([-\w./]+) ", text)
        if only:  # what follows is offered for the next word
            return {line.split(" ")[-1] + only[1]}
        return set(re.findall(r"[-\w./]+", text.replace(line, " ") + " " + self.inserted(line, text)))

    def inserted(self, line, text):
        """Where there is but one word, zsh writes it into the line."""
        last = line.split(" ")[-1]
        return " ".join(last + rest for rest in re.findall(re.escape(line) + r"([-\w./]*)", text))

    def read(self, terminal, until, seconds=60):
        """The shell's output up to those words."""
        text, deadline = "", time.monotonic() + seconds
        while until not in text:
            self.assertLess(time.monotonic(), deadline, f"zsh did not write {until!r}, only {text!r}")
            ready, _, _ = select.select([terminal], [], [], 0.1)
            if ready:
                try:
                    text += os.read(terminal, 65536).decode(errors="replace")
                except OSError:
                    self.fail(f"zsh ended before it wrote {until!r}: {text!r}")
        return text.partition(until)[0]


class ShellNameTest(cli_case.CliCase):
    def test_another_shell_is_refused_with_those_there_are(self):
        self.assert_fails(self.kbench("completions", "fsh"), USAGE, 'did you mean "fish"?')
        self.assert_fails(self.kbench("completions"), USAGE, "SHELL")

    def test_no_function_has_the_name_of_another(self):
        """In zsh that of `kbench names` once took the place of what offers names."""
        for shell in ("bash", "zsh"):
            names = re.findall(r"^(\w+) ?\(\) *\{", self.kbench("completions", shell).stdout, re.MULTILINE)
            self.assertGreater(len(names), 2, shell)
            self.assertEqual(sorted(names), sorted(set(names)), shell)


class ManualTest(cli_case.CliCase):
    def setUp(self):
        super().setUp()
        result = self.kbench("man")
        self.assert_good(result)
        self.page = self.folder / "kbench.1"
        self.page.write_text(result.stdout, encoding="utf-8")

    def rendered(self, *words):
        result = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60,
                                env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result

    def test_mandoc_finds_no_fault(self):
        if shutil.which("mandoc") is None:
            self.skipTest("there is no mandoc here")
        self.assertEqual(self.rendered("mandoc", "-T", "lint", "-W", "warning", self.page).stdout, "")

    def test_groff_finds_no_fault(self):
        if shutil.which("man") is None or shutil.which("groff") is None:
            self.skipTest("there is no man with groff here")
        self.assertEqual(self.rendered("man", "--warnings", "-l", self.page).stderr, "")

    def test_it_says_all_that_help_says(self):
        reader = ["mandoc", "-T", "utf8"] if shutil.which("mandoc") else ["man", "-l"]
        text = re.sub(r".\x08", "", self.rendered(*reader, self.page).stdout)
        text = re.sub(r"\s+", " ", text)
        for command in (["run"], ["report"], ["tasks", "lint"], ["compare"], ["selftest", "timing"]):
            self.assertIn("kbench " + " ".join(command), text)
            for option in re.findall(r"--[a-z][-a-z]+", self.kbench(*command, "--help").stdout):
                self.assertIn(option, text)
        for part in ("EXIT STATUS", "4 regression", "kbench run my_relu.cpp --task level1/019_relu"):
            self.assertIn(part, text)

    def test_nothing_of_it_is_taken_for_a_request(self):
        known = {".TH", ".SH", ".SS", ".PP", ".TP", ".in", ".nf", ".fi", '.\\"'}
        for line in self.page.read_text(encoding="utf-8").splitlines():
            if line.startswith((".", "'")):
                self.assertIn(line.split()[0], known, line)


if __name__ == "__main__":
    cli_case.main()
