"""An operator of the grammar: what it takes, writes and leaves.

The file is not called operator.py: the standard library imports that name.

`tags` say of a value what makes some operators pointless behind it:
  nonneg    no element is negative: a ReLU changes nothing
  bounded   within about ±1: a clamp changes nothing
  small     near zero, as softmax leaves it: tanh, sine or a shrink change next to nothing
  centred   mean and spread are fixed: to normalise, or to take the mean, gives what was known
"""

from dataclasses import dataclass
from typing import Callable

from .build import Build


@dataclass(frozen=True)
class Operator:
    name: str
    takes: tuple
    write: Callable[[Build], None]  # raises DoesNotFit
    weight: float = 1.0
    not_after: frozenset = frozenset()
    gives: frozenset = frozenset()
    keeps: bool = False  # the tags as they are: only data is moved
    block: bool = False  # several operators at once, as in a network


def tags(words: str) -> frozenset:
    return frozenset(words.split())


def plain(name, takes, expression, not_after="", gives="", **more) -> Operator:
    """An operator that is one expression in x and leaves the shape alone."""
    return Operator(name, takes, lambda b: b.step(expression), not_after=tags(not_after),
                    gives=tags(gives), **more)


def drawn(name, takes, write, not_after="", gives="", **more) -> Operator:
    return Operator(name, takes, write, not_after=tags(not_after), gives=tags(gives), **more)
