"""Turns one size of a lowered task back into a torch.fx.GraphModule.

Used by baselines/aot_builder.py (the compiled baseline is built from the lowered file, never from
the .py), by the analysis that fills in peak_bytes_* and flops, and by the golden tests. The graph
calls the very operator overloads that the file names, in the file's order; its placeholders are
all inputs, then all parameters; it returns a tuple with all outputs.
"""

import keyword
import operator

import torch
from torch import fx

from .operators import full_name, listed

_MEMORY_FORMATS = {
    "contiguous": torch.contiguous_format,
    "preserve": torch.preserve_format,
    "channels_last": torch.channels_last,
    "channels_last_3d": torch.channels_last_3d,
}


def dtype_of(name: str) -> torch.dtype:
    """The dtype that a lowered file calls `name`, e.g. "float32"."""
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype):
        raise ValueError(f"unknown dtype {name!r} in a lowered task")
    return dtype


def working_dtype(spec: dict, real_dtype: torch.dtype) -> torch.dtype:
    """The dtype of an input, parameter or output when floating tensors are `real_dtype`."""
    dtype = dtype_of(spec["dtype"])
    return real_dtype if dtype.is_floating_point else dtype


def overload_of(node: dict) -> torch._ops.OpOverload:
    """The operator overload that a lowered node calls."""
    name = full_name(node["op"], node["overload"])
    if name not in listed():
        raise ValueError(f"{name} is not in suites/operators.txt")
    packet = getattr(torch.ops.aten, node["op"].removeprefix("aten::"))
    return getattr(packet, node["overload"] or "default")


def _identifier(name: str) -> str:
    """The name of a placeholder, which fx writes into the source of a function."""
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"{name!r} is no name")
    return f"{name}_" if keyword.iskeyword(name) else name


def empty_tensors(task: dict, size: str, *, real_dtype=torch.float32, device="cpu") -> list:
    """Uninitialised tensors for the placeholders, inputs then parameters.

    Under a FakeTensorMode they take no memory.
    """
    graph = task["sizes"][size]
    return [
        torch.empty(spec["shape"], dtype=working_dtype(spec, real_dtype), device=device)
        for spec in graph["inputs"] + graph["parameters"]
    ]


class _Builder:
    """Builds the fx graph of one size; maps value names of the file to fx nodes."""

    def __init__(self, graph: dict, real_dtype: torch.dtype, device: torch.device):
        self.graph = graph
        self.real_dtype = real_dtype
        self.device = device
        self.values: dict[str, fx.Node] = {}
        self.fx_graph = fx.Graph()

    def build(self) -> fx.GraphModule:
        for spec in self.graph["inputs"] + self.graph["parameters"]:
            self.values[spec["name"]] = self.fx_graph.placeholder(_identifier(spec["name"]))
        for node in self.graph["nodes"]:
            self._add(node)
        self.fx_graph.output(tuple(self.values[o["value"]] for o in self.graph["outputs"]))
        self.fx_graph.lint()
        return fx.GraphModule(torch.nn.Module(), self.fx_graph)

    def _add(self, node: dict) -> None:
        overload = overload_of(node)
        arguments = overload._schema.arguments
        if len(arguments) != len(node["args"]):
            raise ValueError(
                f"{node['op']}.{node['overload']}: {len(node['args'])} arguments in the file, "
                f"{len(arguments)} in the schema of torch {torch.__version__}; lower the task again"
            )
        converted = [self._convert(entry) for entry in node["args"]]
        args = tuple(c for c, a in zip(converted, arguments) if not a.kwarg_only)
        kwargs = {a.name: c for c, a in zip(converted, arguments) if a.kwarg_only}
        call = self.fx_graph.call_function(overload, args, kwargs)
        self._name_outputs(node["outs"], call, overload._schema.returns)

    def _name_outputs(self, outs: list, call: fx.Node, returns: list) -> None:
        if len(returns) == 1 and isinstance(returns[0].type, torch.TensorType):
            if outs[0] is not None:
                self.values[outs[0]] = call
            return
        # Several tensors, or one list of tensors: both are indexed.
        for index, name in enumerate(outs):
            if name is not None:
                self.values[name] = self.fx_graph.call_function(operator.getitem, (call, index))

    def _convert(self, entry):
        if isinstance(entry, list):
            return [self._convert(item) for item in entry]
        if not isinstance(entry, dict):
            return entry
        (kind, value), = entry.items()
        if kind == "v":
            return self.values[value]
        if kind == "scalar":  # torch.ops wraps a Python number in a Tensor slot as a wrapped number
            return value
        if kind == "float":
            return float(value)
        if kind == "dtype":
            return self.real_dtype if value == "real" else dtype_of(value)
        if kind == "device":
            return self.device
        if kind == "layout":
            return getattr(torch, value)
        if kind == "memory_format":
            return _MEMORY_FORMATS[value]
        raise ValueError(f"unknown argument entry {entry!r} in a lowered task")


def build_graph_module(
    task: dict, size: str, *, real_dtype: torch.dtype = torch.float32, device="cpu"
) -> fx.GraphModule:
    """The graph of `size` as a GraphModule: (inputs..., parameters...) -> tuple of outputs.

    `real_dtype` is what {"dtype": "real"} means, `device` what {"device": true} means; the caller
    passes tensors that agree with both (see empty_tensors).
    """
    return _Builder(task["sizes"][size], real_dtype, torch.device(device)).build()
