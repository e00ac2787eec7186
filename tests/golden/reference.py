"""Common parts of the golden tests: drawing a task's tensors, and Model.forward on them.

Independent of the lowering on purpose, but for reading the .py file: here the model itself runs, in
its own mode, with parameters loaded by the names the module gives them.
"""

import os
import sys
from pathlib import Path
from typing import NoReturn

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

from task_files import SUITES, all_tasks, source_of  # noqa: F401

REPOSITORY = SUITES.parent
sys.path.insert(0, str(SUITES))

from lowering.graph import working_dtype  # noqa: E402
from lowering.taskfile import TaskFile, set_batch_stats_mode  # noqa: E402


def draw(spec: dict, dtype: torch.dtype, device, generator: torch.Generator) -> torch.Tensor:
    """A tensor drawn as the task says, floating ones in `dtype`."""
    kind, a, b = (spec["draw"].get(key) for key in ("kind", "a", "b"))
    shape = spec["shape"]
    own = working_dtype(spec, dtype)
    work = own if own.is_floating_point else torch.float32
    options = {"device": device, "generator": generator}
    if kind == "uniform":
        drawn = torch.empty(shape, dtype=work, device=device).uniform_(a, b, generator=generator)
    elif kind == "normal":
        drawn = torch.empty(shape, dtype=work, device=device).normal_(a, b, generator=generator)
    elif kind == "integers":
        step = spec["draw"].get("step", 1)
        drawn = (torch.randint(0, len(range(a, b, step)), shape, **options) * step + a).to(own)
    elif kind == "bernoulli":
        drawn = (torch.rand(shape, **options) < a).to(own)
    else:
        drawn = _given(spec, own).to(device)
    if times := spec["draw"].get("times"):
        drawn = drawn * draw(spec | {"shape": [], "draw": times}, dtype, device, generator)
    if "keep" in spec["draw"]:
        cut = torch.tril if spec["draw"]["keep"] == "tril" else torch.triu
        drawn = cut(drawn, diagonal=spec["draw"]["diagonal"])
    return drawn


def _number(entry) -> float:
    return float(entry["float"]) if isinstance(entry, dict) else entry


def _given(spec: dict, dtype: torch.dtype) -> torch.Tensor:
    """A tensor without chance."""
    kind, a, shape = spec["draw"]["kind"], spec["draw"].get("a"), spec["shape"]
    if kind == "constant":
        return torch.full(shape, _number(a), dtype=dtype)
    if kind in ("tril", "triu"):
        cut = torch.tril if kind == "tril" else torch.triu
        inside = cut(torch.ones(shape, dtype=torch.bool), diagonal=a)
        value = torch.tensor(_number(spec["draw"].get("value", 1)), dtype=dtype)
        return torch.where(inside, value, torch.zeros((), dtype=dtype))
    if kind == "data":
        values = [_number(v) for v in spec["draw"]["data"]]
    elif kind == "affine":
        values = [a]
        for extent, step in zip(reversed(spec["draw"]["extents"]), reversed(spec["draw"]["steps"])):
            values = [value + digit * step for digit in range(extent) for value in values]
    elif kind == "blocks":
        values = [_number(v) for v in spec["draw"]["data"]]
        for level in spec["draw"]["levels"]:
            n = level["length"]
            values = [v for block in level["order"] for v in values[block * n : (block + 1) * n]]
    else:
        raise ValueError(f"unknown draw {kind!r} of {spec['name']}")
    return torch.tensor(values, dtype=dtype).reshape(shape)


def draw_all(graph: dict, dtype: torch.dtype, device="cpu", seed: int = 0) -> tuple[list, list]:
    """(inputs, parameters) of one size."""
    generator = torch.Generator(device=device).manual_seed(seed)
    return tuple(
        [draw(spec, dtype, device, generator) for spec in graph[group]]
        for group in ("inputs", "parameters")
    )


class PythonModel:
    """The Model of a task file at one size, in the mode of the task."""

    def __init__(self, source: Path, task: dict, size: str, dtype: torch.dtype, device="cpu"):
        self.dtype = dtype
        self.graph = task["sizes"][size]
        module = TaskFile(source).load(size)
        with default_dtype(dtype):
            self.model = module.Model(*module.get_init_inputs()).to(device=device, dtype=dtype)
            if task["mode"] == "eval":
                self.model.eval()
            else:
                set_batch_stats_mode(self.model)
        with FakeTensorMode():  # for the structure alone: lists, and numbers among the tensors
            self.arguments, self.structure = pytree.tree_flatten(module.get_inputs())

    def load(self, parameters: list[torch.Tensor]) -> None:
        """Copies values in by "fqn"; a constant of forward has none, and stays in the code."""
        for spec, value in zip(self.graph["parameters"], parameters, strict=True):
            if spec["fqn"] is None:
                continue
            path, _, leaf = spec["fqn"].rpartition(".")
            owner = self.model.get_submodule(path)
            if leaf in owner._parameters or leaf in owner._buffers:
                getattr(owner, leaf).data.copy_(value)
            else:
                setattr(owner, leaf, value)

    def forward(self, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
        tensors = iter(inputs)
        arguments = [next(tensors) if isinstance(a, torch.Tensor) else a for a in self.arguments]
        with torch.no_grad(), default_dtype(self.dtype):
            result = self.model(*pytree.tree_unflatten(arguments, self.structure))
        leaves = pytree.tree_leaves(result)
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


class default_dtype:
    """The dtype of tensors that a forward pass makes out of nothing, for the time of a block."""

    def __init__(self, dtype: torch.dtype):
        self.dtype = dtype

    def __enter__(self):
        self.before = torch.get_default_dtype()
        torch.set_default_dtype(self.dtype)

    def __exit__(self, *_):
        torch.set_default_dtype(self.before)


def leave(status: int) -> NoReturn:
    """Ends the process at once: an interpreter that has imported torch takes a second for it."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
