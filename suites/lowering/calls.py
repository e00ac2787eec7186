"""How a Model is made and called, for all forms that get_init_inputs() and get_inputs() come in.

Seen in the field: a list of positional arguments (KernelBench), a list and a dictionary of keyword
arguments behind it (`[[], {"width": 4}]`), a dictionary alone, and one bare tensor.
"""

import inspect
from dataclasses import dataclass, field

import torch


@dataclass(frozen=True)
class Call:
    """The arguments of one call."""

    args: tuple = ()
    kwargs: dict = field(default_factory=dict)


def call_of(given, function) -> Call:
    """The call of `function` that `given` stands for.

    A list of a list and a dictionary is taken for positional and keyword arguments where the
    dictionary's keys are parameters of the function.
    """
    if given is None:
        return Call()
    if isinstance(given, torch.Tensor) or not isinstance(given, (list, tuple, dict)):
        return Call((given,))
    if isinstance(given, dict):
        return Call((), _in_order(given, function))
    if len(given) == 2 and isinstance(given[0], (list, tuple)) and isinstance(given[1], dict):
        if set(given[1]) <= set(_parameters(function)):
            return Call(tuple(given[0]), _in_order(given[1], function))
    return Call(tuple(given))


def _parameters(function) -> list[str]:
    return list(inspect.signature(function).parameters)


def _in_order(kwargs: dict, function) -> dict:
    """As the function declares them, so that the same call always gives the same task."""
    order = {name: index for index, name in enumerate(_parameters(function))}
    return dict(sorted(kwargs.items(), key=lambda item: order.get(item[0], len(order))))
