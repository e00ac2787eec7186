"""The player of Python submissions: kbench starts it in the sandbox, nobody else needs to.

    python3 player.py kbench-player.so

Imports torch once and then forks one process for each session (a session is one set of buffers, and
begins in a process that no other session's code has run in). Descriptor 3 is the channel to the
supervisor: length-prefixed JSON, descriptors beside it. In this process it carries

    we: {"type": "zygote", "torch": "2.11.0"}                     once, when torch is there
    it: {"type": "fork"} with the session's channel and output    we: {"type": "forked"}
                                                                  we: {"type": "ended", "status": 9}

and a session speaks as kbench-worker does: request, "ready", empty calls, "loaded", calls. It holds
nothing worth stealing: no reference, no key, no verdict, and all that is believed of it is "call N is
done". What is foreign runs in sessions only, after they have locked themselves.
"""

import array
import ast
import ctypes
import gc
import importlib.util
import io
import json
import os
import socket
import struct
import sys
import time
import traceback

import torch

import kbench_extensions
import kbench_triton

CONTROL = 3
EMPTY, FORWARD, PREPARE, LOAD, OBSERVED = 0, 1, 2, 3, 7  # CallKind of runner/worker/mailbox.hpp
RAISED, WRONG_OUTPUT = 1, 2  # what a call's status says; 0 is success
MAX_MESSAGE = 64 << 20
MAX_DESCRIPTORS = 16


class Call(ctypes.Structure):
    """kb_player_call of player_abi.hpp."""

    _fields_ = [
        ("number", ctypes.c_uint32),
        ("kind", ctypes.c_uint32),
        ("slots", ctypes.c_uint32),
        ("unused", ctypes.c_uint32),
        ("parameter_base", ctypes.c_uint64),
        ("input_base", ctypes.c_uint64 * 16),
        ("output_base", ctypes.c_uint64 * 16),
    ]


def load_library(path):
    library = ctypes.CDLL(path)
    library.kb_map_arena.restype = ctypes.c_void_p
    library.kb_map_arena.argtypes = [ctypes.c_int, ctypes.c_uint64, ctypes.c_int]
    library.kb_open_mailbox.restype = ctypes.c_void_p
    library.kb_await_call.restype = None
    library.kb_await_call.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.POINTER(Call)]
    library.kb_answer_call.restype = None
    library.kb_answer_call.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int32, ctypes.c_int64]
    library.kb_lock_down.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    library.kb_watched_operators.restype = ctypes.c_size_t
    library.kb_watched_operators.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return library


# --- the channel (runner/core/channel.hpp) ---


def send(channel, body):
    text = json.dumps(body).encode()
    channel.sendall(struct.pack("=I", len(text)) + text)


def receive_exactly(channel, count, descriptors):
    data = b""
    while len(data) < count:
        room = socket.CMSG_SPACE(MAX_DESCRIPTORS * array.array("i").itemsize)
        got, extra, _, _ = channel.recvmsg(count - len(data), room)
        for level, kind, content in extra:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers = array.array("i")
                numbers.frombytes(content[: len(content) - len(content) % numbers.itemsize])
                descriptors.extend(numbers)
        if not got:
            raise EOFError
        data += got
    return data


def receive(channel):
    descriptors = []
    (length,) = struct.unpack("=I", receive_exactly(channel, 4, descriptors))
    if length > MAX_MESSAGE:
        raise EOFError
    return json.loads(receive_exactly(channel, length, descriptors)), descriptors


# --- tensors over arenas ---


class View:
    """Makes tensors of one kind at any address, without a copy."""

    def __init__(self, spec):
        self.dtype = getattr(torch, spec["dtype"])
        self.shape = tuple(spec["shape"])
        self.offset = spec["offset"]
        self.bytes = ctypes.c_char * spec["bytes"]
        self.name = spec["name"]

    def at(self, base, frombuffer=torch.frombuffer):
        memory = self.bytes.from_address(base + self.offset)
        return frombuffer(memory, dtype=self.dtype).view(self.shape)


class WrongOutput(Exception):
    """What forward returned cannot be the task's outputs."""


class Refused(Exception):
    """The submission cannot be loaded: a state, and words for its author."""

    def __init__(self, state, message, hint=""):
        super().__init__(message)
        self.answer = {"type": "error", "state": state, "message": message, "hint": hint}


# --- what is foreign ---


def last_lines(error, most=12):
    """Of a traceback, from where it enters the submission."""
    lines = "".join(traceback.format_exception(error)).rstrip().splitlines()
    return "\n".join(lines[-most:])


def import_model(folder, entry, prebuilt=None):
    """The class ModelNew of the submission's file. `prebuilt`: what its build step made."""
    try:
        kbench_extensions.offer(prebuilt, folder)
        sys.path[0] = folder
        spec = importlib.util.spec_from_file_location("submission", os.path.join(folder, entry))
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    except BaseException as error:  # SystemExit, too
        raise Refused("import_error", f"{entry} cannot be imported:\n{last_lines(error)}",
                      "torch, numpy, the submission's own files and what its build step made are "
                      "there; no network, no compiler, no other process") from error
    model = getattr(module, "ModelNew", None)
    if not (isinstance(model, type) and issubclass(model, torch.nn.Module)):
        raise Refused("missing_symbol", f"{entry} has no class ModelNew(torch.nn.Module)",
                      "it is made with the arguments that the task's Model gets")
    return model


def make_model(model_class, init, entry):
    args, kwargs = ast.literal_eval(init)
    try:
        model = model_class(*args, **kwargs)
    except BaseException as error:
        raise Refused("submission_error", f"ModelNew(…) of {entry} raised:\n{last_lines(error)}",
                      f"it is called with {args}" + (f" and {kwargs}" if kwargs else "")) from error
    if not isinstance(model, torch.nn.Module):
        raise Refused("submission_error", "ModelNew(…) is no torch.nn.Module",
                      "derive it from torch.nn.Module and call super().__init__()")
    return model


def set_mode(model, mode):
    """As the reference runs: with the batch's statistics or the running ones, without dropout."""
    model.train(mode == "batch-stats")
    for module in model.modules():
        if isinstance(module, torch.nn.modules.dropout._DropoutNd):
            module.eval()
        elif isinstance(getattr(module, "dropout", None), float):
            module.dropout = 0.0


def owner_of(model, name):
    path, _, leaf = name.rpartition(".")
    return model.get_submodule(path), leaf


def shape_text(tensor_or_view):
    dtype = str(tensor_or_view.dtype).removeprefix("torch.")
    return f"{dtype}{list(tensor_or_view.shape)}"


def differences(model, views, known):
    """One line for each parameter that is missing, left over, or of another shape. `known`: all
    that the task's Model has; None where nobody knows."""
    mine = dict(model.named_parameters(remove_duplicate=False))
    mine.update(model.named_buffers(remove_duplicate=False))
    trained = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    lines = [f"missing: {name} {shape_text(view)}" for name, view in views.items()
             if name not in mine]
    for name, view in views.items():
        if name in mine and shape_text(mine[name]) != shape_text(view):
            lines.append(f"{name} is {shape_text(mine[name])}, not {shape_text(view)}")
    if known is not None:
        left_over = sorted(trained - set(views) - set(known))
        lines += [f"left over: {name} {shape_text(mine[name])}" for name in left_over]
    return lines


def bind_parameters(model, views, base, known):
    """Gives the model the task's parameters, by name. Trained ones are views of the arena; buffers,
    which a module may update in place, are copies."""
    lines = differences(model, views, known)
    if lines:
        most = 20
        more = [f"and {len(lines) - most} more"] if len(lines) > most else []
        raise Refused("parameters_differ",
                      "the parameters of ModelNew are not those of the task:\n"
                      + "\n".join(lines[:most] + more),
                      "names and shapes must be those of Model's state_dict; derive packed or fused "
                      "weights in kbench_prepare(self)")
    for name, view in views.items():
        module, leaf = owner_of(model, name)
        if leaf in module._parameters:
            module._parameters[leaf].data = view.at(base)
        else:
            module._buffers[leaf] = view.at(base).clone()


# --- one session ---


class Session:
    """One process with one set of buffers: empty calls, then the submission's."""

    def __init__(self, library, channel, request, descriptors):
        self.library = library
        self.channel = channel
        self.request = request
        self.served = 0
        self.call = Call()
        self.model = None
        self.module = None
        mailbox, *arenas = descriptors
        self.mailbox = library.kb_open_mailbox(mailbox)
        sizes = request["arena_bytes"]
        self.arenas = [library.kb_map_arena(fd, size, int(i == 2))
                       for i, (fd, size) in enumerate(zip(arenas, sizes))]
        for fd in arenas:
            os.close(fd)
        if not self.mailbox or not all(self.arenas):
            raise Refused("", "cannot map the mailbox or an arena")
        self.inputs = [View(spec) for spec in request["inputs"]]
        self.outputs = [View(spec) for spec in request["outputs"]]
        self.parameters = {spec["fqn"]: View(spec) for spec in request["parameters"] if spec["fqn"]}

    def warm_heap(self):
        """Touches as much memory as a call can take and frees it: the allocator keeps it."""
        wanted = self.request["heap_bytes"]
        piece = 32 << 20
        pieces = [torch.zeros(piece, dtype=torch.uint8) for _ in range(0, wanted, piece)]
        del pieces

    def lock_down(self):
        words = ctypes.create_string_buffer(1000)
        if self.library.kb_lock_down(words, len(words)) != 0:
            raise Refused("", words.value.decode(errors="replace"))

    def await_call(self):
        self.library.kb_await_call(self.mailbox, self.served, ctypes.byref(self.call))
        self.served = self.call.number
        return self.call.kind

    def answer(self, status, claimed_ns=0):
        self.library.kb_answer_call(self.mailbox, self.served, status, claimed_ns)

    def serve_empty_calls(self):
        """All that surrounds a model in a call, with one that fills its outputs. What it claims is
        how long that takes: the supervisor takes it off, and the rest is what empty calls cost."""
        self.model = Filling(self.outputs)
        while self.await_call() != LOAD:
            self.answer(self.play(0), self.model.filling_ns)
        self.answer(0)
        self.model = None

    def load(self):
        request = self.request
        model_class = import_model(request["folder"], request["entry"], request.get("prebuilt"))
        model = make_model(model_class, request["init"], request["entry"])
        set_mode(model, request["mode"])
        bind_parameters(model, self.parameters, self.arenas[1] + request["parameter_base"],
                        request["known"])
        self.model = model

    def play(self, slot):
        """One forward pass on one input, and its results into the arena."""
        inputs = [view.at(self.arenas[0] + self.call.input_base[slot]) for view in self.inputs]
        results = results_of(self.model(*inputs))
        base = self.arenas[2] + self.call.output_base[slot]
        check_results(results, self.outputs)
        for view, result in zip(self.outputs, results):
            COPY(view.at(base), result)
        return 0

    def forward(self, observed=False):
        try:
            if observed:
                self.library.kb_watch_operators()
            for slot in range(self.call.slots):
                self.play(slot)
            return 0
        except WrongOutput as error:
            print(error, file=sys.stderr, flush=True)
            return WRONG_OUTPUT
        except BaseException as error:
            print(last_lines(error), file=sys.stderr, flush=True)
            return RAISED
        finally:
            if observed:
                self.tell_operators()

    def tell_operators(self):
        words = ctypes.create_string_buffer(1 << 16)  # less than what a socket holds
        length = self.library.kb_watched_operators(words, len(words))
        found = json.loads(words.raw[:length]) if length else {}
        send(self.channel, {"type": "operators", **found})

    def prepare(self):
        start = time.perf_counter_ns()
        try:
            self.model.kbench_prepare()
            return 0, time.perf_counter_ns() - start
        except BaseException as error:
            print(last_lines(error), file=sys.stderr, flush=True)
            return RAISED, 0

    def serve(self):
        while True:
            kind = self.await_call()
            if kind == PREPARE:
                self.answer(*self.prepare())
            else:
                start = time.perf_counter_ns()
                status = self.forward(observed=kind == OBSERVED)
                self.answer(status, time.perf_counter_ns() - start)

    def run(self):
        try:
            self.warm_heap()
            self.lock_down()
            send(self.channel, {"type": "ready"})
            self.serve_empty_calls()
            self.load()
        except Refused as refused:
            send(self.channel, refused.answer)
            return
        gc.collect()
        send(self.channel, {"type": "loaded", "workspace_bytes": 0,
                            "has_prepare": hasattr(self.model, "kbench_prepare")})
        self.serve()


COPY = torch.Tensor.copy_


class Filling(torch.nn.Module):
    """A model whose outputs have just been computed: written once, in memory of their own."""

    def __init__(self, outputs):
        super().__init__()
        self.outputs = outputs
        self.filling_ns = 0

    def forward(self, *_):
        start = time.perf_counter_ns()
        results = [torch.ones(view.shape, dtype=view.dtype) for view in self.outputs]
        self.filling_ns = time.perf_counter_ns() - start
        return results


def results_of(returned):
    if isinstance(returned, torch.Tensor):
        return [returned]
    if isinstance(returned, dict):
        return list(returned.values())
    if isinstance(returned, (tuple, list)):
        return list(returned)
    raise WrongOutput(f"forward returned {type(returned).__name__}, not tensors")


def check_results(results, views):
    if len(results) != len(views):
        raise WrongOutput(f"forward returned {len(results)} tensors, not {len(views)}")
    for result, view in zip(results, views):
        if not isinstance(result, torch.Tensor):
            raise WrongOutput(f"forward returned {type(result).__name__} for {view.name}, no tensor")
        if result.dtype != view.dtype or result.shape != view.shape or result.device.type != "cpu":
            where = "" if result.device.type == "cpu" else f" on {result.device.type}"
            raise WrongOutput(f"forward returned {shape_text(result)}{where} for {view.name}, "
                              f"not {shape_text(view)}")


class Output(io.TextIOBase):
    """What is printed, for the submission's author. Who prints more than the pipe holds loses that and
    waits for nothing."""

    def __init__(self, descriptor):
        self.descriptor = descriptor

    def fileno(self):
        return self.descriptor

    def writable(self):
        return True

    def write(self, text):
        try:
            os.write(self.descriptor, text.encode(errors="replace"))
        except OSError:
            pass
        return len(text)


# --- the process that forks them ---


def play(library, descriptors):
    """In the forked process. Does not return."""
    control, output = descriptors
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(control, CONTROL)
    for fd in descriptors:
        os.close(fd)
    sys.stdout, sys.stderr = Output(1), Output(2)
    library.kb_set_open_to_others(1)
    channel = socket.socket(fileno=CONTROL)
    torch.set_grad_enabled(False)
    try:
        Session(library, channel, *receive(channel)).run()
    except EOFError:
        pass
    except Refused as refused:
        send(channel, refused.answer)
    sys.stdout.flush()
    os._exit(1)


def main():
    library = load_library(sys.argv[1])
    library.kb_keep_freed_memory()
    # What a session's code could write to here would be there before the next one locks itself.
    library.kb_set_open_to_others(0)
    channel = socket.socket(fileno=CONTROL)
    if os.environ.get("KBENCH_TRITON"):
        kbench_triton.prime(int(os.environ["KBENCH_TRITON"]))
    gc.collect()
    gc.freeze()
    send(channel, {"type": "zygote", "torch": torch.__version__})
    while True:
        try:
            _, descriptors = receive(channel)
        except EOFError:
            return
        child = os.fork()
        if child == 0:
            channel.detach()
            play(library, descriptors)
        for fd in descriptors:
            os.close(fd)
        send(channel, {"type": "forked"})
        _, status = os.waitpid(child, 0)
        send(channel, {"type": "ended", "status": status})


if __name__ == "__main__":
    main()
