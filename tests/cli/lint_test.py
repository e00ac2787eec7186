"""kbench tasks lint on tasks that are bad on purpose (tests/lint): each is found out, by its own flaw."""

import json
import os
import pathlib
import shutil
import sqlite3

from cli_case import (CACHE, GOOD, INFRASTRUCTURE, KBENCH, NOTHING_SELECTED, ROOT, TASK_FAILED, CliCase,
                      main)

WEAKENED = pathlib.Path(os.environ["WEAKENED"])

SUITE = ROOT / "tests" / "lint"

# The flaw that each of the bad tasks is made for.
PLANTED = {
    "001_zeros": "zeros",
    "002_constant": "constant",
    "003_mean": "mean",
    "004_identity": "identity",
    "005_stale": "stale",
    "006_previous": "previous",
    "007_half": "half",
    "008_operator": "operator",
    "009_parameter": "parameter",
    "010_element": "element",
    "015_imprecise": "imprecise",
}

# Findings in their place in 16 bits: an output in float16 is right there, and two overflow in float16.
IN_16_BITS = {("bf16", "007_half"): None, ("fp16", "007_half"): None,
              ("fp16", "010_element"): "precision", ("fp16", "015_imprecise"): "precision"}

# Tasks whose mutations are all rejected in 16 bits, most of them by what is looked at there alone.
GOOD_IN_16_BITS = ("013_good", "016_hidden_bias", "017_small_bias", "018_hidden_plane", "019_hidden_scale")

# Kernels that answer as some of the rigged tasks let them, and an honest one for the control.
KERNELS = {
    "001_zeros": "out->y[i] = 0;",
    "006_previous": "out->y[i] = parameters->weight[i];",
    "013_good": """
    double sum = parameters->linear_bias[i % 64];
    for (long k = 0; k < 64; ++k) sum += in->x[i / 64 * 64 + k] * parameters->linear_weight[i % 64 * 64 + k];
    out->y[i] = std::sin(sum);""",
    "015_imprecise": "out->y[i] = in->x[i];",
}
SOURCE = """
#include <cmath>

#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params* parameters, const kb_outputs* out,
                              kb_context*) {{
  (void)in;
  (void)parameters;
  for (long i = 0; i < kb::y_elements; ++i) {{ {} }}
  return 0;
}}
"""


class Lint(CliCase):
    def lint(self, *words):
        result = self.kbench("tasks", "lint", "--suite", SUITE, "--device", "cpu", "--size", "small",
                             "--db", self.folder / "lint.sqlite", "--format", "json", *words)
        return result, {task["task"].removeprefix("level9/"): task
                        for task in json.loads(result.stdout)["tasks"]}

    def test_each_planted_flaw_is_found(self):
        result, tasks = self.lint()
        self.assertEqual(result.returncode, TASK_FAILED, result.stderr)
        for name, kind in PLANTED.items():
            with self.subTest(task=name):
                self.assertEqual(tasks[name]["state"], "failed")
                flaws = {f["kind"] for f in tasks[name]["findings"] if f["weight"] == "flaw"}
                self.assertIn(kind, flaws)
                self.assertNotIn("control", flaws)
        self.assertEqual({f["kind"] for f in tasks["013_good"]["findings"]}, {"duplicate"})
        self.assertEqual(tasks["013_good"]["rejected"], tasks["013_good"]["mutants"])
        self.assertGreater(tasks["013_good"]["mutants"], 8)
        self.assertIn("level9/013_good", tasks["014_copy"]["findings"][0]["message"])
        self.check_database(tasks)

    def check_database(self, tasks):
        database = sqlite3.connect(self.folder / "lint.sqlite")
        stored = dict(database.execute("SELECT task_hash, state FROM lint"))
        database.close()
        self.assertEqual(stored, {t["task_hash"]: t["state"] for t in tasks.values()})

    def test_a_named_flaw_is_accepted_with_its_reason(self):
        result, tasks = self.lint("--task", "012")
        self.assertEqual(result.returncode, GOOD, result.stderr)
        self.assertEqual(tasks["012_accepted"]["state"], "accepted")
        self.assertIn("never negative", tasks["012_accepted"]["findings"][0]["message"])

    def test_a_parameter_without_effect_is_named(self):
        table = self.kbench("tasks", "lint", "--device", "cpu", "--db", "lint.sqlite", "--task",
                            "level2/034*")
        self.assertEqual(table.returncode, GOOD, table.stderr)
        self.assertIn("note parameter: conv_bias has no effect", table.stdout)

    def test_in_16_bits_the_same_flaws_are_found_and_nothing_is_kept(self):
        for precision in ("bf16", "fp16"):
            with self.subTest(precision=precision):
                _, tasks = self.lint("--precision", precision)
                for name, kind in PLANTED.items():
                    kind = IN_16_BITS.get((precision, name), kind)
                    self.assertIn(kind, {None, *(f["kind"] for f in tasks[name]["findings"])}, name)
                for name in GOOD_IN_16_BITS:
                    self.assertEqual(tasks[name]["rejected"], tasks[name]["mutants"], tasks[name]["findings"])
        database = sqlite3.connect(self.folder / "lint.sqlite")
        self.assertEqual(database.execute("SELECT count(*) FROM lint").fetchone(), (0,))
        database.close()

    def test_in_16_bits_a_row_does_not_rank_where_eager_is_imprecise(self):
        source = self.folder / "015_imprecise.cpp"
        source.write_text(SOURCE.format(KERNELS["015_imprecise"]))
        result = self.kbench("run", source, "--suite", SUITE, "--task", "level9/015_imprecise", "--precision", "bf16",
                             "--device", "cpu", "--checks-only", "--db", self.folder / "row.sqlite")
        self.assertEqual(result.returncode, GOOD, result.stderr)
        database = sqlite3.connect(self.folder / "row.sqlite")
        (reason,), = database.execute("SELECT unranked FROM evaluation")
        database.close()
        self.assertIn("in bf16 eager itself is off by 100 %", reason)

    def test_table_and_nothing_selected(self):
        words = ("tasks", "lint", "--suite", SUITE, "--device", "cpu", "--db", "lint.sqlite")
        table = self.kbench(*words, "--task", "001")
        self.assertEqual(table.returncode, TASK_FAILED, table.stderr)
        self.assertIn("flaw zeros: y passes when it is all zero", table.stdout)
        self.assertEqual(self.kbench(*words, "--task", "x*").returncode, NOTHING_SELECTED)


class RankTest(CliCase):
    """A task that somebody else wrote ranks nobody before it has been checked, and then only if it is sound."""

    def rows(self, *words, names):
        """Runs the kernels of these tasks, and times no other task's baselines. By task: state, and why it is not
        ranked. Without torch's Python no baseline is compiled."""
        for name in names:
            path = self.folder / "submissions/me/level9" / f"{name}.cpp"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(SOURCE.format(KERNELS[name]))
        tasks = [word for name in names for word in ("--task", f"level9/{name}")]
        result = self.kbench("run", "--suite", SUITE, "--device", "cpu", "--quick", "--agent", "me", "--db",
                             "r.sqlite", "--out", "json=r.json", *tasks, *words, KBENCH_TORCH=str(self.folder),
                             timeout=300)
        self.assertEqual(result.returncode, GOOD, result.stderr)
        rows = json.loads((self.folder / "r.json").read_text())["results"]
        return result, {row["task"].removeprefix("level9/"): (row["state"], row["unranked_reason"] or "")
                        for row in rows if row["submission"]}

    def test_rigged_tasks_rank_nobody(self):
        result, rows = self.rows(names=KERNELS)
        self.assertIn("checking tasks", result.stderr)
        self.assertEqual({name: state for name, (state, _) in rows.items()}, dict.fromkeys(KERNELS, "ok"))
        for name, (_, reason) in rows.items():
            with self.subTest(task=name):
                if name == "013_good":  # as AgainstPythonTest has it where there is a Python
                    self.assertIn("could not be compared with its Python", reason)
                elif name == "015_imprecise":
                    self.assertIn("eager is no yardstick", reason)
                else:
                    self.assertIn("computes nothing", reason)

    def test_what_nobody_checked_ranks_nobody(self):
        result, rows = self.rows("--no-lint", names=["013_good"])
        self.assertNotIn("checking tasks", result.stderr)
        self.assertIn("--no-lint", rows["013_good"][1])


class AgainstPythonTest(CliCase):
    """A task whose graph computes something else than its Python, or dawdles, ranks nobody, whatever an honest
    kernel is written in. The kernel is the one for the file as it was, or for the Python that stands there."""

    TASK = "level9/013_good"

    def setUp(self):
        super().setUp()
        self.suite = self.folder / "suite"
        (self.suite / "level9").mkdir(parents=True)
        for ending in ("json", "py"):
            shutil.copy(SUITE / f"{self.TASK}.{ending}", self.suite / "level9")

    def submit(self, body):
        path = self.folder / f"submissions/me/{self.TASK}.cpp"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SOURCE.format(body))

    def row(self, *words, code, program=KBENCH, **environment):
        """The row of the submission; --quick unless other words are given."""
        result = self.kbench("run", "--suite", self.suite, "--device", "cpu", "--agent", "me", "--db", "r.sqlite",
                             "--out", "json=r.json", *(words or ("--quick",)), program=program, timeout=300,
                             **{"KBENCH_CACHE": str(CACHE), **environment})
        self.assertEqual(result.returncode, code, result.stderr)
        (row,) = json.loads((self.folder / "r.json").read_text())["results"]
        return row

    def have_python_say(self, before, after):
        source = self.suite / f"{self.TASK}.py"
        text = source.read_text(encoding="utf-8")
        self.assertIn(before, text)
        source.write_text(text.replace(before, after), encoding="utf-8")

    def dawdle(self):
        """The graph multiplies by 1 over and over."""
        file = self.suite / f"{self.TASK}.json"
        task = json.loads(file.read_text(encoding="utf-8"))
        size = task["sizes"]["small"]
        value = size["outputs"][0]["value"]
        for i in range(200):
            size["nodes"].append({"op": "aten::mul", "overload": "Scalar", "args": [{"v": value}, 1.0],
                                  "outs": [f"again{i}"]})
            value = f"again{i}"
        size["outputs"][0]["value"] = value
        file.write_text(json.dumps(task), encoding="utf-8")

    def test_who_agrees_may_rank(self):
        self.submit(KERNELS["013_good"])
        row = self.row(code=GOOD)
        self.assertEqual((row["state"], row["unranked_reason"]), ("ok", None))
        # The result of a check is known from then on.
        row = self.row("--quick", "--no-lint", code=GOOD)
        self.assertEqual((row["state"], row["unranked_reason"]), ("ok", None))
        # The record is of that Python: of another one nobody knows anything.
        self.have_python_say("torch.sin", "torch.cos")
        row = self.row("--quick", "--no-lint", code=GOOD)
        self.assertIn("--no-lint", row["unranked_reason"])

    def test_another_graph_blames_nobody(self):
        self.have_python_say("torch.sin", "torch.cos")
        self.submit(KERNELS["013_good"].replace("std::sin", "std::cos"))
        row = self.row(code=TASK_FAILED, program=WEAKENED, KBENCH_WITHOUT="telling_tasks")
        self.assertEqual(row["state"], "wrong_result")
        for words in ((), ("--checks-only",)):  # what is known counts there as well
            row = self.row(*words, code=INFRASTRUCTURE)
            self.assertEqual(row["state"], "infrastructure_error")
            self.assertIn("what the task's .py computes is not what its .json says", row["message"])

    def test_a_graph_that_dawdles_ranks_nobody(self):
        self.dawdle()
        self.submit(KERNELS["013_good"])
        row = self.row(code=GOOD)
        self.assertEqual(row["state"], "ok")
        self.assertIn("eager is slowed down: its graph takes", row["unranked_reason"])

    def change(self, **members):
        """Members of the task, and of its one size where they are none of the task."""
        file = self.suite / f"{self.TASK}.json"
        task = json.loads(file.read_text(encoding="utf-8"))
        for name, value in members.items():
            (task["sizes"]["small"] if name in task["sizes"]["small"] else task)[name] = value
        task["sizes"] = task.pop("sizes")  # stays last
        file.write_text(json.dumps(task), encoding="utf-8")

    def assert_ranks_nobody(self, because, **environment):
        row = self.row(code=GOOD, program=WEAKENED, KBENCH_WITHOUT="telling_tasks", **environment)
        self.assertEqual((row["state"], row["unranked_reason"]), ("ok", None))
        row = self.row(code=GOOD, **environment)
        self.assertEqual(row["state"], "ok")
        self.assertIn(because, row["unranked_reason"])

    def test_a_misstated_cost_ranks_nobody(self):
        # Fewer operations lower the floor, a longer sum raises the tolerance.
        self.change(flops=123456)
        self.submit(KERNELS["013_good"])
        self.assert_ranks_nobody("its cost is misstated: its lowered form says flops 123456 at size small")

    def test_a_task_that_spares_itself_a_draw_ranks_nobody(self):
        self.change(hard_draws_skip={"denormals": "they are hard"})
        self.submit(KERNELS["013_good"])
        self.assert_ranks_nobody("its file says itself which hard draws it is spared (denormals)",
                                 KBENCH_TORCH=str(self.folder))  # no Python is asked

    def test_what_cannot_be_compared_ranks_nobody(self):
        self.submit(KERNELS["013_good"])
        row = self.row(code=GOOD, KBENCH_TORCH=str(self.folder))
        self.assertIn("its graph could not be compared with its Python", row["unranked_reason"])
        self.assertIn("kbench db merge DB FILE --lint", row["unranked_reason"])

    def test_another_machine_may_check_it(self):
        self.submit(KERNELS["013_good"])
        self.row(code=GOOD)
        (self.folder / "r.sqlite").rename(self.folder / "elsewhere.sqlite")
        # It tried, and could not; the other record is older.
        self.row(code=GOOD, KBENCH_TORCH=str(self.folder))
        self.assert_good(self.kbench("db", "merge", "r.sqlite", "elsewhere.sqlite", "--lint"))
        row = self.row(code=GOOD, KBENCH_TORCH=str(self.folder))
        self.assertEqual((row["state"], row["unranked_reason"]), ("ok", None))
        # It is of that Python: with another one it says nothing.
        self.have_python_say("torch.sin", "torch.cos")
        row = self.row(code=GOOD, KBENCH_TORCH=str(self.folder))
        self.assertIn("could not be compared", row["unranked_reason"])


if __name__ == "__main__":
    main()
