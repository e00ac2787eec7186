"""Tests of suites/lower.py: the checked-in files, their meaning, and small modules that bite.

Run by CTest as `python tests/golden/lowering_test.py`; needs PyTorch and no compiled program.
"""

import dataclasses
import json
import math
import tempfile
import textwrap
import unittest
from pathlib import Path

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from reference import PythonModel, all_tasks, draw, draw_all, leave, source_of  # first: finds suites/

from lowering import recurrent
from lowering.convert import dtype_name
from lowering.draws import Draw, DrawRecorder
from lowering.errors import LoweringError
from lowering.graph import build_graph_module, overload_of
from lowering.names import Names
from lowering.patterns import draw_from_values
from lowering.task import lower_task
from lowering.taskfile import TaskFile
from lowering.text import format_task

DTYPES = (torch.float32, torch.float64)

# Tasks with a loop over time steps in forward: fewer at small, so fewer of the same nodes.
UNROLLED = frozenset(("034_vanillarnnhidden",))


def is_slice(node: dict) -> bool:
    """A slice of everything disappears, so one size may have it and the other not."""
    return node["op"] == "aten::slice"


def run_graph(task: dict, size: str, dtype: torch.dtype, inputs: list, parameters: list) -> tuple:
    module = build_graph_module(task, size, real_dtype=dtype)
    with torch.no_grad():
        return module(*inputs, *parameters)


class TaskCase(unittest.TestCase):
    def assert_same(self, got: torch.Tensor, expected: torch.Tensor) -> None:
        self.assertEqual(got.dtype, expected.dtype)
        self.assertEqual(got.shape, expected.shape)
        torch.testing.assert_close(got, expected, rtol=0, atol=0, equal_nan=True)

    def assert_graph_is_forward(self, task: dict, source: Path, size: str) -> None:
        """The lowered graph and Model.forward agree bit for bit, in both precisions."""
        for dtype in DTYPES:
            inputs, parameters = draw_all(task["sizes"][size], dtype, seed=7)
            model = PythonModel(source, task, size, dtype)
            model.load(parameters)
            expected = model.forward([x.clone() for x in inputs])
            kept = [x.clone() for x in inputs + parameters]
            got = run_graph(task, size, dtype, inputs, parameters)
            self.assertEqual(len(got), len(expected))
            for g, e in zip(got, expected):
                self.assert_same(g, e)
            for after, before in zip(inputs + parameters, kept):
                self.assert_same(after, before)  # nothing of the caller's was written


class CheckedInFiles(TaskCase):
    def test_there_are_tasks_of_every_level(self):
        levels = {path.parent.name for path in all_tasks()}
        self.assertEqual(levels, {"level1", "level2", "level3"})

    def test_every_source_has_its_lowered_file(self):
        sources = {p for t in all_tasks() for p in t.parent.glob("[0-9]*.py")}
        self.assertEqual(sources, {source_of(t) for t in all_tasks()})

    def test_every_file_was_made_from_its_source(self):
        for path in all_tasks():
            with self.subTest(path.stem):
                lowered = json.loads(path.read_text())
                self.assertEqual(lowered["source_sha256"], TaskFile(source_of(path)).sha256)

    def test_small_sizes_keep_the_operators_and_stay_small(self):
        limit = 64 << 20
        for path in all_tasks():
            with self.subTest(path.stem):
                sizes = json.loads(path.read_text())["sizes"]
                small, full = sizes["small"], sizes["full"]
                operators = set if path.stem in UNROLLED else list
                self.assertEqual(
                    *(operators((n["op"], n["overload"]) for n in s["nodes"] if not is_slice(n))
                      for s in (small, full))
                )
                self.assertLess(small["peak_bytes_fp32"], 2 * limit)
                for spec in small["inputs"] + small["outputs"]:
                    self.assertLessEqual(4 * torch.Size(spec["shape"]).numel(), limit)
                weights = sum(4 * torch.Size(p["shape"]).numel() for p in small["parameters"])
                self.assertLessEqual(weights, 600 << 20)

    def test_all_files_together_are_small_and_read_well_in_a_diff(self):
        total = 0
        for path in all_tasks():
            with self.subTest(path.stem):
                text = path.read_text()
                total += len(text.encode())
                sizes = json.loads(text)["sizes"].values()
                entries = sum(
                    len(size[group])
                    for size in sizes
                    for group in ("inputs", "parameters", "nodes", "outputs")
                )
                self.assertGreaterEqual(len(text.splitlines()), entries)  # one a line
                self.assertLess(max(map(len, text.splitlines())), 1 << 14)
        self.assertLess(total, 20_000_000)

    def test_arguments_follow_the_schemas_and_names_are_unique(self):
        for path in all_tasks():
            for name, size in json.loads(path.read_text())["sizes"].items():
                with self.subTest(path.stem, size=name):
                    for node in size["nodes"]:
                        schema = overload_of(node)._schema
                        self.assertEqual(len(node["args"]), len(schema.arguments))
                    names = [
                        t["name"] for g in ("inputs", "parameters", "outputs") for t in size[g]
                    ] + [out for node in size["nodes"] for out in node["outs"] if out]
                    self.assertEqual(len(names), len(set(names)))
                    for word in names:
                        self.assertRegex(word, r"\A[A-Za-z][A-Za-z0-9_]*\Z")


class ModuleCase(TaskCase):
    """Lowers modules written in the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = Path(folder.name) / "level1" / "001_module.py"
        self.source.parent.mkdir()

    def lower(self, body: str, inputs: str, mode: str = "batch-stats", head: str = "") -> dict:
        self.source.write_text(
            '"""A module of a test."""\n'
            "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"
            + textwrap.dedent(head)
            + "\nclass Model(nn.Module):\n"
            + textwrap.indent(textwrap.dedent(body), "    ")
            + f"\n\ndef get_inputs():\n    return [{inputs}]\n"
            + "\ndef get_init_inputs():\n    return []\n"
        )
        return lower_task(self.source, mode)

    def lower_and_run(self, body: str, inputs: str, **more) -> dict:
        """The full size, after checking that it means what forward means."""
        task = self.lower(body, inputs, **more)
        self.assert_graph_is_forward(task, self.source, "full")
        return task["sizes"]["full"]

    @staticmethod
    def operators(size: dict) -> list[str]:
        return [node["op"].removeprefix("aten::") for node in size["nodes"]]


class Graphs(ModuleCase):
    def test_nested_outputs_and_a_returned_input(self):
        size = self.lower_and_run(
            """
            def forward(self, x):
                values, indices = torch.topk(x, 2, dim=1)
                return values, {"a": indices, "b": [x * 2, x]}
            """,
            "torch.randn(4, 6)",
        )
        self.assertEqual([o["name"] for o in size["outputs"]], ["y0", "y1", "y2", "y3"])
        self.assertEqual([o["dtype"] for o in size["outputs"]][:2], ["float32", "int64"])
        self.assertEqual(size["outputs"][3]["value"], "x")

    def test_inputs_in_lists_and_numbers_among_them(self):
        size = self.lower_and_run(
            "def forward(self, pair, factor):\n    return pair[0] + pair[1] * factor",
            "[torch.rand(3), torch.rand(3)], 3.14",
        )
        self.assertEqual([i["name"] for i in size["inputs"]], ["pair_0", "pair_1"])
        self.assertEqual(size["nodes"][0]["args"][1], {"scalar": 3.14})

    def test_lists_name_their_tensors_and_null_what_nobody_reads(self):
        size = self.lower_and_run(
            """
            def forward(self, x):
                a, _, c = x.chunk(3, dim=1)
                p, q = torch.split(a, [1, 1], dim=1)
                return torch.cat([c, p, q], dim=1) + torch.stack(x.unbind(0)[:4]).sum()
            """,
            "torch.randn(4, 6)",
        )
        chunk = next(n for n in size["nodes"] if n["op"] == "aten::chunk")
        self.assertEqual(len(chunk["outs"]), 3)
        self.assertIsNone(chunk["outs"][1])

    def test_operators_in_place_do_not_reach_the_caller(self):
        bodies = {
            "on an input": "return F.relu_(x)",
            "on a view of an input": "x[0].mul_(2)\n    return x + 1",
            "augmented": "x += 1\n    return x.t()",
            "on a chunk": "y = x * 1\n    a, b = y.split(3, dim=1)\n    a.relu_()\n    return y, b",
            "on a parameter": "self.w.mul_(2)\n    return x + self.w",
        }
        for name, body in bodies.items():
            with self.subTest(name):
                self.lower_and_run(
                    "def __init__(self):\n    super().__init__()\n"
                    "    self.w = nn.Parameter(torch.randn(6))\n"
                    f"def forward(self, x):\n    {body}",
                    "torch.randn(4, 6)",
                )

    def test_shapes_changed_in_place_are_views(self):
        bodies = {
            "the result is read": "y = x + 1\n    return y.unsqueeze_(1).mul(2)",
            "the tensor is read": "y = x + 1\n    y.unsqueeze_(1)\n    y.transpose_(1, 2)\n    return y * 2",
            "a view is read as well": "y = x + 1\n    z = y[0]\n    y.t_()\n    y.mul_(3)\n    return y, z",
            "squeezed": "y = x[:1] * 2\n    y.squeeze_(0)\n    y.swapaxes_(0, 0)\n    return y + 1",
            "of an input": "x = x.view(4, 1, 6)\n    x.squeeze_()\n    return x + 1",
        }
        for name, body in bodies.items():
            with self.subTest(name):
                size = self.lower_and_run(f"def forward(self, x):\n    {body}", "torch.randn(4, 6)")
                in_place = {op for op in self.operators(size) if op.endswith("_")}
                self.assertLessEqual(in_place, {"mul_"})

    def test_a_view_does_not_rely_on_the_strides_of_the_cpu(self):
        # Contiguous on the CPU, so the export drops the copy; on CUDA it is not.
        size = self.lower_and_run(
            "def forward(self, x):\n"
            "    y = F.scaled_dot_product_attention(x, x, x)\n"
            "    return y.permute(2, 0, 1, 3).contiguous().view(10, 12)",
            "torch.randn(2, 3, 5, 4)",
        )
        operators = [node["op"] for node in size["nodes"]]
        self.assertIn("aten::reshape", operators)
        self.assertNotIn("aten::view", operators)

    def test_an_in_place_result_that_nobody_names_is_kept(self):
        size = self.lower_and_run(
            """
            def forward(self, x):
                y = x + 1
                y[:, 0].zero_()
                z = x - 1
                z.add_(5)
                return y
            """,
            "torch.randn(4, 6)",
        )
        self.assertIn("zero_", self.operators(size))
        self.assertNotIn("add_", self.operators(size))  # z is dead, and its update with it

    def test_python_numbers_in_tensor_slots(self):
        size = self.lower_and_run(
            """
            def forward(self, x):
                y = (0.1 * x + 3) / 0.7
                return y.masked_fill(y > 1, float("inf")) * 2
            """,
            "torch.randn(4, 6)",
        )
        mul = next(n for n in size["nodes"] if n["op"] == "aten::mul")
        self.assertEqual(mul["args"][1], {"scalar": 0.1})
        fill = next(n for n in size["nodes"] if n["op"] == "aten::masked_fill")
        self.assertEqual(fill["args"][2], {"float": "inf"})

    def test_tensors_out_of_nothing_follow_the_working_precision(self):
        size = self.lower_and_run(
            """
            def forward(self, x):
                a = torch.zeros(6) + torch.ones(6, dtype=torch.float32, device=x.device)
                b = torch.arange(6).to(torch.float32) + torch.full((6,), 0.1)
                return x + a + b + torch.full((6,), 3)
            """,
            "torch.randn(4, 6)",
        )
        for node in size["nodes"]:
            if node["op"] in ("aten::zeros", "aten::ones", "aten::full"):
                self.assertIn({"device": True}, node["args"])
                dtypes = [a["dtype"] for a in node["args"] if isinstance(a, dict) and "dtype" in a]
                self.assertIn(dtypes, (["real"], ["int64"]))

    def test_buffers_and_constants(self):
        size = self.lower_and_run(
            """
            def __init__(self):
                super().__init__()
                self.register_buffer("mask", torch.tril(torch.ones(30, 30)).view(1, 30, 30))
                self.register_buffer("few", torch.tensor([1.0, 2.5, 4.0]))
                self.register_buffer("scale", torch.tensor(0.1))
                self.register_buffer("unused", torch.ones(3))
                self.plain = torch.tensor([3, 1, 2])
            def forward(self, x):
                y = (x * self.few)[:, self.plain - 1] * self.scale + torch.tensor([0.5, 1.5, 2.5])
                return y, self.mask[:, :3, :3] == 0
            """,
            "torch.randn(4, 3)",
        )
        draws = {p["name"]: (p["fqn"], p["draw"]["kind"]) for p in size["parameters"]}
        self.assertEqual(
            draws,
            {
                "mask": ("mask", "tril"),
                "few": ("few", "data"),
                "scale": ("scale", "constant"),
                "constant": (None, "data"),
                "plain": ("plain", "data"),
            },
        )

    def test_a_parameter_used_twice_is_listed_once(self):
        size = self.lower_and_run(
            """
            def __init__(self):
                super().__init__()
                self.a = nn.Linear(6, 6)
                self.b = nn.Linear(6, 6)
                self.b.weight = self.a.weight
            def forward(self, x):
                return self.b(torch.relu(self.a(x)))
            """,
            "torch.randn(4, 6)",
        )
        self.assertEqual(len(size["parameters"]), 3)


class Modes(ModuleCase):
    NORM = """
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm2d(3)
            self.drop = nn.Dropout(0.5)
            self.other = nn.InstanceNorm2d(3, affine=True, track_running_stats=True)
        def forward(self, x):
            return self.other(F.dropout(self.drop(self.norm(x)), 0.0, self.training))
        """

    def test_batch_statistics_leave_nothing_but_the_norm(self):
        size = self.lower_and_run(self.NORM, "torch.randn(4, 3, 5, 5)")
        self.assertEqual(self.operators(size), ["batch_norm", "instance_norm"])
        for node in size["nodes"]:
            self.assertEqual(node["args"][3:6], [None, None, True])
            self.assertIs(node["args"][-1], True)  # cudnn_enabled
        names = [p["name"] for p in size["parameters"]]
        self.assertEqual(names, ["norm_weight", "norm_bias", "other_weight", "other_bias"])
        ends = [(p["draw"]["a"], p["draw"]["b"]) for p in size["parameters"]]
        self.assertEqual(ends, [(0.5, 1.5), (-0.5, 0.5)] * 2)

    def test_eval_mode_reads_drawn_running_statistics(self):
        size = self.lower_and_run(self.NORM, "torch.randn(4, 3, 5, 5)", mode="eval")
        self.assertEqual(self.operators(size), ["batch_norm", "instance_norm"])
        draws = {p["name"]: p["draw"] for p in size["parameters"]}
        self.assertEqual(draws["norm_running_var"], {"kind": "uniform", "a": 0.5, "b": 1.5})
        self.assertEqual(draws["norm_running_mean"], {"kind": "uniform", "a": -0.5, "b": 0.5})

    def test_functional_dropout_is_dropped(self):
        body = "def forward(self, x):\n    return F.dropout(x * 2, 0.5)"
        task = self.lower(body, "torch.randn(4)")
        self.assertEqual(self.operators(task["sizes"]["full"]), ["mul"])

    def test_recurrent_layers_stay_one_node_without_dropout(self):
        for layer, states in (("GRU", "h"), ("LSTM", "(h, c)")):
            with self.subTest(layer):
                size = self.lower_and_run(
                    f"""
                    def __init__(self):
                        super().__init__()
                        self.rnn = nn.{layer}(5, 4, 2, dropout=0.5, bidirectional=True)
                    def forward(self, x, h, c):
                        y, last = self.rnn(x, {states})
                        return y, last
                    """,
                    "torch.randn(7, 3, 5), torch.randn(4, 3, 4), torch.randn(4, 3, 4)",
                )
                self.assertEqual(self.operators(size), [layer.lower()])
                self.assertEqual(len(size["inputs"]), 3)  # c is listed though the GRU ignores it

    def test_recurrent_results_are_laid_out_as_pytorch_does(self):
        ops = torch.ops.aten
        for layer, operator in ((torch.nn.GRU, ops.gru.input), (torch.nn.RNN, ops.rnn_tanh.input),
                                (torch.nn.LSTM, ops.lstm.input)):
            for two_ways, batch_first in ((False, False), (True, True), (False, True)):
                with self.subTest(layer.__name__, two_ways=two_ways, batch_first=batch_first):
                    made = layer(3, 4, 2, bidirectional=two_ways, batch_first=batch_first)
                    x = torch.randn(5, 6, 3)
                    state = torch.zeros(2 * (1 + two_ways), 5 if batch_first else 6, 4)
                    states = (state, state) if layer is torch.nn.LSTM else state
                    arguments = (x, states, list(made.parameters()), True, 2, 0.0, False, two_ways,
                                 batch_first)
                    with torch.no_grad():
                        expected = operator(*arguments)
                    got = recurrent._LAYERS[operator](*arguments)
                    self.assertEqual([(t.shape, t.stride(), t.dtype) for t in got],
                                     [(t.shape, t.stride(), t.dtype) for t in expected])

    def test_the_export_alone_sees_recurrent_layers_without_values(self):
        gru = torch.ops.aten.gru.input
        before = dict(gru.py_kernels)
        with self.assertRaises(ZeroDivisionError), recurrent.shapes_only():
            self.assertNotEqual(gru.py_kernels, before)
            raise ZeroDivisionError
        self.assertEqual(gru.py_kernels, before)

    def test_random_numbers_in_forward_become_an_input(self):
        body = "def forward(self, x):\n    return x + torch.randn(6)"
        task = self.lower(body, "torch.randn(4, 6)")
        size = task["sizes"]["full"]
        self.assertEqual([i["name"] for i in size["inputs"]], ["x", "randn"])
        self.assertEqual(self.operators(size), ["add"])
        self.assertEqual(size["inputs"][1]["draw"], {"kind": "normal", "a": 0.0, "b": 1.0})

    def test_other_random_operators_are_refused(self):
        with self.assertRaisesRegex(LoweringError, "draws random numbers"):
            self.lower("def forward(self, x):\n    return torch.bernoulli(x)", "torch.rand(4, 6)")


class Descriptions(ModuleCase):
    BODY = "def forward(self, x):\n    return torch.relu(x)"

    def test_accepted_flaws_and_refused_draws_are_recorded_with_their_reasons(self):
        head = 'LINT_ACCEPTS = {"identity": "why"}\nHARD_DRAWS_SKIP = {"wide": "because"}\n'
        task = self.lower(self.BODY, "torch.rand(4, 6)", head=head)
        self.assertEqual(task["lint_accepts"], {"identity": "why"})
        self.assertEqual(task["hard_draws_skip"], {"wide": "because"})
        self.assertNotIn("lint_accepts", self.lower(self.BODY, "torch.rand(4, 6)"))

    def test_a_flaw_without_a_reason_is_refused(self):
        for head in ('LINT_ACCEPTS = ["identity"]', 'LINT_ACCEPTS = {"identity": ""}',
                     "LINT_ACCEPTS = {str(1): str(2)}"):
            with self.subTest(head), self.assertRaises(LoweringError):
                self.lower(self.BODY, "torch.rand(4, 6)", head=head + "\n")

    def test_what_kernelbench_draws_is_recorded_where_it_differs(self):
        head = """
            def mend_parameters(model):
                nn.init.normal_(model.linear.weight, std=0.5)
            def get_kernelbench_inputs():
                return [torch.rand(4, 8), torch.randn(4, 8)]
            """
        body = """
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(8, 16)
                self.norm = nn.LayerNorm(16)
                mend_parameters(self)
            def forward(self, x, z):
                return self.norm(self.linear(x + z))
            """
        size = self.lower_and_run(body, "torch.randn(4, 8), torch.randn(4, 8)", head=head)
        draws = {t["name"]: t for t in size["inputs"] + size["parameters"]}
        self.assertEqual(draws["x"]["kernelbench"], {"kind": "uniform", "a": 0.0, "b": 1.0})
        self.assertNotIn("kernelbench", draws["z"])
        weight = draws["linear_weight"]
        self.assertEqual(weight["draw"], {"kind": "normal", "a": 0.0, "b": 0.5})
        self.assertEqual(weight["kernelbench"]["kind"], "uniform")
        self.assertAlmostEqual(weight["kernelbench"]["b"], 8**-0.5)
        self.assertNotIn("kernelbench", draws["linear_bias"])
        self.assertEqual(draws["norm_weight"]["kernelbench"], {"kind": "constant", "a": 1.0})
        self.assertEqual(draws["norm_bias"]["kernelbench"], {"kind": "constant", "a": 0.0})

    def test_what_kernelbench_draws_differs_in_values_alone(self):
        head = "def get_kernelbench_inputs():\n    return [torch.rand(5)]\n"
        with self.assertRaisesRegex(LoweringError, "in nothing but how values are drawn"):
            self.lower("def forward(self, x):\n    return x", "torch.rand(4)", head=head)

    def test_large_weights_are_not_filled(self):
        body = """
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(1 << 16, 1 << 14)  # 4 GiB
            def forward(self, x):
                return self.linear(x)
            """
        size = self.lower(body, "torch.randn(1, 1 << 16)")["sizes"]["full"]
        draw = size["parameters"][0]["draw"]
        self.assertEqual(draw["kind"], "uniform")
        self.assertAlmostEqual(draw["b"], 2.0**-8)

    def test_buffers_computed_from_random_weights_have_their_values(self):
        body = """
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.empty(512, 512).normal_().sin_())
            def forward(self, x):
                return x @ self.weight
            """
        size = self.lower(body, "torch.randn(4, 512)")["sizes"]["full"]
        found = size["parameters"][0]["draw"]
        self.assertEqual(found["kind"], "normal")
        self.assertAlmostEqual(found["b"], ((1 - math.exp(-2)) / 2) ** 0.5, places=2)

    def test_names_are_usable_in_c(self):
        size = self.lower_and_run(
            """
            def __init__(self):
                super().__init__()
                self.new = nn.Linear(3, 3)
                self.register_parameter("class", nn.Parameter(torch.randn(3)))
                self.y = nn.Parameter(torch.randn(3))
                self.add = nn.Parameter(torch.randn(3))
            def forward(self, new_weight):
                return self.new(new_weight) + getattr(self, "class") + self.y + self.add
            """,
            "torch.randn(4, 3)",
        )
        self.assertEqual([i["name"] for i in size["inputs"]], ["new_weight"])
        names = {p["fqn"]: p["name"] for p in size["parameters"]}
        self.assertEqual(names["class"], "class_")
        self.assertEqual(names["new.weight"], "new_weight_1")
        self.assertEqual(size["outputs"][0]["name"], "y_1")

    def test_unique_names(self):
        names = Names()
        words = [names.unique(w) for w in ("a.b", "a_b", "_a", "1", "double", "é")]
        self.assertEqual(words, ["a_b", "a_b_1", "v_a", "v1", "double_", "v_"])

    def test_peak_memory_and_operations(self):
        # 1,000 floats a value. Of the chain two values live at a time; views add nothing; an
        # operator in place adds nothing; float64 doubles the floats, not the indices.
        size = self.lower_and_run(
            """
            def forward(self, x):
                y = torch.relu(torch.relu(torch.relu(x)))
                return y.view(1000).relu_()
            """,
            "torch.randn(10, 100)",
        )
        self.assertEqual((size["peak_bytes_fp32"], size["peak_bytes_fp64"]), (8000, 16000))
        size = self.lower_and_run(
            "def forward(self, x):\n    return torch.argmax(x + 1, dim=1)", "torch.randn(10, 100)"
        )
        self.assertEqual((size["peak_bytes_fp32"], size["peak_bytes_fp64"]), (4080, 8080))
        size = self.lower_and_run(
            "def forward(self, a, b, q):\n"
            "    return a @ b, F.scaled_dot_product_attention(q, q, q)",
            "torch.randn(3, 5), torch.randn(5, 7), torch.randn(2, 4, 8, 16)",
        )
        self.assertEqual(size["flops"], 2 * 3 * 5 * 7 + 2 * (2 * 2 * 4 * 8 * 8 * 16))

    def test_small_overrides_constants_before_others_are_computed(self):
        task = self.lower(
            "def forward(self, x):\n    return x * HALF",
            "torch.randn(N, HALF)",
            head='N = 1 << 20\nHALF = N // 2\nSMALL = {"N": 8}\n',
        )
        shapes = {name: size["inputs"][0]["shape"] for name, size in task["sizes"].items()}
        self.assertEqual(shapes, {"small": [8, 4], "full": [1 << 20, 1 << 19]})  # 2 TiB, faked

    def test_small_must_name_constants(self):
        with self.assertRaisesRegex(LoweringError, "names no module constant"):
            body = "def forward(self, x):\n    return x"
            self.lower(body, "torch.rand(1)", head="SMALL = {'M': 1}")

    def test_text_is_one_line_a_tensor_and_a_node(self):
        task = self.lower("def forward(self, x):\n    return x.relu().exp()", "torch.rand(4)")
        text = format_task(task)
        self.assertEqual(json.loads(text), task)
        self.assertEqual(list(task)[-1], "sizes")
        self.assertEqual(sum('"op"' in line for line in text.splitlines()), 2)
        self.assertNotIn(str(self.source.parent), text)

    def test_an_input_drawn_in_an_unknown_way_is_refused(self):
        with self.assertRaisesRegex(LoweringError, "cannot tell how input x is drawn"):
            self.lower("def forward(self, x):\n    return x", "torch.rand(4).sin()")


class Draws(unittest.TestCase):
    def record(self, make) -> Draw | None:
        recorder = DrawRecorder()
        with recorder, torch.no_grad():
            tensor = make()
        return recorder.draw_of(tensor)

    def test_distributions_through_arithmetic(self):
        unit, normal = Draw("uniform", 0.0, 1.0), Draw("normal", 0.0, 1.0)

        def times(draw, factor, **more):
            return dataclasses.replace(draw, times=factor, **more)

        cases = [
            (lambda: torch.rand(4) * 2 - 1, Draw("uniform", -1.0, 1.0)),
            (lambda: 1 - torch.rand(4) / 2, Draw("uniform", 0.5, 1.0)),
            (lambda: (torch.randn(4) * -3).add_(1), Draw("normal", 1.0, 3.0)),
            (lambda: torch.randn(2, 4).t().contiguous().view(8).double(), Draw("normal", 0.0, 1.0)),
            (lambda: torch.randint(2, 9, (4,)), Draw("integers", 2, 9)),
            (lambda: torch.randint(0, 2, (4,)).bool(), Draw("bernoulli", 0.5)),
            (lambda: torch.rand(4) > 0.75, Draw("bernoulli", 0.25)),
            (lambda: torch.rand(4) < 0.75, Draw("bernoulli", 0.75)),
            (lambda: torch.full((4,), 2.5), Draw("constant", 2.5)),
            (lambda: torch.normal(1.0, 2.0, (4,)), Draw("normal", 1.0, 2.0)),
            (lambda: torch.randint(0, 2, (4,)).float() * 2 - 1, Draw("integers", -1, 2, step=2)),
            (lambda: 5 - torch.randint(1, 4, (4,)), Draw("integers", 2, 5)),
            (lambda: torch.rand(4, 4).triu(1) * 2, Draw("uniform", 0.0, 2.0, keep="triu", diagonal=1)),
            (lambda: torch.tril(torch.randn(4, 4)), Draw("normal", 0.0, 1.0, keep="tril")),
            (lambda: torch.rand(4) * torch.rand(()), times(unit, unit)),
            (lambda: torch.rand(1) * (2 * torch.rand(4)), times(Draw("uniform", 0.0, 2.0), unit)),
            (lambda: torch.rand(4).mul_(torch.randn(())) * -3, times(Draw("uniform", -3.0, 0.0), normal)),
            (lambda: torch.ones(4) * torch.randn(1), times(Draw("constant", 1.0), normal)),
            (lambda: (torch.rand(4, 4) * torch.rand(())).tril(), times(unit, unit, keep="tril")),
            (lambda: torch.rand(4) * torch.full((), 2.0), Draw("uniform", 0.0, 2.0)),
            (lambda: torch.rand(4) * torch.rand(()) + 1, None),
            (lambda: torch.rand(4) * torch.rand(()) > 0.5, None),
            (lambda: torch.rand(4) * torch.rand(()) * torch.rand(()), None),
            (lambda: torch.rand(4) * (torch.rand(()) + 1), times(unit, Draw("uniform", 1.0, 2.0))),
            (lambda: torch.randint(0, 5, (4,)) * torch.rand(()), None),
            (lambda: torch.rand(4) * torch.rand(()).softmax(0), None),
            (lambda: torch.ones(4, 4).tril(1).bool(), Draw("tril", 1)),
            (lambda: torch.rand(4, 4).triu() + 1, None),
            (lambda: torch.rand(4).softmax(0), None),
            (lambda: torch.rand(4) * torch.rand(4), None),
        ]
        for index, (make, expected) in enumerate(cases):
            with self.subTest(index):
                self.assertEqual(self.record(make), expected)
                with FakeTensorMode():
                    self.assertEqual(self.record(make), expected)

    def test_initialisers_of_modules(self):
        bound = 1 / 8
        cases = [
            (lambda: nn_linear().weight, "uniform", -bound, bound),
            (lambda: nn_linear().bias, "uniform", -bound, bound),
            (lambda: torch.nn.GRU(8, 64).weight_hh_l0, "uniform", -bound, bound),
            (lambda: torch.nn.Embedding(9, 4, padding_idx=0).weight, "normal", 0.0, 1.0),
            (lambda: torch.nn.LayerNorm(4).weight, "constant", 1.0, 0.0),
            (lambda: torch.nn.Parameter(torch.randn(4) * 0.02), "normal", 0.0, 0.02),
            (trunc_normal, "normal", 0.0, 0.02),
        ]
        for index, (make, kind, a, b) in enumerate(cases):
            with self.subTest(index):
                found = self.record(make)
                self.assertEqual(found.kind, kind)
                self.assertAlmostEqual(found.a, a, places=6)
                self.assertAlmostEqual(found.b, b, places=6)

    def test_constants_of_trained_parameters_are_drawn_around(self):
        self.assertEqual(Draw("constant", 0.0).around(), Draw("uniform", -0.5, 0.5))
        self.assertEqual(Draw("constant", -4.0).around(), Draw("uniform", -6.0, -2.0))
        self.assertEqual(Draw("normal", 0.0, 1.0).around(), Draw("normal", 0.0, 1.0))

    def test_patterns_in_buffers(self):
        ones = torch.ones(40, 30)
        for diagonal in (-3, 0, 5):
            for kind, cut in (("tril", torch.tril), ("triu", torch.triu)):
                with self.subTest(kind, diagonal=diagonal):
                    found = draw_from_values("m", cut(ones, diagonal).bool())
                    self.assertEqual(found, Draw(kind, diagonal))
        minus_inf = torch.triu(torch.full((40, 30), float("-inf")), 1)
        self.assert_reproduced(minus_inf, "triu")
        with self.assertRaisesRegex(LoweringError, "600 values without a pattern"):
            draw_from_values("m", torch.arange(600) ** 2)

    def test_rules_for_large_buffers(self):
        at = torch.stack(torch.meshgrid(torch.arange(7), torch.arange(7), indexing="ij")).flatten(1)
        relative = at[:, :, None] - at[:, None, :] + 6
        self.assert_reproduced(relative[0] * 13 + relative[1], "affine")
        self.assert_reproduced(torch.arange(1000).reshape(1, 1000), "affine")
        self.assert_reproduced(torch.arange(1000.0) * -2 + 5, "affine")
        # The mask of shifted windows: which positions of a window come from one region.
        line = torch.bucketize(torch.arange(28), torch.tensor([21, 25]), right=True)
        region = (3 * line[:, None] + line).reshape(4, 7, 4, 7).transpose(1, 2).reshape(16, 49)
        mask = (region[:, None] != region[:, :, None]).float() * -100
        self.assert_reproduced(mask, "blocks")
        self.assert_reproduced(torch.where(mask == 0, 0, float("-inf")), "blocks")
        self.assert_reproduced(mask == 0, "blocks")
        self.assert_reproduced(torch.tensor([True, False, True]), "data")

    def assert_reproduced(self, tensor: torch.Tensor, kind: str) -> None:
        entry = json.loads(json.dumps(draw_from_values("m", tensor).to_json(), allow_nan=False))
        self.assertEqual(entry["kind"], kind)
        spec = {"name": "m", "dtype": dtype_name(tensor.dtype), "shape": list(tensor.shape)}
        again = draw(spec | {"draw": entry}, torch.float32, "cpu", torch.Generator())
        self.assertTrue(torch.equal(again, tensor))


def nn_linear():
    return torch.nn.Linear(64, 3)


def trunc_normal():
    return torch.nn.init.trunc_normal_(torch.nn.Parameter(torch.empty(64)), std=0.02)


if __name__ == "__main__":
    leave(not unittest.main(exit=False).result.wasSuccessful())
