"""Buffers and constants as draws: the rule that gives exactly these values, or the values themselves.

Called for tensors whose values matter, which is all that are neither inputs nor trained: masks,
position indices, tables. See `affine`, `blocks`, `tril` and `triu` in suites/FORMAT.md.
"""

import torch

from .draws import MAX_BLOCK_NUMBERS, MAX_DATA, MAX_WORKED_OUT, Draw
from .errors import LoweringError


def draw_from_values(name: str, tensor: torch.Tensor) -> Draw:
    """The shortest draw that reproduces exactly these values; LoweringError where there is none."""
    if tensor.numel() > 0 and bool((tensor == tensor.flatten()[0]).all()):
        return Draw("constant", _number(tensor.flatten()[0].item()))
    if tensor.numel() <= MAX_DATA:
        return Draw("data", data=tuple(_number(v) for v in tensor.flatten().tolist()))
    draw = _triangle(tensor)
    if draw is None and tensor.numel() <= MAX_WORKED_OUT:
        draw = _affine(tensor) or _blocks(tensor)
    if draw is None:
        raise LoweringError(
            f"buffer {name} has {tensor.numel()} values without a pattern that the file format "
            f"knows (a constant, a triangle, affine in the index, repeating blocks); at most "
            f"{MAX_DATA} can be stored"
        )
    return draw


def _number(value):
    return int(value) if isinstance(value, bool) else value


def _triangle(tensor: torch.Tensor) -> Draw | None:
    """tril or triu of one value over the last two dimensions, the same for all leading ones."""
    if tensor.dim() < 2:
        return None
    matrices = tensor.reshape(-1, *tensor.shape[-2:])
    rows, columns = matrices.shape[-2:]
    value = matrices[0][matrices[0] != 0].flatten()[:1]
    if not value.numel():
        return None
    for kind, cut in (("tril", torch.tril), ("triu", torch.triu)):
        # The row in the middle shows where the diagonal must lie.
        row = rows // 2
        count = int((matrices[0][row] != 0).sum())
        diagonal = count - 1 - row if kind == "tril" else columns - count - row
        inside = cut(torch.ones(rows, columns, dtype=torch.bool), diagonal=diagonal)
        if bool((matrices == torch.where(inside, value, torch.zeros_like(value))).all()):
            number = _number(value.item())
            if number == 1 or tensor.numel() <= MAX_WORKED_OUT:
                return Draw(kind, diagonal, value=number)
    return None


def _affine(tensor: torch.Tensor) -> Draw | None:
    """Integers a + sum of step * digit, the index written as a number of mixed radix."""
    if tensor.is_floating_point() and not bool((tensor == tensor.round()).all()):
        return None  # inf and NaN are no integers either
    if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
        return None
    flat = tensor.flatten().to(torch.int64)
    extents, steps, rest = [], [], flat
    while rest.numel() > 1:
        if len(extents) == 12:
            return None
        step = int(rest[1] - rest[0])
        follows = rest == rest[0] + step * torch.arange(rest.numel())
        extent = rest.numel() if bool(follows.all()) else int(follows.to(torch.uint8).argmin())
        while rest.numel() % extent:
            extent -= 1
        if extent < 2:
            return None
        extents.insert(0, extent)
        steps.insert(0, step)
        rest = rest[::extent]
    values = rest[:1]
    for extent, step in zip(reversed(extents), reversed(steps)):
        values = (torch.arange(extent)[:, None] * step + values).flatten()
    if not torch.equal(values, flat):
        return None
    return Draw("affine", int(flat[0]), extents=tuple(extents), steps=tuple(steps))


def _blocks(tensor: torch.Tensor) -> Draw | None:
    """Rows, matrices and so on that repeat: each is stored once, and named in order."""
    stored: list[list] = []  # the values, then the order of each level
    lengths: list[int] = []
    symbols = [_number(v) for v in tensor.flatten().tolist()]  # values first, then block numbers
    length = pending = 1
    for extent in reversed(tensor.shape[1:]):
        pending *= extent
        numbers: dict[tuple, int] = {}
        order = [
            numbers.setdefault(tuple(symbols[i : i + pending]), len(numbers))
            for i in range(0, len(symbols), pending)
        ]
        if len(numbers) == len(order):
            continue  # nothing repeats here: these blocks are parts of larger ones
        stored.append([symbol for block in numbers for symbol in block])
        length *= pending
        lengths.append(length)
        symbols, pending = order, 1
    stored.append(symbols)
    if not lengths or len(stored[0]) > MAX_DATA or sum(map(len, stored)) > MAX_BLOCK_NUMBERS:
        return None
    return Draw("blocks", data=tuple(stored[0]), levels=tuple(zip(lengths, map(tuple, stored[1:]))))
