"""Inputs that are made of values: ragged lengths, pointers of sparse rows, masks, rotations.

get_inputs() runs on fake tensors, which have none. Where it reads some, it runs for real, once, and
what its reading depended on is taken as it is: a draw that gives these very values. The other inputs
are drawn as ever.
"""

import contextlib
import random
import sys

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from .draws import MAX_DATA, Draw, DrawRecorder
from .errors import LoweringError
from .patterns import draw_from_values

SEED = 0


class _Readers(TorchFunctionMode):
    """Tells the recorder of values that leave PyTorch without an operator."""

    _FUNCTIONS = (torch.Tensor.tolist, torch.Tensor.numpy, torch.Tensor.__array__, torch.tensor,
                  torch.as_tensor)

    def __init__(self, recorder: DrawRecorder):
        super().__init__()
        self.recorder = recorder

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func in self._FUNCTIONS:
            for tensor in tree_leaves(args):
                if isinstance(tensor, torch.Tensor):
                    self.recorder.note_reading(tensor)
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def reading(recorder: DrawRecorder):
    """For real inputs: the recorder sees how they are made, and what of them is read."""
    torch.manual_seed(SEED)
    random.seed(SEED)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(SEED)
    with _Readers(recorder), recorder:
        yield


def fixed_draw(name: str, tensor: torch.Tensor) -> tuple[Draw, str]:
    """The draw that gives the values of this very tensor, and the note about it."""
    try:
        draw = draw_from_values(name, tensor)
    except LoweringError:
        raise LoweringError(
            f"input {name} has {tensor.numel()} values that get_inputs() works out, or that others "
            f"depend on: they are stored as they are, which goes for at most {MAX_DATA}, or more in "
            f"a pattern"
        ) from None
    return draw, f"input {name}: always the values that get_inputs() gives it with seed {SEED}"
