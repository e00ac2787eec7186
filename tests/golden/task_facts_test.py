"""Each task at `full` is the problem of the fact table: id, name, inputs, constructor arguments.

Reads the .py files, not the lowered ones; that those agree is relowering_test.py. The table is
task_facts.csv, which says where it comes from. No tensor is filled: inputs are fake.
"""

import ast
import csv
import json
import unittest
from pathlib import Path

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

from reference import SUITES, leave  # first: finds suites/

from lowering.taskfile import TaskFile

TABLE = Path(__file__).with_name("task_facts.csv")
COUNTS = {1: 100, 2: 100, 3: 50}
DTYPES = {torch.float32: "f32", torch.int64: "i64", torch.bool: "bool"}

# Inputs that a task has behind those of the table, with the reason.
MORE_INPUTS = {
    # h0 and c0, which KernelBench's module draws in forward
    (3, 35): ["f32[6,10,256]", "f32[6,10,256]"],
}


def read_table() -> dict[tuple[int, int], dict]:
    with open(TABLE, newline="") as stream:
        rows = csv.DictReader(line for line in stream if not line.startswith("#"))
        return {(int(row["level"]), int(row["id"])): row for row in rows}


def tasks() -> dict[tuple[int, int], Path]:
    found = sorted(SUITES.glob("level*/[0-9]*.py"))
    return {(int(p.parent.name.removeprefix("level")), int(p.stem[:3])): p for p in found}


def describe(value) -> str:
    if not isinstance(value, torch.Tensor):
        return repr(value)
    return f"{DTYPES[value.dtype]}[{','.join(map(str, value.shape))}]"


def as_lists(value):
    """Tuples as lists: which of the two a task uses is its own business."""
    return [as_lists(v) for v in value] if isinstance(value, (list, tuple)) else value


class TaskFacts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = read_table()
        cls.tasks = tasks()

    def test_the_table_is_complete(self):
        for level, count in COUNTS.items():
            ids = sorted(number for own, number in self.table if own == level)
            self.assertEqual(ids, list(range(1, count + 1)))

    def test_every_problem_is_a_task_and_every_task_a_problem(self):
        self.assertEqual(sorted(self.tasks), sorted(self.table))

    def test_names(self):
        for key, path in self.tasks.items():
            with self.subTest(path.stem):
                self.assertEqual(path.stem, f"{key[1]:03}_{self.table[key]['name'].lower()}")

    def test_inputs_and_constructor_arguments(self):
        for key, path in self.tasks.items():
            with self.subTest(path.stem):
                module = TaskFile(path).load("full")
                with FakeTensorMode(allow_non_fake_inputs=True):
                    inputs = [describe(v) for v in pytree.tree_leaves(module.get_inputs())]
                expected = self.table[key]["input_shapes"].split(";")
                self.assertEqual(inputs, expected + MORE_INPUTS.get(key, []))
                arguments = as_lists(list(module.get_init_inputs()))
                self.assertEqual(arguments, json.loads(self.table[key]["init_args"]))

    def test_every_task_explains_itself_in_two_lines(self):
        for path in self.tasks.values():
            with self.subTest(path.stem):
                file = TaskFile(path)
                self.assertEqual(len(ast.get_docstring(file.tree).splitlines()), 2)
                self.assertIsNotNone(file.small, "has no SMALL")


if __name__ == "__main__":
    leave(not unittest.main(exit=False).result.wasSuccessful())
