"""Values of get_inputs() to learn a distribution from, without tensors of their full size.

Large tensors are made shorter along one dimension, the same for all of them. That shows the same
distribution where the dimension does not matter to the values (rows of a softmax, say), and another
one where it does (the softmax's own). So each dimension is tried at two lengths, and believed only
where both give the same.
"""

import contextlib
import itertools
import math

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

_SMALL = 1 << 20  # elements of all tensors together that are made as they are
_CUT = 1 << 20  # elements of one tensor after cutting
_SEEDS = 4  # a number that all values depend on is another one with each
_MEANS_MAY_DIFFER = 0.15  # in standard deviations; random rows differ by less, a wrong cut by more
_DEVIATIONS_MAY_DIFFER = 0.15  # relatively


def sample(make, index: int) -> tuple[list[torch.Tensor], bool] | None:
    """Leaf `index` of what make() returns, for several seeds, and whether it is whole.

    None where it cannot be had without making large tensors.
    """
    shapes, can_be_cut = _watched(make)
    if sum(map(math.prod, shapes)) <= _SMALL:
        return whole(make, index), True
    for dimension in range(max(map(len, shapes)) if can_be_cut else 0):
        lengths = _lengths(shapes, dimension)
        if lengths and (values := _shorter(make, index, dimension, lengths)):
            return values, False
    return None


def whole(make, index: int) -> list[torch.Tensor]:
    """Leaf `index` as it is, for two seeds."""
    values = []
    for seed in range(2):
        torch.manual_seed(seed)
        values.append(make()[index])
    return values


def _lengths(shapes: list[tuple], dimension: int) -> dict[int, int] | None:
    """How long the extents of that dimension may be, so that every tensor is small."""
    lengths: dict[int, int] = {}
    for shape in shapes:
        if math.prod(shape) <= _CUT:
            continue
        if dimension >= len(shape):
            return None
        extent = shape[dimension]
        length = _CUT * extent // math.prod(shape)
        if length < 2:
            return None
        # A power of two: what a file divides by mostly is one.
        lengths[extent] = min(lengths.get(extent, extent), 1 << (length.bit_length() - 1))
    return lengths


def _shorter(make, index: int, dimension: int, lengths: dict[int, int]) -> list | None:
    """Values at these lengths, where half the lengths show the same distribution."""
    halves = {extent: length // 2 for extent, length in lengths.items()}
    try:
        shapes, _ = _watched(make, _Cut(dimension, lengths, 0))
        if max(map(math.prod, shapes)) > _CUT:
            return None  # something grows in a way that no given shape tells
        with _Cut(dimension, halves, 0):
            half = make()[index]
        values = []
        for seed in range(_SEEDS):
            with _Cut(dimension, lengths, seed):
                values.append(make()[index])
    except Exception:  # whatever the file raises where a shape is not the one that it counts on
        return None
    return values if _alike(half, values[0]) else None


def _alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    (mean, deviation), (other_mean, other_deviation) = (
        (values.double().mean().item(), values.double().std(correction=0).item())
        for values in (a, b)
    )
    return abs(mean - other_mean) <= _MEANS_MAY_DIFFER * deviation and abs(
        deviation - other_deviation
    ) <= _DEVIATIONS_MAY_DIFFER * deviation


def _watched(make, *modes) -> tuple[list[tuple], bool]:
    """The shapes of all tensors on the way, and whether all large ones are made by their shape."""
    watch = _Watch()
    with contextlib.ExitStack() as stack:
        for mode in (FakeTensorMode(allow_non_fake_inputs=True), *modes, watch):
            stack.enter_context(mode)
        make()
    return watch.shapes, watch.by_shape


def _place_of_shape(func, args, kwargs) -> int | str | None:
    """Where a call says the shape of its result: position or name of that argument."""
    for place, argument in enumerate(func._schema.arguments):
        if argument.name in ("size", "shape") and isinstance(argument.type, torch.ListType):
            if place < len(args):
                return place
            return argument.name if argument.name in kwargs else None
    return None


class _Watch(TorchDispatchMode):
    """Keeps the shapes of all results."""

    def __init__(self):
        super().__init__()
        self.shapes: list[tuple] = [()]
        self.by_shape = True  # not the length of a range, say

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        for tensor in result if isinstance(result, (list, tuple)) else [result]:
            if isinstance(tensor, torch.Tensor):
                self.shapes.append(tuple(tensor.shape))
                self._check_origin(func, args, kwargs, tensor)
        return result

    def _check_origin(self, func, args, kwargs, result) -> None:
        out_of_nothing = not any(isinstance(a, torch.Tensor) for a in pytree.tree_leaves(args))
        if out_of_nothing and result.numel() > _CUT:
            self.by_shape &= _place_of_shape(func, args, kwargs) is not None


class _Cut(TorchDispatchMode):
    """Makes the extents of one dimension shorter, wherever a shape is given.

    Each call starts from a seed of its own: what has the same length then has the same values,
    however much was drawn before it.
    """

    def __init__(self, dimension: int, lengths: dict[int, int], seed: int):
        super().__init__()
        self.dimension = dimension
        self.lengths = lengths
        self.seeds = itertools.count(seed << 20)  # the generator takes 32 bits of it

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        torch.default_generator.manual_seed(next(self.seeds))
        args, kwargs = list(args), dict(kwargs or {})
        place = _place_of_shape(func, args, kwargs)
        if place is not None:
            given = args if isinstance(place, int) else kwargs
            given[place] = self._shortened(given[place])
        return func(*args, **kwargs)

    def _shortened(self, shape) -> list:
        shape = list(shape)
        if self.dimension < len(shape):
            extent = shape[self.dimension]
            shape[self.dimension] = self.lengths.get(extent, extent)
        return shape
