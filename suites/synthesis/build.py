"""A module in the making: the shape of the value at hand, and the lines written so far.

The value is always called x. Its type says what its dimensions mean, and so which operators take it.
"""

import math

# Dimensions of each type: batch first.
ROWS = "rows"  # [B, F]
STEPS = "steps"  # [B, T, F]
LINE = "line"  # [B, C, L]
IMAGE = "image"  # [B, C, H, W]
VOLUME = "volume"  # [B, C, D, H, W]
TOKENS = "tokens"  # [B, T], integers
END = "end"  # nothing takes it: a loss, an index

SPATIAL = (LINE, IMAGE, VOLUME)
ANY = (ROWS, STEPS, *SPATIAL)

_MOST_GROWTH = 8  # elements of a value, relative to what was asked for


class DoesNotFit(Exception):
    """The operator has no place behind this value; another one is drawn."""


class Build:
    def __init__(self, rng, kind, shape, budget):
        self.rng = rng
        self.kind = self.first_kind = kind
        self.shape = list(shape)
        self.first_shape = list(shape)
        self.budget = max(budget, math.prod(shape))  # elements
        self.tags = frozenset()  # what is known of the values: see operators.py
        self.operators = []
        self.made = []  # lines of __init__
        self.forward = []
        self.inputs = []  # (name, expression)
        self.is_block = False
        self.start = ""  # the expression of the first input
        self.words = 0  # of tokens: how many there are

    def copy(self):
        other = Build(self.rng, self.kind, self.shape, self.budget)
        other.first_kind, other.first_shape = self.first_kind, self.first_shape
        other.tags, other.is_block = self.tags, self.is_block
        other.start, other.words = self.start, self.words
        other.operators = list(self.operators)
        other.made, other.forward = list(self.made), list(self.forward)
        other.inputs = list(self.inputs)
        return other

    # Questions of an operator.

    @property
    def batch(self):
        return self.shape[0]

    @property
    def channels(self):
        """The number of channels of spatial values (dimension 1); for all others that of features,
        the last dimension."""
        return self.shape[1] if self.kind in SPATIAL else self.shape[-1]

    @property
    def sides(self):
        return self.shape[2:]

    @property
    def elements(self):
        return math.prod(self.shape)

    def one_of(self, *values):
        return self.rng.choice(values)

    def number(self, least, most):
        return round(self.rng.uniform(least, most), 2)

    def require(self, condition):
        if not condition:
            raise DoesNotFit

    def divisor(self, of, *wanted):
        return self.rng.choice([d for d in (1, *wanted) if of % d == 0])

    # Statements of an operator.

    def step(self, expression, shape=None, kind=None):
        """x becomes the expression."""
        self.forward.append(f"x = {expression}")
        self.become(shape, kind)

    def module(self, name, constructor, shape=None, kind=None, call="{}(x)"):
        self.step(call.format(self.keep(name, constructor)), shape, kind)

    def keep(self, name, constructor):
        """A submodule or parameter; how forward calls it."""
        member = f"{name}_{len(self.made) + 1}"
        self.made.append(f"self.{member} = {constructor}")
        return f"self.{member}"

    def parameter(self, *shape, scale=1.0):
        values = f"torch.randn({', '.join(map(str, shape))})"
        return self.keep("weight", f"nn.Parameter({values} * {scale:.4g})")

    def input(self, name, expression):
        """A further argument of forward."""
        name = f"{name}_{len(self.inputs)}"
        self.inputs.append((name, expression))
        return name

    def another(self, name="other", fill="randn"):
        return self.input(name, f"torch.{fill}({', '.join(map(str, self.shape))})")

    def become(self, shape=None, kind=None):
        self.kind = kind or self.kind
        if shape is not None:
            self.shape = list(shape)
        if self.kind != END:
            self.require(all(extent > 0 for extent in self.shape))
            self.require(self.elements <= _MOST_GROWTH * self.budget)
            self.require(self.elements >= 16)
