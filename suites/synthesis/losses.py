"""Losses and similarities: the value against another one. Most end the module."""

from .build import END, IMAGE, ROWS, STEPS
from .operator_kind import drawn

_FLOATS = (ROWS, STEPS, IMAGE)


def _loss(expression, fill="randn"):
    """A loss with one of torch's reductions: mean, sum, or none."""

    def write(b):
        reduction = b.one_of("mean", "sum", "none", "mean")
        other = b.another("target", fill)
        text = expression.format(other, f"reduction='{reduction}'")
        b.step(text, b.shape if reduction == "none" else [1], b.kind if reduction == "none" else END)

    return write


def _signs(b):
    return b.input("sign", f"2.0 * torch.randint(0, 2, {tuple(b.shape)}) - 1.0")


def _signed(expression):
    def write(b):
        b.step(expression.format(_signs(b)), [1], END)

    return write


def _classes(expression):
    def write(b):
        target = b.input("target", f"torch.randint(0, {b.channels}, ({b.batch},))")
        b.require(b.channels <= 2048)
        b.step(expression.format(target), [1], END)

    return write


def _similarity(b):
    b.step(f"F.cosine_similarity(x, {b.another()}, dim=-1)", b.shape[:-1], ROWS if b.kind == STEPS else END)


def _distance(b):
    b.step(f"F.pairwise_distance(x, {b.another()})", [b.batch], END)


def _triplet(b):
    b.step(f"F.triplet_margin_loss(x, {b.another('near')}, {b.another('far')}, margin={b.number(1, 4)})",
           [1], END)


def _ranking(b):
    b.step(f"F.margin_ranking_loss(x, {b.another()}, {_signs(b)}, margin={b.number(0.1, 1)})", [1], END)


OPERATORS = [
    drawn("mse_loss", _FLOATS, _loss("F.mse_loss(x, {}, {})"), "small"),
    drawn("l1_loss", _FLOATS, _loss("F.l1_loss(x, {}, {})"), "small"),
    drawn("smooth_l1_loss", _FLOATS, _loss("F.smooth_l1_loss(x, {}, {})"), "small"),
    drawn("huber_loss", _FLOATS, _loss("F.huber_loss(x, {}, {}, delta=0.7)"), "small"),
    drawn("bce_with_logits", _FLOATS, _loss("F.binary_cross_entropy_with_logits(x, {}, {})", "rand"), "small"),
    drawn("kl_div", (ROWS, STEPS), _loss("F.kl_div(F.log_softmax(x, dim=-1), F.softmax({}, dim=-1), {})"), "small"),
    drawn("poisson_nll", _FLOATS, _loss("F.poisson_nll_loss(torch.tanh(x), {}, {})", "rand"), "small"),
    drawn("soft_margin", _FLOATS, _signed("F.soft_margin_loss(x, {})"), "small"),
    drawn("hinge_embedding", _FLOATS, _signed("F.hinge_embedding_loss(x, {})"), "small"),
    drawn("cross_entropy", (ROWS,), _classes("F.cross_entropy(x, {}, label_smoothing=0.1)"), "small", weight=1.5),
    drawn("nll", (ROWS,), _classes("F.nll_loss(F.log_softmax(x, dim=-1), {})"), "small"),
    drawn("multi_margin", (ROWS,), _classes("F.multi_margin_loss(x, {})"), "small"),
    drawn("cosine_similarity", (ROWS, STEPS), _similarity, "small", weight=1.5),
    drawn("pairwise_distance", (ROWS,), _distance, "small"),
    drawn("triplet_margin", (ROWS,), _triplet, "small"),
    drawn("margin_ranking", _FLOATS, _ranking, "small"),
]
