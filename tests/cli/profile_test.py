"""kbench profile on a CPU: what is there without a GPU, whose fault an end is, what is kept and compared."""

import json
import re

import cli_case
from cli_case import ROOT, USAGE

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
        self.assertIn("did not finish a call", result.stderr)
        self.assertEqual(list(self.folder.glob("*.sqlite")), [])

    def test_a_profile_is_kept_compared_checked_and_merged(self):
        both = self.profile("--submission", RELU, "--compare", "eager", "--format", "json", "--db", "kept.sqlite")
        self.assert_good(both)
        compared = json.loads(both.stdout)
        self.assertEqual((compared["a"]["side"], compared["b"]["side"]), ("submission", "eager"))
        self.assertEqual(compared["cautions"], [])
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
        merged = self.kbench("db", "merge", "all.sqlite", "kept.sqlite")
        self.assert_good(merged)
        self.assertIn("0 runs and 2 profiles added", merged.stderr)
        pruned = self.kbench("db", "prune", "--keep", "0d", "--db", "all.sqlite")
        self.assert_good(pruned)

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
