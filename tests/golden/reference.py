"""What the golden tests share: drawing a task's tensors, and Model.forward on them.

Independent of the lowering on purpose, but for reading the .py file: here the model itself runs, in
its own mode, with parameters loaded by the names the module gives them.
"""

import sys
from pathlib import Path

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

REPOSITORY = Path(__file__).resolve().parent.parent.parent
SUITES = REPOSITORY / "suites"
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
        return torch.empty(shape, dtype=work, device=device).uniform_(a, b, generator=generator)
    if kind == "normal":
        return torch.empty(shape, dtype=work, device=device).normal_(a, b, generator=generator)
    if kind == "integers":
        return torch.randint(int(a), int(b), shape, **options).to(own)
    if kind == "bernoulli":
        return (torch.rand(shape, **options) < a).to(own)
    if kind == "constant":
        return torch.full(shape, a, dtype=own, device=device)
    if kind in ("tril", "triu"):
        cut = torch.tril if kind == "tril" else torch.triu
        return cut(torch.ones(shape, device=device), diagonal=int(a)).to(own)
    if kind == "data":
        return torch.tensor(spec["draw"]["data"], dtype=own, device=device).reshape(shape)
    raise ValueError(f"unknown draw {kind!r} of {spec['name']}")


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


def all_tasks() -> list[Path]:
    """The lowered file of every task."""
    return sorted(SUITES.glob("level*/[0-9]*.json"))


def source_of(task_file: Path) -> Path:
    return task_file.with_suffix(".py")
