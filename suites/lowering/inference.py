"""Distributions guessed from values, for imported files whose tensors are made in a way that the
DrawRecorder has no name for. Each guess comes with the sentence that the task notes about it.
"""

import torch

from .draws import MAX_DATA, Draw
from .errors import LoweringError
from .patterns import draw_from_values

# A uniform distribution has a kurtosis of 1.8, a normal one of 3.
_KURTOSIS_BETWEEN = 2.4


def infer_input(name: str, first: torch.Tensor, second: torch.Tensor) -> tuple[Draw, str]:
    """From two calls of get_inputs() with different seeds: what changes is random."""
    if torch.equal(first, second):
        return infer_constant(f"input {name}", first)
    return infer_alike(name, [first, second])


def infer_alike(name: str, samples: list[torch.Tensor]) -> tuple[Draw, str]:
    """From values of an input that is random."""
    draw = _like(torch.stack(samples), name)
    return draw, f"input {name}: {_words(draw)}, after its values in get_inputs()"


def infer_constant(name: str, tensor: torch.Tensor) -> tuple[Draw, str]:
    """Fixed values: stored where they are few or have a pattern, else drawn alike."""
    _check(tensor, name)
    try:
        return draw_from_values(name, tensor), ""
    except LoweringError:
        draw = _like(tensor, name)
    words = f"{name}: {_words(draw)}, in the place of its {tensor.numel()} fixed values"
    return draw, words + f" (at most {MAX_DATA} can be stored)"


def _check(values: torch.Tensor, name: str) -> None:
    if values.dtype.is_complex:
        raise LoweringError(f"{name} is {values.dtype}; a task holds real numbers")
    if not bool(torch.isfinite(values.double()).all()):
        raise LoweringError(f"{name} holds inf or NaN, which a task file cannot store")


def _like(values: torch.Tensor, name: str) -> Draw:
    _check(values, name)
    if values.dtype == torch.bool:
        return Draw("bernoulli", _rounded(values.double().mean().item()))
    if not values.dtype.is_floating_point:
        return Draw("integers", int(values.min()), int(values.max()) + 1)
    values = values.double()
    low, high = values.min().item(), values.max().item()
    mean, variance = values.mean().item(), values.var(correction=0).item()
    kurtosis = ((values - mean) ** 4).mean().item() / variance**2
    # Values that are nowhere negative may have to stay so: probabilities, variances, lengths.
    if kurtosis < _KURTOSIS_BETWEEN or low >= 0 or high <= 0:
        return Draw("uniform", _rounded(low), _rounded(high))
    return Draw("normal", _rounded(mean), _rounded(variance**0.5))


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _words(draw: Draw) -> str:
    return {
        "uniform": f"drawn uniformly from {draw.a} to {draw.b}",
        "normal": f"drawn normally with mean {draw.a} and deviation {draw.b}",
        "integers": f"drawn from the integers {draw.a} to {int(draw.b) - 1}",
        "bernoulli": f"true with probability {draw.a}",
    }[draw.kind]
