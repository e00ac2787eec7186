"""Things that a test started itself: its processes, and the control groups and files of the kbench programs
among them. A test looks at nothing else: another checkout may be tested on the same machine at the same
time.

A test process adopts each descendant that loses its parent (become_subreaper). What kbench left running
is below the test process then, whichever parents and session it gave itself.
"""

import ctypes
import os
import pathlib
import re
import subprocess
import time
import typing

PR_SET_CHILD_SUBREAPER = 36
CGROUPS = pathlib.Path("/sys/fs/cgroup")
PUBLIC_FOLDERS = (pathlib.Path("/dev/shm"), pathlib.Path("/tmp"), pathlib.Path("/var/tmp"))

# Constants of runner/sandbox/host.cpp: the number of a sandboxed program's user holds the process id of its
# kbench, modulo PROCESSES.
FIRST_USER, USERS_OF_A_PROCESS, PROCESSES = 1_000_000_000, 1_000, 1_000_000

_started = set()  # process ids of direct children, see remember_started()


class Entry(typing.NamedTuple):
    """One line of the process table."""

    parent: int
    name: str
    has_ended: bool


def become_subreaper():
    """Has this process adopt descendants whose parents end."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "orphans cannot be adopted")


def descendants(ancestor=None):
    """{process id: name} of the living processes below `ancestor`, or below this process."""
    table = process_table()
    children = {}
    for pid, entry in table.items():
        children.setdefault(entry.parent, []).append(pid)
    found, left = {}, [ancestor or os.getpid()]
    while left:
        for child in children.get(left.pop(), []):
            left.append(child)
            if not table[child].has_ended:
                found[child] = table[child].name
    return found


def wait_until_gone(processes=None, seconds=20):
    """Waits until none of these process ids, or no descendant at all, is alive below this process. Returns
    what is left when the seconds are over, as descendants() has it: {} where all have ended."""
    deadline = time.monotonic() + seconds
    while True:
        left = {pid: name for pid, name in descendants().items() if processes is None or pid in processes}
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.05)


def wait_for(name, ancestor=None, seconds=60):
    """The process id of a descendant of that name, once there is one."""
    deadline = time.monotonic() + seconds
    while True:
        below = descendants(ancestor)
        for pid, found in below.items():
            if found == name:
                return pid
        if time.monotonic() > deadline:
            raise TimeoutError(f"no process {name} within {seconds} s, only {below}")
        time.sleep(0.02)


def process_table():
    table = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = pathlib.Path("/proc", entry, "stat").read_text(errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue  # it was reaped meanwhile
            name, _, rest = text.partition("(")[2].rpartition(")")
            state, parent, *more = rest.split()
            # A leader that called pthread_exit is a zombie as well, but its other threads run.
            threads = int(more[15])
            table[int(entry)] = Entry(int(parent), name, state in "ZX" and threads <= 1)
    return table


def remember_started():
    """From now on this process keeps the ids of the processes that it starts through subprocess: is_own()
    tells by them whose control groups and files are, once those processes have ended."""
    subprocess.Popen = _RememberedPopen  # subprocess.run() takes it from there


class _RememberedPopen(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        _started.add(self.pid)


def is_own(process):
    """Whether a process that this process started has or had that id. Once it was waited for, the id may be
    given to a process of somebody else, whose control groups and files have that number too."""
    table = process_table()
    return any(pid not in table or table[pid].parent == os.getpid()
               for pid in _started if pid % PROCESSES == process % PROCESSES)


def control_groups():
    """{control group: process id of its kbench}, by the name that runner/sandbox/cgroup.cpp gives it:
    kbench-PROCESS-NUMBER."""
    return {str(pathlib.Path(folder) / name): int(parts[1])
            for folder, names, _ in os.walk(CGROUPS) for name in names
            if (parts := re.fullmatch(r"kbench-(\d+)-\d+", name))}


def files_of_sandboxed_programs():
    """{file: process id of a kbench, modulo PROCESSES}: what lies in folders that everybody may write to and
    belongs to a user that this kbench gave to a sandboxed program."""
    found = {}
    for folder in PUBLIC_FOLDERS:
        for entry in os.scandir(folder) if folder.is_dir() else ():
            try:
                user = entry.stat(follow_symlinks=False).st_uid
            except FileNotFoundError:
                continue
            process = (user - FIRST_USER) // USERS_OF_A_PROCESS
            if 0 <= process < PROCESSES:
                found[entry.path] = process
    return found
