"""Operators along dimensions: reductions, scans, norms, softmax, order."""

from .build import ANY, END, IMAGE, LINE, ROWS, STEPS, VOLUME
from .operator_kind import drawn

# Dimensions that may be reduced together, and the type of what is left.
_LEFT = {
    ROWS: [((1,), END), ((0,), END)],
    STEPS: [((1,), ROWS), ((2,), ROWS), ((0,), ROWS)],
    LINE: [((2,), ROWS), ((1,), ROWS)],
    IMAGE: [((2, 3), ROWS), ((1,), STEPS), ((3,), LINE), ((2,), LINE)],
    VOLUME: [((2, 3, 4), ROWS), ((1,), IMAGE), ((2,), IMAGE), ((4,), IMAGE)],
}


def _axes(b):
    axes, left = b.rng.choice(_LEFT[b.kind])
    b.require(all(b.shape[axis] > 1 for axis in axes))
    return axes, left, [extent for axis, extent in enumerate(b.shape) if axis not in axes]


def _text(axes):
    return f"({', '.join(map(str, axes))})" if len(axes) > 1 else str(axes[0])


def _reduce(expression):
    def write(b):
        axes, left, shape = _axes(b)
        b.step(expression.format(_text(axes)), shape, left)

    return write


def _along(expression, short=False):
    """An operator along one dimension, which stays."""

    def write(b):
        axis = b.rng.randrange(1, len(b.shape))
        b.require(b.shape[axis] >= 8 and (not short or b.shape[axis] <= 2048))
        b.step(expression.format(axis))

    return write


def _statistic(expression):
    """Something with a statistic over dimensions that are kept with one place each."""

    def write(b):
        axes, _, _ = _axes(b)
        b.step(expression.format(_text(axes)))

    return write


def _pick(expression):
    """The pick of one dimension by its values."""

    def write(b):
        axis = len(b.shape) - 1
        b.require(8 <= b.shape[axis] <= 1024)
        count = b.one_of(2, 4, b.shape[axis] // 2)
        b.step(expression.format(count, axis), [*b.shape[:-1], count])

    return write


def _arg(name):
    def write(b):
        axes, _, shape = _axes(b)
        b.step(f"torch.{name}(x, dim={axes[-1]})", shape, END)

    return write


def _diff(b):
    axis = b.rng.randrange(1, len(b.shape))
    shape = list(b.shape)
    shape[axis] -= 1
    b.step(f"torch.diff(x, dim={axis})", shape)


def _layer_norm(b):
    count = 1 if b.kind in (ROWS, STEPS) else b.rng.choice((1, len(b.shape) - 2, len(b.shape) - 1))
    b.require(b.shape[-1] > 1)
    b.module("norm", f"nn.LayerNorm({list(b.shape[-count:])})")


def _rms_norm(b):
    b.module("norm", f"nn.RMSNorm({b.shape[-1]}, eps=1e-5)")


def _batch_norm(b):
    rank = {ROWS: 1, LINE: 1, IMAGE: 2, VOLUME: 3}[b.kind]
    b.module("norm", f"nn.BatchNorm{rank}d({b.channels})")


def _group_norm(b):
    groups = b.divisor(b.channels, 2, 4, 8, 16)
    b.module("norm", f"nn.GroupNorm({groups}, {b.channels})")


def _instance_norm(b):
    rank = {LINE: 1, IMAGE: 2, VOLUME: 3}[b.kind]
    b.module("norm", f"nn.InstanceNorm{rank}d({b.channels}, affine={b.one_of(True, False)})")


def _local_response(b):
    b.module("norm", f"nn.LocalResponseNorm({b.one_of(3, 5)}, alpha=1.0)")


_SPATIAL = (LINE, IMAGE, VOLUME)
_SOFT = "bounded nonneg small"

OPERATORS = [
    drawn("sum", ANY, _reduce("torch.sum(x, dim={})"), "centred"),
    drawn("mean", ANY, _reduce("torch.mean(x, dim={})"), "centred", weight=1.5),
    drawn("amax", ANY, _reduce("torch.amax(x, dim={})"), "small"),
    drawn("amin", ANY, _reduce("torch.amin(x, dim={})"), "small nonneg"),
    drawn("logsumexp", ANY, _reduce("torch.logsumexp(x, dim={})"), "small"),
    drawn("var", ANY, _reduce("torch.var(x, dim={})"), "centred small", "nonneg"),
    drawn("std", ANY, _reduce("torch.std(x, dim={})"), "centred small", "nonneg"),
    drawn("l2_norm", ANY, _reduce("torch.linalg.vector_norm(x, dim={})"), "centred", "nonneg"),
    drawn("l1_norm", ANY, _reduce("torch.linalg.vector_norm(x, ord=1, dim={})"), "", "nonneg"),
    drawn("mean_square", ANY, _reduce("torch.mean(x * x, dim={})"), "centred small", "nonneg"),
    drawn("argmax", ANY, _arg("argmax"), "small", weight=0.3),
    drawn("argmin", ANY, _arg("argmin"), "small nonneg", weight=0.3),
    drawn("cumsum", ANY, _along("torch.cumsum(x, dim={})"), "small"),
    drawn("cumsum_back", ANY, _along("torch.flip(torch.cumsum(torch.flip(x, [{0}]), dim={0}), [{0}])"), "small"),
    drawn("logcumsumexp", ANY, _along("torch.logcumsumexp(x, dim={})"), "small", weight=0.7),
    drawn("cumprod", (STEPS, LINE), _along("torch.cumprod(1.0 + 0.05 * x, dim={})", True), "small", weight=0.5),
    drawn("cummax", ANY, _along("torch.cummax(x, dim={}).values"), "small", weight=0.5),
    drawn("diff", ANY, _diff, "small"),
    drawn("softmax", ANY, _along("torch.softmax(x, dim={})", True), "small", _SOFT, weight=1.5),
    drawn("softmin", ANY, _along("F.softmin(x, dim={})", True), "small", _SOFT),
    drawn("log_softmax", ANY, _along("F.log_softmax(x, dim={})", True), "small"),
    drawn("normalize", ANY, _along("F.normalize(x, dim={})"), "centred small", "small"),
    drawn("centre", ANY, _statistic("x - torch.mean(x, dim={}, keepdim=True)"), "centred", "centred"),
    drawn("over_max", ANY, _statistic("x / (torch.amax(torch.abs(x), dim={}, keepdim=True) + 0.1)"), "small", "bounded"),
    drawn("standardize", ANY, _statistic("(x - torch.mean(x, dim={0}, keepdim=True)) / (torch.std(x, dim={0}, keepdim=True) + 0.01)"), "centred small", "centred"),
    drawn("topk", (ROWS, STEPS, LINE), _pick("torch.topk(x, {}, dim={}).values"), "small", weight=0.7),
    drawn("layer_norm", ANY, _layer_norm, "centred small", "centred", weight=2),
    drawn("rms_norm", ANY, _rms_norm, "centred small", "centred", weight=1.5),
    drawn("batch_norm", (ROWS, *_SPATIAL), _batch_norm, "centred small", "centred", weight=2),
    drawn("group_norm", _SPATIAL, _group_norm, "centred small", "centred", weight=2),
    drawn("instance_norm", _SPATIAL, _instance_norm, "centred small", "centred"),
    drawn("local_response_norm", (IMAGE,), _local_response, "small"),
]
