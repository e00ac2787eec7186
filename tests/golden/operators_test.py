#!/usr/bin/env python3
"""suites/operators.txt against the schemas of the installed PyTorch: the list allows no more than they do."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "suites"))

try:
    import torch
except ImportError:
    print("skipped: no torch")
    sys.exit(77)

from lowering.operators import listed  # noqa: E402

# Words of the list for an argument, by its type in the schema.
TENSOR = {"T", "T!", "N"}
WORDS = {
    "Tensor": TENSOR,
    "Optional[Tensor]": {"T?", "stat", "null"},
    "List[Tensor]": {"T[]"},
    "List[Optional[Tensor]]": {"T?[]"},
    "int": {"int", "index", "count"},
    "Optional[int]": {"int?", "index?", "null"},
    "List[int]": {"int[]", "shape"},
    "Optional[List[int]]": {"int[]?", "null"},
    "float": {"float", "zero"},
    "Optional[float]": {"float?", "null"},
    "Optional[List[float]]": {"float[]?", "null"},
    "bool": {"bool", "training"},
    "Optional[bool]": {"bool?", "off"},
    "number": {"num", "range"},
    "Optional[number]": {"num?", "null"},
    "ScalarType": {"dtype"},
    "Optional[ScalarType]": {"dtype?"},
    "Optional[Layout]": {"layout?"},
    "Device": {"device"},
    "Optional[Device]": {"device?"},
    "MemoryFormat": {"memory"},
    "Optional[MemoryFormat]": {"memory?"},
    "str": {"equation"},
    "Optional[str]": {"null"},
}
# No schema says so of these: what an operator that is made of others returns may be a view.
MAY_SHARE = frozenset(
    """atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors cartesian_prod chain_matmul channel_shuffle
    diag diagflat einsum gru.input linalg_matrix_power lstm.input matrix_power meshgrid meshgrid.indexing
    pixel_shuffle pixel_unshuffle rnn_relu.input rnn_tanh.input tensordot type_as""".split()
)


def operator(name: str) -> torch._ops.OpOverload:
    name, _, overload = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, name), overload or "default")


def fits(word: str, argument) -> bool:
    kind = str(argument.real_type)
    if kind in ("str", "Optional[str]") and word.startswith('"'):
        return word.endswith("?") == kind.startswith("Optional")
    return word in WORDS.get(kind, ())


class Operators(unittest.TestCase):
    def each(self):
        for name, words in listed().items():
            args, results = words.split("->")
            yield name, operator(name), args.split(), results.split()

    def test_arguments_are_those_of_the_schema(self):
        for _, op, words, _ in self.each():
            arguments = op._schema.arguments
            self.assertEqual(len(words), len(arguments), op._schema)
            for word, argument in zip(words, arguments):
                self.assertTrue(fits(word, argument), f"{word} for {argument.real_type}: {op._schema}")

    def test_what_is_written_is_marked(self):
        for _, op, words, results in self.each():
            for word, argument in zip(words, op._schema.arguments):
                writes = argument.alias_info is not None and argument.alias_info.is_write
                self.assertEqual(writes, word == "T!", op._schema)
            self.assertEqual("T!" in words, op._schema.is_mutable)
            self.assertEqual("T!" in words, "T!" in results)

    def test_results_are_those_of_the_schema(self):
        for name, op, _, words in self.each():
            returns = op._schema.returns
            self.assertEqual(len(words), len(returns), op._schema)
            for word, result in zip(words, returns):
                self.assertEqual(word.endswith("[]"), str(result.type) == "List[Tensor]", op._schema)
                alias = result.alias_info
                shares = name.removeprefix("aten::") in MAY_SHARE or name.startswith("aten::fft_")
                self.assertEqual(word[0], "&" if shares or alias and not alias.is_write else "T", op._schema)

    def test_training_is_held_against_running_statistics(self):
        for name, op, words, _ in self.each():
            by_name = {a.name: word for a, word in zip(op._schema.arguments, words)}
            statistics = [a for a in by_name if a.startswith("running_")]
            flags = [a for a in by_name if a in ("training", "train", "use_input_stats")]
            self.assertTrue(all(by_name[a] == "stat" for a in statistics), name)
            self.assertEqual("training" in words, bool(statistics), name)
            if statistics:  # and behind them, as the check reads them
                self.assertEqual([by_name[a] for a in flags], ["training"], name)
                self.assertEqual(sorted(words.index(w) for w in ("stat", "training")), [3, 5], name)

    def test_nothing_is_random_but_for_dropout_that_is_off(self):
        for name, op, words, _ in self.each():
            if torch.Tag.nondeterministic_seeded in op.tags:
                self.assertIn("zero", words, name)

    def test_no_name_is_one_that_must_not_be_there(self):
        for name in listed():
            word = name.removeprefix("aten::")
            self.assertNotRegex(word, r"(^|_|\.)(out|file|set|resize|pin|storage|stream|sym|symint|rand|empty)(_|\.|$)")


if __name__ == "__main__":
    unittest.main()
