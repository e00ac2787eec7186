"""Where the player plays: the CPU, or the one GPU that its process is shown; and kbench-player.so.

Used by player.py. A device maps arenas, takes the time of a call, and says what part of it is what.
"""

import ctypes
import os
import time

import torch

from player_outputs import BASE, lies_in_a_row


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
        ("copies_outputs", ctypes.c_uint32),
    ]


# OutputHome of runner/worker/output_place.hpp, and of how many outputs the place can be told.
IN_ARENA, OWN = 0, 1
MOST_PLACES = 24


class Place(ctypes.Structure):
    """OutputPlace of runner/worker/output_place.hpp."""

    _fields_ = [
        ("home", ctypes.c_uint32),
        ("unused", ctypes.c_uint32),
        ("address", ctypes.c_uint64),
        ("strides", ctypes.c_int64 * 14),
    ]


class Answer(ctypes.Structure):
    """kb_player_answer of player_abi.hpp."""

    _fields_ = [
        ("status", ctypes.c_int32),
        ("unused", ctypes.c_uint32),
        ("claimed_ns", ctypes.c_int64),
        ("places", Place * MOST_PLACES),
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
    declare(library, "kb_know_operators", None)
    declare(library, "kb_write_only_below", c.c_int, c.c_char_p, c.c_char_p, c.c_size_t)
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
        declare(library, "kb_watch_cuda_operators", None, c.c_void_p)
        declare(library, "kb_open_recorder", c.c_void_p, c.c_int, c.c_char_p)
        declare(library, "kb_begin_recorded", None, c.c_void_p)
        declare(library, "kb_end_recorded", None, c.c_void_p, c.c_int64)
    return library


PAGE = 2 << 20  # of the device, and what heap.cpp rounds up to
PAGES_SKIPPED = 64  # fewer than that are, of a heap of 512 MiB at least


def offer_heap(address, size):
    """Where this process was started without kbench-heap.so nothing comes from the heap."""
    heap = getattr(ctypes.CDLL(None), "kb_heap_offer", None)
    if heap is None:
        return
    heap.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    heap.restype = None
    heap(address, size)


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

    def place_of(self, tensor):
        """The place as it is told: the tensor's address in this process."""
        return BASE.data_ptr(tensor)

    def settle(self, model):
        """Prepares a model that has its parameters."""

    def enter(self):
        """Before and after what is foreign runs in a call."""

    def timed(self, call, inputs, work):
        """The status that `work` returns, and how long it took."""
        start = time.perf_counter_ns()
        status = work()
        return status, time.perf_counter_ns() - start

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
        self.heap = self.heap_bytes = 0
        raw_stream = library.kb_cuda_stream(self.handle)
        self.stream = torch.cuda.ExternalStream(raw_stream, device="cuda:0")
        self.set_stream = torch.cuda.set_stream
        self.enter()
        precision = request["precision"]
        if precision in ("fp32", "tf32"):  # the others are torch's own
            torch.backends.cudnn.allow_tf32 = precision == "tf32"
            torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"

    def map_arena(self, fd, size, _):
        return self.library.kb_map_cuda_arena(self.handle, fd, size, self.words, len(self.words))

    def map_heap(self, fd, size):
        """From now on cudaMalloc gives memory of the oracle's, as long as there is any."""
        if not size:
            return
        self.heap = self.library.kb_map_cuda_arena(self.handle, fd, size, self.words, len(self.words))
        if not self.heap:
            raise DeviceError(self.words.value.decode(errors="replace"))
        # In which page of the device a library's workspace begins decides up to 4 % of its kernels' time
        # (seen at one of twenty places): each placement begins at another.
        skipped = os.urandom(1)[0] % PAGES_SKIPPED * PAGE if size > PAGES_SKIPPED * PAGE else 0
        offer_heap(self.heap + skipped, size - skipped)
        self.heap_bytes = size

    def place_of(self, tensor):
        """The place as it is told: bytes from the start of the heap, or None where it does not lie
        there, or not in a row."""
        offset = BASE.data_ptr(tensor) - self.heap
        return offset if 0 <= offset < self.heap_bytes and lies_in_a_row(tensor) else None

    def warm(self, _):
        """Starts CUDA and torch's allocator. It keeps no memory from here: within a large kept segment a
        workspace would begin anywhere in a page, and a transposed convolution on an H200 takes 29.1 ms
        with its workspace at a page's start, as eager's lies, and up to 31.1 ms elsewhere. Segments come
        from the heap in whole pages, in calls that are not timed."""
        torch.empty(1, dtype=torch.uint8, device="cuda")
        torch.cuda.synchronize()

    def settle(self, model):
        """Tensors of the model that are no parameters of the task come to the GPU as well, once."""
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

    def watch_operators(self):
        self.library.kb_watch_cuda_operators(self.handle)

    def error_text(self, status):
        self.library.kb_cuda_error_text(status, self.words, len(self.words))
        return self.words.value.decode(errors="replace")


DEVICES = {"cpu": Cpu, "cuda": Cuda}
