"""Where the player plays: the CPU, or the one GPU that its process is shown; and kbench-player.so.

Used by player.py. A device maps arenas, takes the time of a call, and says what part of it is what.
"""

import ctypes
import time

import torch

class Call(ctypes.Structure):
    """kb_player_call of player_abi.hpp."""

    _fields_ = [
        ("number", ctypes.c_uint32),
        ("kind", ctypes.c_uint32),
        ("slots", ctypes.c_uint32),
        ("gate", ctypes.c_uint32),
        ("parameter_base", ctypes.c_uint64),
        ("input_base", ctypes.c_uint64 * 16),
        ("output_base", ctypes.c_uint64 * 16),
    ]


class Answer(ctypes.Structure):
    """kb_player_answer of player_abi.hpp."""

    _fields_ = [
        ("status", ctypes.c_int32),
        ("unused", ctypes.c_uint32),
        ("claimed_ns", ctypes.c_int64),
        ("copying_ns", ctypes.c_int64),
        ("orders", ctypes.c_uint64 * 8),
    ]


BODY = ctypes.CFUNCTYPE(ctypes.c_int32)


def declare(library, name, result, *arguments):
    function = getattr(library, name)
    function.restype = result
    function.argtypes = list(arguments)


def load_library(path, device):
    c = ctypes
    library = c.CDLL(path)
    declare(library, "kb_map_arena", c.c_void_p, c.c_int, c.c_uint64, c.c_int, c.c_char_p,
            c.c_size_t)
    declare(library, "kb_open_mailbox", c.c_void_p, c.c_int)
    declare(library, "kb_await_call", None, c.c_void_p, c.c_uint32, c.c_int, c.POINTER(Call))
    declare(library, "kb_answer_call", None, c.c_void_p, c.c_uint32, c.c_int, c.POINTER(Answer))
    declare(library, "kb_tensor", c.c_void_p, c.c_void_p, c.c_int, c.c_uint8, c.c_uint8, c.c_int,
            c.c_void_p, c.c_void_p)
    declare(library, "kb_lock_down", c.c_int, c.c_char_p, c.c_size_t)
    declare(library, "kb_watch_operators", None)
    declare(library, "kb_stop_watching", None)
    declare(library, "kb_tell_operators", None, c.c_int)
    if device == "cuda":
        declare(library, "kb_open_cuda", c.c_void_p, c.c_char_p, c.c_size_t)
        declare(library, "kb_cuda_stream", c.c_uint64, c.c_void_p)
        declare(library, "kb_map_cuda_arena", c.c_void_p, c.c_void_p, c.c_int, c.c_uint64,
                c.c_char_p, c.c_size_t)
        declare(library, "kb_time_cuda_call", c.c_int32, c.c_void_p, c.c_void_p, c.c_uint64,
                c.c_uint32, BODY, c.POINTER(c.c_int64))
        declare(library, "kb_cuda_error_text", None, c.c_int32, c.c_char_p, c.c_size_t)
        declare(library, "kb_mark", c.c_int, c.c_void_p)
        declare(library, "kb_between", c.c_int64, c.c_void_p, c.c_int, c.c_int)
        declare(library, "kb_forget_moments", None, c.c_void_p)
        declare(library, "kb_watch_cuda_operators", None, c.c_void_p)
    return library


class DeviceError(Exception):
    """The device cannot be used: no fault of a submission's."""


class Cpu:
    """Arenas are files in memory; time is the host's, and nobody believes it."""

    name = "cpu"
    on_cuda = 0
    spins = 0

    def __init__(self, library, _):
        self.library = library
        self.words = ctypes.create_string_buffer(1000)

    def map_arena(self, fd, size, writable):
        return self.library.kb_map_arena(fd, size, writable, self.words, len(self.words))

    def warm(self, wanted):
        """Touches as much memory as a call can take and frees it: the allocator keeps it."""
        piece = 32 << 20
        pieces = [torch.zeros(piece, dtype=torch.uint8) for _ in range(0, wanted, piece)]
        del pieces

    def settle(self, model):
        """What is to be done to a model that has its parameters."""

    def enter(self):
        """Before and after what is foreign runs in a call."""

    def timed(self, call, inputs, work):
        """The status that `work` returns, and how long it took."""
        start = time.perf_counter_ns()
        status = work()
        return status, time.perf_counter_ns() - start

    def moment(self):
        return time.perf_counter_ns()

    def between(self, begin, end):
        return end - begin

    def forget_moments(self):
        pass

    def claim_of_empty(self, filling_ns, _):
        """Of an empty call: what its model took. The rest is what surrounds a model."""
        return filling_ns

    def watch_operators(self):
        self.library.kb_watch_operators()

    def error_text(self, _):
        return ""


class Cuda:
    """The native worker's device: arenas, stream and events are its. Torch works on that stream."""

    name = "cuda"
    on_cuda = 1
    spins = 1

    def __init__(self, library, request):
        self.library = library
        self.words = ctypes.create_string_buffer(1000)
        self.input_bytes = request["arena_bytes"][0]
        self.handle = library.kb_open_cuda(self.words, len(self.words))
        if not self.handle:
            raise DeviceError(self.words.value.decode(errors="replace"))
        try:
            torch.cuda.init()
        except RuntimeError as error:
            raise DeviceError(f"torch cannot use the GPU: {error}") from error
        raw_stream = library.kb_cuda_stream(self.handle)
        self.stream = torch.cuda.ExternalStream(raw_stream, device="cuda:0")
        self.set_stream = torch.cuda.set_stream
        self.enter()
        precision = request["precision"]
        if precision != "torch-default":  # which is torch's own
            torch.backends.cudnn.allow_tf32 = precision == "tf32"
            torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"

    def map_arena(self, fd, size, _):
        return self.library.kb_map_cuda_arena(self.handle, fd, size, self.words, len(self.words))

    def warm(self, wanted):
        """Has the allocator keep as much as a call can take: cudaMalloc waits for the device. Less
        where the device has little left, which the references need as well."""
        free, _ = torch.cuda.mem_get_info()
        try:
            torch.empty(min(wanted, free // 4), dtype=torch.uint8, device="cuda")
        except torch.cuda.OutOfMemoryError:
            pass
        torch.cuda.synchronize()

    def settle(self, model):
        """What the task does not give as a parameter comes to the GPU as well, once."""
        model.to("cuda")
        torch.cuda.synchronize()

    def enter(self):
        """The stream that is timed is the current one, whatever the call before left."""
        self.set_stream(self.stream)

    def timed(self, call, inputs, work):
        nanoseconds = ctypes.c_int64()
        status = self.library.kb_time_cuda_call(self.handle, inputs, self.input_bytes, call.gate,
                                                BODY(work), ctypes.byref(nanoseconds))
        return status, nanoseconds.value

    def moment(self):
        return self.library.kb_mark(self.handle)

    def between(self, begin, end):
        return max(0, self.library.kb_between(self.handle, begin, end))

    def forget_moments(self):
        self.library.kb_forget_moments(self.handle)

    def claim_of_empty(self, _, all_ns):
        """All that its events see, as of a real call: what outlasts them is what surrounds it."""
        return all_ns

    def watch_operators(self):
        self.library.kb_watch_cuda_operators(self.handle)

    def error_text(self, status):
        self.library.kb_cuda_error_text(status, self.words, len(self.words))
        return self.words.value.decode(errors="replace")


DEVICES = {"cpu": Cpu, "cuda": Cuda}
