"""The operators of the grammar, from the tables of its modules."""

from . import blocks, elementwise, losses, products, reductions, spatial
from .operator_kind import Operator


def all_operators() -> list[Operator]:
    return [operator
            for module in (elementwise, reductions, products, spatial, losses, blocks)
            for operator in module.OPERATORS]
