"""Peak memory, operation count and longest sum of a lowered graph, from one run on fake tensors."""

import math

import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.flop_counter import FlopCounterMode, flop_registry, sdpa_flop_count

from .graph import build_graph_module, empty_tensors
from .recurrent import results_and_flops


# Facts that the analysis finds about a graph, as suites/FORMAT.md describes them.
FACTS = ("peak_bytes_fp32", "peak_bytes_fp64", "flops", "longest_sum")


def _sdpa_cpu_flop(query_shape, key_shape, value_shape, *args, out_shape=None, **kwargs) -> int:
    return sdpa_flop_count(query_shape, key_shape, value_shape)


# torch counts attention by the names of its CUDA kernels only.
_EXTRA_FLOPS = {
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _sdpa_cpu_flop,
}


# How many terms an operator adds up, or factors it multiplies, for one value of its output, from its
# tensors and arguments: either is rounded as often.
def _reduced(result: torch.Tensor, x: torch.Tensor, *_) -> int:
    return x.numel() // max(result.numel(), 1)


def _along(result: torch.Tensor, x: torch.Tensor, dim: int = -1, *_) -> int:
    return x.shape[dim] if x.dim() else 1


def _window(result: torch.Tensor, x: torch.Tensor, kernel, *_) -> int:
    dims = x.dim() - 2
    return math.prod(kernel) if len(kernel) == dims else kernel[0] ** dims


def _channel(result: torch.Tensor, x: torch.Tensor, *_) -> int:
    return x.numel() // x.shape[1]


def _instance(result: torch.Tensor, x: torch.Tensor, *_) -> int:
    return x.numel() // (x.shape[0] * x.shape[1])


def _group(result: torch.Tensor, x: torch.Tensor, groups: int, *_) -> int:
    return x.numel() // (x.shape[0] * groups)


def _layer(result: torch.Tensor, x: torch.Tensor, shape, *_) -> int:
    return math.prod(shape)


_SUMS = {
    "sum": _reduced,
    "mean": _reduced,
    "logsumexp": _reduced,
    "linalg_vector_norm": _reduced,
    "adaptive_avg_pool1d": _reduced,
    "adaptive_avg_pool2d": _reduced,
    "adaptive_avg_pool3d": _reduced,
    "avg_pool1d": _window,
    "avg_pool2d": _window,
    "avg_pool3d": _window,
    "softmax": _along,
    "log_softmax": _along,
    "cumsum": _along,
    "cumprod": _along,
    "batch_norm": _channel,
    "instance_norm": _instance,
    "group_norm": _group,
    "layer_norm": _layer,
}


class _Lifetimes(fx.Interpreter):
    """Runs the graph and keeps the largest sum of live storages.

    A storage lives from the operator that makes it to the last use of any value in it. Inputs and
    parameters have storages of their own, which are not counted.
    """

    def __init__(self, module: fx.GraphModule):
        super().__init__(module)
        self.given: set[int] = set()
        self.bytes: dict[int, torch.UntypedStorage] = {}
        self.doubling: set[int] = set()  # storages that are twice as large in float64
        self.born: dict[int, int] = {}
        self.dies: dict[int, int] = {}
        self.clock = 0
        self.longest_sum = 0
        self.recurrent_flops = 0

    def call_function(self, target, args, kwargs):
        if isinstance(target, torch._ops.OpOverload):
            if found := results_and_flops(target, *args):
                result, flops = found
                self.recurrent_flops += flops
                return result
        return super().call_function(target, args, kwargs)

    def run_node(self, node: fx.Node):
        self.clock += 1
        result = super().run_node(node)
        used = [self.env[n] for n in node.all_input_nodes]
        if isinstance(node.target, torch._ops.OpOverload):
            self._count_terms(node, result)
        for tensor in _flatten([result, used]):
            storage = tensor.untyped_storage()
            key = storage._cdata
            if node.op == "placeholder":
                self.given.add(key)
            if key not in self.given:
                self.bytes.setdefault(key, storage)
                self.born.setdefault(key, self.clock)
                self.dies[key] = self.clock
                if tensor.dtype == torch.float32:
                    self.doubling.add(key)
        return result

    def _count_terms(self, node: fx.Node, result) -> None:
        terms = _SUMS.get(node.target._schema.name.removeprefix("aten::"))
        if terms is None:
            return
        arguments = fx.node.map_arg(node.args, lambda n: self.env[n])
        self.longest_sum = max(self.longest_sum, terms(result, *arguments))

    def peak(self, real_bytes: int) -> int:
        """In bytes, where an element of the working precision takes `real_bytes`."""
        changes: dict[int, int] = {}
        for key, storage in self.bytes.items():
            size = storage.nbytes() * (real_bytes // 4 if key in self.doubling else 1)
            changes[self.born[key]] = changes.get(self.born[key], 0) + size
            after = self.dies[key] + 1
            changes[after] = changes.get(after, 0) - size
        live = peak = 0
        for moment in sorted(changes):
            live += changes[moment]
            peak = max(peak, live)
        return peak


def _flatten(value) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for v in value for t in _flatten(v)] if isinstance(value, (list, tuple)) else []


def analyse(task: dict, size: str) -> dict:
    """FORMAT.md's last numbers of one size; takes no memory itself."""
    with FakeTensorMode(), torch.no_grad():
        tensors = empty_tensors(task, size)
        run = _Lifetimes(build_graph_module(task, size))
        counter = FlopCounterMode(display=False, custom_mapping=_extra_flops())
        with counter:
            run.run(*tensors, enable_io_processing=False)
    facts = {
        "peak_bytes_fp32": run.peak(4),
        "peak_bytes_fp64": run.peak(8),
        "flops": counter.get_total_flops() + run.recurrent_flops,
    }
    # Beside products nobody could tell what a longer sum excuses from what TF32 loses.
    if run.longest_sum > 1 and facts["flops"] == 0:
        facts["longest_sum"] = run.longest_sum
    return facts


def _extra_flops() -> dict:
    return {k: v for k, v in _EXTRA_FLOPS.items() if k not in flop_registry}
