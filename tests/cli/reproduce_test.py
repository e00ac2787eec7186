"""The command on the page measures its row again: it is pasted into an empty folder, with nothing left
of what was handed in, and gives a row with the same key. Keys and states are compared, times are not.
"""

import html
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess

import cli_case
from cli_case import KBENCH, TINY
from prepared import Prepared
from run_test import CHECKED, SOFTMAX, TINY_RELU, RunCase

RELU = "level1/019_relu"
BOTH = (*TINY_RELU, "--task", SOFTMAX)

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

ALICES = {
    "alice/include/mine.hpp": HEADER,
    f"alice/{RELU}.cpp": GOOD,
    f"alice/{RELU}@v2/main.cpp": GOOD,
    f"alice/{RELU}@v2/more.cpp": "int more() { return 1; }\n",
    f"alice/{RELU}@v2/submission.json": json.dumps(MANIFEST),
}
# One right row, since only that one is timed.
OF_EVERY_KIND = {
    **{name: text for name, text in ALICES.items() if name != f"alice/{RELU}.cpp"},
    f"wrong/{RELU}.cpp": LONE.replace("out->y[i] =", "out->y[i] = 1 +"),
    f"broken/{RELU}.cpp": "#include \"task.h\"\nint f( {\n",
    f"elsewhere/{RELU}.cu": "__global__ void f() {}\n",
}


class ReproduceCase(RunCase):
    def write(self, files):
        for name, text in files.items():
            file = self.folder / "subs" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def rows_of(self, database):
        with sqlite3.connect(database) as store:
            return store.execute("SELECT key, state, tree_hash, task_source, coalesce(agent, ''), timed "
                                 "FROM evaluation ORDER BY number").fetchall()

    def assert_whole(self, rows, timed):
        for _, _, tree, task, agent, is_timed in rows:
            self.assertEqual(len(task), 64)
            self.assertEqual(len(tree), 64 if agent else 0)
            self.assertEqual(is_timed, timed)

    def configuration(self, folder):
        with sqlite3.connect(folder / "kbench.sqlite") as store:
            (text,) = store.execute("SELECT configuration FROM run").fetchone()
        return json.loads(text)

    def paste(self, command, name):
        """The row that the command gives in an empty folder of that name."""
        folder = self.folder / name
        folder.mkdir()
        variables = {**self.environment(), "PATH": f"{KBENCH.parent}:{os.environ['PATH']}"}
        result = subprocess.run(["sh", "-c", command], cwd=folder, env=variables, text=True,
                                capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
        self.assertIn(result.returncode, (cli_case.GOOD, cli_case.TASK_FAILED), result.stderr)
        self.assertIn("the same evaluation as in run", result.stderr)
        (row,) = self.rows_of(folder / "kbench.sqlite")
        return row


class PageTest(Prepared, ReproduceCase):
    """A timed run, whose page has a command for each row."""

    def prepare(self):
        self.write(OF_EVERY_KIND)
        self.run_kbench(*BOTH, "--quick", "--submissions", "subs")
        shutil.rmtree(self.folder / "subs")

    def commands(self):
        page = (self.folder / "kbench.html").read_text(encoding="utf-8")
        found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
        return [row["reproduce"] for row in json.loads(html.unescape(found.group(1)))["details"]]

    def test_every_row_of_a_run(self):
        rows = self.rows_of(self.folder / "kbench.sqlite")
        self.assertEqual(sorted((agent, state) for _, state, _, _, agent, _ in rows),
                         [("", "no_submission"), ("alice", "ok"), ("broken", "compile_error"),
                          ("elsewhere", "skipped"), ("wrong", "wrong_result")])
        self.assert_whole(rows, timed=True)
        commands = self.commands()
        self.assertEqual(len(commands), len(rows))
        again = []
        for number, command in enumerate(commands):
            self.assertTrue(command.startswith("kbench reproduce "), command)
            # A page tells no folder of the machine that it was made on: who reads it knows where the file is.
            self.assertEqual(command.count(" --db kbench.sqlite "), 1, command)
            there = shlex.quote(str(self.folder / "kbench.sqlite"))
            again.append(self.paste(command.replace("kbench.sqlite", there), f"empty-{number}"))
            self.assertIs(self.configuration(self.folder / f"empty-{number}")["quick"], True)
        self.assertEqual(sorted(again), sorted(rows))


class CheckedTest(Prepared, ReproduceCase):
    """A run that was checked only. It has no page, so the commands are typed."""

    def prepare(self):
        self.write(ALICES)
        self.assert_good(self.run_kbench(*BOTH, "--checks-only", "--submissions", "subs"))
        shutil.rmtree(self.folder / "subs")

    def test_a_submission_and_a_row_without_one(self):
        rows = self.rows_of(self.folder / "kbench.sqlite")
        self.assertEqual(sorted((agent, state) for _, state, _, _, agent, _ in rows),
                         [("", "no_submission"), ("alice", "ok"), ("alice", "ok")])
        self.assert_whole(rows, timed=False)
        for name, words in (("alice", f"--task {RELU} --agent alice"), ("nobody", f"--task {SOFTMAX}")):
            with self.subTest(name):
                row = self.paste(f"kbench reproduce latest --db ../kbench.sqlite {words}", name)
                self.assertIn(row, rows)
                self.assertIs(self.configuration(self.folder / name)["checks_only"], True)

    def test_what_is_written_is_what_was_compiled_and_evaluates_the_same(self):
        self.assert_good(self.kbench("sources", "latest", "--task", RELU, "--agent", "alice",
                                     "--variant", "v2", "--out", "again"))
        for name, text in ALICES.items():
            if name.startswith(("alice/include", f"alice/{RELU}@v2")):
                self.assertEqual((self.folder / "again" / name).read_text("utf-8"), text)
        self.run_kbench(*CHECKED, "--submissions", "again", "--db", "again.sqlite")
        (row,) = self.rows_of(self.folder / "again.sqlite")
        self.assertIn(row, self.rows_of(self.folder / "kbench.sqlite"))


class OwnSuiteTest(Prepared, ReproduceCase):
    """One file for a suite of one's own, checked only."""

    TASK = "level1/007_mine"
    COMMAND = f"kbench reproduce latest --task {TASK} --agent ann --db"

    def prepare(self):
        self.make_suite()
        self.write({"relu.cpp": LONE})
        self.assert_good(self.run_kbench("subs/relu.cpp", "--task", self.TASK, "--device", "cpu",
                                         "--name", "ann", "--checks-only", "--suite", "suite", "--profile",
                                         "kernelbench", "--budget", "120"))
        shutil.rmtree(self.folder / "subs")

    def make_suite(self):
        """A suite with one task, as an import makes them."""
        level = self.folder / "suite" / "level1"
        level.mkdir(parents=True)
        shutil.copy(TINY / f"{RELU}.py", level / "007_mine.py")
        text = (TINY / f"{RELU}.json").read_text(encoding="utf-8")
        for old, new in [('"number": 19', '"number": 7'), ('"name": "relu"', '"name": "mine"'),
                         ('"source": "019_relu.py"', '"source": "007_mine.py"')]:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        (level / "007_mine.json").write_text(text, encoding="utf-8")

    def test_it_is_reproduced_as_its_run_was_told(self):
        row = self.paste(f"{self.COMMAND} ../kbench.sqlite", "empty")
        self.assertEqual([row], self.rows_of(self.folder / "kbench.sqlite"))
        configuration = self.configuration(self.folder / "empty")
        self.assertEqual(configuration["suite"], str(self.prepared.folder / "suite"))
        self.assertEqual((configuration["checks_only"], configuration["budget_seconds"],
                          configuration["profile"]), (True, 120, "kernelbench"))

    def test_a_changed_task_file_is_named(self):
        with open(self.folder / "suite" / "level1" / "007_mine.json", "a", encoding="utf-8") as file:
            file.write("\n")
        result = self.kbench("reproduce", "latest", "--task", self.TASK, "--agent", "ann", "--suite",
                             "suite", "--into", "new.sqlite", KBENCH_TORCH=str(self.folder),
                             timeout=300)
        self.assert_good(result)
        self.assertIn("not the same evaluation as in run", result.stderr)
        self.assertIn("the task file changed", result.stderr)


if __name__ == "__main__":
    cli_case.main()
