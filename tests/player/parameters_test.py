"""The choice of a model's parameter for each of the task's: by names, by KernelBench's, by order."""

import os
import pathlib
import sys
import unittest
import unittest.mock

import torch
from torch import nn

ROOT = pathlib.Path(os.environ["KBENCH_ROOT"])
sys.path[:0] = [str(ROOT / "runner/player"), str(ROOT / "suites")]

import player_parameters  # noqa: E402
from lowering.model_state import state_of  # noqa: E402
from player_parameters import ParametersDiffer, assign, bind, made_in_init, silence  # noqa: E402


class Value:
    """A tensor that lies somewhere, like player_outputs.View."""

    def __init__(self, tensor):
        self.tensor, self.dtype, self.shape = tensor, tensor.dtype, tuple(tensor.shape)

    def at(self, _):
        return self.tensor


class Task(nn.Module):
    """Two convolutions of one shape, a norm with running statistics, and a dead bias."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(4))
        self.first = nn.Conv2d(4, 4, 3, bias=False)
        self.norm = nn.BatchNorm2d(4)
        self.second = nn.Conv2d(4, 4, 3, bias=False)


LIVE = ("scale", "first.weight", "norm.weight", "norm.bias", "second.weight", "norm.running_mean",
        "norm.running_var")
KERNELBENCH = [["factor", "scale"], ["conv1.weight", "first.weight"], ["conv1.bias", None],
               ["bn.weight", "norm.weight"], ["bn.bias", "norm.bias"], ["conv2.weight", "second.weight"],
               ["bn.running_mean", "norm.running_mean"], ["bn.running_var", "norm.running_var"],
               ["bn.num_batches_tracked", "norm.num_batches_tracked"]]


def model_of(**parts):
    """Registers its parts in the order of the call."""
    model = nn.Module()
    for name, part in parts.items():
        setattr(model, name, part)
    return model


def convolution(bias=False):
    return nn.Conv2d(4, 4, 3, bias=bias)


def scale():
    return nn.Parameter(torch.zeros(4))


class UndrawnTest(unittest.TestCase):
    """Parameters that are replaced are not drawn before, where that would take long."""

    LARGE = 1 << 10  # rows and columns

    def setUp(self):
        patched = unittest.mock.patch.object(player_parameters.Undrawn, "LEAST", self.LARGE ** 2)
        patched.start()
        self.addCleanup(patched.stop)

    def drawn(self, make):
        """The model that `make` made, and whether torch's generator was asked for anything."""
        torch.manual_seed(1)
        with player_parameters.Undrawn():
            model = make()
        after = torch.get_rng_state()
        torch.manual_seed(1)
        return model, not torch.equal(after, torch.get_rng_state())

    def test_large_parameters_of_torchs_modules(self):
        for make in (lambda: nn.Linear(self.LARGE, self.LARGE, bias=False),
                     lambda: nn.Embedding(self.LARGE, self.LARGE),
                     lambda: nn.Conv2d(self.LARGE, self.LARGE, 1, bias=False)):
            with self.subTest(make()):
                model, drawn = self.drawn(make)
                self.assertFalse(drawn)
                self.assertEqual(model.weight.numel(), self.LARGE ** 2)

    def test_by_hand(self):
        def make():
            made = nn.Parameter(torch.empty(self.LARGE, self.LARGE))
            nn.init.kaiming_normal_(made)
            nn.init.uniform_(tensor=made)
            return made
        self.assertFalse(self.drawn(make)[1])

    def test_what_is_no_parameter_or_small_is_drawn(self):
        self.assertTrue(self.drawn(lambda: nn.Linear(8, 8))[1])
        table, drawn = self.drawn(lambda: torch.empty(self.LARGE, self.LARGE).normal_())
        self.assertTrue(drawn)
        self.assertGreater(float(table.std()), 0.9)

    def test_constants_are_set(self):
        model, _ = self.drawn(lambda: nn.init.ones_(nn.Parameter(torch.empty(self.LARGE, self.LARGE))))
        self.assertEqual(float(model.detach().mean()), 1.0)


class ParametersTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        values = dict(Task().state_dict())
        self.views = {name: Value(torch.rand_like(values[name])) for name in LIVE}
        self.request = {"state": state_of(Task()), "kernelbench": KERNELBENCH}

    def assign(self, model):
        found, by_order = assign(model, self.views, self.request)
        return {name: next(task for task, other in self.views.items() if other is view)
                for name, view in found.items()}, by_order

    def differ(self, model):
        with self.assertRaises(ParametersDiffer) as raised:
            assign(model, self.views, self.request)
        return str(raised.exception)

    def test_the_tasks_names_in_any_order(self):
        model = model_of(second=convolution(), norm=nn.BatchNorm2d(4), first=convolution(), scale=scale())
        self.assertEqual(self.assign(model), ({name: name for name in LIVE}, False))

    def test_kernelbenchs_names_in_any_order_with_its_dead_ones(self):
        model = model_of(conv2=convolution(), bn=nn.BatchNorm2d(4), conv1=convolution(bias=True),
                         factor=scale())
        expected = {own: task for own, task in KERNELBENCH if task in LIVE}
        self.assertEqual(self.assign(model), (expected, False))

    def test_a_module_that_is_compiled_has_its_own_names(self):
        def compiled(module):
            return torch.compile(module, backend="eager")
        norm = nn.BatchNorm2d(4)
        for model in (model_of(scale=scale(), first=compiled(convolution()), norm=compiled(norm), second=convolution()),
                      model_of(scale=scale(), first=convolution(), norm=norm, second=convolution(),
                               fast=compiled(norm))):
            with self.subTest(list(dict(model.named_children()))):
                found, by_order = self.assign(model)
                self.assertFalse(by_order)
                self.assertEqual(set(found), set(LIVE))
                bind(model, assign(model, self.views, self.request)[0], 0)
                self.assertTrue(torch.equal(model.norm.weight, self.views["norm.weight"].tensor))

    def test_a_dead_parameter_is_zero(self):
        model = model_of(factor=scale(), conv1=convolution(bias=True), bn=nn.BatchNorm2d(4),
                         conv2=convolution())
        found, _ = assign(model, self.views, self.request)
        silence(model, found, self.request)
        bind(model, found, 0)
        self.assertTrue(torch.equal(model.conv1.bias, torch.zeros(4)))
        self.assertTrue(torch.equal(model.conv1.weight, self.views["first.weight"].tensor))
        self.assertTrue(torch.equal(model.bn.running_var, self.views["norm.running_var"].tensor))

    def test_other_names_in_the_tasks_order(self):
        found, by_order = self.assign(model_of(a=scale(), b=convolution(), c=nn.BatchNorm2d(4),
                                               d=convolution()))
        self.assertTrue(by_order)
        self.assertEqual((found["b.weight"], found["d.weight"]), ("first.weight", "second.weight"))
        self.assertEqual(found["c.running_mean"], "norm.running_mean")

    def test_other_names_in_kernelbenchs_order_with_its_dead_ones(self):
        found, by_order = self.assign(model_of(a=scale(), b=convolution(bias=True), c=nn.BatchNorm2d(4),
                                               d=convolution()))
        self.assertTrue(by_order)
        self.assertNotIn("b.bias", found)
        self.assertEqual(found["c.weight"], "norm.weight")

    def test_what_the_graph_does_not_read_may_be_left_out(self):
        del self.views["norm.bias"], self.views["norm.running_mean"], self.views["norm.running_var"]
        norm = nn.LayerNorm(4, bias=False)
        found, by_order = self.assign(model_of(a=scale(), b=convolution(), c=norm, d=convolution()))
        self.assertTrue(by_order)
        self.assertEqual(found["c.weight"], "norm.weight")

    def test_equal_shapes_in_another_order_get_the_tasks_order(self):
        model = model_of(a=scale(), late=convolution(), c=nn.BatchNorm2d(4), early=convolution())
        self.assertEqual(self.assign(model)[0]["late.weight"], "first.weight")

    def test_buffers_of_ones_own_do_not_disturb_where_names_hold(self):
        model = model_of(scale=scale(), first=convolution(), norm=nn.BatchNorm2d(4), second=convolution())
        model.register_buffer("packed", torch.zeros(9))
        self.assertEqual(self.assign(model), ({name: name for name in LIVE}, False))

    def test_another_shape_is_told_with_its_place(self):
        message = self.differ(model_of(a=scale(), b=nn.Conv2d(4, 4, 5, bias=False), c=nn.BatchNorm2d(4),
                                       d=convolution()))
        self.assertIn("by order, number 2 is b.weight float32[4, 4, 5, 5]; the task has first.weight "
                      "float32[4, 4, 3, 3]", message)

    def test_another_type_is_another_parameter(self):
        self.assertIn("missing: scale", self.differ(model_of(
            a=nn.Parameter(torch.zeros(4, dtype=torch.float64)), b=convolution(), c=nn.BatchNorm2d(4),
            d=convolution())))

    def test_one_more_or_less_is_told_with_both_numbers(self):
        for parts, count in ((dict(a=scale(), b=convolution()), 2),
                             (dict(a=scale(), b=convolution(), c=nn.BatchNorm2d(4), d=convolution(),
                                   e=convolution()), 6)):
            self.assertIn(f"by order, there are {count} parameters; the task's Model has 5",
                          self.differ(model_of(**parts)))

    def test_none_at_all(self):
        self.assertIn("there are 0 parameters", self.differ(nn.Module()))
        self.views, self.request = {}, {"state": [], "kernelbench": []}
        self.assertEqual(self.assign(nn.Module()), ({}, False))

    def test_where_nobody_could_make_the_model_its_graph_tells(self):
        self.request["state"] = None
        model = model_of(scale=scale(), first=convolution(), norm=nn.BatchNorm2d(4), second=convolution(),
                         more=scale())
        self.assertFalse(self.assign(model)[1])

    def test_a_tensor_in_a_plain_attribute_is_found_under_its_name(self):
        self.views = {"state": Value(torch.ones(2, 3)), "layer.weight": Value(torch.ones(3, 2))}
        self.request = {"state": [{"name": "layer.weight", "type": "float32[3, 2]", "buffer": False}],
                        "kernelbench": []}
        for name, by_order in (("layer", False), ("linear", True)):
            model = model_of(**{name: nn.Linear(2, 3, bias=False)})
            model.state = torch.zeros(2, 3)
            found, said = assign(model, self.views, self.request)
            self.assertEqual(said, by_order)
            bind(model, found, 0)
            self.assertTrue(torch.equal(model.state, torch.ones(2, 3)))
        self.assertIn("missing: state float32[2, 3]", self.differ(model_of(layer=nn.Linear(2, 3, bias=False))))

    def test_what_init_made_is_named(self):
        model = model_of(first=convolution())
        model.register_buffer("packed", torch.zeros(3))
        model.first.flat = [model.first.weight.detach().flatten()]
        model.mask = torch.zeros(3, dtype=torch.bool)
        model.cached = None
        model.rnn = nn.GRU(4, 4)
        self.assertEqual(made_in_init(model, {"first.weight": None}), ["packed", "first.flat"])

    def test_a_long_list_is_shortened(self):
        lines = player_parameters.shortened([str(i) for i in range(25)])
        self.assertEqual((len(lines), lines[-1]), (21, "and 5 more"))


if __name__ == "__main__":
    unittest.main()
