"""Beginnings of a module: a type and a shape of about the elements that are asked for.

The structure is drawn first, and the number of elements decides the batch last, so that a candidate of
another size mostly has the same operators.
"""

import math

from .build import IMAGE, LINE, ROWS, STEPS, TOKENS, VOLUME

_LEAST_SIDE = 16


def _with_batch(elements, rest, least):
    """[B, *rest] of about so many elements. Sides shrink only where the batch cannot any more."""
    rest = list(rest)
    while least * math.prod(rest) > elements and max(rest[1:], default=0) > _LEAST_SIDE:
        largest = max(range(1, len(rest)), key=rest.__getitem__)
        rest[largest] //= 2
    return [max(least, round(elements / math.prod(rest))), *rest]


def draw_start(rng, elements):
    """(type, shape, expression of the first input)."""
    kind = rng.choices(
        (ROWS, STEPS, LINE, IMAGE, VOLUME, TOKENS), weights=(18, 24, 12, 30, 12, 4)
    )[0]
    if kind == ROWS:
        rest = [rng.choice((96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096))]
    elif kind == STEPS or kind == TOKENS:
        rest = [rng.choice((32, 48, 64, 96, 128, 192, 256)), rng.choice((32, 64, 96, 128, 192, 256, 384))]
    elif kind == LINE:
        rest = [rng.choice((4, 8, 12, 16, 24, 32, 48, 64)), rng.choice((128, 192, 256, 384, 512, 1024, 2048))]
    elif kind == IMAGE:
        side = rng.choice((16, 20, 24, 28, 32, 40, 48, 56, 64, 96))
        rest = [rng.choice((3, 4, 8, 12, 16, 24, 32, 48, 64)), side, rng.choice((side, side, side, side + 8))]
    else:
        side = rng.choice((8, 10, 12, 16, 20, 24))
        rest = [rng.choice((3, 4, 6, 8, 12, 16)), rng.choice((4, 6, 8, side)), side, side]
    shape = _with_batch(elements, rest, 8 if kind == ROWS else 2)
    if kind == TOKENS:
        words = rng.choice((512, 1000, 4096))
        batch, length, _ = shape
        return kind, shape[:2], f"torch.randint(0, {words}, ({batch}, {length}))", words
    fill = rng.choices(("randn", "rand"), weights=(4, 1))[0]
    return kind, shape, f"torch.{fill}({', '.join(map(str, shape))})", 0
