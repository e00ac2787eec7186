"""How the values of a tensor are drawn, found out by watching them being made.

A DrawRecorder is a dispatch mode: it sees every operator that get_inputs() or the module's
constructor runs, remembers for each storage the distribution that filled it, and follows affine
arithmetic with Python numbers, comparisons and copies, and a random number as factor of a tensor. So
`torch.rand(n) * 2 - 1` is recorded as uniform on [-1, 1), and nn.Linear's weight with the bound that
nn.Linear computes. Nothing but shapes is needed for it: it watches fake tensors as well.
"""

import math
from dataclasses import dataclass, field, replace

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .errors import LoweringError

MAX_DATA = 512
MAX_BLOCK_NUMBERS = 4096  # stored numbers of a "blocks" draw
MAX_WORKED_OUT = 1 << 22  # elements of a structured buffer
_SKIPPED_FILL = 1 << 16  # elements; filling fewer takes no time
# PyTorch's tags of operators that read values: `.item()`, and results as long as values say.
_READS = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
_RANDOM_FILLS = frozenset(("uniform_", "normal_", "random_", "bernoulli_"))


@dataclass(frozen=True)
class Draw:
    """The `draw` object of suites/FORMAT.md."""

    kind: str
    a: float = 0.0
    b: float = 0.0
    data: tuple = ()
    step: int = 1  # integers
    keep: str = ""  # tril or triu: zero on the other side of `diagonal`
    diagonal: int = 0
    extents: tuple = ()  # affine, with `steps`
    steps: tuple = ()
    levels: tuple = ()  # blocks: (length, order), with `data`
    value: float = 1  # tril and triu
    times: "Draw | None" = None  # uniform, normal, constant: of one factor for the whole tensor
    source: int = field(default=0, compare=False)  # of a factor: the storage it came from

    def to_json(self) -> dict:
        entry = {"kind": self.kind}
        if self.kind == "data":
            return entry | {"data": _json_values(self.data)}
        if self.kind == "affine":
            steps = list(self.steps)
            return entry | {"a": self.a, "extents": list(self.extents), "steps": steps}
        if self.kind == "blocks":
            levels = [{"length": length, "order": list(order)} for length, order in self.levels]
            return entry | {"data": _json_values(self.data), "levels": levels}
        entry["a"] = _json_value(self.a)
        if self.kind in ("uniform", "normal", "integers"):
            entry["b"] = self.b
        if self.step != 1:
            entry["step"] = self.step
        if self.value != 1:
            entry["value"] = _json_value(self.value)
        if self.keep:
            entry |= {"keep": self.keep, "diagonal": self.diagonal}
        if self.times:
            entry["times"] = self.times.to_json()
        return entry

    def affine(self, scale: float, shift: float) -> "Draw | None":
        """The distribution of scale * x + shift, where there is a name for it."""
        if (self.keep or self.times) and shift != 0:
            return None
        if self.kind == "constant":
            return replace(self, a=self.a * scale + shift)
        if self.kind == "normal":
            return replace(self, a=self.a * scale + shift, b=abs(scale) * self.b)
        if self.kind == "uniform":
            a, b = sorted((self.a * scale + shift, self.b * scale + shift))
            return replace(self, a=a, b=b)
        if self.kind == "integers" and scale and scale == int(scale) and shift == int(shift):
            last = self.a + (self.b - 1 - self.a) // self.step * self.step
            ends = sorted(int(x * scale + shift) for x in (self.a, last))
            step = self.step * abs(int(scale)) if ends[0] != ends[1] else 1
            return replace(self, a=ends[0], b=ends[1] + 1, step=step)
        return None

    def cut(self, keep: str, diagonal: int) -> "Draw | None":
        """The distribution of tril(x) or triu(x)."""
        if self.keep:
            return None
        if self.kind == "constant":
            return Draw(keep, diagonal) if self.a == 1 and not self.times else None
        return replace(self, keep=keep, diagonal=diagonal)

    def scaled(self, factor: "Draw", source: int) -> "Draw | None":
        """The distribution of x times one number drawn from `factor`, which is at `source`."""
        if factor.kind == "constant" and not factor.times:
            return self.affine(factor.a, 0)
        named = self.kind in ("uniform", "normal", "constant") and not self.times
        if not named or factor.kind not in ("uniform", "normal") or factor.keep or factor.times:
            return None
        return replace(self, times=replace(factor, source=source))

    def above(self, threshold: float) -> "Draw | None":
        """The distribution of x > threshold."""
        if self.keep or self.times:
            return None
        if self.kind == "uniform":
            share = (self.b - threshold) / (self.b - self.a)
            return Draw("bernoulli", min(1.0, max(0.0, share)))
        if self.kind == "normal":
            z = (threshold - self.a) / (self.b * math.sqrt(2))
            return Draw("bernoulli", 0.5 * math.erfc(z))
        return None

    def around(self) -> "Draw":
        """For a constant, the distribution that a trained parameter is drawn from instead."""
        if self.kind != "constant" or self.times:
            return self
        half = 0.5 * abs(self.a) or 0.5
        return Draw("uniform", self.a - half, self.a + half)


class DrawRecorder(TorchDispatchMode):
    """Remembers a Draw for each storage made while the mode is active.

    With `skip_fills`, large tensors are not filled with random numbers, only remembered as filled:
    their pages stay untouched, so a module with 8 GiB of weights takes neither time nor memory.
    `skipped` tells whether that happened.
    """

    def __init__(self, skip_fills: bool = False):
        super().__init__()
        self.skip_fills = skip_fills
        self.skipped = False
        # Storages are kept alive, so that no address is used twice.
        self._draws: dict[int, tuple[torch.UntypedStorage, Draw | None]] = {}
        self._made_of: dict[int, set[int]] = {}  # storages that a storage's values come from
        self._read: set[int] = set()  # storages whose values decided about something

    def draw_of(self, tensor: torch.Tensor) -> Draw | None:
        """The recorded distribution; None for a tensor made in a way that has no name."""
        return self._draws.get(tensor.untyped_storage()._cdata, (None, None))[1]

    def depends_on_values(self, tensor: torch.Tensor) -> bool:
        """Whether what was read shares its origin with the tensor: other values would not fit."""
        return bool(self._origin(_place(tensor)) & self._read)

    def note_reading(self, tensor: torch.Tensor) -> None:
        """Its values leave PyTorch, or decide how long something is."""
        self._read |= self._origin(_place(tensor))

    def _origin(self, place: int) -> set[int]:
        """The storage, and all that its values come from."""
        found, open_places = {place}, [place]
        while open_places:
            for parent in self._made_of.get(open_places.pop(), ()):
                if parent not in found:
                    found.add(parent)
                    open_places.append(parent)
        return found

    def _note_origin(self, func, args, result) -> None:
        tensors = [a for a in tree_leaves(args) if isinstance(a, torch.Tensor)]
        if _READS & set(func.tags):
            for tensor in tensors:
                self.note_reading(tensor)
        for made in tree_leaves(result):
            if isinstance(made, torch.Tensor):
                parents = self._made_of.setdefault(_place(made), set())
                parents.update(place for place in map(_place, tensors) if place != _place(made))

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        before = [self.draw_of(a) if isinstance(a, torch.Tensor) else a for a in args]
        name = func._schema.name.removeprefix("aten::")
        if self.skip_fills and name in _RANDOM_FILLS and args[0].numel() > _SKIPPED_FILL:
            result, self.skipped = args[0], True
        else:
            result = func(*args, **kwargs)
        if isinstance(result, torch.Tensor):
            self._record(func, args, kwargs, before, result)
        self._note_origin(func, args, result)
        return result

    def _record(self, func, args, kwargs, before, result) -> None:
        name = func._schema.name.removeprefix("aten::")
        writes = func._schema.is_mutable
        if not writes and any(
            isinstance(a, torch.Tensor)
            and a.untyped_storage()._cdata == result.untyped_storage()._cdata
            for a in args
        ):
            return  # a view: the storage keeps its draw
        draw = _draw_after(name, func, args, kwargs, before, result)
        whole = result.numel() * result.element_size() == result.untyped_storage().nbytes()
        if writes and not whole and _keeps(draw, self.draw_of(result)):
            return
        self._draws[result.untyped_storage()._cdata] = (result.untyped_storage(), draw)


def _place(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


def _json_value(value):
    """A number, or what stands for one that JSON has no number for."""
    return value if math.isfinite(value) else {"float": str(value)}


def _json_values(values: tuple) -> list:
    return [_json_value(value) for value in values]


def _keeps(new: Draw | None, old: Draw | None) -> bool:
    """Whether writing a part of a storage leaves its recorded distribution as it is.

    A constant written into part of a random tensor (the padding row of an embedding) is ignored.
    """
    return new is not None and new.kind == "constant" and old is not None and old.kind != "constant"


def _argument(func, args, kwargs, name):
    for index, argument in enumerate(func._schema.arguments):
        if argument.name == name:
            if index < len(args):
                return args[index]
            return kwargs.get(name, argument.default_value)
    return None


def _draw_after(name, func, args, kwargs, before, result) -> Draw | None:
    """The distribution of `result` = func(args), from those of the arguments (`before`)."""

    def get(argument):
        return _argument(func, args, kwargs, argument)

    name = name.rstrip("_")
    if name in ("rand", "rand_like"):
        return Draw("uniform", 0.0, 1.0)
    if name in ("randn", "randn_like"):
        return Draw("normal", 0.0, 1.0)
    if name in ("randint", "randint_like"):
        return Draw("integers", get("low") or 0, get("high"))
    if name == "random" and get("to") is not None:
        return Draw("integers", get("from") or 0, get("to"))
    if name == "uniform":
        return Draw("uniform", float(get("from")), float(get("to")))
    if name == "normal" and not isinstance(get("mean"), torch.Tensor):
        return Draw("normal", float(get("mean")), float(get("std")))
    if name == "bernoulli" and isinstance(get("p"), float):
        return Draw("bernoulli", get("p"))
    if name in ("zeros", "zeros_like", "new_zeros", "zero"):
        return Draw("constant", 0.0)
    if name in ("ones", "ones_like", "new_ones"):
        return Draw("constant", 1.0)
    if name in ("full", "full_like", "new_full", "fill") and not isinstance(args[1], torch.Tensor):
        return Draw("constant", float(get("fill_value") if name != "fill" else args[1]))
    if name == "mul" and isinstance(args[1], torch.Tensor):
        return _draw_of_product(args, before, result)
    if before and isinstance(before[0], Draw):
        return _draw_from(name, before, get, result)
    if name == "copy" and isinstance(before[1], Draw):
        return before[1]
    return None


def _draw_from(name, before, get, result) -> Draw | None:
    """The same for operators on one tensor whose distribution is known, and Python numbers."""
    draw = before[0]
    other = before[1] if len(before) > 1 else None
    if name in ("clone", "clamp", "contiguous"):
        return draw
    if name in ("tril", "triu"):
        return draw.cut(name, get("diagonal"))
    if name == "_to_copy":
        return _draw_converted(draw, result.dtype)
    if name == "neg":
        return draw.affine(-1, 0)
    if name == "erfinv" and draw.kind == "uniform" and not draw.times:
        return Draw("normal", 0.0, math.sqrt(0.5))  # the middle of nn.init.trunc_normal_
    if name == "copy" and isinstance(other, Draw):
        return other
    if not isinstance(other, (int, float)):
        return None
    alpha = get("alpha") or 1
    if name == "mul":
        return draw.affine(other, 0)
    if name == "div" and get("rounding_mode") is None:
        return draw.affine(1 / other, 0)
    if name == "add":
        return draw.affine(1, alpha * other)
    if name == "sub":
        return draw.affine(1, -alpha * other)
    if name == "rsub":
        return draw.affine(-alpha, other)
    if name in ("gt", "ge"):
        return draw.above(other)
    if name in ("lt", "le"):
        above = draw.above(other)
        return Draw("bernoulli", 1 - above.a) if above else None
    return None


def _draw_of_product(tensors, draws, result) -> Draw | None:
    """The draw of a tensor times one number, in either order."""
    if tensors[0] is tensors[1] or not all(isinstance(draw, Draw) for draw in draws):
        return None
    for whole, factor in ((0, 1), (1, 0)):
        if tensors[factor].numel() == 1 and tensors[whole].shape == result.shape:
            source = tensors[factor].untyped_storage()._cdata
            return draws[whole].scaled(draws[factor], source)
    return None


def _draw_converted(draw: Draw, dtype: torch.dtype) -> Draw | None:
    if dtype == torch.bool and (draw.kind, draw.a, draw.b) == ("integers", 0, 2):
        return Draw("bernoulli", 0.5)
    if draw.kind in ("tril", "triu"):
        return draw
    if dtype.is_floating_point or draw.kind in ("integers", "bernoulli", "constant"):
        return draw if dtype != torch.bool or draw.kind == "bernoulli" else None
    return None


def draw_from_statistics(tensor: torch.Tensor) -> Draw:
    """For a trained parameter filled in an unknown way (orthogonal, say): a normal like it."""
    values = tensor.detach().double()
    mean, deviation = values.mean().item(), values.std(correction=0).item()
    if deviation == 0:
        return Draw("constant", mean)
    return Draw("normal", float(f"{mean:.4g}"), float(f"{deviation:.4g}"))
