"""Help, version, and what happens to words nobody knows."""

import re

import cli_case
from cli_case import USAGE

COMMANDS = [("run",), ("tasks",), ("tasks", "list"), ("tasks", "show"), ("tasks", "header"),
            ("tasks", "lint"), ("tasks", "prompt"),
            ("import",), ("report",), ("runs",), ("tag",), ("compare",), ("history",), ("doctor",),
            ("workspace",), ("workspace", "open"), ("workspace", "compile"),
            ("workspace", "verify"), ("workspace", "submit")]


class HelpTest(cli_case.CliCase):
    def test_every_command_has_help_on_stdout(self):
        for command in [(), *COMMANDS]:
            with self.subTest(command=command):
                result = self.kbench(*command, "--help")
                self.assert_good(result)
                self.assertEqual(result.stderr, "")
                self.assertIn("Usage: kbench", result.stdout)
                self.assertIn("Exit codes: 0 good", result.stdout)
                self.assertEqual(result.stdout, self.kbench(*command, "-h").stdout)

    def test_help_fits_the_usual_terminal(self):
        for command in [(), *COMMANDS]:
            for line in self.kbench(*command, "--help").stdout.splitlines():
                self.assertLessEqual(len(line), 120, line)

    def test_every_example_in_help_is_accepted(self):
        """Examples rot: each is parsed by the program itself, with --help so that nothing runs."""
        examples = set()
        for command in [(), *COMMANDS]:
            text = self.kbench(*command, "--help").stdout
            examples.update(re.findall(r"^  kbench (.+?)(?:   .*| >.*)?$", text, re.MULTILINE))
        self.assertGreater(len(examples), 5)
        for example in sorted(examples):
            with self.subTest(example=example):
                words = example.replace("'", "").split()
                self.assert_good(self.kbench(*words, "--help"))

    def test_version_names_commit_and_build(self):
        result = self.kbench("--version")
        self.assert_good(result)
        self.assertRegex(result.stdout,
                         r"^kbench \d+\.\d+\.\d+ \(([0-9a-f]{12}|unknown)(, dirty)?\), \w+, .+\n$")

    def test_no_command_is_a_usage_error(self):
        self.assert_fails(self.kbench(), USAGE, "kbench --help")
        self.assert_fails(self.kbench("tasks"), USAGE, "kbench tasks --help")

    def test_misspelt_words_get_a_suggestion(self):
        for words, guess in [
            (("rnu",), "run"),
            (("doctro",), "doctor"),
            (("tasks", "lsit"), "list"),
            (("run", "--levle", "3"), "--level"),
            (("run", "--size", "ful"), "full"),
            (("run", "--device", "cdua"), "cuda"),
            (("run", "--format", "jsn"), "json"),
            (("report", "htm"), "html"),
            (("tasks", "list", "--color", "allways"), "always"),
        ]:
            with self.subTest(words=words):
                result = self.kbench(*words)
                self.assert_fails(result, USAGE, f'did you mean "{guess}"?')
                self.assertEqual(result.stdout, "")

    def test_impossible_values_are_usage_errors(self):
        for words in [
            ("run", "--level", "none"),
            ("run", "--level", "0"),
            ("run", "--device", "cuda:x"),
            ("run", "--quiet", "--verbose"),
            ("run", "stray"),
            ("tasks", "show"),
            ("report",),
        ]:
            with self.subTest(words=words):
                self.assert_fails(self.kbench(*words), USAGE, "error: ")


if __name__ == "__main__":
    cli_case.main()
