"""What the process that forks sessions does between two submissions: nothing of the one before is
left for the next one.

Used by player.py. All processes of the submission before are dead.
"""

import os
import stat


def standing():
    """What others of the same user could change about this process, and its children inherit."""
    return (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0),
            os.sched_getparam(0).sched_priority, os.sched_getaffinity(0))


def look_at(folders):
    """What lies in these folders, {path: what tells it from another one}, as far as their own file
    systems reach: what the sandbox shows of others is mounted there as well."""
    found = {}
    for folder in folders:
        own = os.stat(folder).st_dev
        pending = [folder]
        while pending:
            path = pending.pop()
            info = os.lstat(path)
            found[path] = (info.st_dev, info.st_ino, info.st_mode, info.st_uid)
            if stat.S_ISDIR(info.st_mode) and info.st_dev == own:
                pending += [os.path.join(path, name) for name in os.listdir(path)]
    return found


def remove_others(path, first):
    """Removes what lies in a folder and was not there at first, however deep and whatever its
    rights, and follows no link. What lies deeper is moved up first, so that no path grows."""
    top = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    moved = 0
    try:
        while others := [name for name in os.listdir(top) if os.path.join(path, name) not in first]:
            for name in others:
                if is_folder(name, top):
                    moved = flatten(name, top, moved)
                else:
                    os.unlink(name, dir_fd=top)
    finally:
        os.close(top)


def is_folder(name, inside):
    return stat.S_ISDIR(os.lstat(name, dir_fd=inside).st_mode)


def flatten(name, top, moved):
    """Removes a folder: its files with it, its folders into the one above under a number each. The
    last number given."""
    inner = open_folder(name, top)
    try:
        for below in os.listdir(inner):
            if not is_folder(below, inner):
                os.unlink(below, dir_fd=inner)
                continue
            moved += 1
            os.chmod(below, 0o700, dir_fd=inner)
            os.rename(below, f"kbench-moved-{moved}", src_dir_fd=inner, dst_dir_fd=top)
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=top)
    return moved


def open_folder(name, inside):
    os.chmod(name, 0o700, dir_fd=inside)
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=inside)


class Ground:
    """What sessions start from, as it was before the first of them."""

    def __init__(self, folders):
        self.folders = folders
        self.standing = standing()
        self.first = look_at(folders)

    def clean(self):
        """As it was, and what to say of that. Where it cannot be made so, nobody is to be forked
        from here any more."""
        try:
            self.tidy()
        except OSError as error:
            return {"type": "unclean", "why": str(error)}
        return {"type": "cleaned"}

    def tidy(self):
        os.sched_setaffinity(0, self.standing[-1])
        if standing() != self.standing:
            raise OSError("the submission before changed how processes here run")
        for folder in self.folders:
            if os.stat(folder).st_dev == os.stat("/").st_dev:
                raise OSError(f"{folder} is no file system of its own")
        for path, was in self.first.items():
            info = os.lstat(path)
            if (info.st_dev, info.st_ino, info.st_mode, info.st_uid) != was:
                raise OSError(f"the submission before replaced {path}")
            if stat.S_ISDIR(info.st_mode) and info.st_dev in self.own_devices():
                remove_others(path, self.first)
        if look_at(self.folders) != self.first:
            raise OSError("something of the submission before stays")

    def own_devices(self):
        return {self.first[folder][0] for folder in self.folders}
