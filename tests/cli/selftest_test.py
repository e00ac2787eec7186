"""kbench selftest sandbox: every escape is tried, and the exit status follows from what is open."""

import collections
import json

import cli_case
from cli_case import GOOD, INFRASTRUCTURE, KBENCH, USAGE

OUTCOMES = ("blocked", "open", "not applicable", "failed")
# Where they were built: they execute what task files say.
PROGRAMS_OF_TASKS = tuple(who for who, program in (("oracle", "kbench-oracle"), ("builder", "kbench-player.so"))
                          if (KBENCH.parent / program).exists())


class SelftestTest(cli_case.CliCase):
    def selftest(self, *words):
        result = self.kbench("selftest", "sandbox", "--format", "json", *words, timeout=300)
        report = json.loads(result.stdout)
        self.assertEqual(report["schema_version"], 1)
        bad = report["counts"]["open"] + report["counts"]["failed"]
        self.assertEqual(result.returncode, INFRASTRUCTURE if bad else GOOD, result.stderr)
        self.assertRegex(result.stderr.splitlines()[-1], "^kbench: .")
        self.assertEqual(sum(report["counts"].values()), len(report["escapes"]))
        for one in report["escapes"]:
            self.assertIn(one["outcome"], OUTCOMES)
            self.assertNotEqual(one["reason"], "", one["name"])
        return report, {(one["name"], one["as"]): one["outcome"] for one in report["escapes"]}

    def test_all_escapes_are_tried_and_blocked_where_all_layers_work(self):
        report, outcomes = self.selftest()
        self.assertGreaterEqual(len(outcomes), 45)
        tried_as = collections.Counter(who for _, who in outcomes)
        self.assertEqual(set(tried_as), {"worker", "compiler", *PROGRAMS_OF_TASKS})
        for who in PROGRAMS_OF_TASKS:
            self.assertGreaterEqual(tried_as[who], 60, who)
        self.assertEqual(report["counts"]["failed"], 0, report["escapes"])
        layers = report["sandbox"].split("+")
        if report["sandbox_reason"] == "":
            self.assertEqual(report["counts"]["open"], 0, report["escapes"])
        if "bwrap" in layers and "seccomp" in layers:
            for name in ("read_secret", "tcp4", "ptrace", "other_kill", "fork", "execute", "mount"):
                found = {outcome for (tried, _), outcome in outcomes.items() if tried == name}
                self.assertEqual(found, {"blocked"}, name)
            for who in PROGRAMS_OF_TASKS:
                for name in ("read_secret", "write_secret", "read_database", "tcp4", "unix_path", "ptrace",
                             "kill_victim", "other_vm_read", "mount", "user_namespace"):
                    self.assertEqual(outcomes[name, who], "blocked", (name, who))
            if "oracle" in PROGRAMS_OF_TASKS:
                for name in ("fork", "execute", "inherited"):
                    self.assertEqual(outcomes[name, "oracle"], "blocked", name)

    def test_without_bubblewrap_what_executes_tasks_gets_no_file_either(self):
        only = ("read_secret", "read_database", "list_home", "write_secret", "remove_secret", "write_library",
                "leave_in_tmp", "tcp4", "kill_victim", "other_kill")
        words = [word for name in only for word in ("--only", name)]
        report, outcomes = self.selftest("--without", "bubblewrap", *words)
        layers = report["sandbox"].split("+")
        self.assertNotIn("bwrap", layers)
        if not any(layer.startswith("landlock") for layer in layers):
            self.skipTest("no Landlock here")
        for who in PROGRAMS_OF_TASKS:
            for name in only:
                self.assertEqual(outcomes[name, who], "blocked", (name, who, report["sandbox"]))

    def test_a_gpu_that_is_not_there_is_told_before_anything_is_tried(self):
        result = self.kbench("selftest", "sandbox", "--device", "cuda:63")
        self.assert_fails(result, USAGE, "there is no GPU number 63 here")
        self.assertEqual(result.stdout, "")

    def test_without_any_layer_some_escapes_are_open(self):
        # Otherwise "blocked" above would mean nothing.
        layers = ("bubblewrap", "namespaces", "network", "landlock", "seccomp", "cgroup")
        only = ("read_secret", "tcp4", "fork", "execute", "leave_in_tmp", "proc_cmdline")
        words = [word for layer in layers for word in ("--without", layer)]
        words += [word for name in only for word in ("--only", name)]
        report, outcomes = self.selftest(*words)
        # Only fork and execute of these are none of a builder's.
        tried_as = collections.Counter(who for _, who in outcomes)
        self.assertEqual(tried_as, {"worker": 6} | {who: 4 if who == "builder" else 6
                                                    for who in PROGRAMS_OF_TASKS})
        self.assertEqual(set(outcomes.values()), {"open"}, report["escapes"])

    def test_table_has_the_level_at_its_end(self):
        result = self.kbench("selftest", "sandbox", "--only", "fork", "--only", "chroot")
        self.assertIn("sandbox: ", result.stdout)
        self.assertIn("fork", result.stdout)

    def test_an_unknown_escape_is_refused_with_the_list(self):
        """Was: nothing was tried, and exit code 0."""
        self.assert_fails(self.kbench("selftest", "sandbox", "--only", "nosuch"), USAGE, "nosuch",
                          "read_secret", "ptrace")
        self.assert_fails(self.kbench("selftest", "sandbox", "--only", "ptrce"), USAGE,
                          'did you mean "ptrace"?')

    def test_timing_needs_a_place_to_keep_its_calibration(self):
        result = self.kbench("selftest", "timing", "--device", "cpu", HOME="")
        self.assert_fails(result, USAGE, "no place to keep a calibration", "XDG_STATE_HOME")

    def test_timing_makes_at_least_one_run(self):
        self.assert_fails(self.kbench("selftest", "timing", "--rounds", "0"), USAGE, "--rounds")

    def test_unknown_layer_is_a_usage_error(self):
        self.assert_fails(self.kbench("selftest", "sandbox", "--without", "seccop"), USAGE,
                          "seccomp")


if __name__ == "__main__":
    cli_case.main()
