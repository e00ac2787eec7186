"""Right submissions of other algorithms (tests/honest) pass every draw, hard ones included.

The draws' tests check in full and time nothing, on fewer rows than are shipped (few_rows.py), half of the
tasks each. In TimedCallsTest, which takes minutes, they are checked at the shipped size and timed calls are
verified as well. As in run_test there is no Python with torch, so the compiled baseline is left out.
"""

import json
import sqlite3

import cli_case
from cli_case import ROOT
from few_rows import write_suite

SUBMISSIONS = ROOT / "tests" / "honest" / "submissions"


def tasks():
    return sorted(str(path.relative_to(SUBMISSIONS / "other").with_suffix(""))
                  for path in (SUBMISSIONS / "other").glob("level*/*.cpp"))


class HonestCase(cli_case.CliCase):
    def assert_all_right(self, chosen, *how):
        words = [word for task in chosen for word in ("--task", task)]
        result = self.kbench("run", *words, "--device", "cpu", "--size", "small", *how, "--submissions",
                             SUBMISSIONS, "--db", "honest.sqlite", "--format", "json",
                             KBENCH_TORCH=str(self.folder), timeout=3000)
        rows = {row["task"]: row for row in json.loads(result.stdout)["results"]}
        self.assertEqual({task: rows[task]["state"] for task in rows},
                         {task: "ok" for task in chosen},
                         [rows[task]["message"] for task in rows])


class DrawsCase(HonestCase):
    def check(self, chosen):
        self.assertGreaterEqual(len(chosen), 10)
        self.suite = write_suite(self.folder / "suite", chosen)
        self.assert_all_right(chosen, "--checks-only", "--suite", self.suite)
        self.check_draws(chosen)

    def check_draws(self, chosen):
        """Each hard draw that the task says applies was judged."""
        database = sqlite3.connect(self.folder / "honest.sqlite")
        for task in chosen:
            shown = json.loads(self.kbench("tasks", "show", task, "--suite", self.suite, "--size", "small",
                                           "--format", "json").stdout)
            wanted = {rule["draw"] for rule in shown["sizes"][0]["hard_draws"] if rule["applies"]}
            drawn = {name for (name,) in database.execute(
                "SELECT distribution FROM check_draw JOIN evaluation ON evaluation = number "
                "WHERE task = ?", (task,))}
            with self.subTest(task=task):
                self.assertEqual(drawn, wanted | {"task"})
        database.close()


class FirstDrawsTest(DrawsCase):
    def test_they_pass_every_draw(self):
        self.check(tasks()[::2])


class SecondDrawsTest(DrawsCase):
    def test_they_pass_every_draw(self):
        self.check(tasks()[1::2])


class TimedCallsTest(HonestCase):
    def test_their_timed_calls_are_found_right(self):
        self.assert_all_right(tasks(), "--quick")


if __name__ == "__main__":
    cli_case.main()
