"""Operators that multiply matrices."""

import math

from .build import ROWS, STEPS
from .operator_kind import drawn

_WIDTHS = (32, 48, 64, 96, 128, 192, 256, 384, 512)


def _width(b):
    return b.rng.choice(_WIDTHS)


def _linear(b):
    width = _width(b)
    b.module("linear", f"nn.Linear({b.channels}, {width}, bias={b.one_of(True, True, False)})",
             [*b.shape[:-1], width])


def _matmul_weight(b):
    width = _width(b)
    weight = b.parameter(b.channels, width, scale=b.channels**-0.5)
    b.step(f"torch.matmul(x, {weight})", [*b.shape[:-1], width])


def _addmm(b):
    width = _width(b)
    weight = b.parameter(b.channels, width, scale=b.channels**-0.5)
    b.step(f"torch.addmm({b.parameter(width)}, x, {weight}, beta=0.5)", [b.batch, width])


def _bmm_other(b):
    width = _width(b)
    other = b.input("other", f"torch.randn({b.batch}, {b.channels}, {width})")
    b.step(f"torch.bmm(x, {other})", [*b.shape[:-1], width])


def _baddbmm(b):
    width = _width(b)
    other = b.input("other", f"torch.randn({b.batch}, {b.channels}, {width})")
    base = b.input("base", f"torch.randn({b.batch}, {b.shape[1]}, {width})")
    b.step(f"torch.baddbmm({base}, x, {other}, alpha={b.number(0.1, 0.9)})", [*b.shape[:-1], width])


def _gram(b):
    steps = b.shape[1]
    b.step(f"torch.matmul(x, x.transpose(1, 2)) * {b.channels**-0.5:.4f}", [b.batch, steps, steps])


def _covariance(b):
    width = b.channels
    b.step(f"torch.matmul(x.transpose(1, 2), x) * {1 / b.shape[1]:.5f}", [b.batch, width, width])


def _outer(b):
    width = b.one_of(16, 32, 64)
    other = b.input("other", f"torch.randn({b.batch}, {width})")
    b.step(f"torch.einsum('bi,bj->bij', x, {other})", [b.batch, b.channels, width], STEPS)


def _einsum_heads(b):
    heads = b.divisor(b.channels, 2, 4, 8)
    b.require(heads > 1)
    size = b.channels // heads
    weight = b.parameter(heads, size, size, scale=size**-0.5)
    b.step(f"torch.einsum('bthi,hij->bthj', x.view({b.batch}, {b.shape[1]}, {heads}, {size}), "
           f"{weight}).flatten(2)")


def _bilinear(b):
    b.require(b.channels <= 256)
    width, of = b.one_of(32, 64), b.one_of(16, 32)
    other = b.input("other", f"torch.randn({b.batch}, {of})")
    module = b.keep("bilinear", f"nn.Bilinear({b.channels}, {of}, {width})")
    b.step(f"{module}(x, {other})", [b.batch, width])


def _low_rank(b):
    rank, width = b.one_of(8, 16, 32), _width(b)
    down = b.keep("down", f"nn.Linear({b.channels}, {rank}, bias=False)")
    up = b.keep("up", f"nn.Linear({rank}, {width})")
    b.step(f"{up}({down}(x))", [*b.shape[:-1], width])


def _distances(b):
    points = b.one_of(16, 32, 64)
    centres = b.parameter(points, b.channels)
    b.step(f"torch.cdist(x, {centres}) * {1 / math.sqrt(b.channels):.4f}", [*b.shape[:-1], points])


_SMALL = "small"

OPERATORS = [
    drawn("linear", (ROWS, STEPS), _linear, _SMALL, weight=6),
    drawn("matmul_weight", (ROWS, STEPS), _matmul_weight, weight=2),
    drawn("addmm", (ROWS,), _addmm, _SMALL),
    drawn("bmm_other", (STEPS,), _bmm_other, weight=2),
    drawn("baddbmm", (STEPS,), _baddbmm, _SMALL),
    drawn("gram", (STEPS,), _gram, _SMALL, weight=1.5),
    drawn("covariance", (STEPS,), _covariance, _SMALL),
    drawn("outer", (ROWS,), _outer),
    drawn("einsum_heads", (STEPS,), _einsum_heads),
    drawn("bilinear", (ROWS,), _bilinear, _SMALL),
    drawn("low_rank", (ROWS, STEPS), _low_rank, _SMALL),
    drawn("cdist", (ROWS, STEPS), _distances, "small", "nonneg", weight=0.5),
]
