"""How the process that executed a stranger's file ended without an answer, in the terms of blame.py.

Knows nothing of torch: used by the process that stays, suites/importer.py.
"""

import os
import signal

SANDBOX = "the file is executed in a sandbox: no network, no files but PyTorch's own"

LEFT_BEHIND = {
    "line": None,
    "what": "it starts processes that outlive it",
    "fault": "file",
    "hint": "a task file only defines a module and its inputs",
}
TOO_LARGE = {
    "line": None,
    "what": "its lowered form is larger than 4 MiB",
    "fault": "limit",
    "hint": "a loop that torch.export unrolls, or constants, make it so large",
}


def describe_end(status: int) -> dict:
    """A process that ended without an answer; `status` as os.waitpid returns it."""
    if not os.WIFSIGNALED(status):
        what = f"it ends the process that reads it, with status {os.waitstatus_to_exitcode(status)}"
        return _entry(what, "file", "a task file only defines a module and its inputs")
    number = os.WTERMSIG(status)
    if number == signal.SIGXCPU:
        return _entry("it takes more processor time than it may", "file", "--timeout gives more")
    if number == signal.SIGXFSZ:
        return _entry("it writes a large file", "file", SANDBOX)
    if number == signal.SIGKILL:
        return _entry("it was killed, most likely for want of memory", "machine", "--memory gives more")
    name = signal.Signals(number).name
    return _entry(f"it crashed PyTorch ({name})", "file", "run its Model once in PyTorch")


def _entry(what: str, fault: str, hint: str) -> dict:
    return {"line": None, "what": what, "fault": fault, "hint": hint}
