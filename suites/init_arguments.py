"""Tells what the Model of each task is made with: get_init_inputs(), as a literal of Python; and the
task's text at that size.

    python3 init_arguments.py SIZE FILE...

Writes one line of JSON for each file, in their order: {"init": "([64], {}, [])", "state": […],
"kernelbench": […], "draws_alike": true, "text": "…"} or {"error": "…"}. They are the positional and
keyword arguments of Model, and those of forward that are no tensors, each with its position; what Model
registers (lowering/model_state.py), null where it cannot be made; for a task of this folder, what
KernelBench's Model registers, as pairs of its name and ours, which is null where ours has none
(kernelbench_names.py), and whether both draw the same values after the same seed; the file with the
constants of that size, which plays on a CPU if it names the GPU. Each file is executed in a process of
its own.
"""

import ast
import ctypes
import inspect
import json
import math
import os
import select
import signal
import sys
import time
from pathlib import Path

import torch
from torch.overrides import TorchFunctionMode

from lowering import forked, placement
from lowering.calls import call_of
from lowering.model_state import made_by, state_of
from lowering.taskfile import TaskFile

SUITES = Path(__file__).resolve().parent
NOTHING = torch.empty(0)
MOST_BYTES = 4 << 20  # of one answer
MOST_SECONDS = 120  # of one answer: the others wait for it. Models of 2^30 weights take ten on an idle core.
PR_SET_DUMPABLE = 4


def registered_by(model_class, call):
    try:
        return state_of(made_by(model_class, call))
    except Exception:
        return None


class NoTensors(TorchFunctionMode):
    """Nothing is drawn or computed: whatever torch is asked for is one and the same empty tensor."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return NOTHING


def constants_of(module):
    """[[1, 3.14]]: a number as forward's second argument, which a task has as a part of its graph."""
    try:
        with NoTensors():
            given = call_of(module.get_inputs(), module.Model.forward)
    except Exception:  # it looks at what it draws
        return []
    kinds = (bool, int, float, str, type(None))
    return [[position, value] for position, value in enumerate(given.args) if isinstance(value, kinds)]


def literal(value):
    """The value as text that ast.literal_eval reads back. repr() of an infinite number is a name, not a literal."""
    if isinstance(value, float) and math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    if isinstance(value, float) and math.isnan(value):
        raise ValueError("get_init_inputs() returns nan, which cannot be handed on: leave it to Model to make it")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        inner = ", ".join(map(literal, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    return repr(value)


def of_kernelbench(path):
    """How KernelBench's Model calls what ours registers, and whether both draw alike. A file from
    elsewhere is the only one of its kind."""
    if path.resolve().parent.parent != SUITES:
        return [], True
    with open(SUITES / "kernelbench_names.json", encoding="utf-8") as file:
        known = json.load(file)
    name = f"{path.parent.name}/{path.stem}"
    return known["tasks"].get(name, []), name not in known["other_draws"]


def placed(text):
    """A file that names the GPU plays on a CPU as well: what it makes there is made on the CPU. Others are
    left as they are, because a mode costs each operator some time."""
    if "cuda" not in text:
        return text
    tree = ast.parse(text)
    body, first = tree.body, int(ast.get_docstring(tree) is not None)
    while first < len(body) and isinstance(body[first], ast.ImportFrom) and body[first].module == "__future__":
        first += 1
    lines = text.splitlines(keepends=True)
    after = body[first - 1].end_lineno if first else 0
    mode = inspect.getsource(placement) + "\nif not torch.cuda.is_available():\n    OnCpu().__enter__()\n"
    return "".join([*lines[:after], mode, *lines[after:]])


def arguments_of(path, size):
    file = TaskFile(path)
    module = file.load(size)
    call = call_of(module.get_init_inputs(), module.Model)
    text = literal((list(call.args), dict(call.kwargs), constants_of(module)))
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise ValueError("get_init_inputs() returns more than numbers, texts and lists of them") from error
    names, draws_alike = of_kernelbench(file.path)
    return {
        "init": text,
        "state": registered_by(module.Model, call),
        "kernelbench": names,
        "draws_alike": draws_alike,
        "text": placed(file.text_at(size)),
    }


def answer_of(path, size):
    try:
        with placement.OnCpu():
            return arguments_of(path, size)
    except BaseException as error:  # the file's own, SystemExit among them
        return {"error": f"{type(error).__name__}: {error}"[:500]}


def answer_from_a_fork(path, size, pipe):
    """Never returns. The file reaches the pipe of its own answer and no other stream."""
    me = os.getpid()
    forked.keep_only(pipe)
    forked.answer_and_end(json.dumps(answer_of(path, size)).encode(), me)


def read_answer(pipe):
    """Until its end, or until it says too much. None: it takes too long."""
    text = b""
    deadline = time.monotonic() + MOST_SECONDS
    while len(text) <= MOST_BYTES:
        if not select.select([pipe], [], [], max(0, deadline - time.monotonic()))[0]:
            return None
        part = os.read(pipe, 1 << 20)
        if not part:
            break
        text += part
    return text


def end(child):
    """Nothing of it is waited for. A sandbox without a PID namespace denies signals to others: there, what
    goes on after its answer ends with the sandbox."""
    try:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except PermissionError:
        os.waitpid(child, os.WNOHANG)


def ask_in_a_process(path, size):
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        answer_from_a_fork(path, size, theirs)
    os.close(theirs)
    text = read_answer(ours)
    os.close(ours)
    end(child)
    if text is None:
        return {"error": f"the file takes more than {MOST_SECONDS} s to say it"}
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"error": "the file ends the process that executes it"}


def main():
    # So that no file opens this process's streams by /proc and answers for the others.
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    size, *files = sys.argv[1:]
    for path in files:
        print(json.dumps(ask_in_a_process(path, size)), flush=True)


if __name__ == "__main__":
    main()
