"""The player of Python submissions, driven as the supervisor does, without a sandbox around it.

PYTHON is one with torch, LIBRARY kbench-player.so, KBENCH_ROOT the checkout.
"""

import array
import ctypes
import hashlib
import json
import math
import mmap
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(os.environ["KBENCH_ROOT"])
PYTHON = os.environ["PYTHON"]
LIBRARY = os.environ["LIBRARY"]

EMPTY, FORWARD, PREPARE, LOAD, OBSERVED = 0, 1, 2, 3, 7
# Offsets of runner/worker/mailbox.hpp, which tests/cheats/layout_test.cpp checks.
GO, KIND, SLOTS, PARAMETERS, INPUTS, OUTPUTS, DONE, STATUS, CLAIMED = 0, 4, 8, 16, 24, 152, 320, 324, 328
COPIES, PLACES, PLACE_BYTES = 280, 344, 128
IN_ARENA, OWN = 0, 1
RAISED, WRONG_OUTPUT, REFUSED = -1, -2, -3
SYS_FUTEX, FUTEX_WAKE = 202, 1
ARENA = 1 << 20
AT = 512  # where tensors start in their arenas
LIBC = ctypes.CDLL(None, use_errno=True)
NO_ROOM = "/proc"  # where nobody can write a file
LANDLOCK = LIBC.syscall(444, None, ctypes.c_size_t(0), 1) > 0  # the version that the kernel speaks
PATIENCE_S = 240  # for anything that the player says; importing torch takes minutes on a busy machine

RELU = """import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
"""


class Channel:
    def __init__(self, end):
        self.end = end
        self.end.settimeout(PATIENCE_S)

    def send(self, body, descriptors=()):
        text = json.dumps(body).encode()
        numbers = array.array("i", descriptors)
        extra = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)] if descriptors else []
        frame = struct.pack("=I", len(text)) + text
        sent = self.end.sendmsg([frame], extra)
        self.end.sendall(frame[sent:])

    def exactly(self, count):
        data = b""
        while len(data) < count:
            more = self.end.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def receive(self):
        (length,) = struct.unpack("=I", self.exactly(4))
        return json.loads(self.exactly(length))


def tensor(name, shape, dtype="float32", fqn="", width=4, offset=0):
    return {"name": name, "fqn": fqn, "dtype": dtype, "shape": shape,
            "bytes": math.prod(shape) * width, "offset": offset}


def registered(name, type_):
    return {"name": name, "type": type_, "buffer": False}


class Session:
    """The supervisor's side of a player: mailbox, arenas, channel, output."""

    def __init__(self, zygote, request):
        ours, theirs = socket.socketpair()
        self.channel = Channel(ours)
        self.output, printed = os.pipe()
        os.set_blocking(printed, False)
        os.set_blocking(self.output, False)
        self.folder = tempfile.mkdtemp(prefix="kbench-player-test-")
        zygote.send({"type": "fork", "folder": self.folder}, (theirs.fileno(), printed))
        theirs.close()
        os.close(printed)
        assert zygote.receive()["type"] == "forked"
        files = [os.memfd_create(name) for name in ("mailbox", "inputs", "params", "outputs")]
        for file, size in zip(files, (4096, ARENA, ARENA, ARENA)):
            os.truncate(file, size)
        self.page, self.inputs, self.params, self.outputs = (mmap.mmap(file, 0) for file in files)
        self.channel.send({**request, "arena_bytes": [ARENA] * 3, "parameter_base": AT,
                           "heap_bytes": 1 << 20}, files)
        for file in files:
            os.close(file)
        self.calls = 0

    def call(self, kind, slots=1, copies=False):
        """The status that the player answers."""
        struct.pack_into("=II", self.page, KIND, kind, slots)
        struct.pack_into("=I", self.page, COPIES, copies)
        struct.pack_into("=Q", self.page, PARAMETERS, AT)
        for offset in (INPUTS, OUTPUTS):
            struct.pack_into("=Q", self.page, offset, AT)
        self.calls += 1
        struct.pack_into("=I", self.page, GO, self.calls)
        word = ctypes.c_uint32.from_buffer(self.page, GO)
        LIBC.syscall(SYS_FUTEX, ctypes.byref(word), FUTEX_WAKE, 1, None, None, 0)
        del word
        deadline = time.monotonic() + PATIENCE_S
        while struct.unpack_from("=I", self.page, DONE)[0] != self.calls:
            if time.monotonic() > deadline:
                raise TimeoutError(f"no answer to call {self.calls}, kind {kind}: {self.printed()}")
            time.sleep(0.001)
        return struct.unpack_from("=i", self.page, STATUS)[0]

    def claimed_ns(self):
        return struct.unpack_from("=q", self.page, CLAIMED)[0]

    def place(self, output=0):
        """The place of an output, as it was told: its home, its address, and fourteen strides."""
        home, _, address, *strides = struct.unpack_from("=IIQ14q", self.page, PLACES + output * PLACE_BYTES)
        return home, address, strides

    def content(self, count, output=0):
        """The first bytes of an output, from where it lies."""
        home, address, _ = self.place(output)
        if home == IN_ARENA:
            return self.outputs[AT:AT + count]
        with open(f"/proc/{self.pid}/mem", "rb", buffering=0) as memory:
            return os.pread(memory.fileno(), count, address)

    def put(self, arena, values):
        struct.pack_into(f"={len(values)}f", arena, AT, *values)

    def result(self, count):
        return list(struct.unpack(f"={count}f", self.content(4 * count)))

    def printed(self):
        try:
            return os.read(self.output, 1 << 16).decode()
        except BlockingIOError:
            return ""


class PlayerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ours, theirs = socket.socketpair()
        # As descriptor 3, which nobody else has.
        cls.process = subprocess.Popen(
            [PYTHON, "-s", "-B", str(ROOT / "runner/player/player.py"), LIBRARY, "cpu"],
            env={**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1",
                 "CUDA_VISIBLE_DEVICES": "", "TMPDIR": NO_ROOM},
            close_fds=False, preexec_fn=lambda: os.dup2(theirs.fileno(), 3))
        theirs.close()
        cls.zygote = Channel(ours)
        assert cls.zygote.receive()["type"] == "zygote"

    @classmethod
    def tearDownClass(cls):
        cls.process.kill()
        cls.process.wait()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.playing = False
        self.addCleanup(self.end)

    def begin(self, text, init="([], {}, [])", inputs=None, outputs=None, parameters=(), state=None,
              mode="batch-stats", prebuilt=None, kernelbench=()):
        """A session that takes empty calls; the one before it ends."""
        self.end()
        (pathlib.Path(self.folder.name) / "model.py").write_text(text, encoding="utf-8")
        session = Session(self.zygote, {
            "device": "cpu", "precision": "torch-default",
            "folder": self.folder.name, "entry": "model.py", "init": init, "mode": mode, "real": "float32",
            "state": state, "kernelbench": list(kernelbench), "seed": None,
            "prebuilt": prebuilt, "inputs": inputs or [tensor("x", [2, 2])],
            "outputs": outputs or [tensor("y", [2, 2])], "parameters": list(parameters)})
        self.addCleanup(shutil.rmtree, session.folder)
        self.playing = True
        answer = session.channel.receive()
        self.assertEqual(answer["type"], "ready", answer)
        (session.pid,) = self.children()
        return session

    def end(self):
        """Kills what is left of the session, and hears of that."""
        if not self.playing:
            return
        self.playing = False
        for pid in self.children():
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(self.zygote.receive()["type"], "ended")

    def children(self):
        path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(path, encoding="utf-8") as file:
            return [int(pid) for pid in file.read().split()]

    def load(self, session):
        self.assertEqual(session.call(LOAD), 0)
        return session.channel.receive()

    def loaded(self, *arguments, **options):
        session = self.begin(*arguments, **options)
        answer = self.load(session)
        self.assertEqual(answer["type"], "loaded", answer)
        return session

    def test_nothing_but_the_main_thread_is_there_when_it_forks(self):
        self.assertEqual(len(os.listdir(f"/proc/{self.process.pid}/task")), 1)

    def test_an_empty_call_is_one_in_which_nothing_is_played(self):
        session = self.begin(RELU)
        self.assertEqual(session.call(EMPTY), 0)
        self.assertEqual(session.outputs[AT:AT + 16], bytes(16))
        self.assertGreater(session.claimed_ns(), 0)

    def test_an_empty_call_between_two_others_leaves_the_model_as_it_was(self):
        session = self.loaded(RELU)
        session.put(session.inputs, [-1, 2, -3, 4])
        for _ in range(2):
            self.assertEqual(session.call(FORWARD), 0, session.printed())
            self.assertEqual(session.result(4), [0, 2, 0, 4])
            self.assertEqual(session.call(EMPTY), 0, session.printed())

    def test_a_call_reads_its_input_and_writes_its_output(self):
        session = self.loaded(RELU)
        for values in ([-1, 2, -3, 4], [5, -6, 7, -8]):
            session.put(session.inputs, values)
            self.assertEqual(session.call(FORWARD), 0)
            self.assertEqual(session.result(4), [max(value, 0) for value in values])

    def test_numbers_are_handed_over_where_the_task_has_them(self):
        text = RELU.replace("def forward(self, x):\n        return torch.relu(x)",
                            "def forward(self, a, x, b):\n        return x * a + b")
        session = self.loaded(text, init="([], {}, [[0, 2.0], [2, 0.5]])")
        session.put(session.inputs, [1, 2, 3, 4])
        self.assertEqual(session.call(FORWARD), 0, session.printed())
        self.assertEqual(session.result(4), [2.5, 4.5, 6.5, 8.5])

    def test_parameters_are_bound_by_name(self):
        text = RELU.replace("return torch.relu(x)", "return self.fc(x)").replace(
            "    def forward", "    def __init__(self, n):\n        super().__init__()\n"
            "        self.fc = torch.nn.Linear(n, n, bias=False)\n\n    def forward")
        weight = tensor("fc_weight", [2, 2], fqn="fc.weight")
        session = self.begin(text, init="([2], {}, [])", parameters=[weight],
                             state=[registered("fc.weight", "float32[2, 2]")])
        session.put(session.params, [0, 1, 1, 0])
        self.assertEqual(self.load(session)["type"], "loaded")
        session.put(session.inputs, [1, 2, 3, 4])
        self.assertEqual(session.call(FORWARD), 0)
        self.assertEqual(session.result(4), [2, 1, 4, 3])

    def test_parameters_that_differ_are_listed(self):
        text = RELU.replace("    def forward", "    def __init__(self):\n        super().__init__()\n"
                            "        self.own = torch.nn.Parameter(torch.zeros(3))\n\n    def forward")
        weight = tensor("w", [2], fqn="w")
        answer = self.load(self.begin(text, parameters=[weight], state=[registered("w", "float32[2]")]))
        self.assertEqual(answer["state"], "parameters_differ")
        for words in ("missing: w float32[2]", "left over: own float32[3]",
                      "by order, number 1 is own float32[3]; the task has w float32[2]"):
            self.assertIn(words, answer["message"])

    def test_operators_are_counted_in_an_observed_call_only(self):
        session = self.loaded(RELU)
        session.put(session.inputs, [-1, 2, -3, 4])
        self.assertEqual(session.call(FORWARD), 0)
        self.assertEqual(session.call(OBSERVED), 0)
        said = session.channel.receive()
        self.assertTrue(said["hooks"], said)
        self.assertEqual(said["operators"], {"aten::relu": 1}, "and not what the player does")
        self.assertGreater(said["ns"]["aten::relu"], 0)
        self.assertGreaterEqual(said["all_ns"], said["ns"]["aten::relu"])
        self.assertEqual(session.result(4), [0, 2, 0, 4])

    def test_each_slot_of_an_observed_call_counts(self):
        session = self.loaded(RELU)
        self.assertEqual(session.call(OBSERVED, slots=3), 0)
        said = session.channel.receive()
        self.assertEqual((said["operators"], said["hooks"]), ({"aten::relu": 3}, True))
        self.assertEqual(session.call(OBSERVED), 0)
        self.assertEqual(session.channel.receive()["operators"], {"aten::relu": 1})

    def test_within_an_operator_of_the_submissions_own_torchs_count(self):
        model = """import torch

LIBRARY = torch.library.Library("mine", "DEF")
LIBRARY.define("same(Tensor%s x) -> Tensor%s")
LIBRARY.impl("same", torch.relu, "CPU")


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.ops.mine.same(x)
"""
        for alias in ("", "(a)"):  # its schema may say that it gives a view
            with self.subTest(alias):
                session = self.loaded(model % (alias, alias))
                self.assertEqual(session.call(OBSERVED), 0, session.printed())
                said = session.channel.receive()
                self.assertTrue(said["hooks"], said)
                self.assertEqual(said["operators"], {"aten::relu": 1})

    def test_for_python_an_observed_call_is_like_any_other(self):
        session = self.loaded(RELU.replace("import torch", "import sys\n\nimport torch", 1).replace(
            "        return", """        frame, seen = sys._getframe(1), []
        while frame is not None:
            seen.append((frame.f_code.co_name, frame.f_lineno, sorted(frame.f_locals)))
            seen += [value for value in frame.f_locals.values() if isinstance(value, bool)]
            player = frame.f_locals.get("self")
            if hasattr(player, "call"):
                seen.append((player.call.kind, sorted(vars(player))))
            frame = frame.f_back
        print(seen)
        return"""))
        for _ in range(2):  # before the first one, the player knows of none
            self.assertEqual(session.call(FORWARD), 0)
            seen = session.printed()
        self.assertIn("play", seen)
        self.assertEqual(session.call(OBSERVED), 0)
        self.assertEqual(session.printed(), seen)
        self.assertEqual(session.channel.receive()["operators"], {"aten::relu": 1})

    def test_who_ends_the_observation_itself_is_told_of(self):
        for calls in (("kb_stop_watching",), ("kb_stop_watching", "kb_watch_operators")):
            with self.subTest(calls):
                text = "".join(f"        player.{name}()\n" for name in calls)
                session = self.loaded(RELU.replace("        return", f"""        frame = sys._getframe()
        while "slot" not in frame.f_locals:
            frame = frame.f_back
        player = frame.f_locals["self"].library
{text}        return""").replace("import torch", "import sys\n\nimport torch", 1))
                self.assertEqual(session.call(OBSERVED), 0, session.printed())
                self.assertFalse(session.channel.receive()["hooks"])

    def test_each_hook_sees_what_hides_from_the_other(self):
        text = RELU.replace("        return", "        torch.autograd._enable_record_function(False)\n"
                            "        return")
        session = self.loaded(text)
        self.assertEqual(session.call(OBSERVED), 0)
        said = session.channel.receive()
        self.assertEqual(said["operators"].get("aten::relu"), 1, said)
        self.assertFalse(said["hooks"])
        session = self.loaded(RELU.replace("        return torch.relu(x)", """        out = []
        thread = threading.Thread(target=lambda: out.append(torch.relu(x)))
        thread.start()
        thread.join()
        return out[0]""").replace("import torch", "import threading\n\nimport torch", 1))
        self.assertEqual(session.call(OBSERVED), 0)
        self.assertEqual(session.channel.receive()["operators"].get("aten::relu"), 1)

    def test_an_output_stays_in_memory_of_the_submissions_own_until_the_next_call(self):
        session = self.loaded(RELU)
        for values in ([-1, 2, -3, 4], [5, -6, 7, -8]):
            session.put(session.inputs, values)
            self.assertEqual(session.call(FORWARD), 0)
            self.assertEqual(session.place()[0], OWN)
            self.assertEqual(session.outputs[AT:AT + 16], bytes(16))
            self.assertEqual(session.result(4), [max(value, 0) for value in values])

    def test_where_nobody_can_read_its_memory_it_copies_its_outputs_to_the_arena(self):
        session = self.loaded(RELU.replace("torch.relu(x)", "torch.relu(x).t().contiguous().t()"))
        session.put(session.inputs, [-1, 2, -3, 4])
        self.assertEqual(session.call(FORWARD, copies=True), 0)
        self.assertEqual(session.place()[0], IN_ARENA)
        self.assertEqual(session.result(4), [0, 2, 0, 4])

    def test_a_negative_view_is_what_it_stands_for(self):
        session = self.loaded(RELU.replace("torch.relu(x)", "torch._neg_view(x)"))
        session.put(session.inputs, [-1, 2, -3, 4])
        self.assertEqual(session.call(FORWARD), 0, session.printed())
        self.assertEqual(session.result(4), [1, -2, 3, -4])

    def test_a_mode_that_would_run_afterwards_is_refused(self):
        session = self.loaded(RELU.replace("import torch", """import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Late(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return args[0]
""", 1).replace("        return torch.relu(x)", "        Late().__enter__()\n        return x"))
        self.assertEqual(session.call(FORWARD), WRONG_OUTPUT)
        self.assertIn("left a TorchDispatchMode entered", session.printed())

    def test_a_model_that_is_no_whole_module_says_why(self):
        for line, why in (("def __init__(self): pass", "AttributeError: "),
                          ("def train(self): pass", "TypeError: "),
                          ("def modules(self): raise EOFError", "EOFError")):
            with self.subTest(line):
                answer = self.load(self.begin(RELU.replace("    def forward",
                                                           f"    {line}\n\n    def forward")))
                self.assertEqual(answer["state"], "submission_error", answer)
                self.assertTrue(answer["message"].splitlines()[1].startswith(why), answer)

    def test_a_class_of_another_name_is_named(self):
        for text, hint in ((RELU.replace("ModelNew", "Model"),
                            "the class is called Model there; call it ModelNew"),
                           ("import torch\nfrom torch.nn import Linear\n", "it is made with the arguments")):
            with self.subTest(hint):
                answer = self.load(self.begin(text))
                self.assertEqual(answer["state"], "missing_symbol")
                self.assertTrue(answer["hint"].startswith(hint), answer)

    def test_what_only_the_reference_defines_is_named(self):
        for text, state in ((RELU.replace("torch.nn.Module", "Model"), "import_error"),
                            (RELU.replace("def forward", "def __init__(self):\n        get_inputs()\n\n"
                                          "    def forward"), "submission_error")):
            with self.subTest(state):
                answer = self.load(self.begin(text))
                self.assertEqual(answer["state"], state)
                self.assertIn("is of the task's file, which a submission does not see", answer["hint"])

    def test_a_traceback_begins_in_the_submission(self):
        for text in ("import torch\nraise ValueError('why')\n", RELU + "\nnosuch\n", "class ModelNew(:\n",
                     RELU.replace("def forward", "def __init__(self):\n        nosuch\n\n    def forward")):
            with self.subTest(text):
                answer = self.load(self.begin(text))
                self.assertIn(answer["state"], ("import_error", "submission_error"))
                self.assertIn("model.py", answer["message"])
                for ours in ("player.py", "importlib"):
                    self.assertNotIn(ours, answer["message"])

    def test_what_it_prints_and_raises_reaches_its_author(self):
        session = self.loaded(RELU.replace("return torch.relu(x)", "print('hello')\n        1 / 0"))
        self.assertEqual(session.call(FORWARD), RAISED)
        printed = session.printed()
        self.assertIn("hello", printed)
        self.assertIn("ZeroDivisionError", printed)

    def test_another_shape_is_a_wrong_output(self):
        session = self.loaded(RELU.replace("torch.relu(x)", "x[0]"))
        self.assertEqual(session.call(FORWARD), WRONG_OUTPUT)
        self.assertIn("float32[2] for y, not float32[2, 2]", session.printed())

    def returned(self, expression, imports=""):
        """The status of a call that returns this, and what it says."""
        session = self.loaded(RELU.replace("torch.relu(x)", expression).replace(
            "import torch\n", f"import torch\n{imports}\n", 1))
        session.put(session.inputs, [-1, 2, -3, 4])
        return session.call(FORWARD), session

    def test_what_lies_where_outputs_are_judged_is_a_wrong_output(self):
        place = """

def place(shape):
    frame = sys._getframe()
    while "slot" not in frame.f_locals:
        frame = frame.f_back
    player = frame.f_locals["self"]
    view = copy.copy(player.outputs[0])
    view.extents = (ctypes.c_int64 * len(shape))(*shape)
    view.shape = shape
    return view.at(player.arenas[2] + player.call.output_base[0])


class Mine(torch.Tensor):
    pass
"""
        imports = "import copy\nimport ctypes\nimport sys\n" + place
        for expression in ("torch.clamp_min(x, 0.0, out=place((2, 2)))",
                           "place((2, 2)).as_subclass(Mine)", "place((8,))[4:].view(2, 2)"):
            with self.subTest(expression):
                status, session = self.returned(expression, imports)
                printed = session.printed()
                self.assertEqual(status, WRONG_OUTPUT, printed)
                self.assertIn("memory of kbench's own for y, not of the submission's", printed)

    def test_what_has_no_memory_is_a_wrong_output_with_the_reason(self):
        for expression, words in (
                ("torch.relu(x).to_sparse()", "layout torch.sparse_coo"),
                ("torch.relu(x).to_mkldnn()", "layout torch._mkldnn"),
                ("x.to('meta')", "a meta tensor for y, which has no memory"),
                ("torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)", "quantised"),
                ("torch._efficientzerotensor((2, 2))", "without memory"),
                ("torch._to_functional_tensor(torch.relu(x))", "without memory"),
                ("7", "int, not tensors")):
            with self.subTest(expression):
                status, session = self.returned(expression)
                printed = session.printed()
                self.assertEqual(status, WRONG_OUTPUT, printed)
                self.assertIn(words, printed)

    def test_a_wrapper_without_a_storage_is_a_wrong_output(self):
        wrapper = """

class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise NotImplementedError
"""
        status, session = self.returned("Wrapper(x)", wrapper)
        printed = session.printed()
        self.assertEqual(status, WRONG_OUTPUT, printed)
        self.assertIn("Wrapper", printed)

    def test_of_a_subclass_its_memory_counts_and_not_what_it_computes(self):
        lazy = """

class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function is torch.Tensor.copy_:
            args[0].fill_(7)
            return args[0]
        return super().__torch_function__(function, types, args, kwargs or {})
"""
        status, session = self.returned("torch.relu(x).as_subclass(Lazy)", lazy)
        self.assertEqual(status, 0, session.printed())
        self.assertEqual(session.result(4), [0, 2, 0, 4])

    def test_a_subclass_that_claims_more_than_it_holds_is_a_wrong_output(self):
        liar = """

class Liar(torch.Tensor):
    shape = (2, 2)
"""
        status, session = self.returned("torch.zeros(1).as_subclass(Liar)", liar)
        self.assertEqual(status, WRONG_OUTPUT)
        self.assertIn("float32[1] for y, not float32[2, 2]", session.printed())

    def test_a_result_says_how_its_dimensions_lie(self):
        plain = """

class Plain(torch.Tensor):
    pass
"""
        for expression, strides in (("torch.relu(x).t().contiguous().t()", [1, 2]),
                                    ("torch.relu(x).t().contiguous().t().as_subclass(Plain)", [1, 2]),
                                    ("torch.relu(x).repeat(2, 2)[:2, :2]", [4, 1]),
                                    ("torch.relu(x)[:, :1].expand(2, 2)", [2, 0]),
                                    ("torch.nn.Parameter(torch.relu(x))", [2, 1])):
            with self.subTest(expression):
                status, session = self.returned(expression, plain)
                self.assertEqual(status, 0, session.printed())
                home, _, told = session.place()
                self.assertEqual((home, told[:2]), (OWN, strides))

    def test_each_output_has_its_place(self):
        model = """import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.zeros(4), torch.ones(3)
"""
        outputs = [tensor("a", [4]), tensor("b", [3], offset=256)]
        session = self.loaded(model, outputs=outputs)
        self.assertEqual(session.call(FORWARD), 0, session.printed())
        self.assertEqual(session.content(16), bytes(16))
        self.assertEqual(struct.unpack("=3f", session.content(12, output=1)), (1, 1, 1))

    def test_tensors_of_every_type_come_as_the_arena_has_them(self):
        types = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4,
                 "int16": 2, "int8": 1, "uint8": 1, "bool": 1}
        for name, width in types.items():
            with self.subTest(name):
                one = {"dtype": name, "width": width}
                session = self.loaded(RELU.replace("torch.relu(x)", "x.clone()"),
                                      inputs=[tensor("x", [2, 3], **one)],
                                      outputs=[tensor("y", [2, 3], **one)])
                content = bytes([0, 1] * (3 * width))
                session.inputs[AT:AT + len(content)] = content
                self.assertEqual(session.call(FORWARD), 0, session.printed())
                self.assertEqual(session.content(len(content)), content)

    def test_a_tensor_without_dimensions_is_one_number(self):
        session = self.loaded(RELU.replace("torch.relu(x)", "x + 1"), inputs=[tensor("x", [])],
                              outputs=[tensor("y", [])])
        session.put(session.inputs, [41])
        self.assertEqual(session.call(FORWARD), 0, session.printed())
        self.assertEqual(session.result(1), [42])

    def test_it_can_neither_fork_nor_open_a_socket(self):
        session = self.loaded(RELU.replace("return torch.relu(x)", """for attempt in (os.fork, socket.socket):
            try:
                attempt()
            except PermissionError:
                continue
            return x[0]
        return torch.relu(x)""").replace("import torch", "import os\nimport socket\n\nimport torch", 1))
        self.assertEqual(session.call(FORWARD), 0)

    def test_it_writes_to_its_own_folder_and_whoever_asks_is_led_there(self):
        session = self.loaded(RELU.replace("import torch", """import getpass
import os
import tempfile

import torch
from torch._inductor.runtime.cache_dir_utils import cache_dir

own = os.getcwd()
assert os.listdir() == [".cache"]
assert {tempfile.gettempdir(), os.path.expanduser("~"), cache_dir(), os.environ["TMPDIR"]} == {own}
assert os.environ["XDG_CACHE_HOME"].startswith(own)
assert getpass.getuser() == "nobody"
with tempfile.NamedTemporaryFile() as file:
    assert os.path.dirname(file.name) == own
os.makedirs("a/b")
""", 1))
        self.assertEqual(session.call(FORWARD), 0)
        self.assertTrue((pathlib.Path(session.folder) / "a" / "b").is_dir())

    @unittest.skipUnless(LANDLOCK, "this kernel has no Landlock")
    def test_elsewhere_it_writes_nothing_and_is_told_where_it_may(self):
        closed = f"/tmp/kbench-player-test-{os.getpid()}"  # of no other test
        for line, path in ((f"open('{closed}', 'w')", closed), (f"os.makedirs('{closed}/folder')", closed),
                           (f"open('{closed}/there/is/none')", f"{closed}/there/is/none"),
                           ("open('/dev/shm/kbench-mine', 'w')", "/dev/shm/kbench-mine")):
            with self.subTest(line):
                answer = self.load(self.begin(f"import os\n{line}\n"))
                self.assertEqual(answer["state"], "import_error")
                self.assertIn(f"{path} is closed to a submission: it writes below TMPDIR", answer["message"])
                session = self.loaded(RELU.replace("        return", f"        {line}\n        return").replace(
                    "import torch", "import os\n\nimport torch", 1))
                self.assertEqual(session.call(FORWARD), RAISED)
                self.assertIn("it writes below TMPDIR", session.printed())
        self.assertFalse(os.path.exists(closed))

    def test_of_other_errors_nothing_is_said_of_files(self):
        for line in ("raise OSError('/tmp/x')", "open('nothing')", "open('/no/such/folder/file')", "1 / 0"):
            with self.subTest(line):
                answer = self.load(self.begin(line + "\n"))
                self.assertNotIn("TMPDIR", answer["message"])

    def test_an_extension_that_was_not_built_is_an_error_that_says_so(self):
        text = RELU.replace("import torch\n", "import torch\nfrom torch.utils.cpp_extension import load_inline\n\n"
                            "load_inline(name='mine', cpp_sources='int x;')\n", 1)
        other = {"key": "0" * 64, "name": "mine", "path": "nowhere.so", "failure": ""}
        built = {"compilers": True, "extensions": [other], "modules": {}, "triton": "", "torch_compiled": False,
                 "note": "ValueError: no such day"}
        answer = self.load(self.begin(text, prebuilt=built))
        self.assertEqual(answer["state"], "import_error")
        self.assertIn("the extension mine was not compiled in the build step", answer["message"])
        self.assertIn("no such day", answer["message"])

    def test_what_kbench_refuses_is_an_error_also_where_the_file_catches_it(self):
        asks = "try:\n    {}\nexcept Exception:\n    pass\n"
        other = asks.format("torch.utils.cpp_extension.load_inline(name='mine', cpp_sources='int x;')")
        text = RELU.replace("import torch\n", "import torch\nimport torch.utils.cpp_extension\n\n" + other, 1)
        built = {"compilers": True, "extensions": [], "modules": {}, "triton": "", "torch_compiled": False, "note": ""}
        answer = self.load(self.begin(text, prebuilt=built))
        self.assertEqual(answer["state"], "import_error")
        self.assertIn("the extension mine was not compiled in the build step", answer["message"])
        text = RELU.replace("import torch\n", "import torch\n\n" + asks.format("torch.compile(torch.relu)"), 1)
        answer = self.load(self.begin(text))
        self.assertEqual(answer["state"], "import_error")
        self.assertIn("torch.compile is not offered on a CPU", answer["message"])
        text = RELU.replace("return torch.relu(x)", """try:
            torch.compile(torch.relu)
        except RuntimeError:
            return torch.relu(x)""")
        self.assertEqual(self.loaded(text).call(FORWARD), REFUSED)

    def test_what_did_not_compile_is_raised_again_and_may_be_caught(self):
        text = RELU.replace("import torch\n", """import torch
from torch.utils.cpp_extension import load_inline

try:
    load_inline(name=f'mine_{id(object())}', cpp_sources='int x')
    missing = False
except RuntimeError as error:
    missing = 'no semicolon' in str(error)
""", 1).replace("return torch.relu(x)", "return torch.relu(x) if missing else None")
        asked = {"cflags": [], "cuda_cflags": [], "ldflags": [], "includes": [], "with_cuda": None, "module": True,
                 "kind": "inline", "cpp": ["int x"], "cuda": [], "functions": None, "error_handling": True,
                 "implicit_headers": True}
        key = hashlib.sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        failed = {"key": key, "name": "mine_7", "path": "", "failure": "main.cpp: no semicolon"}
        built = {"compilers": True, "extensions": [failed], "modules": {}, "triton": "", "torch_compiled": False, "note": ""}
        self.assertEqual(self.loaded(text, prebuilt=built).call(FORWARD), 0)

    def test_a_module_that_was_built_is_imported_from_where_it_lies(self):
        # Any file that Python can import stands for a library.
        folder = pathlib.Path(self.folder.name) / "built"
        folder.mkdir()
        (folder / "0.py").write_text("def relu(x):\n    return x.clamp(min=0)\n", encoding="utf-8")
        built = {"compilers": False, "extensions": [], "modules": {"cuda_extension": str(folder / "0.py")},
                 "triton": "", "torch_compiled": False, "note": ""}
        text = RELU.replace("import torch\n", "import cuda_extension\nimport torch\n", 1).replace(
            "torch.relu(x)", "cuda_extension.relu(x)")
        session = self.loaded(text, prebuilt=built)
        session.put(session.inputs, [-1, 2, -3, 4])
        self.assertEqual(session.call(FORWARD), 0)
        self.assertEqual(session.result(4), [0, 2, 0, 4])

    def test_prepare_is_called_where_there_is_one(self):
        session = self.begin(RELU + "\n    def kbench_prepare(self):\n        self.ready = True\n")
        self.assertTrue(self.load(session)["has_prepare"])
        self.assertEqual(session.call(PREPARE), 0)
        self.assertFalse(self.load(self.begin(RELU))["has_prepare"])

    def test_dropout_is_off_and_batch_norm_as_the_task_says(self):
        text = """import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.9)
        self.norm = torch.nn.BatchNorm1d(2, affine=False)

    def forward(self, x):
        return self.drop(x) if self.norm.training else self.norm(x)
"""
        session = self.loaded(text)
        session.put(session.inputs, [1, 2, 3, 4])
        self.assertEqual(session.call(FORWARD), 0)
        self.assertEqual(session.result(4), [1, 2, 3, 4])


    def test_between_submissions_it_says_whether_it_is_as_it_was(self):
        self.end()
        self.zygote.send({"type": "look_over"})
        self.assertEqual(self.zygote.receive(), {"type": "unchanged"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
