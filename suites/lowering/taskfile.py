"""Reads NNN_name.py: its docstring, its module constants at either size, and its Model.

Any file in the KernelBench convention will do: class Model, get_inputs(), get_init_inputs(). One
without a SMALL dictionary has the size `full` only.
"""

import ast
import hashlib
import re
import sys
from pathlib import Path
from types import ModuleType

from .errors import LoweringError


class TaskFile:
    """One task module as text; load() executes it."""

    def __init__(self, path: Path):
        self.path = Path(path)
        self.source = self.path.read_bytes()
        self.tree = ast.parse(self.source, filename=str(path))
        self.small = self._read_small()

    @property
    def sizes(self) -> list[str]:
        return ["small", "full"] if self.small is not None else ["full"]

    @property
    def title(self) -> str:
        """First line of the docstring; empty without one."""
        lines = (ast.get_docstring(self.tree) or "").splitlines()
        return lines[0] if lines else ""

    @property
    def identity(self) -> tuple[int, int, str]:
        """Level (0 outside a levelN folder), number (0 without one) and name."""
        level = re.fullmatch(r"level(\d+)", self.path.parent.name)
        number = re.fullmatch(r"(\d+)_(.+)", self.path.stem)
        return (
            int(level.group(1)) if level else 0,
            int(number.group(1)) if number else 0,
            number.group(2) if number else self.path.stem,
        )

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.source).hexdigest()

    def load(self, size: str) -> ModuleType:
        """Executes the file, with the constants of SMALL where `size` is small.

        A constant is overridden where it is assigned, so constants computed from it follow.
        """
        tree = self._tree_at(size)
        module = ModuleType(f"kbench_task_{self.path.stem}")
        module.__file__ = str(self.path)
        sys.modules[module.__name__] = module  # where dataclasses look for the types of a module
        exec(compile(tree, str(self.path), "exec"), module.__dict__)
        if not hasattr(module, "get_init_inputs"):  # Model's arguments have defaults
            module.get_init_inputs = list
        for name in ("Model", "get_inputs"):
            if not hasattr(module, name):
                raise LoweringError(f"{self.path}: defines no {name}")
        return module

    def text_at(self, size: str) -> str:
        """The source that load() executes, as a file of its own; without comments."""
        return ast.unparse(self._tree_at(size))

    def _tree_at(self, size: str) -> ast.Module:
        tree = ast.parse(self.source, filename=str(self.path))
        if size == "small":
            self._override(tree)
        return tree

    def _read_small(self) -> dict | None:
        value = _assignments(self.tree).get("SMALL")
        if value is None or not isinstance(value.value, ast.Dict):
            return None
        try:
            small = ast.literal_eval(value.value)
        except ValueError as error:
            raise LoweringError(f"{self.path}: SMALL must be a dictionary of literals") from error
        unknown = sorted(set(small) - set(_assignments(self.tree)))
        if unknown:
            raise LoweringError(f"{self.path}: SMALL names no module constant: {unknown}")
        return small

    def reasons(self, constant: str) -> dict:
        """A module constant {name: reason}: what `tasks lint` finds and stays (LINT_ACCEPTS), or
        which hard draws the task does not fit (HARD_DRAWS_SKIP). Empty without it."""
        value = _assignments(self.tree).get(constant)
        if value is None:
            return {}
        try:
            reasons = ast.literal_eval(value.value)
        except ValueError as error:
            raise LoweringError(f"{self.path}: {constant} must be a dictionary of texts") from error
        texts = isinstance(reasons, dict) and all(
            isinstance(text, str) and text for pair in reasons.items() for text in pair
        )
        if not texts:
            raise LoweringError(f"{self.path}: {constant} must give a reason for each name")
        return reasons

    def _override(self, tree: ast.Module) -> None:
        assignments = _assignments(tree)
        for name, value in self.small.items():
            old = assignments[name].value
            assignments[name].value = ast.copy_location(ast.parse(repr(value)).body[0].value, old)
        ast.fix_missing_locations(tree)


def _assignments(tree: ast.Module) -> dict[str, ast.Assign]:
    """The top-level assignments to a single name; the last one wins."""
    return {
        node.targets[0].id: node
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def set_batch_stats_mode(model) -> None:
    """Puts a module into the mode "batch-stats": train mode, without any dropout.

    (Running statistics are still updated by PyTorch; nothing in a forward pass reads them.)
    """
    import torch

    model.train()
    for module in model.modules():
        if isinstance(module, torch.nn.modules.dropout._DropoutNd):
            module.eval()
        elif isinstance(getattr(module, "dropout", None), float):
            module.dropout = 0.0  # nn.RNNBase and nn.MultiheadAttention keep a probability
