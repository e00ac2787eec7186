"""kbench report table1: all 120 cells of CUDA Agent's Table 1, of 1,500 stored rows.

The rows of each agent on each level are made to the published rates and means of that level; the
overall cells follow from them and are in no row.
"""

import csv
import json
import math
import os
import re
import sqlite3
import subprocess

import cli_case
from cli_case import ROOT, USAGE

TASKS = {1: 100, 2: 100, 3: 50}
SUBMISSION_NS = 1_000_000_000
MEASURES = ("pass", "faster_eager", "faster_compiled", "mean_eager", "mean_compiled")


def published():
    """{(subset, model): {measure: text}}."""
    lines = (ROOT / "tests/golden/table1.csv").read_text(encoding="ascii").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {(row["subset"], row["model"]): row for row in rows}


def speedups(passed, faster, mean):
    """So many with this geometric mean, so many of them above 1, the others below."""
    slower = passed - faster
    if slower == 0:
        return [mean] * faster
    if faster == 0:
        return [mean] * slower
    least = 1.3  # of the faster ones: beyond 5 % less time, too
    low = (mean ** passed / least ** faster) ** (1 / slower)
    if low < 0.9:
        return [least] * faster + [low] * slower
    high = (mean ** passed / 0.9 ** slower) ** (1 / faster)
    return [high] * faster + [0.9] * slower


def rows_of(model, level, cells):
    tasks = TASKS[level]
    passed, *faster = (round(float(cells[name]) * tasks / 100) for name in MEASURES[:3])
    eager, compiled = (speedups(passed, count, float(cells[name]))
                       for count, name in zip(faster, MEASURES[3:]))
    # Any pairing of tasks will do: which ones are the fast ones over compiled does not matter here.
    for number in range(tasks):
        row = {"task": f"level{level}/{number + 1:03}_task", "agent": model,
               "profile": "cuda-agent"}
        if number < passed:
            row.update(submission_ns=SUBMISSION_NS,
                       eager_ns=round(eager[number] * SUBMISSION_NS),
                       compiled_ns=round(compiled[-1 - number] * SUBMISSION_NS))
        else:
            row["state"] = ("wrong_result", "compile_error", "timeout", "suspect")[number % 4]
        yield row


def read_table(text):
    """{(subset, agent): {measure: text}} of what the command printed."""
    found = {}
    for line in text.splitlines():
        match = re.match(r"(overall|level \d)\s+(\S+)((?:\s+(?:[0-9.]+[%×]|–)){7})\s*$", line)
        if match is None:
            continue
        cells = match[3].split()
        by_name = dict(zip(("pass", "faster_eager", "faster_compiled", "clearly_eager",
                            "clearly_compiled", "mean_eager", "mean_compiled"), cells))
        found[match[1], match[2]] = {name: cell.rstrip("%×") for name, cell in by_name.items()}
    return found


class Table1Case(cli_case.CliCase):
    def kbench(self, verb, *words, **environment):
        """Its runs are generated, and have no chain."""
        trust = ["--trust-unchecked"] if verb in {"report"} else []
        return super().kbench(verb, *words, *trust, **environment)

    def make_runs(self, *runs):
        subprocess.run([os.environ["MAKE_RUNS"], str(self.folder / "kbench.sqlite")],
                       input=json.dumps(runs), text=True, check=True)

    def table1(self, *words):
        result = self.kbench("report", "table1", *words)
        self.assert_good(result)
        return read_table(result.stdout)


class PublishedTableTest(Table1Case):
    def setUp(self):
        super().setUp()
        self.published = published()
        self.by_level = {level: [row for subset, model in self.published
                                 if subset == f"level {level}"
                                 for row in rows_of(model, level,
                                                    self.published[subset, model])]
                         for level in TASKS}

    def assert_all_cells(self, found):
        compared = 0
        for key, cells in self.published.items():
            for name in MEASURES:
                self.assertEqual(found[key][name], cells[name], (key, name))
                compared += 1
        self.assertEqual(compared, 120)
        self.assertEqual(set(found), set(self.published))

    def test_all_cells_of_one_run(self):
        rows = sum(self.by_level.values(), [])
        self.assertEqual(len(rows), 1500)
        self.make_runs({"id": "a" * 32, "rows": rows})
        found = self.table1()
        self.assert_all_cells(found)
        # All that is faster here takes 5 % less time as well.
        for cells in found.values():
            self.assertEqual(cells["clearly_eager"], cells["faster_eager"])

    def test_all_cells_of_a_run_for_each_level(self):
        self.make_runs(*({"id": f"{level}" * 32, "started_at": f"2026-11-2{level}T03:00:00Z",
                          "rows": rows} for level, rows in self.by_level.items()))
        self.assert_all_cells(self.table1("--run", "111111", "--run", "222222", "--run", "333333"))


class Table1Test(Table1Case):
    def rows(self, profile="cuda-agent", **more):
        return [{"task": "level1/001_a", "agent": "alice", "profile": profile,
                 "submission_ns": 1000000, "eager_ns": 1020000, "compiled_ns": 1100000, **more}]

    def test_two_per_cent_faster_is_not_five_per_cent_less_time(self):
        self.make_runs({"id": "a" * 32, "rows": self.rows()})
        self.assertEqual(self.table1()["level 1", "alice"],
                         {"pass": "100.0", "faster_eager": "100.0", "faster_compiled": "100.0",
                          "clearly_eager": "0.0", "clearly_compiled": "100.0",
                          "mean_eager": "1.02", "mean_compiled": "1.10"})

    def test_another_profile_is_refused(self):
        self.make_runs({"id": "a" * 32, "rows": self.rows(profile="kbench")})
        result = self.kbench("report", "table1")
        self.assert_fails(result, USAGE, "profile cuda-agent", "--mode eval")
        self.assertEqual(result.stdout, "")

    def test_a_run_of_another_profile_is_refused_before_it_begins(self):
        self.assert_fails(self.kbench("run", "--level", "1", "--out", "table1=t.txt"), USAGE,
                          "profile cuda-agent")
        self.assertEqual(list(self.folder.glob("*.sqlite")), [])

    def test_several_runs_are_for_table1(self):
        self.make_runs({"id": "a" * 32, "rows": self.rows()}, {"id": "b" * 32, "rows": self.rows()})
        self.assert_fails(self.kbench("report", "json", "--run", "aaaa", "--run", "bbbb"), USAGE,
                          "json", "table1 takes several")

    def test_runs_that_differ_are_refused(self):
        self.make_runs({"id": "a" * 32, "rows": self.rows()},
                       {"id": "b" * 32, "device": "Another CPU", "rows": self.rows()})
        self.assert_fails(self.kbench("report", "table1", "--run", "aaaa", "--run", "bbbb"), USAGE,
                          "Another CPU", "device")


class CreditTest(Table1Case):
    """Rows that count nowhere and are not paid for; without the rule that says so they would be."""

    def values(self, **how):
        """Values of the only row: its agent's in the summary, and its reward."""
        table = self.kbench("report", "md", **how)
        paid = self.kbench("report", "json", "--reward", "milestone", **how)
        for result in (table, paid):
            self.assert_good(result)
        (row,) = json.loads(paid.stdout)["results"]
        return table.stdout, row["reward"]["value"]

    def weakened(self):
        return self.values(program=os.environ["WEAKENED"], KBENCH_WITHOUT="credit")

    def make_row(self, change, **more):
        self.make_runs({"id": "a" * 32, "rows": [{"task": "level1/001_a", "agent": "alice",
                                                  "submission_ns": 1000000, **more}]})
        with sqlite3.connect(self.folder / "kbench.sqlite") as store:
            store.execute(f"UPDATE evaluation SET {change}")

    def test_faster_than_the_device_can_be(self):
        self.make_row("floor_ns = 900000", submission_ns=100000)
        table, value = self.values()
        self.assertIn("alice: 0/1 correct", table)
        self.assertEqual(value, 1)
        table, value = self.weakened()
        self.assertIn("alice: 1/1 correct, geometric mean", table)
        self.assertEqual(value, 3)

    def test_a_reference_that_was_pasted(self):
        self.make_row("torch_operators = 'aten::relu 1', allow_torch = 'data'", eager_ns=1000000,
                      compiled_ns=1000000)
        self.assertEqual(self.values()[1], -1)
        self.assertEqual(self.weakened()[1], 1)


class RewardTest(Table1Case):
    def setUp(self):
        super().setUp()
        self.make_runs({"id": "a" * 32, "rows": [
            {"task": "level1/001_a", "agent": "alice", "submission_ns": 1000000},
            {"task": "level1/001_a", "agent": "bob", "state": "wrong_result"},
            {"task": "level1/001_a", "agent": "carol", "state": "infrastructure_error"}]})

    def rewards(self, form, name):
        result = self.kbench("report", form, "--reward", name)
        self.assert_good(result)
        rows = (json.loads(result.stdout)["results"] if form == "json" else
                [json.loads(line) for line in result.stdout.splitlines()])
        self.assertEqual({row["reward"]["name"] for row in rows}, {name})
        return {row["agent"]: row["reward"]["value"] for row in rows}

    def test_any_stored_run_is_scored_again_under_any_name(self):
        self.assertEqual(self.rewards("jsonl", "milestone_sure"),
                         {"alice": 3, "bob": -1, "carol": None})
        self.assertEqual(self.rewards("json", "speedup"), {"alice": 1.5, "bob": 0, "carol": None})
        self.assertEqual(self.rewards("json", "log"),
                         {"alice": float(f"{math.log(1.5):.9g}"), "bob": -1, "carol": None})
        self.assertEqual(self.rewards("json", "fast_p:2"), {"alice": 0, "bob": 0, "carol": None})

    def test_without_the_option_there_is_no_such_field(self):
        self.assertNotIn("reward", json.loads(self.kbench("report", "json").stdout)["results"][0])

    def test_an_unknown_name_is_refused_with_the_nearest(self):
        self.assert_fails(self.kbench("report", "json", "--reward", "kevn"), USAGE, "kevn", "kevin")

    def test_a_format_without_the_field_is_refused(self):
        self.assert_fails(self.kbench("report", "csv", "--reward", "log"), USAGE, "json")


if __name__ == "__main__":
    cli_case.main()
