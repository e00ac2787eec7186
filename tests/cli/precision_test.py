"""Textbook kernels in single precision are right, and the same ones with fewer bits or terms are wrong.

tests/precision/README.md says what is tried. As in run_test there is no Python with torch, so the compiled
baseline is left out.
"""

import json
import shutil

import cli_case
from cli_case import ROOT

PRECISION = ROOT / "tests" / "precision"
RIGHT = "float32"


class Precision(cli_case.CliCase):
    def setUp(self):
        super().setUp()
        self.submissions = self.folder / "submissions"
        for arithmetic in (PRECISION / "arithmetic").glob("*.hpp"):
            agent = self.submissions / arithmetic.stem
            shutil.copytree(PRECISION / "kernels", agent)
            (agent / "include").mkdir()
            shutil.copy(arithmetic, agent / "include" / "arithmetic.hpp")
            shutil.copy(PRECISION / "rounding.hpp", agent / "include")

    def test_only_single_precision_is_right(self):
        tasks = sorted(f"level1/{kernel.stem}" for kernel in (PRECISION / "kernels" / "level1").iterdir())
        self.assertGreaterEqual(len(tasks), 9)
        words = [word for task in tasks for word in ("--task", task)]
        result = self.kbench("run", *words, "--device", "cpu", "--size", "small", "--quick",
                             "--submissions", self.submissions, "--db", "precision.sqlite",
                             "--format", "json", KBENCH_TORCH=str(self.folder),
                             timeout=3000)
        rows = json.loads(result.stdout)["results"]
        agents = [path.name for path in self.submissions.iterdir()]
        self.assertEqual(len(rows), len(tasks) * len(agents))
        for row in rows:
            wanted = "ok" if row["agent"] == RIGHT else "wrong_result"
            with self.subTest(task=row["task"], arithmetic=row["agent"]):
                self.assertEqual(row["state"], wanted, row["message"])


if __name__ == "__main__":
    cli_case.main()
