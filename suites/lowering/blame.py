"""Why a stranger's file could not become a task, as `kbench import` reports it: an object with
"line" (in the file, or null), "what" (happened, and why), "fault" and "hint".

Faults: "file" (it does not work, whoever runs it), "limit" (it works, but a task cannot hold it),
"machine" (something is missing here). What a process says by ending is in ends.py.
"""

import re
import socket
import traceback
import urllib.error
from pathlib import Path

import torch

from .calls import call_of
from .ends import SANDBOX
from .errors import LoweringError
from .placement import OnCpu
from .taskfile import TaskFile

_NETWORK_MODULES = ("urllib3", "requests", "huggingface_hub", "httpx", "aiohttp")
_NO_NETWORK = re.compile(r"(n't|not|unable to|failed to) (connect|resolve|reach|download)"
                         r"|name resolution|network is unreachable", re.IGNORECASE)
WITHOUT_NETWORK = "make weights and data of random numbers, or import the file without what it fetches"


def describe(error: BaseException, source: Path) -> dict:
    """The error that `source` raised, or that lowering it raised."""
    cause = _cause_of(error)
    line = _line_in(cause, source)
    if isinstance(error, LoweringError):
        return _lowering_error(error, cause, line, source)
    what, fault, hint = _python_error(cause)
    return {"line": line, "what": what, "fault": fault, "hint": hint}


def line_of(error: LoweringError, source: Path) -> int | None:
    """The line of `source` that is to blame, where one is."""
    return _line_in(_cause_of(error), source)


def _cause_of(error: BaseException) -> BaseException:
    while isinstance(error, LoweringError) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _line_in(error: BaseException, source: Path) -> int | None:
    """The innermost line of the file itself that the error passed through."""
    if isinstance(error, SyntaxError) and error.filename == str(source):
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(source)]
    # Lines that torch.export was tracing, where the error came later.
    traced = re.findall(rf'File "{re.escape(str(source))}", line (\d+)', getattr(error, "traced", ""))
    lines += map(int, traced)
    return lines[-1] if lines else None


def _wants_network(error: BaseException) -> bool:
    """It, or what it was raised from, could not reach a host."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        frames = traceback.extract_tb(error.__traceback__)
        through_socket = any(frame.filename == socket.__file__ for frame in frames)
        if isinstance(error, (socket.gaierror, urllib.error.URLError, ConnectionError)):
            return True
        if type(error).__module__.split(".")[0] in _NETWORK_MODULES:
            return True
        if isinstance(error, OSError) and (through_socket or _NO_NETWORK.search(str(error))):
            return True
        error = error.__cause__ or error.__context__
    return False


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else ""


def _python_error(error: BaseException) -> tuple[str, str, str]:
    name, text = type(error).__name__, _first_line(error)
    what = f"{name}: {text}" if text else name
    if isinstance(error, SyntaxError):
        return f"{name}: {error.msg}", "file", "Python cannot read it; correct that line"
    if isinstance(error, SystemExit):
        return f"it calls exit({error.code!r})", "file", "a task file only defines a module"
    if isinstance(error, ModuleNotFoundError):
        return what, "machine", f"install {error.name} for the Python that kbench uses"
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return f"it needs more memory than it may: {text or name}", "machine", "--memory gives more"
    if _wants_network(error):
        return what, "machine", "where files are executed there is no network: " + WITHOUT_NETWORK
    if isinstance(error, OSError) and error.errno is not None:
        return what, "file", SANDBOX
    if "CUDA" in text or "NVIDIA" in text:
        return what, "file", "make tensors and modules on the CPU; kbench places them"
    if isinstance(error, RecursionError):
        return what, "file", "something calls itself without end"
    return what, "file", "correct it so that Model(*get_init_inputs())(*get_inputs()) runs"


def _lowering_error(error: LoweringError, cause: BaseException, line, source: Path) -> dict:
    reason = error
    while isinstance(reason.__cause__, LoweringError):
        reason = reason.__cause__
    if cause is reason:  # said by the lowering itself, about the file or about the format
        text = str(reason).removeprefix(f"{source}: ")
        missing = text.startswith("defines no ")
        hint = "a task file has Model, get_inputs and get_init_inputs" if missing else "see FORMAT.md"
        return {"line": line, "what": text, "fault": "file" if missing else "limit", "hint": hint}
    name = type(cause).__name__
    if "DataDependent" in name or "UnbackedSymInt" in name:
        what = f"forward decides by the values of its tensors ({name})"
        hint = "a task is one fixed graph; use torch.where or fixed bounds"
        return {"line": line, "what": what, "fault": "limit", "hint": hint}
    own = _error_in_eager(source)
    if own is not None:
        return describe(own, source)
    what = f"torch.export does not take it: {name}: {_first_line(cause)}"
    return {"line": line, "what": what, "fault": "limit", "hint": "it runs in PyTorch; see FORMAT.md"}


def _error_in_eager(source: Path) -> BaseException | None:
    """The error that the file raises when PyTorch itself runs it, without torch.export."""
    try:
        with OnCpu(), torch.no_grad():
            module = TaskFile(source).load("full")
            init = call_of(module.get_init_inputs(), module.Model)
            model = module.Model(*init.args, **init.kwargs)
            call = call_of(module.get_inputs(), model.forward)
            model(*call.args, **call.kwargs)
    except BaseException as error:
        return error
    return None
