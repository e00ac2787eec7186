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
from .calls import Call, call_of
from .convert import Converted, convert, dtype_name
from .draws import Draw, DrawRecorder, draw_from_statistics
from .errors import LoweringError
from .inference import infer_alike, infer_constant, infer_input
from .names import Names
from .patterns import draw_from_values
from .placement import OnCpu
from .recurrent import shapes_only
from .sampling import sample, whole
from .taskfile import TaskFile
from .values import SEED, fixed_draw, reading

SCHEMA = "kbench-task/1"
MODES = ("batch-stats", "eval")
_EXPORT_LIMIT_BYTES = 1 << 30  # inputs that torch.export is given for real
_VALUES_LIMIT_BYTES = 256 << 20  # inputs that are made only to look at their values


# Names by which a task of the suite's own may ask for an exception.
PRIVILEGES = ("LINT_ACCEPTS", "HARD_DRAWS_SKIP")


def lower_task(path: Path, mode: str = "batch-stats", infer: bool = False) -> dict:
    """The lowered form of a task file. Raises LoweringError, which names the file.

    With `infer`, values that are made in a way without a name get a distribution that resembles
    them, and the task a note about it; without, they are an error.
    """
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
    notes = []
    for key in PRIVILEGES:
        if reasons := file.reasons(key):
            task[key.lower()] = reasons
    for size in file.sizes:
        try:
            lowering = _SizeLowering(file, size, mode, infer)
            task["sizes"][size] = lowering.run()
            task["sizes"][size].update(analyse(task, size))
            notes += [note for note in lowering.notes if note not in notes]
        except LoweringError as error:
            raise LoweringError(f"{path}, size {size}: {error}") from error
    if notes:
        task["note"] = "; ".join(notes)
        task["sizes"] = task.pop("sizes")  # stays last
    return task


class _SizeLowering:
    """One size: build, export, name, convert, describe."""

    def __init__(self, file: TaskFile, size: str, mode: str, infer: bool):
        self.mode = mode
        self.infer = infer
        self.notes: list[str] = []
        with self._placement():
            self.module = file.load(size)
        self.names = Names()
        self.made_of_values = False  # get_inputs() reads what it draws

    def _placement(self):
        return OnCpu() if self.infer else contextlib.nullcontext()

    def run(self) -> dict:
        with self._placement():
            return self._run()

    def _run(self) -> dict:
        self.model, self.recorder = _build(self.module)
        self.original, self.original_recorder = self._original_model()
        self.model.train(self.mode == "batch-stats")
        self.program = self._export()
        names = {}
        inputs = self._name_inputs(names)
        parameters = self._name_parameters(names)
        converted = convert(self.program, names, self.names, self.mode == "batch-stats")
        inputs += [_spec(name, tensor, draw) for name, tensor, draw in converted.random_inputs]
        if not inputs:
            raise LoweringError("forward takes no tensor, so every call would give the same")
        used = set(converted.placeholders.values())
        return {
            "inputs": inputs,
            "parameters": [self._parameter(*p) for p in parameters if p[0] in used],
            "nodes": converted.nodes,
            "outputs": self._outputs(converted),
        }

    def _original_model(self):
        """The model and its recorder without the task's own change of the initialisation."""
        if not hasattr(self.module, "mend_parameters"):
            return self.model, self.recorder
        mend, self.module.mend_parameters = self.module.mend_parameters, lambda model: None
        try:
            return _build(self.module)
        finally:
            self.module.mend_parameters = mend

    # Export.

    def _real_inputs(self, function: str = "get_inputs") -> Call:
        return call_of(getattr(self.module, function)(), self.model.forward)

    def _fake_inputs(self, function: str) -> Call:
        with FakeTensorMode(allow_non_fake_inputs=True), self.recorder:
            return self._real_inputs(function)

    def _input_bytes(self) -> int:
        return sum(t.nbytes for t in _leaves(self.inputs) if isinstance(t, torch.Tensor))

    def _any_inputs(self) -> Call:
        """Fake ones, or where those are not enough and it may be a stranger's file, real ones."""
        try:
            return self._fake_inputs("get_inputs")
        except Exception:  # whatever a file raises where a tensor has no values
            if not self.infer:
                raise
        with reading(self.recorder):
            inputs = self._real_inputs()
        self.made_of_values = True
        self.notes.append(f"get_inputs() reads values that it draws: sizes are those with seed {SEED}")
        return inputs

    def _export(self):
        self.inputs = self._any_inputs()
        try:
            return _quiet_export(self.model, self.inputs)
        except LoweringError as first:
            if self._input_bytes() > _EXPORT_LIMIT_BYTES:
                raise
            try:
                return _quiet_export(self.model, self._real_inputs())
            except LoweringError:
                raise first

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
        leaves = _leaves(self.inputs)
        originals = self._original_inputs(leaves)
        entries, factors = [], {}
        for index, (spec, leaf, original) in enumerate(zip(specs, leaves, originals, strict=True)):
            if not isinstance(leaf, torch.Tensor):
                continue  # a number: torch.export has made it part of the graph
            name = names[spec.arg.name] = self.names.unique(spec.arg.name)
            draw = self._input_draw(name, leaf, index)
            before = draw if original is leaf else self._input_draw(name, original, index)
            entries.append(_spec(name, leaf, draw, before))
            factors.setdefault(draw.times and draw.times.source, []).append(name)
        for source, with_factor in factors.items():
            if source is not None and len(with_factor) > 1:
                self.notes.append(f"inputs {', '.join(with_factor)}: each has a random factor of its "
                                  "own, in get_inputs() they share one")
        return entries

    def _original_inputs(self, leaves: list) -> list:
        """KernelBench's inputs, where the task has others; they differ in their values alone."""
        if not hasattr(self.module, "get_kernelbench_inputs"):
            return leaves
        originals = _leaves(self._fake_inputs("get_kernelbench_inputs"))
        described = [_shape(x) if isinstance(x, torch.Tensor) else x for x in leaves]
        if [_shape(x) if isinstance(x, torch.Tensor) else x for x in originals] != described:
            raise LoweringError("get_kernelbench_inputs() must differ from get_inputs() in nothing "
                                "but how values are drawn")
        return originals

    def _input_draw(self, name: str, leaf: torch.Tensor, index: int) -> Draw:
        draw = self.recorder.draw_of(leaf)
        if self.made_of_values and (draw is None or self.recorder.depends_on_values(leaf)):
            return self._noted(*fixed_draw(name, leaf))
        if draw is None and self.infer:
            draw = self._inferred_input(name, index)
        if draw is None:
            raise LoweringError(
                f"cannot tell how input {name} is drawn: its function may fill tensors with rand, "
                f"randn, randint, zeros, ones or full, and scale, shift, compare or cut them"
            )
        return draw

    def _inferred_input(self, name: str, index: int) -> Draw | None:
        """From its values, a part of them where it is large."""

        def make():
            return _leaves(self._real_inputs())

        samples = sample(make, index)
        if samples and not samples[1] and not torch.equal(*samples[0][:2]):
            return self._noted(*infer_alike(name, samples[0]))
        if samples and samples[1]:
            return self._noted(*infer_input(name, *samples[0]))
        if self._input_bytes() > _VALUES_LIMIT_BYTES:
            return None
        return self._noted(*infer_input(name, *whole(make, index)))

    def _noted(self, draw: Draw, note: str) -> Draw:
        if note:
            self.notes.append(note)
        return draw

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
        return _attribute(self.model, fqn)

    def _parameter(self, name, fqn, kind, tensor) -> dict:
        with torch.no_grad():
            draw = before = self._initial_draw(self.recorder, name, kind, tensor)
            if self.original is not self.model and fqn is not None:
                original = _attribute(self.original, fqn)
                before = self._initial_draw(self.original_recorder, name, kind, original)
        # In eval mode a fresh norm's running statistics are 0 and 1: nobody may leave them out.
        statistics = fqn is not None and fqn.split(".")[-1] in ("running_mean", "running_var")
        trained = kind == InputKind.PARAMETER and tensor.is_floating_point()
        if trained or statistics:
            draw = draw.around()
        return _spec(name, tensor, draw, before, fqn=fqn)

    def _initial_draw(self, recorder: DrawRecorder, name, kind, tensor) -> Draw:
        """How the module fills the tensor."""
        recorded = recorder.draw_of(tensor)
        if kind == InputKind.PARAMETER and tensor.is_floating_point():
            return recorded or draw_from_statistics(tensor)
        if recorded is not None and recorded.kind not in ("constant",):
            return recorded
        if self.infer:
            return self._noted(*infer_constant(name, tensor))
        return draw_from_values(name, tensor)

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


def _spec(
    name: str, tensor: torch.Tensor, draw: Draw, kernelbench: Draw | None = None, **more
) -> dict:
    entry = {"name": name} | _shape(tensor) | {"draw": draw.to_json()}
    if kernelbench is not None and kernelbench != draw:
        entry["kernelbench"] = kernelbench.to_json()
    return entry | more


def _attribute(model: torch.nn.Module, fqn: str) -> torch.Tensor | None:
    value = model
    for part in fqn.split("."):
        value = getattr(value, part, None)
    return value if isinstance(value, torch.Tensor) else None


def _build(module) -> tuple[torch.nn.Module, DrawRecorder]:
    """The task's model and how its tensors were filled.

    Large weights stay unfilled, unless something was computed in a way that may depend on them.
    """
    for skip_fills in (True, False):
        torch.manual_seed(0)
        recorder = DrawRecorder(skip_fills)
        with recorder, torch.no_grad():
            init = call_of(module.get_init_inputs(), module.Model)
            model = module.Model(*init.args, **init.kwargs)
        tensors = (*model.parameters(), *(b for b in model.buffers() if b.is_floating_point()))
        if not recorder.skipped or all(recorder.draw_of(t) is not None for t in tensors):
            break
    return model, recorder


def _leaves(call: Call) -> list:
    """The tensors in the arguments, in the order of torch.export's user inputs."""
    return pytree.tree_leaves((call.args, call.kwargs))


def _quiet_export(model, call: Call):
    """torch.export in its non-strict form, without its warnings; LoweringError where it refuses."""
    logger = logging.getLogger("torch.export")
    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(torch.no_grad())
        stack.enter_context(shapes_only())
        stack.callback(logger.setLevel, logger.level)
        logger.setLevel(logging.ERROR)
        try:
            return torch.export.export(model, call.args, call.kwargs, strict=False)
        except Exception as error:  # torch.export raises whatever the module's code raises
            text = str(error).strip().splitlines() or [type(error).__name__]
            raise LoweringError(f"torch.export: {type(error).__name__}: {text[0]}") from error
