"""The player of Python submissions: kbench starts it in the sandbox, nobody else needs to.

    python3 player.py kbench-player.so cpu|cuda [FOLDER...]    which have to stay as they are

Imports torch once (for CUDA Triton as well, where there is one, but makes no context) and then
forks one process for each session. A session is one set of buffers, and begins in a process that no
other session's code has run in, with a folder of its own to write to; sessions of several submissions
of one agent follow one another, where nothing of the one before is left. Descriptor 3 is the channel to
the supervisor: length-prefixed JSON, descriptors beside it. In this process it carries

    we: {"type": "zygote", "torch": "2.11.0"}                     once, when torch is there
    it: {"type": "fork", "folder": PATH} with the session's channel and output
                                                                  we: {"type": "forked"}
                                                                  we: {"type": "ended", "status": 9}
    it: {"type": "look_over"}                                     we: {"type": "unchanged"}
                                                   or {"type": "changed", "why": "..."}

and a session speaks as kbench-worker does: request, "ready", empty calls, "loaded", calls. It holds
nothing worth stealing: no reference, no key, no verdict, and all that is believed of it is "call N
is done", on CUDA with a time that is bounded by the supervisor's clock. What is foreign runs in
sessions only, after they have locked themselves.
"""

import array
import ast
import contextlib
import ctypes
import errno
import gc
import importlib.util
import io
import json
import mmap
import os
import socket
import struct
import sys
import tempfile
import traceback

import torch

import kbench_extensions
import kbench_triton
import player_parameters
from player_cleaning import Ground
from player_device import (DEVICES, IN_ARENA, MOST_PLACES, OWN, Answer, Call, DeviceError,
                           load_library)
from player_outputs import BASE, View, WrongOutput, materialised, results_of

CONTROL = 3
# CallKind of runner/worker/mailbox.hpp. Whether a call is observed the library knows; here it looks
# like any other one.
EMPTY, FORWARD, PREPARE, LOAD = 0, 1, 2, 3
# Values of a call's status; 0 is success, and a positive one is an error of the device.
RAISED, WRONG_OUTPUT, REFUSED, OUT_OF_MEMORY = -1, -2, -3, -4
MAX_MESSAGE = 4 << 20  # this and the next one: as in runner/core/channel.hpp
MAX_DESCRIPTORS = 8


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


class Refused(Exception):
    """The submission cannot be loaded: a state, and words for its author."""

    def __init__(self, state, message, hint=""):
        super().__init__(message)
        self.answer = {"type": "error", "state": state, "message": message, "hint": hint}


# --- the folder that is written to ---

# Variables by which programs look for a place of their own, below the folder.
PLACES = {"HOME": "", "TMPDIR": "", "TMP": "", "TEMP": "", "XDG_CACHE_HOME": ".cache",
          "XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": ".local/share", "XDG_STATE_HOME": ".local/state",
          "XDG_RUNTIME_DIR": "", "TORCHINDUCTOR_CACHE_DIR": "", "TRITON_HOME": ""}


def settle_in(library, folder):
    """From now on this process writes to `folder` alone, and whoever asks where to write is led there.
    Before there is any other thread, which would go on writing elsewhere."""
    words = ctypes.create_string_buffer(1000)
    if library.kb_write_only_below(folder.encode(), words, len(words)) != 0:
        raise Refused("", words.value.decode(errors="replace"))
    lead_to(folder)


def lock_down(library):
    words = ctypes.create_string_buffer(1000)
    if library.kb_lock_down(words, len(words)) != 0:
        raise Refused("", words.value.decode(errors="replace"))


def lead_to(folder):
    os.chdir(folder)
    for name, below in PLACES.items():
        os.environ[name] = os.path.join(folder, below) if below else folder
    os.makedirs(os.environ["XDG_CACHE_HOME"])
    os.environ["USER"] = os.environ["LOGNAME"] = "nobody"
    tempfile.tempdir = folder


def closed_path(error):
    """The file outside of the session's folder that an exception, or one that it follows from, could not open or
    make. None: the exception is about something else."""
    own = os.environ["TMPDIR"] + os.sep
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        path = getattr(error, "filename", None) if isinstance(error, OSError) else None
        if isinstance(path, str) and os.path.isabs(path) and not path.startswith(own):
            below_tmp = os.path.normpath(path).startswith("/tmp/")
            if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) or \
                    below_tmp and error.errno == errno.ENOENT:
                return path
        error = error.__cause__ or error.__context__
    return None


def said_of_files(error):
    """A line that the author should see beside an exception, or nothing."""
    try:
        path = closed_path(error)
    except Exception:  # it is the submission's
        return ""
    return f"\n{path} is closed to a submission: it writes below TMPDIR, to which tempfile, HOME and " \
        "relative paths lead" if path else ""


# --- what is foreign ---


def from_submission(error):
    """The traceback from where it enters the submission: what calls it is not its author's."""
    own = sys.path[0] + os.sep
    frames = error.__traceback__
    while frames and not frames.tb_frame.f_code.co_filename.startswith(own):
        frames = frames.tb_next
    # No line of a file that is not valid Python was executed: the error itself names the place.
    if frames is None and not (isinstance(error, SyntaxError) and str(error.filename).startswith(own)):
        return error.__traceback__
    return frames


def last_lines(error, most=12):
    """The words of a traceback, from where it enters the submission."""
    told = traceback.format_exception(type(error), error, from_submission(error))
    lines = "".join(told).rstrip().splitlines()
    return "\n".join(lines[-most:]) + said_of_files(error)


def reason_first(error):
    """The same words with the reason first, for readers that show the first lines only."""
    said = said_of_files(error)
    lines = last_lines(error).removesuffix(said).splitlines()
    return "\n".join(lines[-1:]) + said + "\n" + "\n".join(lines[:-1])


def missing_of_the_reference(error):
    """A hint where a file uses what only the task's file defines. KernelBench executes both in one namespace."""
    name = getattr(error, "name", None) if isinstance(error, NameError) else None
    if name not in ("Model", "get_inputs", "get_init_inputs"):
        return ""
    return f"{name} is of the task's file, which a submission does not see: define it in the submission"


def status_of(error):
    """The status for an exception that a call raised."""
    return OUT_OF_MEMORY if isinstance(error, torch.OutOfMemoryError) else RAISED


def modules_in(module):
    """Under which names a file has its modules, where none is the one that is asked for."""
    own = sorted(name for name, value in vars(module).items()
                 if isinstance(value, type) and issubclass(value, torch.nn.Module)
                 and value.__module__ == module.__name__)
    return f"the class is called {', '.join(own[:3])} there; call it ModelNew: " if own else ""


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
        raise Refused("import_error", f"{entry} cannot be imported:\n{reason_first(error)}",
                      missing_of_the_reference(error)
                      or "import it in a Python that has torch and numpy alone: besides them the submission's "
                      "own files and what its build step made are there; no network, no compiler, no other "
                      "process") from error
    model = getattr(module, "ModelNew", None)
    if not (isinstance(model, type) and issubclass(model, torch.nn.Module)):
        raise Refused("missing_symbol", f"{entry} has no class ModelNew(torch.nn.Module)",
                      modules_in(module) + "it is made with the arguments that the task's Model gets")
    return model


def constants_of(init):
    """Forward's arguments that are no tensors, each with its position."""
    return ast.literal_eval(init)[2]


def with_constants(tensors, constants):
    arguments = list(tensors)
    for position, value in constants:
        arguments.insert(position, value)
    return arguments


def make_model(model_class, init, entry, seed=None):
    """`seed`: of what __init__ draws; None where that is replaced."""
    args, kwargs, _ = ast.literal_eval(init)
    drawing = contextlib.nullcontext()
    if seed is None:
        drawing = player_parameters.Undrawn()
    else:
        torch.manual_seed(seed)
    called = "kbench calls ModelNew() without arguments for this task"
    if args or kwargs:
        called = f"kbench calls ModelNew with {args}" + (f" and {kwargs}" if kwargs else "")
    try:
        with drawing:
            model = model_class(*args, **kwargs)
    except BaseException as error:
        raise Refused("submission_error", f"ModelNew(…) of {entry} raised:\n{reason_first(error)}",
                      missing_of_the_reference(error) or called) from error
    if not isinstance(model, torch.nn.Module):
        raise Refused("submission_error", "ModelNew(…) is no torch.nn.Module",
                      "derive it from torch.nn.Module and call super().__init__()")
    return model


def set_mode(model, mode):
    """Sets the model to the reference's mode: with the batch's statistics or the running ones, without dropout,
    and without running statistics to keep where nobody reads them."""
    batch_stats = mode == "batch-stats"
    model.train(batch_stats)
    for module in model.modules():
        if batch_stats and isinstance(module, torch.nn.modules.batchnorm._NormBase):
            module.track_running_stats = False
        if isinstance(module, torch.nn.modules.dropout._DropoutNd):
            module.eval()
        elif isinstance(getattr(module, "dropout", None), float):
            module.dropout = 0.0


def in_type(model, real):
    """In a run of a 16-bit class everything that a model holds in float32 is in that type. What lies in plain
    attributes of its own classes too, where tasks keep constants."""
    if real == "float32":
        return
    type_ = getattr(torch, real)

    def converted(tensor):
        return tensor.to(type_) if tensor.dtype == torch.float32 else tensor

    model._apply(converted)
    for module in model.modules():
        for name, value in list(vars(module).items()):
            if isinstance(value, torch.Tensor):
                setattr(module, name, converted(value))


def types_in(state, real):
    """Parameters and buffers that a Model registers, as a run of that class has them."""
    for entry in state or []:
        if entry["type"].startswith("float32["):
            entry["type"] = real + entry["type"].removeprefix("float32")


def check_refusals(entry):
    """A submission that catches a refusal of kbench would be measured on something else."""
    if kbench_extensions.refusals:
        words, hint = kbench_extensions.refusals[0]
        raise Refused("import_error", f"{entry}: {words}", hint)


def settled(device, model):
    try:
        device.settle(model)
    except BaseException as error:
        raise Refused("submission_error", f"ModelNew cannot be moved to {device.name}:\n"
                      f"{reason_first(error)}", "its parameters and buffers are tensors") from error
    return model


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
        self.has_prepare = False
        self.constants = constants_of(request["init"])
        types_in(request["state"], request["real"])
        self.by_order = False
        self.made_in_init = []
        self.told = Answer()  # its places are those of the last call's outputs
        self.held = None  # these, until the next call
        self.device = DEVICES[request["device"]](library, request)
        sizes = request["arena_bytes"]
        self.recorder = None
        if "cupti" in request:  # a profile, on CUDA
            self.recorder = library.kb_open_recorder(descriptors.pop(), request["cupti"].encode())
        mailbox, *arenas = descriptors
        self.mailbox = library.kb_open_mailbox(mailbox)
        if len(arenas) > len(sizes):
            self.device.map_heap(arenas.pop(), request["heap_bytes"])
        self.arenas = [self.device.map_arena(fd, size, int(i == 2))
                       for i, (fd, size) in enumerate(zip(arenas, sizes))]
        if not self.mailbox or not all(self.arenas):
            why = self.device.words.value.decode(errors="replace")
            raise Refused("", f"cannot map the mailbox or an arena: {why}")
        # Where outputs are judged: what lies there is no output of a submission's.
        self.judged = range(self.arenas[2], self.arenas[2] + sizes[2])
        self.inputs = self.views("inputs")
        self.outputs = self.views("outputs")
        self.parameters = {spec["fqn"]: view for spec, view
                           in zip(request["parameters"], self.views("parameters")) if spec["fqn"]}

    def views(self, kind):
        return [View(spec, self.library, self.device.on_cuda) for spec in self.request[kind]]

    def await_call(self):
        self.library.kb_await_call(self.mailbox, self.served, self.device.spins,
                                   ctypes.byref(self.call))
        self.served = self.call.number
        return self.call.kind

    def answer(self, status, claimed_ns=0):
        self.told.status, self.told.claimed_ns = status, claimed_ns
        self.library.kb_answer_call(self.mailbox, self.served, self.device.spins,
                                    ctypes.byref(self.told))

    def timed(self, work):
        return self.device.timed(self.call, self.arenas[0], work)

    def serve_empty_calls(self):
        while self.await_call() != LOAD:
            self.serve_empty_call()
        self.answer(0)

    def serve_empty_call(self):
        """The time of an empty call: go and done, and nothing of what surrounds a model. Whatever else a call
        does is in its time, eager's as well."""
        self.answer(*self.timed(nothing))

    def load(self):
        request = self.request
        if self.device.name == "cpu":
            kbench_extensions.refuse_torch_compile()
        model_class = import_model(request["folder"], request["entry"], request.get("prebuilt"))
        model = make_model(model_class, request["init"], request["entry"], request["seed"])
        try:
            in_type(model, request["real"])
            set_mode(model, request["mode"])
            if request["seed"] is None:
                self.give_parameters(model)
            self.has_prepare = hasattr(model, "kbench_prepare")
        except player_parameters.ParametersDiffer as error:
            raise Refused("parameters_differ", str(error), player_parameters.HINT) from error
        except BaseException as error:
            raise Refused("submission_error", "ModelNew cannot be given its mode and parameters:\n"
                          f"{reason_first(error)}",
                          "it is a torch.nn.Module that called super().__init__() and keeps what "
                          "torch's modules have (train, modules, named_parameters)") from error
        self.model = settled(self.device, model)
        check_refusals(request["entry"])

    def give_parameters(self, model):
        found, self.by_order = player_parameters.assign(model, self.parameters, self.request)
        self.made_in_init = player_parameters.made_in_init(model, found)
        player_parameters.silence(model, found, self.request)
        player_parameters.bind(model, found, self.arenas[1] + self.request["parameter_base"])

    def play(self, slot):
        """One forward pass on one input. Its results stay where they are until the next one."""
        self.held = None
        self.device.enter()
        inputs = [view.at(self.arenas[0] + self.call.input_base[slot]) for view in self.inputs]
        self.device.watch_operators()
        try:
            results = results_of(self.model(*with_constants(inputs, self.constants)))
        finally:
            self.library.kb_stop_watching()
        if MODES_ENTERED() > 0:
            raise WrongOutput("forward left a TorchDispatchMode entered, which would run in what "
                              "follows: leave it before returning")
        self.device.enter()
        base = self.arenas[2] + self.call.output_base[slot]
        tensors = materialised(results, self.outputs, self.device.name, self.judged)
        for index, (view, tensor) in enumerate(zip(self.outputs, tensors)):
            self.tell_place(index, view, tensor, base)
        self.held = results, tensors

    def tell_place(self, index, view, tensor, base):
        """Says where an output lies; or copies it to the arena, where nobody could read it there."""
        address = self.device.place_of(tensor) if BASE.numel(tensor) else 0
        if self.call.copies_outputs or index >= MOST_PLACES or address is None:
            COPY(view.at(base), tensor)
            if index < MOST_PLACES:
                self.told.places[index].home = IN_ARENA
            return
        place = self.told.places[index]
        place.home, place.address = OWN, address
        for dimension, step in enumerate(BASE.stride(tensor)):
            place.strides[dimension] = step

    def forward(self):
        try:
            for slot in range(self.call.slots):
                self.play(slot)
            return 0
        except WrongOutput as error:
            print(error, file=sys.stderr, flush=True)
            return WRONG_OUTPUT
        except BaseException as error:
            print(reason_first(error), file=sys.stderr, flush=True)
            return status_of(error)

    def prepare(self):
        try:
            self.device.enter()
            self.model.kbench_prepare()
            return 0
        except BaseException as error:
            print(reason_first(error), file=sys.stderr, flush=True)
            return status_of(error)

    def recorded(self):
        """A call of forward, in a profile with what the device does in it."""
        if not self.recorder:
            return self.timed(self.forward)
        self.library.kb_begin_recorded(self.recorder)
        status, claimed_ns = self.timed(self.forward)
        self.library.kb_end_recorded(self.recorder, claimed_ns)
        return status, claimed_ns

    def serve(self):
        while True:
            kind = self.await_call()
            if kind == EMPTY:  # of eager's worker, and one a block on CUDA
                self.serve_empty_call()
                continue
            status, claimed_ns = self.timed(self.prepare) if kind == PREPARE else self.recorded()
            if status > 0:
                print(f"the device says: {self.device.error_text(status)}", file=sys.stderr,
                      flush=True)
            if kbench_extensions.refusals:
                print(kbench_extensions.refusals[0][0], file=sys.stderr, flush=True)
                status = REFUSED
            self.library.kb_tell_operators(self.channel.fileno())
            self.answer(status, claimed_ns)

    def run(self):
        try:
            self.device.warm(self.request["heap_bytes"])
            lock_down(self.library)
            send(self.channel, {"type": "ready"})
            self.serve_empty_calls()
            self.load()
        except Refused as refused:
            send(self.channel, refused.answer)
            return
        gc.collect()
        send(self.channel, {"type": "loaded", "workspace_bytes": 0, "has_prepare": self.has_prepare,
                            "by_order": self.by_order, "made_in_init": self.made_in_init})
        self.serve()


def write_parameters(library, channel, request, descriptors):
    """Makes the task's Model and writes what it drew into the file that came along."""
    lock_down(library)
    model_class = import_model(request["folder"], request["entry"])
    model = make_model(model_class, request["init"], request["entry"], request["seed"])
    in_type(model, request["real"])
    try:
        player_parameters.write(model, request["parameters"], mmap.mmap(descriptors[0], 0))
    except player_parameters.ParametersDiffer as error:
        raise Refused("", str(error)) from error
    send(channel, {"type": "written"})


COPY = torch.Tensor.copy_
MODES_ENTERED = torch._C._len_torch_dispatch_stack


def nothing():
    return 0


class Output(io.TextIOBase):
    """Output for the submission's author. A program that prints more than the pipe holds loses that and waits
    for nothing."""

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


def play(library, descriptors, folder):
    """Runs in the forked process. Does not return."""
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
        settle_in(library, folder)
        request, descriptors = receive(channel)
        if request.get("writes_parameters"):
            write_parameters(library, channel, request, descriptors)
        else:
            Session(library, channel, request, descriptors).run()
    except EOFError:
        pass
    except Refused as refused:
        send(channel, refused.answer)
    except DeviceError as error:
        send(channel, Refused("", str(error)).answer)
    sys.stdout.flush()
    os._exit(1)


def import_more(device):
    """Imports what sessions on a GPU would import themselves, each for some seconds. Makes sure that no context
    was made on the way, which no forked process could use."""
    if device != "cuda":
        return
    try:
        import triton  # noqa: F401
    except Exception:
        pass  # there is none, or not for this Python: whoever imports it is told
    if os.environ.get("KBENCH_TRITON"):
        kbench_triton.prime(int(os.environ["KBENCH_TRITON"]))
    if torch.cuda.is_initialized():
        raise RuntimeError("an import has initialised CUDA, so nobody can be forked from here")


def main():
    path, device, *folders = sys.argv[1:]
    # This process has no folder to write to, and code that only asks where files would go must not fail.
    tempfile.tempdir = os.environ["TMPDIR"]
    library = load_library(path, device)
    library.kb_keep_freed_memory()
    library.kb_know_operators()
    import_more(device)
    # A change that a session's code made here would be there before the next session locks itself.
    library.kb_set_open_to_others(0)
    channel = socket.socket(fileno=CONTROL)
    ground = Ground(folders)
    gc.collect()
    gc.freeze()
    send(channel, {"type": "zygote", "torch": torch.__version__})
    while True:
        try:
            message, descriptors = receive(channel)
        except EOFError:
            return
        if message["type"] == "look_over":
            send(channel, ground.look_over())
            continue
        child = os.fork()
        if child == 0:
            channel.detach()
            play(library, descriptors, message["folder"])
        for fd in descriptors:
            os.close(fd)
        send(channel, {"type": "forked"})
        _, status = os.waitpid(child, 0)
        send(channel, {"type": "ended", "status": status})


if __name__ == "__main__":
    main()
