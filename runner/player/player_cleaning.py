"""Checks between two submissions, in the process that forks sessions, whether anything of the one
before is left for the next one. (The supervisor takes away the folder that a session writes to.)

Used by player.py. All processes of the submission before are dead.
"""

import os
import stat


def standing():
    """Properties of this process that others of the same user could change, and that its children
    inherit."""
    return (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0),
            os.sched_getparam(0).sched_priority, os.sched_getaffinity(0))


def look_at(folders):
    """Files in these folders, {path: what tells it from another one}, as far as their own file
    systems reach: what the sandbox shows of others is mounted there as well."""
    found = {}
    for folder in folders:
        own = os.stat(folder).st_dev
        pending = [folder]
        while pending:
            path = pending.pop()
            info = os.lstat(path)
            if info.st_dev != own:
                continue
            found[path] = (info.st_ino, info.st_mode, info.st_uid)
            if stat.S_ISDIR(info.st_mode):
                pending += [os.path.join(path, name) for name in os.listdir(path)]
    return found


class Ground:
    """The state that sessions start from, as it was before the first of them."""

    def __init__(self, folders):
        self.folders = folders
        self.standing = standing()
        self.first = look_at(folders)

    def look_over(self):
        """Whether it is as it was, in words for the supervisor. Where it is not, nobody is to be
        forked from here any more."""
        try:
            self.compare()
        except OSError as error:
            return {"type": "changed", "why": str(error)}
        return {"type": "unchanged"}

    def compare(self):
        os.sched_setaffinity(0, self.standing[-1])
        if standing() != self.standing:
            raise OSError("the submission before changed how processes here run")
        if look_at(self.folders) != self.first:
            raise OSError(f"the submission before left something in {' or '.join(self.folders)}")
