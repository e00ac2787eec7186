"""The command on the page measures its row again: it is pasted into an empty folder, with nothing left
of what was handed in, and gives a row with the same key.
"""

import html
import json
import os
import re
import shutil
import sqlite3
import subprocess

import cli_case
from cli_case import KBENCH, ROOT
from run_test import RunCase

RELU = "level1/019_relu"
SOFTMAX = "level1/023_softmax"

HEADER = """#pragma once
namespace mine { inline float positive(float x) { return x < 0 ? 0 : x; } }
"""

GOOD = """#include "task.h"
#include "mine.hpp"
extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
#pragma omp parallel for simd
  for (long i = 0; i < kb::x_elements; ++i) out->y[i] = mine::positive(in->x[i]);
  return 0;
}
"""

LONE = GOOD.replace('#include "mine.hpp"\n', HEADER.replace("#pragma once\n", ""))
MANIFEST = {"schema": "kbench-submission/1", "sources": ["main.cpp", "more.cpp"],
            "flags": ["-funroll-loops"]}

SUBMISSIONS = {
    "alice/include/mine.hpp": HEADER,
    f"alice/{RELU}.cpp": GOOD,
    f"alice/{RELU}@v2/main.cpp": GOOD,
    f"alice/{RELU}@v2/more.cpp": "int more() { return 1; }\n",
    f"alice/{RELU}@v2/submission.json": json.dumps(MANIFEST),
    f"wrong/{RELU}.cpp": LONE.replace("out->y[i] =", "out->y[i] = 1 +"),
    f"broken/{RELU}.cpp": "#include \"task.h\"\nint f( {\n",
    f"elsewhere/{RELU}.cu": "__global__ void f() {}\n",
}


class ReproduceTest(RunCase):
    def write(self, files):
        for name, text in files.items():
            file = self.folder / "subs" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def make_suite(self):
        """A suite with one task, as an import makes them; the file of its graph."""
        level = self.folder / "suite" / "level1"
        level.mkdir(parents=True)
        shutil.copy(ROOT / "suites" / f"{RELU}.py", level / "007_mine.py")
        text = (ROOT / "suites" / f"{RELU}.json").read_text(encoding="utf-8")
        for old, new in [('"number": 19', '"number": 7'), ('"name": "relu"', '"name": "mine"'),
                         ('"source": "019_relu.py"', '"source": "007_mine.py"')]:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        (level / "007_mine.json").write_text(text, encoding="utf-8")
        return level / "007_mine.json"

    def rows_of(self, folder):
        with sqlite3.connect(folder / "kbench.sqlite") as store:
            return store.execute("SELECT key, state, tree_hash, task_source, coalesce(agent, '') "
                                 "FROM evaluation ORDER BY number").fetchall()

    def commands(self):
        """Of the page that the run wrote, each row's command."""
        page = (self.folder / "kbench.html").read_text(encoding="utf-8")
        found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
        return [row["reproduce"] for row in json.loads(html.unescape(found.group(1)))["details"]]

    def paste(self, command, number):
        folder = self.folder / f"empty-{number}"
        folder.mkdir()
        variables = {**self.environment(), "PATH": f"{KBENCH.parent}:{os.environ['PATH']}"}
        result = subprocess.run(["sh", "-c", command], cwd=folder, env=variables, text=True,
                                capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
        self.assertIn(result.returncode, (cli_case.GOOD, cli_case.TASK_FAILED), result.stderr)
        self.assertIn("the same evaluation as in run", result.stderr)
        return folder, self.rows_of(folder)

    def assert_reproducible(self):
        before = self.rows_of(self.folder)
        commands = self.commands()
        self.assertEqual(len(commands), len(before))
        shutil.rmtree(self.folder / "subs", ignore_errors=True)
        again = []
        for number, command in enumerate(commands):
            self.assertTrue(command.startswith("kbench reproduce "), command)
            again += self.paste(command, number)[1]
        self.assertEqual(sorted(again), sorted(before))
        return before

    def test_every_row_of_a_run(self):
        self.write(SUBMISSIONS)
        self.run_kbench("--task", RELU, "--task", SOFTMAX, "--device", "cpu", "--quick",
                        "--submissions", "subs")
        rows = self.assert_reproducible()
        self.assertEqual(sorted((agent, state) for _, state, _, _, agent in rows),
                         [("", "no_submission"), ("alice", "ok"), ("alice", "ok"),
                          ("broken", "compile_error"), ("elsewhere", "skipped"),
                          ("wrong", "wrong_result")])
        for _, _, tree, task, agent in rows:
            self.assertEqual(len(task), 64)
            self.assertEqual(len(tree), 64 if agent else 0)

    def test_one_file_for_a_suite_of_ones_own(self):
        self.make_suite()
        self.write({"relu.cpp": LONE})
        self.assert_good(self.run_kbench("subs/relu.cpp", "--task", "level1/007_mine", "--device",
                                         "cpu", "--quick", "--suite", "suite", "--profile",
                                         "kernelbench", "--budget", "120"))
        self.assert_reproducible()
        with sqlite3.connect(self.folder / "empty-0" / "kbench.sqlite") as store:
            (text,) = store.execute("SELECT configuration FROM run").fetchone()
        configuration = json.loads(text)
        self.assertEqual(configuration["suite"], str(self.folder / "suite"))
        self.assertEqual((configuration["quick"], configuration["budget_seconds"],
                          configuration["profile"]), (True, 120, "kernelbench"))

    def test_what_is_written_is_what_was_compiled_and_evaluates_the_same(self):
        self.write(SUBMISSIONS)
        self.run_kbench("--task", RELU, "--device", "cpu", "--quick", "--submissions", "subs",
                        "--agent", "alice")
        self.assert_good(self.kbench("sources", "latest", "--task", RELU, "--agent", "alice",
                                     "--variant", "v2", "--out", "again"))
        for name, text in SUBMISSIONS.items():
            if name.startswith(("alice/include", f"alice/{RELU}@v2")):
                self.assertEqual((self.folder / "again" / name).read_text("utf-8"), text)
        self.run_kbench("--task", RELU, "--device", "cpu", "--quick", "--submissions", "again",
                        "--db", "again.sqlite")
        with sqlite3.connect(self.folder / "again.sqlite") as store:
            (key,) = store.execute("SELECT key FROM evaluation").fetchone()
        self.assertIn(key, [row[0] for row in self.rows_of(self.folder)])

    def test_a_changed_task_file_is_named(self):
        task = self.make_suite()
        words = ("--task", "level1/007_mine", "--device", "cpu", "--quick", "--suite", "suite")
        self.assert_good(self.run_kbench(*words, "--baselines-only"))
        with open(task, "a", encoding="utf-8") as file:
            file.write("\n")
        result = self.kbench("reproduce", "latest", "--task", "level1/007_mine", "--into",
                             "new.sqlite", KBENCH_TORCH=str(self.folder), timeout=300)
        self.assert_good(result)
        self.assertIn("not the same evaluation as in run", result.stderr)
        self.assertIn("the task file changed", result.stderr)


if __name__ == "__main__":
    cli_case.main()
