"""Operators that compute each element from the elements at its place."""

from .build import ANY, ROWS, SPATIAL, STEPS
from .operator_kind import drawn, plain


def _leaky(b):
    b.step(f"F.leaky_relu(x, {b.one_of(0.01, 0.05, 0.1, 0.2)})")


def _clamp(b):
    b.step(f"torch.clamp(x, {-b.number(0.3, 1.0)}, {b.number(0.3, 1.0)})")


def _prelu(b):
    b.module("prelu", f"nn.PReLU({b.shape[1]})")


def _glu(b):
    axis = 1 if b.kind in SPATIAL else len(b.shape) - 1
    b.require(b.shape[axis] % 2 == 0)
    shape = list(b.shape)
    shape[axis] //= 2
    b.step(f"F.glu(x, dim={axis})", shape)


def _with_other(expression):
    return lambda b: b.step(expression.format(b.another()))


def _per_channel(expression):
    def write(b):
        ones = [1] * (len(b.shape) - 2) if b.kind in SPATIAL else []
        b.step(expression.format(b.parameter(b.channels, *ones)))

    return write


def _add_first(b):
    b.require(b.forward and b.shape == b.first_shape and b.first_kind == b.kind)
    if b.forward[0] != "first = x":
        b.forward.insert(0, "first = x")
    b.step("x + first")


def _constant(expression, least, most):
    return lambda b: b.step(expression.format(b.number(least, most)))


OPERATORS = [
    plain("relu", ANY, "F.relu(x)", "nonneg", "nonneg", weight=3),
    drawn("leaky_relu", ANY, _leaky, "nonneg", weight=2),
    plain("elu", ANY, "F.elu(x)", "nonneg"),
    plain("selu", ANY, "F.selu(x)", "nonneg"),
    drawn("celu", ANY, _constant("F.celu(x, alpha={})", 0.5, 2), "nonneg"),
    plain("gelu", ANY, "F.gelu(x)", "small", weight=2),
    plain("gelu_tanh", ANY, "F.gelu(x, approximate='tanh')", "small"),
    plain("silu", ANY, "F.silu(x)", "small", weight=2),
    plain("mish", ANY, "F.mish(x)", "small"),
    plain("sigmoid", ANY, "torch.sigmoid(x)", "small", "nonneg bounded", weight=2),
    plain("tanh", ANY, "torch.tanh(x)", "small bounded", "bounded", weight=2),
    plain("softplus", ANY, "F.softplus(x)", "small", "nonneg"),
    plain("softsign", ANY, "F.softsign(x)", "small", "bounded"),
    plain("hardtanh", ANY, "F.hardtanh(x, -0.5, 0.5)", "small bounded", "bounded"),
    plain("hardswish", ANY, "F.hardswish(x)", "small"),
    plain("hardsigmoid", ANY, "F.hardsigmoid(x)", "small", "nonneg bounded"),
    plain("logsigmoid", ANY, "F.logsigmoid(x)", "small"),
    plain("tanhshrink", ANY, "F.tanhshrink(x)", "small"),
    drawn("softshrink", ANY, _constant("F.softshrink(x, {})", 0.1, 0.5), "small bounded"),
    plain("relu_squared", ANY, "torch.square(F.relu(x))", "nonneg small", "nonneg"),
    plain("abs", ANY, "torch.abs(x)", "nonneg", "nonneg"),
    plain("square", ANY, "torch.square(x)", "small", "nonneg"),
    plain("cube", ANY, "x ** 3", "small"),
    plain("sin", ANY, "torch.sin(x)", "small bounded", "bounded"),
    plain("cos", ANY, "torch.cos(x)", "small", "bounded"),
    plain("atan", ANY, "torch.atan(x)", "small", "bounded"),
    plain("asinh", ANY, "torch.asinh(x)", "small"),
    plain("erf", ANY, "torch.erf(x)", "small", "bounded"),
    plain("gaussian", ANY, "torch.exp(-x * x)", "small", "nonneg bounded"),
    plain("log1p_abs", ANY, "torch.log1p(torch.abs(x))", "small", "nonneg"),
    plain("sqrt_abs", ANY, "torch.sqrt(torch.abs(x) + 0.1)", "small", "nonneg"),
    plain("rsqrt", ANY, "torch.rsqrt(x * x + 1.0)", "small", "nonneg bounded"),
    plain("lorentzian", ANY, "1.0 / (1.0 + x * x)", "small", "nonneg bounded"),
    drawn("swish_beta", ANY, _constant("x * torch.sigmoid({} * x)", 1.2, 2.5), "small"),
    drawn("clamp", ANY, _clamp, "small bounded", "bounded"),
    drawn("scale", ANY, _constant("x * {}", 1.3, 3.0)),
    drawn("shift", ANY, _constant("x + {}", 0.3, 2.0)),
    drawn("subtract_from", ANY, _constant("{} - x", 0.5, 2.0)),
    drawn("prelu", ANY, _prelu, "nonneg"),
    drawn("glu", ANY, _glu, "small"),
    drawn("add_other", ANY, _with_other("x + {}")),
    drawn("sub_other", ANY, _with_other("x - {}")),
    drawn("mul_other", ANY, _with_other("x * {}")),
    drawn("gate_other", ANY, _with_other("x * torch.sigmoid({})")),
    drawn("div_other", ANY, _with_other("x / (1.0 + torch.abs({}))")),
    drawn("maximum_other", ANY, _with_other("torch.maximum(x, {})"), "small"),
    drawn("minimum_other", ANY, _with_other("torch.minimum(x, {})"), "small"),
    drawn("lerp_other", ANY, _with_other("torch.lerp(x, {}, 0.3)")),
    drawn("logaddexp_other", ANY, _with_other("torch.logaddexp(x, {})"), "small"),
    drawn("hypot_other", ANY, _with_other("torch.hypot(x, {})"), "small", "nonneg"),
    drawn("where_other", ANY, _with_other("torch.where({0} > 0, x, 0.5 * {0})")),
    drawn("channel_bias", ANY, _per_channel("x + {}"), weight=1.5),
    drawn("channel_scale", ANY, _per_channel("x * {}"), weight=1.5),
    drawn("addcmul_other", (ROWS, STEPS), _with_other("torch.addcmul(x, x, {}, value=0.5)")),
    drawn("add_first", ANY, _add_first, weight=2),
]
