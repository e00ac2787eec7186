"""Peak memory and operation count of a lowered graph, from one run on fake tensors."""

import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.flop_counter import FlopCounterMode, flop_registry, sdpa_flop_count

from .graph import build_graph_module, empty_tensors


def _sdpa_cpu_flop(query_shape, key_shape, value_shape, *args, out_shape=None, **kwargs) -> int:
    return sdpa_flop_count(query_shape, key_shape, value_shape)


# torch counts attention by the names of its CUDA kernels only.
_EXTRA_FLOPS = {
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _sdpa_cpu_flop,
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

    def run_node(self, node: fx.Node):
        self.clock += 1
        result = super().run_node(node)
        used = [self.env[n] for n in node.all_input_nodes]
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
    """{"peak_bytes_fp32", "peak_bytes_fp64", "flops"} of one size; takes no memory itself."""
    with FakeTensorMode(), torch.no_grad():
        tensors = empty_tensors(task, size)
        run = _Lifetimes(build_graph_module(task, size))
        counter = FlopCounterMode(display=False, custom_mapping=_extra_flops())
        with counter:
            run.run(*tensors, enable_io_processing=False)
    return {
        "peak_bytes_fp32": run.peak(4),
        "peak_bytes_fp64": run.peak(8),
        "flops": counter.get_total_flops(),
    }


def _extra_flops() -> dict:
    return {k: v for k, v in _EXTRA_FLOPS.items() if k not in flop_registry}
