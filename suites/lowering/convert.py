"""From torch.export's graph to the nodes of a task file.

torch.export leaves traces of its own: cuDNN switched off, detach and lift_fresh_copy around
constants, checks of metadata, updates of running statistics, device and dtype of the machine it ran
on. They are taken out here, so that the nodes are what `Model.forward` itself calls. See _Converter
for the order of things.
"""

import math
import operator
from dataclasses import dataclass, field

import torch

from .draws import Draw
from .errors import LoweringError
from .names import Names
from .operators import full_name, listed

# A view of a result's strides is possible where the export ran, on the CPU; attention, say, lays its
# result out otherwise on CUDA. A reshape is the same view wherever there can be one.
_VIEW = torch.ops.aten.view.default

# Operators that return their argument, or would with dropout off.
_IDENTITY = frozenset(
    """detach detach_ alias lift_fresh lift_fresh_copy dropout dropout_ feature_dropout
    feature_dropout_ alpha_dropout alpha_dropout_ feature_alpha_dropout
    feature_alpha_dropout_""".split()
)
# Operators that give their argument another shape in place and leave its memory alone: they become the views
# that they are, since the export goes on with their results.
_SHAPES_IN_PLACE = frozenset("squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_".split())
# Operators that draw random numbers: their results become inputs. Others are refused.
_RANDOM_INPUTS = {
    "rand": Draw("uniform", 0.0, 1.0),
    "rand_like": Draw("uniform", 0.0, 1.0),
    "randn": Draw("normal", 0.0, 1.0),
    "randn_like": Draw("normal", 0.0, 1.0),
}
_NORMS_WITH_STATISTICS = {"batch_norm": "training", "instance_norm": "use_input_stats"}
_LAYOUTS = {torch.strided: "strided"}
_MEMORY_FORMATS = {
    torch.contiguous_format: "contiguous",
    torch.preserve_format: "preserve",
    torch.channels_last: "channels_last",
    torch.channels_last_3d: "channels_last_3d",
}


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _schema_of(target: torch._ops.OpOverload):
    """The schema of the operator that stands in the task for this one."""
    namespace, name = target._schema.name.split("::")
    if namespace == "aten" and name in _SHAPES_IN_PLACE:
        overload = "int" if name == "transpose_" else target._overloadname
        return getattr(getattr(torch.ops.aten, name[:-1]), overload)._schema
    return target._schema


def _shown(node: torch.fx.Node) -> torch.Tensor:
    """The tensor that the export shows for a node.

    For an LSTM's last states it shows one dimension too many (torch 2.11): they have the shape of the
    first ones.
    """
    if node.target is operator.getitem:
        call, index = node.args
        if call.target is torch.ops.aten.lstm.input and index > 0:
            return call.args[1][index - 1].meta["val"]
    return node.meta["val"]


@dataclass
class Converted:
    """Nodes and outputs by value name, and which placeholders of the export they still read."""

    nodes: list[dict] = field(default_factory=list)
    outputs: list[tuple[str, torch.Tensor]] = field(default_factory=list)
    placeholders: dict[str, str] = field(default_factory=dict)  # of the export -> value name
    random_inputs: list[tuple[str, torch.Tensor, Draw]] = field(default_factory=list)


@dataclass
class _Call:
    """One kept operator call, before names of dead values are dropped."""

    node: torch.fx.Node
    entry: dict
    reads: set[str]  # value names
    storages_read: set[int]
    storages_written: set[int]


def _storage(value) -> int | None:
    return value.untyped_storage()._cdata if isinstance(value, torch.Tensor) else None


def _tensors(value) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for item in value for t in _tensors(item)] if isinstance(value, (tuple, list)) else []


class _Converter:
    """Walks the export once forward (calls), once backward (liveness), then protects inputs.

    `self.value` maps every fx node to the entry that stands for it: {"v": name}, or a list of
    these for a node with several results.
    """

    def __init__(self, program, names: dict[str, str], allocate: Names, batch_statistics: bool):
        self.program = program
        self.names = names
        self.allocate = allocate
        self.batch_statistics = batch_statistics
        self.value: dict[torch.fx.Node, object] = {}
        self.calls: list[_Call] = []
        self.result = Converted()

    def run(self) -> Converted:
        output = None
        for node in self.program.graph_module.graph.nodes:
            if node.op == "placeholder":
                if node.name in self.names:
                    self.value[node] = {"v": self.names[node.name]}
            elif node.op == "call_function":
                self._call(node)
            elif node.op == "output":
                output = node
            else:
                raise LoweringError(f"torch.export left a {node.op} node, {node.name}")
        results = self._user_outputs(output)
        self.result.outputs = [(self.value[n]["v"], _shown(n)) for n in results]
        self._drop_dead_calls(results)
        self._protect_placeholders()
        self.result.nodes += [call.entry for call in self.calls]
        return self.result

    # Forward: one entry for each operator call.

    def _call(self, node: torch.fx.Node) -> None:
        if node.target is operator.getitem:
            self.value[node] = self.value[node.args[0]][node.args[1]]
            return
        if not isinstance(node.target, torch._ops.OpOverload):
            raise LoweringError(f"torch.export left {node.target}, which is not an ATen operator")
        schema = _schema_of(node.target)
        namespace, name = schema.name.split("::")
        if namespace == "aten" and name in _IDENTITY:
            self.value[node] = self.value[node.args[0]]
            return
        if namespace == "aten" and name in _RANDOM_INPUTS:
            value = self.allocate.unique(node.name)
            self.value[node] = {"v": value}
            self.result.random_inputs.append((value, node.meta["val"], _RANDOM_INPUTS[name]))
            return
        outs = self._name_results(node, schema)
        entry = {
            "op": "aten::reshape" if node.target is _VIEW else schema.name,
            "overload": schema.overload_name,
            "args": self._arguments(node, schema, name),
            "outs": outs,
        }
        self._remember(node, schema, entry)

    def _name_results(self, node, schema) -> list[str]:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            outs = [self.allocate.unique(node.name)]
            self.value[node] = {"v": outs[0]}
            return outs
        tensors = _tensors(value)
        if schema.returns and not tensors:
            self.value[node] = None  # a check; it dies with the dead calls
            return []
        if len(schema.returns) > 1 and any(
            not isinstance(r.type, torch.TensorType) for r in schema.returns
        ):
            raise LoweringError(f"{schema.name} returns tensors and something else")
        outs = [self.allocate.unique(f"{node.name}_{i}") for i in range(len(tensors))]
        self.value[node] = [{"v": out} for out in outs]
        return outs

    def _remember(self, node, schema, entry) -> None:
        reads, storages_read, storages_written = set(), set(), set()
        for used in node.all_input_nodes:
            for tensor in _tensors(used.meta.get("val")):
                storages_read.add(_storage(tensor))
        _collect_values(entry["args"], reads)
        for argument, given in zip(schema.arguments, _given(node, schema)):
            if argument.alias_info is not None and argument.alias_info.is_write:
                nodes = given if isinstance(given, (list, tuple)) else [given]
                storages_written |= {
                    _storage(t)
                    for n in nodes
                    if isinstance(n, torch.fx.Node)
                    for t in _tensors(n.meta["val"])
                }
        self.calls.append(_Call(node, entry, reads, storages_read, storages_written))

    # Arguments, in the order of the schema.

    def _arguments(self, node, schema, name) -> list:
        given = _given(node, schema)
        entries = [self._entry(a, g, schema) for a, g in zip(schema.arguments, given)]
        position = {a.name: i for i, a in enumerate(schema.arguments)}
        for flag in ("cudnn_enabled", "cudnn_enable"):  # the export traces with cuDNN off
            if flag in position:
                entries[position[flag]] = True
        for dropout in ("dropout", "dropout_p"):
            if dropout in position and isinstance(entries[position[dropout]], float):
                entries[position[dropout]] = 0.0
        own = _NORMS_WITH_STATISTICS.get(name)
        if self.batch_statistics and own and entries[position[own]] is True:
            entries[position["running_mean"]] = entries[position["running_var"]] = None
        takes_tensors = any("Tensor" in str(a.type) for a in schema.arguments)
        if not takes_tensors and "dtype" in position and entries[position["dtype"]] is None:
            # A tensor out of nothing: its dtype would follow the default, not the working one.
            entries[position["dtype"]] = self._dtype(node.meta["val"].dtype)
        if not takes_tensors and "device" in position:
            entries[position["device"]] = {"device": True}
        return entries

    def _entry(self, argument, given, schema):
        try:
            return self._typed(argument.type, argument.N, given)
        except LoweringError as error:
            raise LoweringError(f"{schema.name}, argument {argument.name}: {error}") from None

    def _typed(self, kind, count, given):
        if isinstance(kind, torch.OptionalType):
            return None if given is None else self._typed(kind.getElementType(), count, given)
        if isinstance(kind, torch.ListType):
            if not isinstance(given, (list, tuple)):
                given = [given] * (count or 1)  # int[2] given as one int
            return [self._typed(kind.getElementType(), None, item) for item in given]
        if isinstance(given, torch.fx.Node):
            value = self.value.get(given)
            if isinstance(given.meta.get("val"), (torch.SymInt, torch.SymFloat, torch.SymBool)):
                raise LoweringError("forward reads it out of a tensor, and a task is one fixed graph; "
                                    "use torch.where or fixed bounds")
            if not isinstance(value, dict):
                raise LoweringError(f"{given.name} is not one tensor")
            return value
        if given is None:
            return None
        if isinstance(kind, torch.TensorType):
            return {"scalar": self._number(given)}
        if isinstance(given, torch.device):
            return {"device": True}
        if isinstance(given, torch.dtype):
            return self._dtype(given)
        if isinstance(given, torch.layout):
            return {"layout": _LAYOUTS[given]}
        if isinstance(given, torch.memory_format):
            return {"memory_format": _MEMORY_FORMATS[given]}
        if isinstance(given, (bool, str)):
            return given
        number = self._number(float(given) if isinstance(kind, torch.FloatType) else given)
        if isinstance(number, float) and not math.isfinite(number):
            return {"float": str(number)}
        return number

    @staticmethod
    def _number(given):
        if not isinstance(given, (bool, int, float)):
            raise LoweringError(f"cannot store {given!r} of type {type(given).__name__}")
        return given

    @staticmethod
    def _dtype(dtype: torch.dtype) -> dict:
        return {"dtype": "real" if dtype == torch.float32 else dtype_name(dtype)}

    # Backward: what no output depends on goes, running-statistics updates among it.

    def _user_outputs(self, output: torch.fx.Node) -> list[torch.fx.Node]:
        by_name = {n.name: n for n in self.program.graph_module.graph.nodes}
        kinds = torch.export.graph_signature.OutputKind
        results = []
        for spec in self.program.graph_signature.output_specs:
            if spec.kind == kinds.USER_OUTPUT and isinstance(
                spec.arg, torch.export.graph_signature.TensorArgument
            ):
                results.append(by_name[spec.arg.name])
        if not results:
            raise LoweringError("forward returns no tensor")
        return results

    def _drop_dead_calls(self, results: list[torch.fx.Node]) -> None:
        values = {name for name, _ in self.result.outputs}
        storages = {_storage(t) for n in results for t in _tensors(n.meta["val"])}
        kept = []
        for call in reversed(self.calls):
            outs = set(call.entry["outs"])
            if not (outs & values or call.storages_written & storages):
                continue
            call.entry["outs"] = [o if o in values else None for o in call.entry["outs"]]
            values |= call.reads
            storages |= call.storages_read
            if torch.Tag.nondeterministic_seeded in call.node.target.tags:
                self._refuse_random(call)
            self._refuse_unlisted(call)
            kept.append(call)
        self.calls = kept[::-1]
        self.result.placeholders = {p: n for p, n in self.names.items() if n in values}
        self.result.random_inputs = [r for r in self.result.random_inputs if r[0] in values]

    @staticmethod
    def _refuse_random(call: _Call) -> None:
        # Recurrent layers and attention carry the tag for their dropout, which is 0.0 here.
        names = {a.name for a in call.node.target._schema.arguments}
        if not names & {"dropout", "dropout_p"} :
            raise LoweringError(f"{call.entry['op']} draws random numbers in forward")

    @staticmethod
    def _refuse_unlisted(call: _Call) -> None:
        name = full_name(call.entry["op"], call.entry["overload"])
        if name not in listed():
            raise LoweringError(
                f"forward uses {name}, which is none of the {len(listed())} operators that a task may use "
                "(suites/operators.txt); write it with those, or ask for it in an issue",
                traced=call.node.meta.get("stack_trace") or "",
            )

    # An operator that works in place must not reach the caller's tensors.

    def _protect_placeholders(self) -> None:
        written = set().union(*(c.storages_written for c in self.calls)) if self.calls else set()
        copies = {}
        for node in self.program.graph_module.graph.nodes:
            name = self.result.placeholders.get(node.name) if node.op == "placeholder" else None
            if name is not None and _storage(node.meta["val"]) in written:
                copies[name] = self.allocate.unique(name + "_copy")
                self.result.nodes.append(
                    {
                        "op": "aten::clone",
                        "overload": "",
                        "args": [{"v": name}, None],
                        "outs": [copies[name]],
                    }
                )
        if copies:
            for call in self.calls:
                call.entry["args"] = _renamed(call.entry["args"], copies)
            self.result.outputs = [(copies.get(n, n), t) for n, t in self.result.outputs]


def _given(node: torch.fx.Node, schema) -> list:
    """The call's arguments, one for each of the schema's, defaults filled in."""
    given = []
    for index, argument in enumerate(schema.arguments):
        if not argument.kwarg_only and index < len(node.args):
            given.append(node.args[index])
        else:
            given.append(node.kwargs.get(argument.name, _default(argument)))
    return given


def _default(argument):
    """The schema's default; enumerations, which it keeps as numbers, as PyTorch's objects."""
    kind, value = str(argument.real_type), argument.default_value
    if value is None:
        return None
    if "MemoryFormat" in kind:
        return (torch.contiguous_format, torch.preserve_format)[value]
    if "ScalarType" in kind:
        return {4: torch.int64, 6: torch.float32, 7: torch.float64, 11: torch.bool}[value]
    return value


def _collect_values(entry, into: set[str]) -> None:
    if isinstance(entry, list):
        for item in entry:
            _collect_values(item, into)
    elif isinstance(entry, dict) and "v" in entry:
        into.add(entry["v"])


def _renamed(entry, names: dict[str, str]):
    if isinstance(entry, list):
        return [_renamed(item, names) for item in entry]
    if isinstance(entry, dict) and "v" in entry:
        return {"v": names.get(entry["v"], entry["v"])}
    return entry


def convert(program, names: dict[str, str], allocate: Names, batch_statistics: bool) -> Converted:
    """Nodes and outputs of an ExportedProgram.

    `names` maps its placeholders to the names that inputs and parameters have in the file.
    """
    return _Converter(program, names, allocate, batch_statistics).run()
