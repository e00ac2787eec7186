"""Lowers one task file at all its sizes: the dictionary of suites/FORMAT.md.

The module is built for real, since its buffers' values matter, while its inputs are fake: the
largest take 16 GiB. A module that torch.export cannot trace on fake inputs is tried once more on
real ones.
"""

import contextlib
import logging
import warnings
from pathlib import Path

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export.graph_signature import InputKind, TensorArgument
from torch.utils import _pytree as pytree

from .analysis import analyse
from .convert import Converted, convert, dtype_name
from .draws import Draw, DrawRecorder, draw_from_statistics, draw_from_values
from .errors import LoweringError
from .names import Names
from .taskfile import TaskFile

SCHEMA = "kbench-task/1"
MODES = ("batch-stats", "eval")
_REAL_INPUT_LIMIT_BYTES = 4 << 30


def lower_task(path: Path, mode: str = "batch-stats") -> dict:
    """The lowered form of a task file. Raises LoweringError, which names the file."""
    file = TaskFile(path)
    level, number, name = file.identity
    task = {
        "schema": SCHEMA,
        "level": level,
        "number": number,
        "name": name,
        "title": file.title,
        "mode": mode,
        "entry": "forward",
        "source": file.path.name,
        "source_sha256": file.sha256,
        "torch": torch.__version__.split("+")[0],
        "sizes": {},
    }
    for size in file.sizes:
        try:
            task["sizes"][size] = _SizeLowering(file, size, mode).run()
            task["sizes"][size].update(analyse(task, size))
        except LoweringError as error:
            raise LoweringError(f"{path}, size {size}: {error}") from error
    return task


class _SizeLowering:
    """One size: build, export, name, convert, describe."""

    def __init__(self, file: TaskFile, size: str, mode: str):
        self.mode = mode
        self.module = file.load(size)
        self.recorder = DrawRecorder()
        self.names = Names()

    def run(self) -> dict:
        torch.manual_seed(0)
        with self.recorder, torch.no_grad():
            self.model = self.module.Model(*self.module.get_init_inputs())
        self.model.train(self.mode == "batch-stats")
        self.program = self._export()
        names = {}
        inputs = self._name_inputs(names)
        parameters = self._name_parameters(names)
        converted = convert(self.program, names, self.names, self.mode == "batch-stats")
        inputs += [
            _spec(name, tensor, draw.to_json()) for name, tensor, draw in converted.random_inputs
        ]
        used = set(converted.placeholders.values())
        return {
            "inputs": inputs,
            "parameters": [self._parameter(*p) for p in parameters if p[0] in used],
            "nodes": converted.nodes,
            "outputs": self._outputs(converted),
        }

    # Export.

    def _export(self):
        fake = FakeTensorMode(allow_non_fake_inputs=True)
        with fake, self.recorder:
            self.inputs = list(self.module.get_inputs())
        try:
            return _quiet_export(self.model, self.inputs)
        except LoweringError as first:
            leaves = [t for t in pytree.tree_leaves(self.inputs) if isinstance(t, torch.Tensor)]
            if sum(t.nbytes for t in leaves) > _REAL_INPUT_LIMIT_BYTES:
                raise
            try:
                return _quiet_export(self.model, list(self.module.get_inputs()))
            except LoweringError:
                raise first from None

    def _specs(self, *kinds) -> list:
        return [
            s
            for s in self.program.graph_signature.input_specs
            if s.kind in kinds and isinstance(s.arg, TensorArgument)
        ]

    # Inputs.

    def _name_inputs(self, names: dict) -> list[dict]:
        specs = [
            s for s in self.program.graph_signature.input_specs if s.kind == InputKind.USER_INPUT
        ]
        leaves = pytree.tree_leaves(self.inputs)
        entries = []
        for spec, leaf in zip(specs, leaves, strict=True):
            if not isinstance(leaf, torch.Tensor):
                continue  # a number: torch.export has made it part of the graph
            name = names[spec.arg.name] = self.names.unique(spec.arg.name)
            draw = self.recorder.draw_of(leaf)
            if draw is None:
                raise LoweringError(
                    f"cannot tell how input {name} is drawn: get_inputs() may fill tensors with "
                    f"rand, randn, randint, zeros, ones or full, and scale, shift or compare them"
                )
            entries.append(_spec(name, leaf, draw.to_json()))
        return entries

    # Parameters: trained ones, then buffers, then constants of the forward pass.

    def _name_parameters(self, names: dict) -> list[tuple]:
        named = []
        for kind in (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR):
            for spec in self._specs(kind):
                fqn = spec.target
                tensor = self._tensor(fqn)
                if tensor is None:  # a literal in forward, which the model does not hold
                    tensor, fqn = self.program.constants[spec.target], None
                wish = "constant" if fqn is None else fqn.replace(".", "_")
                name = names[spec.arg.name] = self.names.unique(wish)
                named.append((name, fqn, kind, tensor))
        return named

    def _tensor(self, fqn: str) -> torch.Tensor | None:
        value = self.model
        for part in fqn.split("."):
            value = getattr(value, part, None)
        return value if isinstance(value, torch.Tensor) else None

    def _parameter(self, name, fqn, kind, tensor) -> dict:
        with torch.no_grad():
            draw = self._parameter_draw(name, fqn, kind, tensor)
        return _spec(name, tensor, draw.to_json(), fqn=fqn)

    def _parameter_draw(self, name, fqn, kind, tensor) -> Draw:
        recorded = self.recorder.draw_of(tensor)
        if kind == InputKind.PARAMETER and tensor.is_floating_point():
            return (recorded or draw_from_statistics(tensor)).around()
        if recorded is not None and recorded.kind not in ("constant",):
            return recorded
        draw = draw_from_values(name, tensor)
        # In eval mode a fresh norm's running statistics are 0 and 1: nobody may leave them out.
        statistics = fqn is not None and fqn.split(".")[-1] in ("running_mean", "running_var")
        return draw.around() if statistics else draw

    # Outputs.

    def _outputs(self, converted: Converted) -> list[dict]:
        outputs = []
        for index, (value, tensor) in enumerate(converted.outputs):
            wish = "y" if len(converted.outputs) == 1 else f"y{index}"
            entry = {"name": self.names.unique(wish), "value": value}
            outputs.append(entry | _shape(tensor))
        return outputs


def _shape(tensor: torch.Tensor) -> dict:
    return {"dtype": dtype_name(tensor.dtype), "shape": list(tensor.shape)}


def _spec(name: str, tensor: torch.Tensor, draw: dict, **more) -> dict:
    return {"name": name} | _shape(tensor) | {"draw": draw} | more


def _quiet_export(model, inputs):
    """torch.export in its non-strict form, without its warnings; LoweringError where it refuses."""
    logger = logging.getLogger("torch.export")
    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(torch.no_grad())
        stack.callback(logger.setLevel, logger.level)
        logger.setLevel(logging.ERROR)
        try:
            return torch.export.export(model, tuple(inputs), strict=False)
        except Exception as error:  # torch.export raises whatever the module's code raises
            text = str(error).strip().splitlines() or [type(error).__name__]
            raise LoweringError(f"torch.export: {type(error).__name__}: {text[0]}") from error
