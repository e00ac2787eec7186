"""The few tasks of task_cover.py have all that the others have, and are the cheap ones."""

import json
import unittest
from pathlib import Path

import task_cover

SUITES = Path(__file__).resolve().parents[2] / "suites"


def node(op, *args, overload="", outs=("out",)):
    return {"op": op, "overload": overload, "args": list(args), "outs": list(outs)}


def task(*nodes, draw="uniform", flops=0):
    spec = {"name": "x", "dtype": "float32", "shape": [4], "draw": {"kind": draw}}
    size = {"inputs": [spec], "parameters": [], "nodes": list(nodes), "outputs": [spec],
            "peak_bytes_fp64": 0, "flops": flops}
    return {"sizes": {"small": size}}


def covered(**tasks):
    given = {Path(name): contents for name, contents in tasks.items()}
    return [str(path) for path in
            task_cover.cover(given, ("small",), lambda one: task_cover.cost(one, "small"))]


RELU, EXP = node("aten::relu", {"v": "x"}), node("aten::exp", {"v": "x"})


class CoverTest(unittest.TestCase):
    def test_a_cheap_task_stands_for_a_dear_one(self):
        self.assertEqual(covered(dear=task(RELU, flops=1e9), cheap=task(RELU)), ["cheap"])

    def test_a_dear_task_that_is_needed_makes_cheaper_ones_needless(self):
        self.assertEqual(covered(cheap=task(RELU), dear=task(RELU, EXP, flops=1e9)), ["dear"])

    def test_what_makes_a_difference(self):
        usual = node("aten::sum", {"v": "x"}, [1])
        for other in (task(node("aten::sum", {"v": "x"}, [1], overload="dim")),
                      task(node("aten::sum", {"v": "x"}, None)),
                      task(node("aten::sum", {"v": "x"}, [{"v": "x"}])),
                      task(node("aten::sum", {"v": "x"}, {"dtype": "int64"})),
                      task(node("aten::sum", {"v": "x"}, [1], outs=(None,))),
                      task(node("aten::sum", {"v": "x"}, [1], outs=("a", "b"))),
                      task(usual, draw="normal")):
            with self.subTest(other["sizes"]["small"]["nodes"]):
                self.assertIn("b", covered(a=task(usual), b=other))
        self.assertEqual(covered(a=task(usual), b=task(node("aten::sum", {"v": "y"}, [2]))), ["a"])


class SuitesTest(unittest.TestCase):
    """On the tasks that are shipped; what they have is found here in another way."""

    @classmethod
    def setUpClass(cls):
        paths = sorted(SUITES.glob("level*/[0-9]*.json"))
        cls.tasks = {path: json.loads(path.read_text(encoding="utf-8")) for path in paths}

    def parts(self, paths):
        """Operator overloads, and ways of drawing."""
        found = set()
        for size in (size for path in paths for size in self.tasks[path]["sizes"].values()):
            found |= {(one["op"], one["overload"]) for one in size["nodes"]}
            found |= {one["draw"]["kind"] for group in ("inputs", "parameters") for one in size[group]}
        return found

    def test_nothing_is_missing_and_most_is_left_out(self):
        for sizes, price in ((("small",), lambda one: task_cover.cost(one, "small")),
                             (("small", "full"), task_cover.nodes)):
            with self.subTest(sizes):
                few = task_cover.cover(self.tasks, sizes, price)
                self.assertEqual(self.parts(few), self.parts(self.tasks))
                self.assertEqual(task_cover.operators(few), task_cover.operators(self.tasks))
                self.assertLess(len(few), len(self.tasks) / 3)
        named = {part for part in self.parts(self.tasks) if isinstance(part, tuple)}
        self.assertEqual(task_cover.operators(self.tasks), named)


if __name__ == "__main__":
    unittest.main(verbosity=2)
