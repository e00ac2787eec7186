"""A fork that executes a stranger's file and answers through a pipe: what both scripts that make one do in it.

Knows nothing of torch: used by suites/importer.py before it imports it.
"""

import os
import signal

_PIPE = 3


def keep_only(pipe: int) -> None:
    """Leaves the file nothing of its parent's but the pipe, which becomes number 3."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.dup2(pipe, _PIPE)
    os.closerange(_PIPE + 1, os.sysconf("SC_OPEN_MAX"))


def answer_and_end(text: bytes, asked: int) -> None:
    """Never returns. Writes the answer in the process `asked` alone: a file that forks must not answer twice."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # who says too much is no longer read
    while text and os.getpid() == asked:
        text = text[os.write(_PIPE, text) :]
    os._exit(0)
