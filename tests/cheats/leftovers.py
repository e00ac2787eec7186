"""What submissions left behind, looked for without asking kbench.

Whoever watches adopts every descendant that loses its parent, so that a process which detaches itself,
with a session and parents of its own, still is a descendant when kbench has ended.
"""

import ctypes
import os
import pathlib
import pwd

PR_SET_CHILD_SUBREAPER = 36
CGROUPS = pathlib.Path("/sys/fs/cgroup")
PUBLIC_FOLDERS = (pathlib.Path("/dev/shm"), pathlib.Path("/tmp"), pathlib.Path("/var/tmp"))


class Watch:
    """Made before kbench is started; findings() is asked after it has ended."""

    def __init__(self):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "orphans cannot be adopted")
        self.processes = descendants()
        self.groups = control_groups()
        self.files = public_files()

    def findings(self):
        """Lines for what is there now and was not before; empty if there is nothing."""
        reap()
        return ([f"process {pid} ({name_of(pid)})" for pid in sorted(descendants() - self.processes)]
                + [f"control group {group}" for group in sorted(control_groups() - self.groups)]
                + [f"file {file} of a user that this machine has not"
                   for file in sorted(public_files() - self.files)])


def reap():
    """Takes adopted processes that have ended out of the table: those are no leftovers."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def descendants():
    """Numbers of all processes below this one."""
    children = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text(errors="replace").rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(parent, []).append(int(entry.parent.name))
    found, left = set(), [os.getpid()]
    while left:
        for child in children.get(left.pop(), []):
            found.add(child)
            left.append(child)
    return found


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()
    except OSError:
        return "gone by now"


def control_groups():
    return {str(pathlib.Path(folder) / name) for folder, names, _ in os.walk(CGROUPS)
            for name in names if name.startswith("kbench")}


def public_files():
    """What lies in folders that everybody may write to and belongs to a user without a name:
    kbench gives each submission such a user where it may."""
    users = {user.pw_uid for user in pwd.getpwall()} | {os.getuid()}
    found = set()
    for folder in PUBLIC_FOLDERS:
        for entry in os.scandir(folder) if folder.is_dir() else ():
            try:
                if entry.stat(follow_symlinks=False).st_uid not in users:
                    found.add(entry.path)
            except FileNotFoundError:
                continue
    return found
