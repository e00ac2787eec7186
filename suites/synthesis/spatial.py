"""Operators on values with channels and sides: convolutions, pooling, padding, moving."""

import math

from .build import IMAGE, LINE, ROWS, SPATIAL, STEPS, VOLUME
from .operator_kind import drawn

_OUT = (4, 8, 12, 16, 24, 32, 48, 64)


def _rank(b):
    return len(b.sides)


def _convolved(side, kernel, stride, padding, dilation):
    return (side + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def _conv(b):
    kernel = b.one_of(*((3, 5, 7) if b.kind == LINE else (1, 3, 3, 5) if b.kind == IMAGE else (1, 3)))
    stride = b.one_of(1, 1, 2)
    dilation = b.one_of(1, 1, 1, 2) if kernel > 1 else 1
    padding = b.one_of(0, dilation * (kernel // 2))
    groups = b.divisor(b.channels, *((2, 4) if b.one_of(True, False, False) else ()))
    out = b.rng.choice([c for c in _OUT if c % groups == 0 and c <= 4 * b.channels + 16])
    sides = [_convolved(s, kernel, stride, padding, dilation) for s in b.sides]
    b.module(f"conv{_rank(b)}d",
             f"nn.Conv{_rank(b)}d({b.channels}, {out}, {kernel}, stride={stride}, padding={padding}, "
             f"dilation={dilation}, groups={groups}, bias={b.one_of(True, True, False)})",
             [b.batch, out, *sides])


def _conv_uneven(b):
    """Another kernel along each side."""
    kernel = [b.one_of(1, 3, 5) for _ in b.sides]
    b.require(max(kernel) > 1)
    out = b.rng.choice([c for c in _OUT if c <= 4 * b.channels + 16])
    sides = [_convolved(s, k, 1, k // 2, 1) for s, k in zip(b.sides, kernel)]
    padding = tuple(k // 2 for k in kernel)
    b.module(f"conv{_rank(b)}d",
             f"nn.Conv{_rank(b)}d({b.channels}, {out}, {tuple(kernel)}, padding={padding})",
             [b.batch, out, *sides])


def _depthwise(b):
    kernel, stride = b.one_of(3, 5), b.one_of(1, 2)
    sides = [_convolved(s, kernel, stride, kernel // 2, 1) for s in b.sides]
    b.module("depthwise", f"nn.Conv{_rank(b)}d({b.channels}, {b.channels}, {kernel}, stride={stride}, "
             f"padding={kernel // 2}, groups={b.channels})", [b.batch, b.channels, *sides])


def _pointwise(b):
    out = b.rng.choice([c for c in _OUT if c <= 4 * b.channels + 16])
    b.module("pointwise", f"nn.Conv{_rank(b)}d({b.channels}, {out}, 1)", [b.batch, out, *b.sides])


def _transposed(b):
    kernel = b.one_of(2, 3, 4) if b.kind != VOLUME else b.one_of(2, 3)
    stride = b.one_of(1, 2, 2)
    padding = b.one_of(0, 1) if kernel > 2 else 0
    extra = b.one_of(0, 1) if stride > 1 else 0
    out = b.rng.choice([c for c in _OUT if c <= 2 * b.channels + 8])
    sides = [(s - 1) * stride - 2 * padding + kernel + extra for s in b.sides]
    b.module(f"transposed{_rank(b)}d",
             f"nn.ConvTranspose{_rank(b)}d({b.channels}, {out}, {kernel}, stride={stride}, "
             f"padding={padding}, output_padding={extra})", [b.batch, out, *sides])


def _pool(name):
    def write(b):
        kernel = b.one_of(2, 3)
        stride = b.one_of(1, 2) if kernel == 3 else 2
        padding = b.one_of(0, 1) if kernel == 3 else 0
        sides = [(s + 2 * padding - kernel) // stride + 1 for s in b.sides]
        b.step(f"F.{name}{_rank(b)}d(x, {kernel}, stride={stride}, padding={padding})",
               [b.batch, b.channels, *sides])

    return write


def _lp_pool(b):
    sides = [(s - 2) // 2 + 1 for s in b.sides]
    b.step(f"F.lp_pool{_rank(b)}d(torch.abs(x) + 0.1, 2.0, 2)", [b.batch, b.channels, *sides])


def _adaptive(name):
    def write(b):
        side = b.one_of(2, 4, 7, 8)
        b.require(all(s > side for s in b.sides))
        size = side if b.kind == LINE else tuple(side for _ in b.sides)
        b.step(f"F.adaptive_{name}_pool{_rank(b)}d(x, {size})",
               [b.batch, b.channels, *(side for _ in b.sides)])

    return write


def _global_average(b):
    size = 1 if b.kind == LINE else tuple(1 for _ in b.sides)
    b.step(f"F.adaptive_avg_pool{_rank(b)}d(x, {size}).flatten(1)", [b.batch, b.channels], ROWS)


def _pad(mode):
    def write(b):
        b.require(mode != "reflect" or b.kind != VOLUME)
        widths = [b.one_of(1, 2, 3) for _ in range(2 * _rank(b))]
        b.require(max(widths) < min(b.sides))
        value = f", value={b.number(-1, 1)}" if mode == "constant" else ""
        last_first = list(reversed(b.sides))
        sides = [s + widths[2 * i] + widths[2 * i + 1] for i, s in enumerate(last_first)]
        b.step(f"F.pad(x, {tuple(widths)}, mode='{mode}'{value})",
               [b.batch, b.channels, *reversed(sides)])

    return write


def _pixel_shuffle(b):
    b.require(b.channels % 4 == 0)
    b.step("F.pixel_shuffle(x, 2)", [b.batch, b.channels // 4, *(2 * s for s in b.sides)])


def _pixel_unshuffle(b):
    b.require(all(s % 2 == 0 for s in b.sides))
    b.step("F.pixel_unshuffle(x, 2)", [b.batch, 4 * b.channels, *(s // 2 for s in b.sides)])


def _channel_shuffle(b):
    groups = b.divisor(b.channels, 2, 4)
    b.require(1 < groups < b.channels)
    b.step(f"F.channel_shuffle(x, {groups})")


def _nearest(b):
    b.step("F.interpolate(x, scale_factor=2.0, mode='nearest')",
           [b.batch, b.channels, *(2 * s for s in b.sides)])


def _linear_resize(b):
    sides = [s * 3 // 2 for s in b.sides]
    mode = {LINE: "linear", IMAGE: "bilinear", VOLUME: "trilinear"}[b.kind]
    size = sides[0] if b.kind == LINE else tuple(sides)
    b.step(f"F.interpolate(x, size={size}, mode='{mode}', align_corners=False)",
           [b.batch, b.channels, *sides])


def _unfold(b):
    kernel = b.one_of(2, 3)
    count = math.prod((s - kernel) // kernel + 1 for s in b.sides)
    b.step(f"F.unfold(x, {kernel}, stride={kernel})",
           [b.batch, b.channels * kernel * kernel, count], LINE)


def _to_steps(b):
    b.require(math.prod(b.sides) <= 1024)
    b.step("x.flatten(2).transpose(1, 2)", [b.batch, math.prod(b.sides), b.channels], STEPS)


def _to_line(b):
    b.step("x.transpose(1, 2)", [b.batch, b.shape[2], b.shape[1]], LINE)


def _flatten(b):
    width = math.prod(b.shape[1:])
    b.require(width <= 16384)
    b.step("torch.flatten(x, 1)", [b.batch, width], ROWS)


def _roll(b):
    axis = b.rng.randrange(1, len(b.shape))
    b.require(b.shape[axis] > 4)
    b.step(f"torch.roll(x, {b.one_of(1, 2, 3)}, {axis})")


def _flip(b):
    axis = b.rng.randrange(1, len(b.shape))
    b.require(b.shape[axis] > 4)
    b.step(f"torch.flip(x, ({axis},))")


def _choose(b):
    """Some places of one dimension, by an index that is drawn."""
    axis = b.rng.randrange(1, len(b.shape))
    b.require(b.shape[axis] >= 8)
    count = b.shape[axis] // b.one_of(1, 2)
    index = b.input("index", f"torch.randint(0, {b.shape[axis]}, ({count},))")
    shape = list(b.shape)
    shape[axis] = count
    b.step(f"torch.index_select(x, {axis}, {index})", shape)


def _gather(b):
    axis = len(b.shape) - 1
    shape = list(b.shape)
    shape[axis] = max(8, shape[axis] // b.one_of(1, 2, 4))
    b.require(shape[axis] <= b.shape[axis])
    index = b.input("index", f"torch.randint(0, {b.shape[axis]}, {tuple(shape)})")
    b.step(f"torch.gather(x, {axis}, {index})", shape)


def _masked_fill(b):
    mask = b.input("mask", f"torch.rand({', '.join(map(str, b.shape))}) < 0.3")
    b.step(f"x.masked_fill({mask}, {b.number(-1, 1)})")


def _triangle(b):
    b.step(f"torch.{b.one_of('tril', 'triu')}(x)")


def _concatenate(b):
    axis = 1 if b.kind in SPATIAL else len(b.shape) - 1
    shape = list(b.shape)
    shape[axis] *= 2
    b.step(f"torch.cat((x, {b.another()}), dim={axis})", shape)


def _embedding(b):
    width = b.one_of(32, 64, 96, 128, 192, 256)
    b.module("embedding", f"nn.Embedding({b.words}, {width})", [*b.shape, width], STEPS)


_MOVED = (ROWS, STEPS, *SPATIAL)

OPERATORS = [
    drawn("conv", SPATIAL, _conv, "small", weight=8),
    drawn("conv_uneven", (IMAGE, VOLUME), _conv_uneven, "small", weight=2),
    drawn("depthwise", SPATIAL, _depthwise, "small", weight=2),
    drawn("pointwise", SPATIAL, _pointwise, "small", weight=2),
    drawn("transposed_conv", SPATIAL, _transposed, "small", weight=4),
    drawn("max_pool", SPATIAL, _pool("max_pool"), "small", weight=2),
    drawn("avg_pool", SPATIAL, _pool("avg_pool"), "small", weight=2),
    drawn("lp_pool", (LINE, IMAGE), _lp_pool, "small", "nonneg"),
    drawn("adaptive_avg", SPATIAL, _adaptive("avg"), "small"),
    drawn("adaptive_max", SPATIAL, _adaptive("max"), "small"),
    drawn("global_average", SPATIAL, _global_average, "centred small", weight=1.5),
    drawn("pad_constant", SPATIAL, _pad("constant"), keeps=True),
    drawn("pad_reflect", SPATIAL, _pad("reflect"), keeps=True),
    drawn("pad_replicate", SPATIAL, _pad("replicate"), keeps=True),
    drawn("pad_circular", SPATIAL, _pad("circular"), keeps=True),
    drawn("pixel_shuffle", (IMAGE,), _pixel_shuffle, keeps=True),
    drawn("pixel_unshuffle", (IMAGE,), _pixel_unshuffle, keeps=True),
    drawn("channel_shuffle", SPATIAL, _channel_shuffle, keeps=True),
    drawn("nearest", SPATIAL, _nearest, keeps=True),
    drawn("linear_resize", SPATIAL, _linear_resize, "small"),
    drawn("unfold", (IMAGE,), _unfold, keeps=True),
    drawn("to_steps", (IMAGE, VOLUME), _to_steps, keeps=True, weight=1.5),
    drawn("to_line", (STEPS,), _to_line, keeps=True),
    drawn("flatten", SPATIAL, _flatten, keeps=True),
    drawn("roll", _MOVED, _roll, keeps=True),
    drawn("flip", _MOVED, _flip, keeps=True),
    drawn("index_select", _MOVED, _choose, keeps=True),
    drawn("gather", (ROWS, STEPS), _gather, keeps=True, weight=1.5),
    drawn("masked_fill", _MOVED, _masked_fill, "small"),
    drawn("triangle", (STEPS, IMAGE), _triangle, keeps=True),
    drawn("concatenate", _MOVED, _concatenate),
    drawn("embedding", ("tokens",), _embedding, weight=10),
]
