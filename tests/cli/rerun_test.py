"""kbench run --last-failed and --rerun: a new run of what failed in an earlier one."""

import json
import shutil

import cli_case
from cli_case import NOTHING_SELECTED, TASK_FAILED, USAGE
from prepared import Prepared
from run_test import CHECKED, FAULTS, SOFTMAX, RunCase

RELU = "level1/019_relu"
BROKEN, WRONG = "b-does_not_compile", "c-writes_nothing"


class RerunTest(Prepared, RunCase):
    """One run of which two submissions failed."""

    def prepare(self):
        submissions = self.submissions("a-honest", BROKEN, WRONG)
        self.assert_fails(self.run_kbench(*CHECKED, "--task", SOFTMAX, "--submissions", submissions), TASK_FAILED)
        (run,) = json.loads(self.kbench("runs", "--json").stdout)["runs"]
        self.first = run["id"]

    def planned(self, *words):
        result = self.kbench("run", "--dry-run", *words, "--format", "json")
        self.assert_good(result)
        return [(row["task"], row["agent"]) for row in json.loads(result.stdout)["rows"]]

    def rerun(self, *words):
        result = self.run_kbench(*words, "--format", "json")
        return {row["agent"]: row["state"] for row in json.loads(result.stdout)["results"]}, result

    def test_what_failed_and_nothing_else(self):
        self.assertEqual(self.planned("--last-failed"), [(RELU, BROKEN), (RELU, WRONG)])
        self.assertEqual(self.planned("--rerun", "failed"), [(RELU, BROKEN), (RELU, WRONG)])
        self.assertEqual(self.planned("--rerun", "wrong_result"), [(RELU, WRONG)])
        self.assertEqual(self.planned("--rerun", "no_submission,wrong_result"), [(RELU, WRONG), (SOFTMAX, None)])
        self.assertEqual(self.planned("--last-failed", "--agent", WRONG), [(RELU, WRONG)])
        self.assert_fails(self.run_kbench("--rerun", "crash"), NOTHING_SELECTED, "ended as crash in run ",
                          self.prepared.first[:12])
        self.assert_fails(self.run_kbench("--last-failed", "--task", SOFTMAX), NOTHING_SELECTED, "failed in run ")

    def test_a_mended_file_is_a_new_row_of_a_new_run(self):
        shutil.copy(FAULTS / "honest" / f"{RELU}.cpp", self.folder / "faults" / BROKEN / f"{RELU}.cpp")
        states, result = self.rerun("--last-failed", "--submissions", "faults", "--variants", "mean")
        self.assertEqual(states, {BROKEN: "ok", WRONG: "wrong_result"})
        self.assertEqual(json.loads(result.stdout)["variants"], "mean", "a run's own report has the rule too")
        self.assert_fails(result, TASK_FAILED, "files: evaluated 2, not selected 1", "1 of 2 rows failed",
                          "2 of 4 rows failed in run ", "the others are left out")
        self.assertEqual(self.rows(), (6, 5), "the wrong one is the same evaluation once more")
        said = f"Only what failed in run {self.prepared.first[:12]} was run again"
        for words in (("report",), ("report", "md")):
            self.assertIn(said, self.kbench(*words).stdout, words)
        self.assertEqual(self.planned("--last-failed"), [(RELU, WRONG)], "the newest run is that one")
        self.assertEqual(self.planned("--last-failed", "--run", self.prepared.first[:12]),
                         [(RELU, BROKEN), (RELU, WRONG)])

    def test_what_it_cannot_be(self):
        for words, part in ((("--run", "latest"), "--run names the run of --last-failed"),
                            (("--last-failed", "--resume"), "--resume"),
                            (("--last-failed", "--rerun", "crash"), "--rerun"),
                            (("--rerun", "wrong_resul"), "wrong_result"),
                            (("--last-failed", "--db", "none.sqlite"), "none.sqlite")):
            with self.subTest(words):
                self.assert_fails(self.run_kbench(*words), USAGE, part)
        self.assertFalse((self.folder / "none.sqlite").exists())
        self.assert_fails(self.run_kbench("--last-failed", "--run", "zz"), NOTHING_SELECTED, "zz")


if __name__ == "__main__":
    cli_case.main()
