"""kbench profile on a CPU: what is there without a GPU, whose fault an end is, what is kept and compared."""

import json
import os
import re
import signal
import subprocess

import cli_case
from cli_case import INTERRUPTED, KBENCH, ROOT, USAGE

TINY = ROOT / "tests/tiny"
RELU = ROOT / "data/submissions/example/level1/019_relu.cpp"
CRASHES = """#include "task.h"
extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, kb_context*) {
  __builtin_trap();
}
"""

ENDLESS = CRASHES.replace("__builtin_trap();", "for (volatile int i = 0;; i = i + 1) {}")


class ProfileTest(cli_case.CliCase):
    def profile(self, *words):
        return self.kbench("profile", "level1/019_relu", "--suite", TINY, "--device", "cpu", *words, timeout=300)

    def test_eager_has_its_calls_and_one_line_for_what_is_not_there(self):
        result = self.profile("--format", "json", "--no-store")
        self.assert_good(result)
        profile = json.loads(result.stdout)
        self.assertEqual((profile["task"], profile["side"], profile["submission"]), ("level1/019_relu", "eager", None))
        self.assertEqual(len(profile["calls_us"]), 10)
        self.assertEqual(profile["kernels"], [])
        self.assertEqual(profile["missing"],
                         ["the activities of a call are those of a GPU, and this is a CPU"])
        self.assertEqual(list(self.folder.glob("*.sqlite")), [])

    def test_a_submission_is_compiled_and_called_and_the_text_is_short(self):
        result = self.profile("--submission", RELU)
        self.assert_good(result)
        self.assertLessEqual(len(result.stdout.encode()), 4096)
        for part in ("level1/019_relu", "call ", "limit ", "verdict ", "not there: the activities"):
            self.assertIn(part, result.stdout)

    def test_the_trace_of_no_activities_is_empty_and_sound(self):
        result = self.profile("--format", "trace")
        self.assert_good(result)
        self.assertEqual(json.loads(result.stdout)["traceEvents"], [])

    def test_a_crash_in_a_call_is_the_submissions_fault(self):
        (self.folder / "mine.cpp").write_text(CRASHES)
        result = self.profile("--submission", "mine.cpp")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("crashed", result.stderr)

    def test_a_call_without_an_end_is_ended_and_nothing_is_kept(self):
        (self.folder / "mine.cpp").write_text(ENDLESS)
        result = self.profile("--submission", "mine.cpp", "--call-limit", "0.5")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("did not finish a call within 0.5 s", result.stderr)
        self.assertEqual(list(self.folder.glob("*.sqlite")), [])

    def test_a_profile_is_kept_compared_checked_and_merged(self):
        both = self.profile("--submission", RELU, "--compare", "eager", "--format", "json", "--db", "kept.sqlite")
        self.assert_good(both)
        compared = json.loads(both.stdout)
        self.assertEqual((compared["a"]["side"], compared["b"]["side"]), ("submission", "eager"))
        # Cautions about the machine, which may be busy and has no calibration here.
        self.assertEqual([line for line in compared["cautions"]
                          if "the machine was busy" not in line and "not calibrated" not in line], [])
        self.assertIn("not calibrated", " ".join(compared["cautions"]))
        self.assertIn("call_us", [fact["name"] for fact in compared["facts"]])
        a, b = re.search(r"kept in kept.sqlite: (\w+) (\w+)", both.stderr).groups()

        # Two that are there take neither a task nor a device.
        again = self.kbench("profile", "--compare", a, b, "--format", "json", "--db", "kept.sqlite")
        self.assert_good(again)
        self.assertEqual(json.loads(again.stdout), compared)
        text = self.kbench("profile", "--compare", a, b, "--db", "kept.sqlite")
        self.assertIn("call (us)", text.stdout)

        check = self.kbench("db", "check", "--db", "kept.sqlite", "--json")
        self.assert_good(check)
        self.assertEqual(json.loads(check.stdout)["profiles"], 2)
        self.assertIn("with 0 runs and 2 profiles", check.stderr)
        merged = self.kbench("db", "merge", "all.sqlite", "kept.sqlite")
        self.assert_good(merged)
        self.assertIn("0 runs and 2 profiles added to all.sqlite, 0 runs and 0 profiles there already", merged.stderr)
        merged = self.kbench("db", "merge", "all.sqlite", "kept.sqlite")
        self.assertIn("0 runs and 0 profiles added to all.sqlite, 0 runs and 2 profiles there already", merged.stderr)
        saved = self.kbench("db", "salvage", "all.sqlite", "saved.sqlite")
        self.assert_good(saved)
        self.assertIn("0 runs and 2 profiles saved", saved.stderr)
        pruned = self.kbench("db", "prune", "--keep", "0d", "--db", "all.sqlite")
        self.assert_good(pruned)
        self.assertIn("2 profiles and 0 of 0 runs removed", pruned.stderr)

    def test_profiles_without_a_run_are_listed(self):
        self.assert_good(self.profile("--db", "kept.sqlite"))
        listed = self.kbench("profile", "--list", "--db", "kept.sqlite")
        self.assert_good(listed)
        self.assertIn("level1/019_relu", listed.stdout)
        self.assertIn("1 profile in kept.sqlite", listed.stderr)
        (one,) = json.loads(self.kbench("profile", "--list", "--db", "kept.sqlite", "--format", "json").stdout)["profiles"]
        self.assertEqual((one["side"], one["submission"], one["size"]), ("eager", None, "small"))
        other = self.kbench("profile", "020_leakyrelu", "--list", "--db", "kept.sqlite")
        self.assertEqual(other.stdout, "")
        self.assertIn("0 profiles", other.stderr)

    def test_a_python_submission_without_a_python_says_so(self):
        file = self.folder / "019_relu.py"
        file.write_text("class ModelNew: pass\n", encoding="utf-8")
        result = self.kbench("profile", "level1/019_relu", "--device", "cpu", "--submission", file,
                             KBENCH_TORCH=str(self.folder))
        self.assertEqual(result.returncode, USAGE)
        self.assertIn("needs a Python with torch", result.stderr)

    def test_a_mistake_is_found_before_anything_is_measured(self):
        """Was found after both calls, whose profiles were then lost."""
        (self.folder / "text.sqlite").write_text("this is no database, but a text as long as a header of one is")
        for words, what in ((("--compare", "3f0a91"), "no such database"),
                            (("--db", "nowhere/kept.sqlite"), "there is no folder"),
                            (("--db", "text.sqlite"), "text.sqlite"),
                            (("--compare", "submission"), "no submission to profile"),
                            (("--compare", "eager", "compiled", "--submission", RELU), "none of the two"),
                            (("--compare", "eager", "compiled", "--side", "eager"), "--compare names two")):
            result = self.profile(*words, "-v")
            self.assertEqual(result.returncode, USAGE, result.stderr)
            self.assertIn(what, result.stderr)
            self.assertNotIn("compil", result.stderr.split("error:")[0], "it began to work")
        self.assertEqual([file.name for file in self.folder.glob("*.sqlite")], ["text.sqlite"])

    def test_calls_of_two_tasks_are_not_compared(self):
        relu, other = (self.kept(self.kbench("profile", task, "--suite", TINY, "--device", "cpu", timeout=300))
                       for task in ("level1/019_relu", "level1/023_softmax"))
        both = self.kbench("profile", "--compare", relu, other)
        self.assertEqual(both.returncode, USAGE, both.stderr)
        self.assertIn("calls of two tasks are not compared", both.stderr)
        beside = self.profile("--compare", other)
        self.assertEqual(beside.returncode, USAGE, beside.stderr)
        self.assertIn("calls of two tasks are not compared", beside.stderr)
        named = self.profile("--compare", relu, relu)
        self.assertEqual(named.returncode, USAGE, named.stderr)
        self.assertIn("compared as they are", named.stderr)

    def kept(self, result):
        self.assert_good(result)
        return re.search(r"kept in \S+ as (\w+)", result.stderr).group(1)

    def test_a_call_limit_is_a_time(self):
        for limit in ("nan", "inf", "0", "-1", "soon"):
            result = self.profile("--call-limit", limit)
            self.assertEqual(result.returncode, USAGE, result.stderr)
            self.assertIn("--call-limit", result.stderr)

    def test_who_waits_for_the_device_can_be_interrupted(self):
        (self.folder / "mine.cpp").write_text(ENDLESS)
        words = [str(KBENCH), "profile", "level1/019_relu", "--suite", str(TINY), "--device", "cpu"]
        locks = self.folder / "locks"
        environment = {**os.environ, "HOME": str(self.folder), "KBENCH_LOCKS": str(locks)}
        # As a script has it that starts something beside itself: the shell tells it to ignore Ctrl-C.
        begin = {"cwd": self.folder, "env": environment, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
                 "text": True, "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
        with open(self.folder / "first", "w+", encoding="utf-8") as first, \
                open(self.folder / "second", "w+", encoding="utf-8") as second:
            waiter = None
            holder = subprocess.Popen([*words, "--submission", "mine.cpp", "--call-limit", "60"], stderr=first, **begin)
            try:
                self.wait_until(lambda: list(locks.glob("*")), "it has the device",
                                holder)
                waiter = subprocess.Popen(words, stderr=second, **begin)
                told = self.folder / "second"
                self.wait_until(lambda: "waiting for the device" in told.read_text("utf-8"), "it waits", waiter)
                waiter.send_signal(signal.SIGINT)
                self.assertEqual(waiter.wait(timeout=60), INTERRUPTED)
                self.assertIn("interrupted", told.read_text("utf-8"))
            finally:
                for process in (holder, waiter):
                    if process:
                        process.kill()
                        process.wait()
        self.assertEqual(list(self.folder.glob("*.sqlite")), [])

    def test_what_cannot_be_compared_is_said(self):
        for words, what in ((("--compare", "eager", "compiled"), "no task is named"),
                            (("--compare", "3f0a91", "77c2d4", "--format", "trace"), "a timeline is of one profile"),
                            ((), "no task is named")):
            result = self.kbench("profile", *words)
            self.assertEqual(result.returncode, USAGE, result.stderr)
            self.assertIn(what, result.stderr)

    def test_the_side_of_a_submission_takes_one(self):
        result = self.profile("--side", "submission")
        self.assertEqual(result.returncode, USAGE, result.stderr)
        self.assertIn("--submission FILE", result.stderr)


if __name__ == "__main__":
    cli_case.main()
