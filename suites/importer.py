"""Lowers task files that strangers wrote, for `kbench import`. Runs inside the sandbox.

Started and spoken to by runner/import/lowering_process.cpp, over the socket that is its stdin:
length-prefixed JSON (runner/core/channel.hpp), one answer for each request; the messages are
described there.

Each file is executed in a fork of this process, which it cannot reach: what it changes dies with the
fork, and this process may not be traced by it. What the answer says of the graph's cost is worked out
again in another fork, from the answer alone. A file whose processes outlive it takes this process
along, and the sandbox with it.

Importing torch takes seconds, so it is done once, before the forks: this process is `warm`. But no
thread survives a fork, and a process that waits for one waits for ever; and whether importing torch
starts threads is up to what is installed (a driver, a plug-in, a site's own modules). Where one was
started, this process starts anew without torch, `cold`, and each fork imports it. """

import ctypes
import functools
import json
import os
import resource
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
from pathlib import Path

# Variables that keep torch from starting threads, set before it is imported. By the last name, torch
# finds out whether there is CUDA without the driver, which starts threads.
os.environ.update(
    OMP_NUM_THREADS="1",
    OPENBLAS_NUM_THREADS="1",
    MKL_NUM_THREADS="1",
    TORCHINDUCTOR_COMPILE_THREADS="1",
    TORCH_DEVICE_BACKEND_AUTOLOAD="0",
    CUDA_VISIBLE_DEVICES="",
    PYTORCH_NVML_BASED_CUDA_CHECK="1",
)

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lowering import ends, forked  # noqa: E402

MAX_MESSAGE_BYTES = 4 << 20  # as in runner/core/channel.hpp
PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36
COLD = "--cold"

_libc = ctypes.CDLL(None, use_errno=True)


# --- In the fork ------------------------------------------------------------------------------


def run_fork(request: dict, scratch: Path, answer: int) -> None:
    """Never returns. Everything but the answer's pipe is out of the file's reach."""
    me = os.getpid()
    forked.keep_only(answer)
    os.chdir(scratch)
    foreign = load_torch(scratch)  # at once where it was before; its time is not the file's
    seconds = request["cpu_seconds"] + int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))  # a signal with a name first
    work = foreign.recount if "task" in request else foreign.lower_file
    text = json.dumps(work(request, scratch)).encode()
    forked.answer_and_end(text, me)


# --- In the process that stays ----------------------------------------------------------------


def collect(pid: int, pipe: int) -> tuple[bytes, int]:
    """The output of the fork until it ended, and its wait status."""
    ended = os.pidfd_open(pid)
    parts, size = [], 0
    while True:
        readable, _, _ = select.select([pipe, ended], [], [])
        if pipe in readable:
            part = os.read(pipe, 1 << 20)
            parts.append(part)
            size += len(part)
            if size > MAX_MESSAGE_BYTES:
                os.kill(pid, signal.SIGKILL)
                break
            if part:
                continue
        break
    os.close(ended)
    _, status = os.waitpid(pid, 0)
    os.set_blocking(pipe, False)
    try:
        while part := os.read(pipe, 1 << 20):
            parts.append(part)
    except BlockingIOError:
        pass  # somebody else still holds the other end
    return b"".join(parts), status


def something_is_left() -> bool:
    """Whether the file's processes outlived it. As subreaper this process inherits them."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
        return True
    except ChildProcessError:
        return False


def in_fork(request: dict, scratch: Path) -> dict:
    """Lowers request["source"], or counts request["task"] anew."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            run_fork(request, scratch, write)
        finally:
            os._exit(70)
    os.close(write)
    text, status = collect(pid, read)
    os.close(read)
    if len(text) > MAX_MESSAGE_BYTES:
        return {"error": ends.TOO_LARGE}
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if status != 0 or not isinstance(answer, dict):
        return {"error": ends.describe_end(status)}
    return {key: answer[key] for key in ("task", "error") if key in answer}


@functools.cache
def load_torch(scratch: Path):
    """The module that lowers, with all that torch imports at first use."""
    from lowering import foreign

    foreign.warm_up(scratch)
    clear(scratch)
    return foreign


def limits_of(request: dict) -> dict:
    return {"cpu_seconds": request["cpu_seconds"]}


def has_one_thread() -> bool:
    return len(os.listdir("/proc/self/task")) == 1


def clear(scratch: Path) -> None:
    for entry in scratch.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def send(channel: socket.socket, message: dict) -> None:
    text = json.dumps(message).encode()
    if len(text) > MAX_MESSAGE_BYTES:
        text = json.dumps({"error": ends.TOO_LARGE}).encode()
    channel.sendall(struct.pack("=I", len(text)) + text)


def receive(channel: socket.socket) -> dict | None:
    """The next request; None when there will be none."""
    with channel.makefile("rb", buffering=0) as stream:

        def exactly(count: int) -> bytes:
            data = b""
            while len(data) < count and (part := stream.read(count - len(data))):
                data += part
            return data

        head = exactly(4)
        return json.loads(exactly(*struct.unpack("=I", head))) if len(head) == 4 else None


def main() -> None:
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    temporary = Path(tempfile.gettempdir())  # nobody else's
    scratch = Path(tempfile.mkdtemp())
    cold = COLD in sys.argv
    if not cold:
        load_torch(scratch)
        if not has_one_thread():
            scratch.rmdir()
            os.execv(sys.executable, [*sys.orig_argv, COLD])
    tidy = set(os.listdir(temporary))

    channel = socket.socket(fileno=os.dup(0))
    send(channel, {"ready": "cold" if cold else "warm"})
    while request := receive(channel):
        answer = in_fork(request, scratch)
        if something_is_left():
            answer = {"error": ends.LEFT_BEHIND, "last": True}
        else:
            untidy = set(os.listdir(temporary)) != tidy
            if "task" in answer:
                clear(scratch)
                # By a process that runs nothing foreign: the file may have written the answer itself.
                counted = in_fork({"task": answer["task"]} | limits_of(request), scratch)
                answer = counted if "error" in counted else answer
            if untidy:
                answer["last"] = True  # the next file gets a sandbox in which nobody was before
        send(channel, answer)
        if "last" in answer:
            break
        clear(scratch)


if __name__ == "__main__":
    main()
    os._exit(0)  # an interpreter that has imported torch takes a second to end
