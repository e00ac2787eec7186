"""The build step of Python submissions: kbench starts it in the sandbox, nobody else needs to.

    python3 build_extensions.py

Runs a submission as a session of player.py would, up to its first call, with functions of ours in
the place of those by which it asks torch or Triton for a compiler. They ask the supervisor, on
descriptor 3 (length-prefixed JSON):

    we: {"type": "builder", "torch": "2.11.0"}                 once, when torch is there
    it: the request: what is to be built, as player.py gets it
    we: {"type": "build", "name": N, "request": TEXT}          for each extension; text_of a request
    it: {"type": "built", "path": PATH}                        below the folder of the submission
    or: {"type": "failed", "message": WORDS}                   it does not compile
    we: {"type": "turn"}                                       before a call, which may be tuned by times
    it: {"type": "turn"}                                       once no other step has the device
    we: {"type": "turn over"}                                  while something is compiled within that call
    we: {"type": "ended", "note": WORDS,                       in the end: what was raised, or ""
         "failure": true,                                      because something does not compile
         "refused": WORDS}                                     the first that kbench refused here

and load what comes back. What does not compile is raised, so that a file which catches that does
here what it does in a session. Nothing is compiled in this process, which runs foreign code: it says
what is to be compiled and no more. Triton is the exception, whose kernels for the GPU are made here;
what it left in its cache goes into descriptor 4.
"""

import contextlib
import hashlib
import importlib.util
import os
import socket
import sys
import threading
import traceback

import torch

import kbench_extensions
import kbench_triton

CACHE = 4  # descriptor
# Several steps may be within a call, and one of them has the device: see DeviceTurns of the supervisor. The
# share of the device's memory that one of the others may hold.
HELD_WITHOUT_TURN = 1 / 16


def load_player():
    """Under another name: a submission may have a file called player.py, too."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "player.py")
    spec = importlib.util.spec_from_file_location("kbench_player", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


player = load_player()


class Builder:
    def __init__(self, channel, request):
        self.channel = channel
        self.request = request
        self.answers = {}  # by name and text
        self.has_turn = False
        self.speaking = threading.Lock()  # kernels may be compiled in several threads

    def ask(self, message):
        with self.speaking:
            player.send(self.channel, message)
            return player.receive(self.channel)[0]

    def find(self, name, text):
        """The name and the library of a request."""
        if (name, text) not in self.answers:
            with self.without_turn():
                self.answers[name, text] = self.ask({"type": "build", "name": name, "request": text})
        answer = self.answers[name, text]
        if answer["type"] == "failed":
            raise kbench_extensions.NotCompiled(answer["message"])
        return name, os.path.join(self.request["folder"], answer["path"])

    def find_c(self, name, text):
        return self.find(name, kbench_extensions.text_of(kbench_extensions.c_request(text), name))[1]

    def take_turn(self):
        self.ask({"type": "turn"})
        self.has_turn = True

    @contextlib.contextmanager
    def without_turn(self):
        """While something is compiled, so that other steps need not wait for that."""
        gives = self.has_turn and self.holds_little()
        if gives:
            self.has_turn = False
            with self.speaking:
                player.send(self.channel, {"type": "turn over"})
        try:
            yield
        finally:
            if gives:
                self.take_turn()

    def holds_little(self):
        if self.request["device"] == "cpu":
            return True
        return torch.cuda.memory_reserved() <= (torch.cuda.get_device_properties(0).total_memory
                                                * HELD_WITHOUT_TURN)

    def get_ready(self):
        request = self.request
        if request["compilers"]:
            kbench_extensions.replace_compilers(request["folder"], self.find)
        if request["device"] == "cpu":
            kbench_extensions.refuse_torch_compile()
        kbench_extensions.offer_modules(request["modules"], request["folder"])
        if request["triton"]:
            kbench_triton.compile_by(self.find_c, self.without_turn)

    def run(self):
        request = self.request
        self.get_ready()
        model_class = player.import_model(request["folder"], request["entry"])
        model = player.make_model(model_class, request["init"], request["entry"])
        player.in_type(model, request["real"])
        player.set_mode(model, request["mode"])
        if request["triton"] or not self.answers:
            self.take_turn()
            self.call(model)

    def call(self, model):
        """Once, on inputs of its own: what is compiled when it is first called is compiled then."""
        model = model.to(self.request["device"])
        inputs = [self.tensor(spec) for spec in self.request["inputs"]]
        if hasattr(model, "kbench_prepare"):
            model.kbench_prepare()
        model(*player.with_constants(inputs, player.constants_of(self.request["init"])))
        if self.request["device"] != "cpu":
            torch.cuda.synchronize()

    def tensor(self, spec):
        dtype = getattr(torch, spec["dtype"])
        device = self.request["device"]
        if dtype.is_floating_point:
            return torch.rand(spec["shape"], device=device).to(dtype)
        return torch.zeros(spec["shape"], dtype=dtype, device=device)

    def keep_cache(self):
        """The files that Triton made; none where it made nothing."""
        folder = os.environ.get("TRITON_CACHE_DIR", "")
        if self.request["triton"] and os.path.isdir(folder):
            kbench_triton.write_cache(folder, CACHE, lambda data: hashlib.sha256(data).hexdigest())


def words_of(error):
    """One line, for whoever meets the consequences in a session."""
    cause = error.__cause__ if isinstance(error, player.Refused) and error.__cause__ else error
    return traceback.format_exception_only(cause)[-1].strip()[:500]


def is_of_failure(error):
    """True for an error that was raised because something does not compile, by whatever way."""
    seen = []
    while error is not None and error not in seen:
        if isinstance(error, kbench_extensions.NotCompiled):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__
    return False


def main():
    channel = socket.socket(fileno=player.CONTROL)
    player.send(channel, {"type": "builder", "torch": torch.__version__})
    request, _ = player.receive(channel)
    player.lead_to(request["scratch"])
    sys.stdout, sys.stderr = player.Output(1), player.Output(2)
    torch.set_grad_enabled(False)
    builder = Builder(channel, request)
    note, failure = "", False
    try:
        builder.run()
    except BaseException as error:  # SystemExit, too: a session meets it again, with a state
        note, failure = words_of(error), is_of_failure(error)
        print(player.last_lines(error), file=sys.stderr)
    try:
        builder.keep_cache()
    except OSError as error:
        note = note or f"its compiled kernels could not be kept: {error}"
    refused = kbench_extensions.refusals[0][0] if kbench_extensions.refusals else ""
    player.send(channel, {"type": "ended", "note": note, "failure": failure, "refused": refused})
    os._exit(0)


if __name__ == "__main__":
    main()
