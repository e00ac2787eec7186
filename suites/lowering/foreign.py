"""Lowers one stranger's file, for suites/importer.py: whatever it does, there is an answer.

Imports all of torch that lowering needs.
"""

import contextlib
import json
from pathlib import Path

import torch
from torch.hub import tqdm

from . import blame
from .analysis import FACTS, analyse
from .task import PRIVILEGES, lower_task
from .text import format_task

torch.set_num_threads(1)  # one file a process is the better use of the processors
# Where tqdm is installed torch makes a progress bar, unseen, for each graph that it looks at, and the
# first one starts a thread.
tqdm.monitor_interval = 0

_COUNTS_DEVICES = "_ensureCUDADeviceGuardSet"
_WARM_UP = """
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Linear(2, 2)

    def forward(self, x):
        return self.w(x)

def get_inputs():
    return [torch.rand(2, 2)]

def get_init_inputs():
    return []
"""


def lower_file(request: dict, scratch: Path) -> dict:
    """{"task": TEXT}, or {"error": …} as blame.py describes it."""
    source = scratch / f"level{request['level']}" / request["file"]
    source.parent.mkdir()
    source.write_bytes(request["source"].encode("utf-8"))
    try:
        task = lower_task(source, request["mode"], infer=True)
        return {"task": format_task(_without_privileges(_cleaned(task)))}
    except BaseException as error:  # a file may raise anything, SystemExit too
        return {"error": blame.describe(error, source)}


def recount(request: dict, scratch: Path) -> dict:
    """{} where the lowered form says of its graph's cost what the graph says; else an error."""
    try:
        task = json.loads(request["task"])
        for size, graph in task["sizes"].items():
            said = {fact: graph[fact] for fact in FACTS if fact in graph}
            found = analyse(task, size)
            for fact in FACTS:
                if said.get(fact) != found.get(fact):
                    return _miscounted(
                        f"its lowered form says {fact} {said.get(fact)!r} at size {size}, its graph "
                        f"{found.get(fact)!r}"
                    )
    except BaseException as error:  # a graph that was made up may do anything but work
        return _miscounted(f"its lowered form cannot be counted: {type(error).__name__}: {error}")
    return {}


def _miscounted(what: str) -> dict:
    hint = "a task file only defines a module and its inputs"
    return {"error": {"line": None, "what": what[:300], "fault": "file", "hint": hint}}


def warm_up(scratch: Path) -> None:
    """One small task: it imports what torch imports at first use."""
    request = {"level": 1, "file": "001_warm_up.py", "mode": "batch-stats", "source": _WARM_UP}
    with _driver_left_alone():
        answer = lower_file(request, scratch)
    if "error" in answer:
        raise RuntimeError(f"a task that must work did not: {answer['error']}")


@contextlib.contextmanager
def _driver_left_alone():
    """A fake tensor's first deed is to count CUDA devices, for which the driver starts threads."""
    asks = getattr(torch._C, _COUNTS_DEVICES, None)
    if asks is None:
        yield
        return
    setattr(torch._C, _COUNTS_DEVICES, lambda: None)
    try:
        yield
    finally:
        setattr(torch._C, _COUNTS_DEVICES, asks)


def _without_privileges(task: dict) -> dict:
    """Without what silences lint or leaves draws out: that is for whoever runs kbench to say."""
    dropped = [key for key in PRIVILEGES if task.pop(key.lower(), None)]
    if not dropped:
        return task
    note = f"its {' and '.join(dropped)} counts for nothing: a file of others decides neither"
    task["note"] = "; ".join(filter(None, [task.get("note"), note]))
    task["sizes"] = task.pop("sizes")  # stays last
    return task


def _cleaned(task: dict) -> dict:
    """Without characters that steer a terminal or reorder text, in what people will read."""
    task["title"] = _one_line(task["title"])
    for size in task["sizes"].values():
        for spec in size["parameters"]:
            spec["fqn"] = spec["fqn"] and _one_line(spec["fqn"])
    return task


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:200]
