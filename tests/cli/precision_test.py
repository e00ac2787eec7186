"""Textbook kernels in single precision are right, and the same ones with fewer bits or terms are wrong.

tests/precision/README.md says what is tried. The draws' tests time nothing, on fewer rows than are shipped
(few_rows.py); in TimedCallsTest, which takes longer, the right ones are checked at the shipped size and timed
calls of them are verified as well. As in run_test there is no Python with torch, so the compiled baseline is
left out.
"""

import json
import shutil

import cli_case
import fast_math
from cli_case import ROOT
from few_rows import write_suite

PRECISION = ROOT / "tests" / "precision"
RIGHT = "float32"


class RunCase(cli_case.CliCase):
    def setUp(self):
        super().setUp()
        self.submissions = self.folder / "submissions"

    def rows(self, tasks, *how):
        words = [word for task in tasks for word in ("--task", task)]
        result = self.kbench("run", *words, "--device", "cpu", "--size", "small", *how, "--submissions",
                             self.submissions, "--db", "precision.sqlite", "--format", "json",
                             KBENCH_TORCH=str(self.folder), timeout=3000)
        return json.loads(result.stdout)["results"]


class PrecisionCase(RunCase):
    def setUp(self):
        super().setUp()
        for arithmetic in (PRECISION / "arithmetic").glob("*.hpp"):
            agent = self.submissions / arithmetic.stem
            shutil.copytree(PRECISION / "kernels", agent)
            (agent / "include").mkdir()
            shutil.copy(arithmetic, agent / "include" / "arithmetic.hpp")
            shutil.copy(PRECISION / "rounding.hpp", agent / "include")
        self.tasks = sorted(f"level1/{kernel.stem}"
                            for kernel in (PRECISION / "kernels" / "level1").iterdir())

class DrawsCase(PrecisionCase):
    def check(self, tasks):
        self.assertGreaterEqual(len(tasks), 4)
        rows = self.rows(tasks, "--checks-only", "--suite", write_suite(self.folder / "suite", tasks))
        agents = [path.name for path in self.submissions.iterdir()]
        self.assertEqual(len(rows), len(tasks) * len(agents))
        for row in rows:
            wanted = "ok" if row["agent"] == RIGHT else "wrong_result"
            with self.subTest(task=row["task"], arithmetic=row["agent"]):
                self.assertEqual(row["state"], wanted, row["message"])


class FirstDrawsTest(DrawsCase):
    def test_only_single_precision_is_right(self):
        self.check(self.tasks[::2])


class SecondDrawsTest(DrawsCase):
    def test_only_single_precision_is_right(self):
        self.check(self.tasks[1::2])


class TimedCallsTest(PrecisionCase):
    def test_those_in_single_precision_are_found_right(self):
        rows = self.rows(self.tasks, "--quick", "--agent", RIGHT)
        self.assertEqual({row["task"]: row["state"] for row in rows}, dict.fromkeys(self.tasks, "ok"),
                         [row["message"] for row in rows])


class FastMathTest(RunCase):
    """Functions as GPUs approximate them."""

    def test_documented_errors_are_granted_and_larger_ones_are_not(self):
        tasks = fast_math.tasks()
        self.assertEqual(len(tasks), 12)
        count = fast_math.submit(self.submissions, "cpu")
        rows = self.rows(tasks, "--checks-only", "--suite", write_suite(self.folder / "suite", tasks))
        self.assertEqual(len(rows), count)
        for row in rows:
            wanted = "ok" if row["agent"] in fast_math.RIGHT else "wrong_result"
            with self.subTest(task=row["task"], mathematics=row["agent"]):
                self.assertEqual(row["state"], wanted, row["message"])
        labelled = {agent: {row["task"] for row in rows
                            if row["agent"] == agent and "fast_math" in (row["labels"] or "")}
                    for agent in fast_math.RIGHT}
        self.assertTrue(labelled["at_the_limit"])
        # A loss is one number: how far it is off is a matter of the draw, in one run of six by more than 64 ulp.
        self.assertLessEqual(labelled["intrinsics"], fast_math.LOSSES)


if __name__ == "__main__":
    cli_case.main()
