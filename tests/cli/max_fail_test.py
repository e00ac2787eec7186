"""kbench run --fail-fast, --max-fail, --exit-zero: a run stops because of failures; the exit code."""

import json

import cli_case
from cli_case import NOTHING_SELECTED, TASK_FAILED, USAGE
from prepared import Prepared
from run_test import CHECKED, RunCase

AGENTS = ("a-honest", "b-does_not_compile", "c-writes_nothing", "d-honest")
STATES = {"a-honest": "ok", "b-does_not_compile": "compile_error", "c-writes_nothing": "wrong_result", "d-honest": "ok"}


class StoppedTest(Prepared, RunCase):
    """One run that stopped at its first failure."""

    def prepare(self):
        self.result = self.run_kbench(*CHECKED, "--submissions", self.submissions(*AGENTS), "--fail-fast",
                                      "--format", "json")

    def states(self, result):
        return {row["agent"]: row["state"] for row in json.loads(result.stdout)["results"]}

    def test_it_stops_after_the_first_failure_and_says_so(self):
        self.assert_fails(self.prepared.result, TASK_FAILED)
        self.assertEqual(self.states(self.prepared.result), {"a-honest": "ok", "b-does_not_compile": "compile_error"})
        last = self.prepared.result.stderr.splitlines()[-1]
        for words in ("stopped after 1 failed submission", "2 rows left pending", "continue with --resume"):
            self.assertIn(words, last)
        (listed,) = json.loads(self.kbench("runs", "--json").stdout)["runs"]
        self.assertIsNone(listed["finished_at"])

    def test_a_dry_run_tells_what_is_left(self):
        result = self.kbench("run", "--dry-run", "--resume", "--format", "json")
        self.assert_good(result)
        self.assertEqual([row["what"] for row in json.loads(result.stdout)["rows"]],
                         ["stored", "stored", "evaluate", "evaluate"])
        file = self.prepared.folder / "faults/b-does_not_compile/level1/019_relu.cpp"
        text = file.read_text(encoding="utf-8")
        self.addCleanup(file.write_text, text, encoding="utf-8")
        file.write_text(f"// changed\n{text}", encoding="utf-8")
        self.assert_fails(self.kbench("run", "--dry-run", "--resume"), USAGE, "its source changed since")

    def test_resumed_without_it_goes_on_to_the_end(self):
        resumed = self.run_kbench("--resume", "--format", "json")
        self.assert_fails(resumed, TASK_FAILED, "2 of 4 rows failed")
        self.assertEqual(self.states(resumed), STATES)
        self.assertEqual(self.rows(), (4, 4))

    def test_with_exit_zero_it_is_good(self):
        resumed = self.run_kbench("--resume", "--fail-fast",
                                  "--exit-zero")
        self.assert_good(resumed)
        self.assertIn("stopped after 1 failed submission", resumed.stderr.splitlines()[-1])


class MaxFailTest(RunCase):
    def test_exit_zero_is_of_failed_submissions_alone(self):
        words = ("--exit-zero", *CHECKED, "--submissions", self.submissions("b-does_not_compile"))
        result = self.run_kbench(*words)
        self.assert_good(result)
        self.assertIn("1 of 1 row failed", result.stderr.splitlines()[-1])
        file = self.folder / "faults/b-does_not_compile/level1/020_tanh.cpp"
        file.write_text("", encoding="utf-8")
        result = self.run_kbench(*words)  # a file that is none counts like a submission that failed
        self.assert_good(result)
        last = result.stderr.splitlines()[-1]
        self.assertIn("1 of 1 row failed; ", last)
        self.assertTrue(last.endswith("; 1 file that looks like a submission ignored"), last)
        self.assert_fails(self.run_kbench(*words, "--agent", "nobody"), NOTHING_SELECTED)
        self.assert_fails(self.run_kbench("--exit-zero", *CHECKED, "--submissions", "nowhere"), USAGE)

    def test_what_it_cannot_be(self):
        self.assert_fails(self.run_kbench("--max-fail", "0"), USAGE, "--max-fail")
        self.assert_fails(self.run_kbench("--max-fail", "2", "--fail-fast"), USAGE, "--fail-fast")


if __name__ == "__main__":
    cli_case.main()
