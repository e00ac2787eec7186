"""kbench profile on a CPU: what is there without a GPU, whose fault an end is, and that nothing is stored."""

import json

import cli_case
from cli_case import ROOT, USAGE

TINY = ROOT / "tests/tiny"
RELU = ROOT / "data/submissions/example/level1/019_relu.cpp"
CRASHES = """#include "task.h"
extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, kb_context*) {
  __builtin_trap();
}
"""


class ProfileTest(cli_case.CliCase):
    def profile(self, *words):
        return self.kbench("profile", "level1/019_relu", "--suite", TINY, "--device", "cpu", *words, timeout=300)

    def test_eager_has_its_calls_and_one_line_for_what_is_not_there(self):
        result = self.profile("--format", "json")
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

    def test_the_side_of_a_submission_takes_one(self):
        result = self.profile("--side", "submission")
        self.assertEqual(result.returncode, USAGE, result.stderr)
        self.assertIn("--submission FILE", result.stderr)


if __name__ == "__main__":
    cli_case.main()
