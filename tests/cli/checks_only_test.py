"""kbench run --checks-only: the states of a full run, without times, and in no score, page or reward."""

import json
import sqlite3

import cli_case
from cli_case import NOTHING_SELECTED, TASK_FAILED, USAGE
from prepared import Prepared
from run_test import CHECKED, FAULTS, SOFTMAX, TINY_RELU, RunCase

HONEST = ("--submissions", FAULTS, "--agent", "honest")


class RowsTest(Prepared, RunCase):
    """One run of an honest and of a wrong submission; each test looks at what it left."""

    def prepare(self):
        submissions = self.submissions("a-honest", "b-writes_nothing")
        self.result = self.run_kbench(*CHECKED, "--task", SOFTMAX, "--submissions", submissions,
                                      "--format", "json")

    def results(self):
        return {row["agent"]: row for row in json.loads(self.prepared.result.stdout)["results"]}

    def test_they_are_judged_and_have_no_times(self):
        self.assert_fails(self.prepared.result, TASK_FAILED, "1 of 3 rows failed", "nothing timed")
        rows = self.results()
        self.assertEqual({agent: (row["state"], row["correct"]) for agent, row in rows.items()},
                         {"a-honest": ("ok", True), "b-writes_nothing": ("wrong_result", False),
                          None: ("no_submission", None)})
        for row in rows.values():
            self.assertIs(row["timed"], False)
            self.assertIs(row["ranked"], False)
            self.assertIn("--checks-only", row["unranked_reason"])
            self.assertEqual({row["time_ns"][side] for side in ("eager", "compiled", "submission")},
                             {None})
            self.assertEqual(set(row["speedup"].values()), {None})
            self.assertEqual(row["samples"]["kept"], 0)
        with sqlite3.connect(self.folder / "kbench.sqlite") as store:
            self.assertEqual(store.execute("SELECT count(*) FROM sample").fetchone(), (0,))
            (draws,) = store.execute("SELECT count(*) FROM check_draw JOIN evaluation ON evaluation = number "
                                     "WHERE agent = 'a-honest'").fetchone()
        self.assertGreaterEqual(draws, 5)

    def test_they_have_no_page(self):
        self.assertEqual(list(self.folder.glob("*.html")), [])
        for words in (("html",), ("html", "--site", "site"), ("google-benchmark",), ("kernelbench",)):
            self.assert_fails(self.kbench("report", *words), USAGE, "nothing was timed")
        self.assertFalse((self.folder / "site").exists())

    def test_they_are_told_in_every_other_format(self):
        for form in ("table", "jsonl", "csv", "md", "junit", "github"):
            result = self.kbench("report", form)
            self.assert_good(result)
            self.assertIn("019_relu", result.stdout)
        self.assertIn("checked only, nothing timed: in no score", self.kbench("report", "table").stdout)

    def test_they_are_worth_nothing(self):
        result = self.kbench("report", "jsonl", "--reward", "milestone_sure")
        self.assert_good(result)
        for line in result.stdout.splitlines():
            self.assertIsNone(json.loads(line)["reward"]["value"])

    def test_they_are_compared_with_nothing(self):
        result = self.kbench("compare")
        self.assert_fails(result, NOTHING_SELECTED, "no times because of --checks-only")
        self.assertIn("`kbench run FILE` without --checks-only", result.stderr)
        (listed,) = json.loads(self.kbench("runs", "--json").stdout)["runs"]
        self.assertIs(listed["timed"], False)


class ChoiceTest(Prepared, RunCase):
    """One run that was checked only, and what may be done with it."""

    def prepare(self):
        self.assert_good(self.run_kbench(*CHECKED, *HONEST))

    def test_two_runs_are_not_compared(self):
        self.assert_good(self.run_kbench(*CHECKED, *HONEST))
        runs = [run["id"] for run in json.loads(self.kbench("runs", "--json").stdout)["runs"]]
        self.assertEqual(len(runs), 2)
        self.assert_fails(self.kbench("compare", *runs), USAGE, "nothing was timed in run")

    def test_a_run_stays_what_it_was_begun_as(self):
        again = self.run_kbench("--resume", "--format", "json")
        self.assert_good(again)
        (row,) = json.loads(again.stdout)["results"]
        self.assertIs(row["timed"], False)
        self.assertEqual(self.rows(), (1, 1))

    def test_a_timed_run_is_not_continued_without_timing(self):
        self.assert_good(self.run_kbench(*TINY_RELU, *HONEST, "--quick"))
        self.assert_fails(self.run_kbench("--resume", "--checks-only"), USAGE, "another checks_only")

    def test_a_page_that_was_asked_for_is_refused_before_the_run(self):
        result = self.run_kbench(*CHECKED, *HONEST, "--html", "page.html", "--db", "new.sqlite")
        self.assert_fails(result, USAGE, "html shows times", "run without --checks-only")
        self.assertFalse((self.folder / "new.sqlite").exists())

    def test_there_is_nothing_to_check_of_baselines(self):
        self.assert_fails(self.run_kbench(*CHECKED, "--baselines-only"), USAGE, "--baselines-only")

    def test_a_row_is_evaluated_again_as_it_was(self):
        result = self.kbench("reproduce", "latest", "--task", "level1/019_relu", "--agent", "honest",
                             "--into", "again.sqlite", KBENCH_TORCH=str(self.folder), timeout=300)
        self.assert_good(result)
        self.assertIn("the same evaluation as in run", result.stderr)
        self.assertIn("nothing timed", result.stderr)


if __name__ == "__main__":
    cli_case.main()
