"""Builds AOTInductor packages from lowered tasks: the compiled baseline.

Started and spoken to by baselines/builder_process.cpp, in the sandbox: it sees no file of the task's, whose
text comes with the request, and writes below TMPDIR alone. One JSON object a line on stdin, one on stdout
for each, until stdin ends; the protocol is described there. The process is persistent because the
first package costs several times a later one (imports, precompiled headers).

Each package is a function of all inputs, parameters and buffers, so that it holds no weights. What
is in this file decides what the package is, so its hash is part of the package's key.
"""

import fcntl
import functools
import json
import os
import sys
import traceback

# The protocol keeps the real stdout to itself; whatever a library prints goes to stderr.
REPLIES = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
os.dup2(2, 1)
os.environ.pop("NVIDIA_TF32_OVERRIDE", None)

from pathlib import Path  # noqa: E402

import torch  # noqa: E402
import torch._inductor  # noqa: E402
from torch import fx  # noqa: E402
from torch._inductor import cpu_vec_isa, ir  # noqa: E402
from torch._inductor.cpu_vec_isa import VecISA  # noqa: E402
from torch._inductor.lowering import register_lowering  # noqa: E402
from torch._inductor.package import package_aoti  # noqa: E402
from torch._inductor.runtime.triton_heuristics import CachingAutotuner  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "suites"))
sys.dont_write_bytecode = True  # what is installed stays as it is; torch's own may be written
from lowering.graph import build_graph_module, empty_tensors  # noqa: E402

sys.dont_write_bytecode = False

aten = torch.ops.aten

# Precision class -> (TF32 in cuDNN, TF32 in matrix products). "torch-default" is what PyTorch does
# when nobody asks.
TF32 = {"torch-default": (True, False), "fp32": (False, False), "tf32": (True, True),
        "bf16": (True, False), "fp16": (True, False)}
# Types in the place of float32; as runner/task/working_type.cpp says.
REAL = {"bf16": torch.bfloat16, "fp16": torch.float16}

# Same as torch.compile's defaults otherwise; max_autotune stays off.
INDUCTOR_OPTIONS = {
    "aot_inductor.package": True,
    "max_autotune": False,
    "max_autotune_gemm": False,
    "max_autotune_pointwise": False,
}


def inductor_options(device: torch.device) -> dict:
    """Inductor's options for packages of that device.

    On CPU the package names no LibTorch: its player has libtorch_cpu and not libtorch, which in a wheel for
    CUDA would load 6 GB of libraries that nothing on a CPU calls. And no headers are precompiled: that takes a
    compiler 10 s, and two packages that were timed without them compiled as fast.
    """
    if device.type != "cpu":
        return dict(INDUCTOR_OPTIONS)
    return {**INDUCTOR_OPTIONS, "aot_inductor.link_libtorch": False, "aot_inductor.precompile_headers": False}


# --- Recurrent layers -------------------------------------------------------------------------
# Inductor would unroll them into thousands of nodes, where torch.compile leaves them to eager's
# kernels (cuDNN on CUDA). So each is hidden behind an operator of ours, which nothing decomposes,
# and lowered to a call of the original one through the dispatcher. On CUDA that call finds cuDNN,
# and finds the weights in one flat buffer if the caller laid them out so.

_library = torch.library.Library("kbench", "DEF")
_opaque = {}  # original overload -> ours
_original = {}  # ours -> original overload


class _OriginalCall(ir.FallbackKernel):
    """Takes shapes and strides from our operator, and calls the original one when run."""

    def __init__(self, layout, kernel, *args, **kwargs):
        super().__init__(layout, _original[kernel], *args, **kwargs)


def _shapes(x, hidden, weights, biases, layers, dropout, train, bidirectional, batch_first):
    # Time-major and dense on every device: see hide_recurrent_layers.
    states = hidden if isinstance(hidden, (list, tuple)) else [hidden]
    width = states[0].shape[-1] * (2 if bidirectional else 1)
    return (x.new_empty((x.shape[0], x.shape[1], width)), *(s.new_empty(s.shape) for s in states))


def _define_opaque(original: torch._ops.OpOverload, name: str) -> None:
    _library.define(name + str(original._schema)[len(original.name()) :])
    opaque = getattr(torch.ops.kbench, name).default
    torch.library.register_fake(f"kbench::{name}", _shapes, lib=_library)
    _opaque[original], _original[opaque] = opaque, original

    @register_lowering(opaque, type_promotion_kind=None)
    def lower(*args):
        return pytree.tree_map_only(
            ir.IRNode, ir.TensorBox.create, _OriginalCall.create(opaque, *args)
        )


for _name in ("gru", "lstm", "rnn_tanh", "rnn_relu"):
    _define_opaque(getattr(aten, _name).input, _name)


def hide_recurrent_layers(module: fx.GraphModule) -> None:
    """Puts our operators in the place of recurrent ones, time-major, in place.

    Batch-first layers return transposed views whose strides differ between devices; the transposes
    become nodes of their own.
    """
    graph = module.graph
    for node in list(graph.nodes):
        if node.target not in _opaque:
            continue
        *args, batch_first = node.args
        with graph.inserting_before(node):
            if batch_first:
                args[0] = graph.call_function(aten.transpose.int, (args[0], 0, 1))
            call = graph.call_function(_opaque[node.target], (*args, False))
        node.replace_all_uses_with(call)
        graph.erase_node(node)
        if batch_first:
            for item in [user for user in call.users if user.args[1] == 0]:
                with graph.inserting_after(item):
                    swapped = graph.call_function(aten.transpose.int, (item, 0, 1))
                item.replace_all_uses_with(swapped, delete_user_cb=lambda user: user is not swapped)
    graph.lint()
    module.recompile()


# --- Vector instructions ----------------------------------------------------------------------
# Whether compiler and processor have them Inductor tries in each process anew, for up to nine sets of them, of
# which it then takes the first that works. Each trial is a file with LibTorch's headers (4 s of a compiler), and
# a process that imports torch, one at a time on the machine, for no more than that its libraries are found: 2 s
# (8 on a slower machine, where eight builders took two minutes to begin). So the process loads the library that
# the file needs, and once one set works the others are not tried.
VecISA._avx_py_load = f"""
from ctypes import CDLL, RTLD_GLOBAL
CDLL({str(Path(torch.__file__).parent / "lib/libtorch_cpu.so")!r}, RTLD_GLOBAL)
CDLL("__lib_path__")
"""

_all_that_work = cpu_vec_isa.valid_vec_isa_list


@functools.cache
def _first_that_works() -> list[VecISA]:
    """Inductor's list of what works, asked for one candidate at a time."""
    candidates = cpu_vec_isa.supported_vec_isa_list
    try:
        for candidate in candidates:
            cpu_vec_isa.supported_vec_isa_list = [candidate]
            if works := _all_that_work.__wrapped__():
                return works
        return []
    finally:
        cpu_vec_isa.supported_vec_isa_list = candidates


if "ATEN_CPU_CAPABILITY" not in os.environ:  # by which Inductor chooses among all
    cpu_vec_isa.valid_vec_isa_list = _first_that_works

# --- Tuning ---------------------------------------------------------------------------------
# Inductor times a few launch shapes of a kernel on the GPU and keeps the fastest. Beside the
# kernels of other builders that is chance: of twelve packages built at once the relu's kernel came
# out 11 % slower than of one built alone (H200). So the builders of a device take turns, those of
# another kbench on this machine included: each has a descriptor of the device's lock, which it
# opened or was given as its own.

_time_variants = CachingAutotuner.benchmark_all_configs
_TUNING_LOCK = os.environ.get("KBENCH_TUNING_LOCK")


def _time_variants_in_turn(self, *args, **kwargs):
    if _TUNING_LOCK is None:
        return _time_variants(self, *args, **kwargs)
    fcntl.flock(int(_TUNING_LOCK), fcntl.LOCK_EX)
    try:
        return _time_variants(self, *args, **kwargs)
    finally:
        fcntl.flock(int(_TUNING_LOCK), fcntl.LOCK_UN)


CachingAutotuner.benchmark_all_configs = _time_variants_in_turn

# --- One package ------------------------------------------------------------------------------


def set_precision(precision: str) -> None:
    """Sets the process's flags; raises ValueError for a class that has no compiled baseline."""
    if precision not in TF32:
        raise ValueError(f"no compiled baseline for precision class {precision}")
    torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = TF32[precision]


def build(request: dict) -> None:
    """Builds the package of one request at request["output"], whole or not at all."""
    set_precision(request["precision"])
    if request["threads"]:
        torch.set_num_threads(request["threads"])
    task = json.loads(request["task"])
    device = torch.device(request["device"])
    real = REAL.get(request["precision"], torch.float32)
    module = build_graph_module(task, request["size"], real_dtype=real, device=device)
    hide_recurrent_layers(module)

    # Fake tensors: the largest tasks need no memory here.
    with FakeTensorMode(allow_non_fake_inputs=True):
        examples = tuple(empty_tensors(task, request["size"], real_dtype=real, device=device))
    torch._dynamo.reset()
    with torch.no_grad():
        files = torch._inductor.aot_compile(module, examples, options=inductor_options(device))
    temporary = f"{request['output']}.{os.getpid()}.pt2"
    try:
        package_aoti(temporary, files)
        os.replace(temporary, request["output"])
    finally:
        Path(temporary).unlink(missing_ok=True)


def is_transient(error: BaseException) -> bool:
    """Whether the failure says nothing about the task: memory, disk.

    Inductor wraps what its autotuning raises and keeps only the words.
    """
    if isinstance(error, (MemoryError, OSError, torch.OutOfMemoryError)):
        return True
    return "out of memory" in str(error)


def answer(request: dict) -> dict:
    try:
        build(request)
        return {"id": request["id"], "output": request["output"]}
    except Exception as error:  # whatever the compiler raises becomes the reason
        traceback.print_exc()
        lines = str(error).strip().splitlines() or ["no message"]
        reason = f"{type(error).__name__}: {lines[0][:500]}"
        return {"id": request["id"], "reason": reason, "transient": is_transient(error)}
    finally:
        # Autotuning ran the kernels on real tensors; other builders need that memory now.
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()


def main() -> None:
    def reply(message: dict) -> None:
        REPLIES.write(json.dumps(message) + "\n")

    reply({"ready": True, "torch": torch.__version__.split("+")[0]})
    for line in sys.stdin:
        reply(answer(json.loads(line)))


if __name__ == "__main__":
    main()
