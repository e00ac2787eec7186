"""Options that nobody typed: kbench.toml of the working directory, variables, and where each comes from."""

import json
import os

import cli_case
from cli_case import USAGE


class ConfigTest(cli_case.CliCase):
    def write(self, text, name="kbench.toml"):
        (self.folder / name).write_text(text, encoding="utf-8")

    def origins(self, *words, **environment):
        result = self.kbench("config", "--json", *words, **environment)
        self.assert_good(result)
        return {one["option"]: one for one in json.loads(result.stdout)["options"]}

    def test_a_file_of_the_working_directory_is_taken(self):
        self.write("db = 'none.sqlite'\n")
        self.assert_fails(self.kbench("runs"), USAGE, "none.sqlite")
        self.assert_fails(self.kbench("runs", KBENCH_DB="other.sqlite"), USAGE, "other.sqlite")
        self.assert_fails(self.kbench("runs", "--db", "typed.sqlite", KBENCH_DB="other.sqlite"), USAGE,
                          "typed.sqlite")
        self.write("db = 'third.sqlite'\n", "mine.toml")
        self.assert_fails(self.kbench("runs", "--config", "mine.toml"), USAGE, "third.sqlite")
        self.assert_fails(self.kbench("runs", KBENCH_CONFIG="mine.toml"), USAGE, "third.sqlite")

    def test_each_value_says_where_it_is_from(self):
        self.write("[run]\nlevel = [1, 2]\n")
        origins = self.origins("run", "--quick", KBENCH_RUN_DEVICE="cpu")
        self.assertEqual({name: origins[name]["origin"]
                          for name in ("level", "device", "quick", "precision")},
                         {"level": "kbench.toml:2", "device": "KBENCH_RUN_DEVICE",
                          "quick": "command line", "precision": "default"})
        self.assertEqual(origins["level"]["values"], ["1", "2"])
        self.assertEqual(self.origins("nightly")["level"]["origin"], "kbench.toml:2")
        behind = self.kbench("config", "run", "--json")
        self.assert_good(behind)
        self.assertEqual(json.loads(behind.stdout)["command"], "run", "was: a table")
        table = self.kbench("config")
        self.assert_good(table)
        self.assertRegex(table.stdout, r"--level +1, 2 +kbench\.toml:2")
        self.assertRegex(table.stdout, r"--budget +180 +default")

    def test_the_users_own_file_is_below_the_working_directorys_and_may_say_more(self):
        own = self.folder / "own" / "kbench"
        own.mkdir(parents=True)
        (own / "kbench.toml").write_text("db = '/elsewhere/own.sqlite'\n[run]\nlevel = [1]\nbudget = 60\n"
                                         "[serve]\ntokens = '/elsewhere/tokens'\n", encoding="utf-8")
        self.write("[run]\nlevel = [2]\n")
        origins = self.origins("run", XDG_CONFIG_HOME=str(self.folder / "own"))
        self.assertEqual((origins["level"]["values"], origins["level"]["origin"]), (["2"], "kbench.toml:2"))
        self.assertEqual((origins["budget"]["values"], origins["budget"]["origin"]), (["60"], f"{own}/kbench.toml:4"))
        self.assert_fails(self.kbench("runs", XDG_CONFIG_HOME=str(self.folder / "own")), USAGE, "own.sqlite")
        self.write("db = '/elsewhere/foreign.sqlite'\n")
        self.assert_fails(self.kbench("runs", XDG_CONFIG_HOME=str(self.folder / "own")), USAGE,
                          "kbench.toml:1: db is /elsewhere/foreign.sqlite, which does not lie below")
        self.write("")
        home = self.folder / ".config" / "kbench"
        home.mkdir(parents=True)
        (home / "kbench.toml").write_text("db = 'home.sqlite'\n", encoding="utf-8")
        self.assert_fails(self.kbench("runs"), USAGE, "home.sqlite")

    def test_a_variable_that_sets_nothing_is_named(self):
        result = self.kbench("config", "run", KBENCH_RUN_LEVLE="1")
        self.assert_good(result)
        self.assertIn("KBENCH_RUN_LEVLE sets no option", result.stderr)
        self.assertNotIn("KBENCH_ROOT", result.stderr)

    def test_a_mistyped_variable_is_warned_of_once_by_every_command(self):
        """Was: `run` passed over KBENCH_RUN_DEVIC in silence."""
        warning = "warning: KBENCH_RUN_DEVIC sets no option; did you mean KBENCH_RUN_DEVICE?\n"
        for words in (("runs",), ("tasks", "list"), ("run", "--task", "no/such"), ("config",)):
            result = self.kbench(*words, KBENCH_RUN_DEVIC="cpu")
            self.assertEqual(result.stderr.count(warning), 1, words)
            quiet = self.kbench(*words, KBENCH_RUN_DEVIC="cpu", KBENCH_RUN_QUIET="1")
            if words[0] == "run":
                self.assertNotIn("warning", quiet.stderr)

    def test_an_empty_value_takes_no_option_for_it(self):
        for text in ("task=''", "agent=''", "submissions=''", "out=['']", "budget=''"):
            self.write(f"[run]\n{text}\n")
            name = text.split("=")[0]
            self.assert_fails(self.kbench("run", "--quick", "--no-html"), USAGE,
                              f"kbench.toml:2: run.{name} is empty")
        self.write("")
        self.assert_fails(self.kbench("run", "--quick", KBENCH_RUN_TASK=""), USAGE,
                          "KBENCH_RUN_TASK is empty")

    def test_config_refuses_what_run_refuses(self):
        self.write('[run]\nlevel="abc"\njobs=-1\ndevice=3\nshard="3/2"\n')
        for words in (("run",), ("config", "run")):
            self.assert_fails(self.kbench(*words), USAGE, "kbench.toml:2: --level", "kbench.toml:3: --jobs",
                              "kbench.toml:4: --device", "kbench.toml:5: --shard")

    def test_a_file_that_is_none_is_an_error_and_blocks_nobody(self):
        place = self.folder / "kbench.toml"
        place.mkdir()
        self.assert_fails(self.kbench("runs", timeout=20), USAGE, "kbench.toml: not a regular file")
        place.rmdir()
        os.mkfifo(place)
        self.assert_fails(self.kbench("runs", timeout=20), USAGE, "kbench.toml: not a regular file")
        place.unlink()
        place.symlink_to("/dev/zero")
        self.assert_fails(self.kbench("runs", timeout=20), USAGE, "kbench.toml: not a regular file")

    def test_what_no_command_has_stops_every_command(self):
        self.write("[run]\nlevle = [1]\n")
        for words in (("runs",), ("run",), ("config", "run")):
            self.assert_fails(self.kbench(*words), USAGE, "kbench.toml:2", 'did you mean "level"?')
        self.assert_good(self.kbench("run", "--help"))
        self.assert_good(self.kbench("--version"))

    def test_looking_writes_nothing(self):
        self.write("[run]\nlevel = [1]\n")
        self.origins("run")
        self.assertEqual([file.name for file in self.folder.iterdir()], ["kbench.toml"])


if __name__ == "__main__":
    cli_case.main()
