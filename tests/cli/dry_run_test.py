"""kbench run --dry-run: the plan of a run, without any of it being done."""

import json
import os
import shutil
import sqlite3
import subprocess

import cli_case
from cli_case import NOTHING_SELECTED, ROOT, TINY, USAGE

SUBMISSION = ROOT / "tests/faults/submissions/honest/level1/019_relu.cpp"
HOW = ("--dry-run", "--device", "cpu", "--suite", TINY)


class DryRunTest(cli_case.CliCase):
    def setUp(self):
        super().setUp()
        for path in ("alice/level1/019_relu.cpp", "alice/level1/023_softmax.cu", "bob/level1/019_relu.cpp",
                     "bob/level1/020_tanh.cpp"):
            file = self.folder / "subs" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SUBMISSION, file)

    def plan(self, *words):
        result = self.kbench("run", *HOW, *words, "--format", "json", KBENCH_LOCKS=str(self.folder / "locks"))
        self.assert_good(result)
        return json.loads(result.stdout), result.stderr

    def files(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def test_it_tells_each_row_and_what_is_skipped(self):
        plan, told = self.plan("--submissions", "subs")
        self.assertEqual([(row["task"], row["submission"], row["what"], row["seconds"]) for row in plan["rows"]],
                         [("level1/019_relu", "alice/level1/019_relu.cpp", "evaluate", None),
                          ("level1/019_relu", "bob/level1/019_relu.cpp", "evaluate", None),
                          ("level1/023_softmax", "alice/level1/023_softmax.cu", "skipped", None)])
        self.assertIn("it is for cuda, this run is on cpu", plan["rows"][2]["reason"])
        (ignored,) = plan["files"]["ignored"]
        self.assertEqual(ignored["path"], "bob/level1/020_tanh.cpp")
        self.assertIsNone(plan["seconds"])
        self.assertIn("2 of 3 rows would be measured (how long is not known", told.splitlines()[-1])
        table = self.kbench("run", *HOW, "--submissions", "subs")
        self.assert_good(table)
        for words in ("alice/level1/019_relu.cpp", "skipped", "it is for cuda, this run is on cpu",
                      "ignored bob/level1/020_tanh.cpp: there is no task level1/020_tanh"):
            self.assertIn(words, table.stdout)

    def test_one_file_is_for_one_task_and_the_message_names_them(self):
        shutil.copy(SUBMISSION, self.folder / "v1.cpp")
        result = self.kbench("run", "v1.cpp", "--dry-run", "--device", "cpu", "--task", "19")
        self.assert_fails(result, USAGE, "v1.cpp: a file is for one task, and these options select 3: "
                          "level1/019_relu, level2/019_", "name one: --task level1/019_relu")
        self.assert_fails(self.kbench("run", "v1.cpp", "--dry-run", "--device", "cpu", "--task", "level1/00*"),
                          USAGE, "select 9: level1/001_", " and 5 more")

    def test_an_option_given_twice_is_named_with_its_values(self):
        for verb in ("run", "reproduce"):
            self.assert_fails(self.kbench(verb, "--agent", "alice", "--agent", "bob"), USAGE,
                              "--agent is given 2 times and takes one value: alice, bob", "give it once")

    def test_it_leaves_nothing_behind(self):
        before = self.files()
        result = self.kbench("run", *HOW, "--submissions", "subs", "--out", "csv=rows.csv",
                             KBENCH_LOCKS=str(self.folder / "locks"), KBENCH_TORCH=str(self.folder / "none"))
        self.assert_good(result)  # without LibTorch as well, since none of it is needed
        self.assertEqual(self.files(), before)

    def test_tasks_without_submission_are_baselines_or_nothing_to_check(self):
        plan, _ = self.plan("--baselines-only", "--level", "2")
        self.assertEqual({row["what"] for row in plan["rows"]}, {"baselines"})
        plan, told = self.plan("--task", "level2/*", "--submissions", "subs", "--checks-only")
        self.assertEqual({row["what"] for row in plan["rows"]}, {"skipped"})
        self.assertIn("nothing to measure", told.splitlines()[-1])

    def test_earlier_runs_say_how_long(self):
        script = [{"id": "3d" * 16, "rows": [{"task": "level1/019_relu", "agent": "alice"}]}]
        subprocess.run([os.environ["MAKE_RUNS"], str(self.folder / "kbench.sqlite")], input=json.dumps(script),
                       text=True, check=True)
        with sqlite3.connect(self.folder / "kbench.sqlite") as store:
            store.execute("UPDATE evaluation SET wall_seconds = 12.5")
        plan, told = self.plan("--submissions", "subs", "--all-tasks")
        self.assertEqual(plan["seconds"], 25.0)
        self.assertGreater(plan["rows_without_seconds"], 0)
        self.assertIn("about 25 s for 2 of them; for the rest there is no earlier row that ended ok", told.splitlines()[-1])

    def test_nothing_selected(self):
        self.assert_fails(self.kbench("run", *HOW, "--task", "level9/*"), NOTHING_SELECTED, "no task matches")
        self.assert_fails(self.kbench("run", *HOW, "--submissions", "subs", "--agent", "alise"), NOTHING_SELECTED,
                          'did you mean "alice"?')

    def test_what_the_run_is_refused_for_is_refused(self):
        self.assert_fails(self.kbench("run", *HOW, "--submissions", "nowhere"), USAGE, "nowhere")
        self.assert_fails(self.kbench("run", *HOW, "--submissions", "subs", "--out", "csv=kbench.sqlite"), USAGE,
                          "kbench.sqlite")
        self.assert_fails(self.kbench("run", *HOW, "--submissions", "subs", "--format", "csv"), USAGE,
                          "--format json")
        self.assert_fails(self.kbench("run", *HOW, "--submissions", "subs", "--resume"), USAGE, "kbench.sqlite")


if __name__ == "__main__":
    cli_case.main()
