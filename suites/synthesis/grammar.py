"""Draws one candidate: a start, and operators that take what the one before leaves.

A pure function of seed, index and scale, so that a candidate can be made again at another size.
"""

import random

from .build import END, TOKENS, Build, DoesNotFit
from .operators import all_operators
from .starts import draw_start

VERSION = 1  # another one gives other candidates for the same seed

_ELEMENTS = 1 << 20  # of the first value at scale 1
_COUNTS = {1: 6, 2: 30, 3: 30, 4: 20, 5: 14}  # how often so many operators, where all are allowed
_TRIES = 200

_OPERATORS = all_operators()


def candidate(seed: int, index: int, scale: float, least: int, most: int) -> dict:
    """{"name", "level", "operators", "source"}."""
    rng = random.Random(f"{VERSION}/{seed}/{index}")
    counts = [n for n in _COUNTS if least <= n <= most]
    count = rng.choices(counts, [_COUNTS[n] for n in counts])[0]
    for _ in range(_TRIES):
        if build := _compose(rng, scale, count):
            return _described(build, seed, index)
    raise RuntimeError(f"candidate {index} of seed {seed} fits nowhere")


def _compose(rng, scale: float, count: int) -> Build | None:
    elements = max(int(_ELEMENTS * scale), 256)
    kind, shape, expression, words = draw_start(rng, elements)
    build = Build(rng, kind, shape, elements)
    build.words = words
    build.start = expression
    if expression.startswith("torch.rand("):
        build.tags = frozenset({"nonneg"})
    if kind == TOKENS and count == 1:
        return None  # the lookup alone computes nothing
    for left in range(count, 0, -1):
        build = _extended(build, left)
        if build is None:
            return None
    return build


def _extended(build: Build, left: int) -> Build | None:
    """With one more operator, of which `left` are still to come, this one included."""
    possible = [
        operator
        for operator in _OPERATORS
        if build.kind in operator.takes
        and not operator.not_after & build.tags
        and (not build.operators or operator.name != build.operators[-1])
    ]
    for _ in range(8):
        if not possible:
            return None
        operator = build.rng.choices(possible, [o.weight for o in possible])[0]
        longer = build.copy()
        try:
            operator.write(longer)
        except DoesNotFit:
            possible.remove(operator)
            continue
        if longer.kind == END and left > 1:
            continue
        longer.operators.append(operator.name)
        longer.is_block |= operator.block
        if not operator.keeps:
            longer.tags = operator.gives
        return longer
    return None


def _described(build: Build, seed: int, index: int) -> dict:
    count = len(build.operators)
    return {
        "name": "_".join(build.operators)[:72],
        "level": 3 if build.is_block else 1 if count == 1 else 2,
        "operators": build.operators,
        "source": _source(build, seed, index),
    }


def _source(build: Build, seed: int, index: int) -> str:
    arguments = ["x", *(name for name, _ in build.inputs)]
    inputs = [build.start, *(expression for _, expression in build.inputs)]
    lines = [
        f'"""{", ".join(build.operators)}.',
        "",
        f"Composed by kbench synth: grammar {VERSION}, seed {seed}, candidate {index}.",
        '"""',
        "",
        "import torch",
        "import torch.nn as nn",
        "import torch.nn.functional as F",
        "",
        "",
        "class Model(nn.Module):",
        "    def __init__(self):",
        "        super().__init__()",
        *(f"        {line}" for line in build.made),
        "",
        f"    def forward(self, {', '.join(arguments)}):",
        *(f"        {line}" for line in build.forward),
        "        return x",
        "",
        "",
        "def get_inputs():",
        "    return [",
        *(f"        {expression}," for expression in inputs),
        "    ]",
        "",
        "",
        "def get_init_inputs():",
        "    return []",
        "",
    ]
    return "\n".join(lines)
