"""Help, version, and what happens to words nobody knows."""

import json
import re
import subprocess

import cli_case
from cli_case import KBENCH, ROOT, USAGE


def every_command():
    """The words of each verb, as the program itself completes them."""
    script = subprocess.run([KBENCH, "completions", "bash"], capture_output=True, text=True, check=True).stdout
    return [tuple(verb.split()) for verb in re.findall(r"'([^']+)'", re.search(r"for known in ([^;]+);", script)[1])]


COMMANDS = every_command()

EXAMPLE = re.compile(r"^  kbench (.+?)(?:   .*| >.*)?$", re.MULTILINE)

# A command, and each of its options that takes a word; "" stands for what stands alone.
WORDS = {
    ("run",): ["--task", "--size", "--device", "--precision", "--profile", "--submissions", "--layout", "--agent",
               "--format", "--out", "--db", "--resume", "--html", "--suite", "--level", "--jobs",
               "--tag", "--input-file", "--seed", "--order", ""],
    ("build",): ["--arch", "--device", "--size", "--submissions", "--shard", "--exchange", "--jobs", ""],
    ("tasks", "list"): ["--level", "--tag", "--format", "--suite"],
    ("tasks", "show"): ["--size", "--suite", ""],
    ("tasks", "header", "relu"): ["--out"],
    ("tasks", "lint"): ["--task", "--db"],
    ("import", "x.py", "--out", "x"): ["--mode", "--level", ""],
    ("import", "x.py"): ["--out"],
    ("synth", "--out", "x"): ["--count", "--seed", "--operators", "--from", "--device", "--devices", "--shard", "--mode",
                              "--held-out"],
    ("synth",): ["--out"],
    ("report", "md"): ["--out", "--db", "--run", "--output"],
    ("report",): [""],
    ("help",): [""],
    ("workspace", "open", "relu"): ["--size", "--device", ""],
    ("workspace", "submit", "x"): ["--agent", "--reward", "--db"],
    ("db", "merge", "x"): ["--exchange", "--group", ""],
    ("exchange", "check"): ["--format", ""],
    ("exchange", "prune", "x"): ["--keep"],
    ("serve",): ["--bind", "--host", "--tokens", "--device", "--size", "--db"],
    ("mcp",): ["--print", "--db"],
    ("episodes", "list"): ["--run", "--reward", "--db", "--format"],
    ("episodes", "show"): ["--turn", ""],
    ("export", "rft"): ["--output", "--run", "--filter", "--reward", "--held-out", "--values", "--db"],
    ("export",): [""],
    ("agent", "run", "--endpoint", "http://x"): ["--model", "--task", "--key-env", "--key-file",
                                                 "--style", "--feedback", "--resume", "--db"],
    ("attribute", "analyze", "x.jsonl"): ["--outcome", "--arm", "--by", "--html", "--format"],
    ("attribute", "analyze"): [""],
    ("attribute", "plan", "--model", "m"): ["--output", "--component", "--mode", "--arm", "--outcome", "--stratum",
                                            "--run", "--size", "--device", "--price", "--db"],
    ("attribute", "run", "plan.json", "--endpoint", "http://x"): ["--key-env", "--key-file", "--device", "--db"],
    ("attribute", "report"): ["--by", "--html", "--lines", "--format", "--db", ""],
    ("trajectory", "import", "jsonl", "x.jsonl"): ["--task"],
    ("trajectory", "import", "jsonl", "x.jsonl", "--task", "relu"): ["--size", "--device", "--trajectory", "--db"],
    ("trajectory", "freeze"): ["--run", "--db", ""],
    ("trajectory", "list"): ["--run", "--db", "--format"],
    ("trajectory", "show"): [""],
    ("explain",): ["--task", "--agent", "--db", ""],
    ("names", "tasks"): ["--db", "--suite"],
    ("names",): [""],
    ("runs",): ["--db", "--device", "--color"],
    ("tag", "latest", "x"): ["--db"],
    ("tag",): ["--remove", ""],
    ("compare",): ["--db", "--baseline", "--fail-on", ""],
    ("history", "relu"): ["--agent", "--device"],
    ("history",): [""],
    ("selftest", "sandbox"): ["--without", "--only", "--device"],
    ("selftest", "timing"): ["--rounds"],
    ("calibrate",): ["--only", "--rounds", "--device", "--devices"],
    ("profile", "relu"): ["--submission", "--side", "--size", "--device", "--precision", "--format", "--suite"],
    ("profile",): [""],
    ("debug", "relu.cpp"): ["--task", "--size", "--device", "--precision", "--suite"],
    ("debug",): [""],
}


class HelpTest(cli_case.CliCase):
    def test_every_command_has_help_on_stdout(self):
        for command in [(), *COMMANDS]:
            with self.subTest(command=command):
                result = self.kbench(*command, "--help")
                self.assert_good(result)
                self.assertEqual(result.stderr, "")
                self.assertIn("Usage: kbench", result.stdout)
                self.assertIn("Exit codes (not every command has each): 0 good", result.stdout)
                self.assertEqual(result.stdout, self.kbench(*command, "-h").stdout)
                if command not in [(), ("tasks",), ("agent",)]:  # these are pages
                    self.assertEqual(result.stdout, self.kbench("help", *command).stdout)

    def test_help_lists_the_pages_and_prints_one(self):
        listed = self.kbench("help")
        self.assert_good(listed)
        pages = dict(re.findall(r"^  ([a-z-]+) {2,}(.+)$", listed.stdout, re.MULTILINE))
        contents = (ROOT / "data/docs/index.md").read_text(encoding="utf-8")
        self.assertEqual([*pages.items()],
                         re.findall(r"^\| \[([a-z-]+)\]\([a-z-]+\.md\) \| (.+) \|$", contents, re.MULTILINE))
        (self.folder / "kbench.toml").write_text("what is wrong here", encoding="ascii")
        for page, about in pages.items():
            result = self.kbench("help", page)
            self.assert_good(result)
            self.assertEqual(result.stderr, "")
            self.assertEqual(result.stdout, (ROOT / f"data/docs/{page}.md").read_text(encoding="utf-8"))
            self.assertEqual(result.stdout.splitlines()[0], f"# {about}")

    def test_a_page_that_there_is_not_is_a_usage_error(self):
        self.assert_fails(self.kbench("help", "trsut"), USAGE, 'did you mean "trust"?')
        self.assert_fails(self.kbench("help", "nothing-of-that-kind"), USAGE, "`kbench help` lists them")
        self.assert_fails(self.kbench("help", "rnu"), USAGE, 'did you mean "run"?')
        self.assert_fails(self.kbench("help", "trust", "tasks"), USAGE, '"tasks"')
        self.assert_fails(self.kbench("help", "--all"), USAGE, '"--all"')

    def test_help_fits_the_usual_terminal(self):
        for command in [(), *COMMANDS]:
            for line in self.kbench(*command, "--help").stdout.splitlines():
                self.assertLessEqual(len(line), 120, line)

    def test_json_is_short_for_format_json_wherever_that_is_one_of_two(self):
        """Was: an unknown option of tasks list, doctor, import and synth, though runs and compare knew it."""
        two = re.compile(r"--format table\|json\s")
        commands = [one for one in COMMANDS if two.search(self.kbench(*one, "--help").stdout)]
        self.assertIn(("tasks", "list"), commands)
        for command in commands:
            with self.subTest(command=command):
                self.assertRegex(self.kbench(*command, "--help").stdout, r"--json +The same as --format json")

    def test_json_is_short_for_it_in_every_other_command_that_has_that_format(self):
        """Was: an unknown option of report and of profile."""
        self.assertRegex(self.kbench("report", "--help").stdout, r"--json +The same as FORMAT json")
        self.assertRegex(self.kbench("profile", "--help").stdout, r"--json +The same as --format json")
        for words in (("report", "csv", "--json"), ("profile", "--list", "--format", "text", "--json")):
            self.assert_fails(self.kbench(*words), USAGE, "do not go together")

    def test_a_file_for_tasks_that_are_none(self):
        """Was: a signal 11, for a pattern without a match; and a bug of kbench's, for a link to itself."""
        (self.folder / "mine.cpp").write_text("int nothing;\n", encoding="utf-8")
        (self.folder / "loop.cpp").symlink_to("loop.cpp")
        for verb in ("run", "build", "profile", "debug"):
            with self.subTest(verb=verb):
                self.assert_fails(self.kbench(verb, "mine.cpp", "--task", "nosuch*", "--device", "cpu"),
                                  cli_case.NOTHING_SELECTED, "nosuch*")
                self.assert_fails(self.kbench(verb, "loop.cpp", "--task", "level1/019_relu", "--device", "cpu"),
                                  USAGE, "loop.cpp")

    def test_where_json_is_asked_for_an_error_is_json_too(self):
        """Was: nothing on standard output, so that a program could not tell a mistake from a full disk."""
        for words, code, part in ((("tasks", "show", "rleu", "--json"), cli_case.NOTHING_SELECTED, "rleu"),
                                  (("tasks", "show", "rleu", "--format=json"), cli_case.NOTHING_SELECTED, "rleu"),
                                  (("tasks", "list", "--levle", "1", "--format", "json"), USAGE, "--levle"),
                                  (("runs", "--json", "--db", "none.sqlite"), USAGE, "none.sqlite"),
                                  (("report", "json", "--db", "none.sqlite"), USAGE, "none.sqlite"),
                                  (("report", "jsonl"), cli_case.NOTHING_SELECTED, "no runs yet"),
                                  (("runs", "--json"), cli_case.NOTHING_SELECTED, "no runs yet"),
                                  (("compare", "--json"), cli_case.NOTHING_SELECTED, "no runs yet"),
                                  (("explain", "--json"), cli_case.NOTHING_SELECTED, "no runs yet")):
            with self.subTest(words=words):
                result = self.kbench(*words)
                self.assert_fails(result, code, part)
                self.assertEqual(result.stdout.count("\n"), 1, "one line, as JSON lines are")
                answer = json.loads(result.stdout)
                self.assertEqual((answer["schema_version"], answer["exit_code"]), (1, code))
                self.assertIn(part, answer["error"]["message"])
                self.assertIn(answer["error"]["hint"], result.stderr)
        for words in (("tasks", "list", "--level", "9", "--json"), ("tasks", "list", "--task", "zz*", "--json")):
            self.assertIn("error", json.loads(self.kbench(*words).stdout), "one object")
        for words in (("tasks", "show", "rleu"), ("run", "--", "--json")):
            self.assertEqual(self.kbench(*words).stdout, "", words)

    def test_what_stands_for_another_form_is_named(self):
        for words, meant in ((("run", "a.cpp", "b.cpp"), "--submissions DIR"),
                             (("report", "--format", "csv"), "`kbench report csv`"),
                             (("nightly", "--json"), '"--out json=-"'),
                             (("nightly", "--format", "csv"), '"--out FORMAT=-"'),
                             (("show", "relu"), '"tasks show" or "episodes show"'),
                             (("lint",), '"tasks lint"'),
                             (("run", "a.py"), "--reference REF.py")):
            with self.subTest(words=words):
                (self.folder / "a.py").write_text("")
                self.assert_fails(self.kbench(*words), USAGE, meant)

    def test_every_example_in_help_is_accepted(self):
        """Examples rot: each is parsed by the program itself, with --help so that nothing runs."""
        for command in [(), *COMMANDS]:
            examples = EXAMPLE.findall(self.kbench(*command, "--help").stdout)
            self.assertTrue(examples, f"{command} has no example")
            self.assertTrue(any(example.split()[:len(command)] == list(command)
                                for example in examples), f"{command} has no example of its own")
            for example in examples:
                with self.subTest(example=example):
                    words = example.replace("'", "").split()
                    self.assert_good(self.kbench(*words, "--help"))
                    if words[0] == "tasks" and words[1] != "lint":  # these need nothing but a suite
                        self.assert_good(self.kbench(*words))

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
            (("version",), "--version"),
            (("-V",), "--version"),
            (("db", "check", "results.sqlite"), "--db results.sqlite"),
            (("run", "--tag", "matmull"), "matmul"),
            (("run", "--order", "longst"), "longest"),
            (("names", "task"), "tasks"),
            (("tasks", "lsit"), "list"),
            (("run", "--levle", "3"), "--level"),
            (("run", "--size", "ful"), "full"),
            (("run", "--device", "cdua"), "cuda"),
            (("run", "--format", "jsn"), "json"),
            (("report", "htm"), "html"),
            (("nightly", "--flga", "3"), "--flag"),
            (("config", "nigthly"), "nightly"),
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
        ]:
            with self.subTest(words=words):
                self.assert_fails(self.kbench(*words), USAGE, "error: ")

    def test_an_empty_value_is_a_usage_error_and_never_the_default(self):
        """"$AGENT" of a script, where that is empty, must not become every agent."""
        for command, options in WORDS.items():
            for option in options:
                words = [*command, option, ""] if option else [*command, ""]
                with self.subTest(words=words):
                    result = self.kbench(*words)
                    self.assert_fails(result, USAGE, "error: ")
                    self.assertIn(option, result.stderr)
                    self.assertIn("is given an empty value", result.stderr)
                    self.assertEqual(result.stdout, "")

    def test_a_group_alone_lists_its_commands(self):
        """Was: "A subcommand is required", and none was named."""
        for group, subs in (("tasks", ("list ", "show ", "header ", "prompt ", "lint ")),
                            ("db", ("check ", "backup ", "prune ", "vacuum ", "salvage ", "merge "))):
            with self.subTest(group=group):
                result = self.kbench(group)
                self.assert_fails(result, USAGE, f"kbench {group}: ")
                lines = [line.strip() for line in result.stderr.splitlines()]
                for sub in subs:
                    self.assertEqual(len([line for line in lines if line.startswith(sub)]), 1, sub)
                self.assertEqual(result.stdout, "")

    def test_a_family_that_is_none_is_refused_by_the_name_that_was_typed(self):
        """Was: a word behind --family was refused under the name --tag."""
        for words in (("run", "--dry-run"), ("tasks", "list")):
            for option in ("--family", "--tag"):
                with self.subTest(words=words, option=option):
                    result = self.kbench(*words, option, "mat")
                    self.assert_fails(result, USAGE, option)
                    other = "--tag" if option == "--family" else "--family"
                    self.assertNotIn(other, result.stderr)
                    self.assertIn("matmul", result.stderr)

    def test_profile_takes_a_file_as_run_does(self):
        """Was: a file in place of a task was a task that nobody has, without a hint."""
        (self.folder / "mine.cpp").write_text("int nothing;\n", encoding="utf-8")
        result = self.kbench("profile", "mine.cpp", "--device", "cpu")
        self.assert_fails(result, USAGE, "mine.cpp: which task?")
        self.assertIn("kbench profile FILE --task TASK", result.stderr)
        both = self.kbench("profile", "relu", "--task", "gelu", "--device", "cpu")
        self.assert_fails(both, USAGE, "TASK and --task each name a task")
        self.assert_fails(self.kbench("profile", "mien.cpp"), USAGE, 'did you mean "mine.cpp"?')
        self.assert_fails(self.kbench("profile", "--list", "mine.cpp"), USAGE, "a FILE does not go together with")

    def test_behind_two_dashes_nothing_is_an_option(self):
        self.assert_fails(self.kbench("run", "--", "my.cpp"), USAGE, "my.cpp: no such file")
        self.assert_fails(self.kbench("run", "--", "--quick"), USAGE, "--quick: no such file")

    def test_an_equals_sign_without_a_value_takes_no_other_option_for_it(self):
        self.assert_fails(self.kbench("run", "--agent=", "--baselines-only"), USAGE,
                          "--agent= gives no value")


if __name__ == "__main__":
    cli_case.main()
