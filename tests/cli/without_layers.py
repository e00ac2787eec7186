"""Runs a program on a machine that seems to lack layers of the sandbox:

    without_layers.py landlock,namespaces PROGRAM [ARGUMENT...]

`landlock`: a kernel that does not have it. `namespaces`: a container that may make none and mount nothing, so
that bubblewrap does not work either; most containers with a GPU are like that. `uid`: nobody becomes another
user, as where kbench is started by a plain one. By a system call filter, which
whatever the program starts inherits. Only for x86-64, as whose numbers calls are known here.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
LOAD_WORD, JUMP_EQUAL, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NUMBER, FIRST_ARGUMENT = 0, 16  # in seccomp_data
LANDLOCK_CREATE_RULESET, MOUNT, UNSHARE, SETNS, CLONE, CLONE3, SETRESUID = 444, 165, 272, 308, 56, 435, 117
NAMESPACES = 0x7E020000  # CLONE_NEW...: mount, cgroup, UTS, IPC, user, PID, network
DENIED = {"landlock": {LANDLOCK_CREATE_RULESET: errno.ENOSYS},
          "namespaces": {MOUNT: errno.EPERM, UNSHARE: errno.EPERM, SETNS: errno.EPERM,
                         CLONE3: errno.ENOSYS},
          "uid": {SETRESUID: errno.EPERM}}

WORKS_HERE = platform.machine() == "x86_64"


def statement(code, value, if_true=0, if_false=0):
    return struct.pack("=HBBI", code, if_true, if_false, value)


def filter_of(layers):
    program = statement(LOAD_WORD, NUMBER)
    for layer in layers:
        for call, error in DENIED[layer].items():
            program += statement(JUMP_EQUAL, call, 0, 1) + statement(RETURN, ERRNO | error)
    if "namespaces" in layers:
        program += (statement(JUMP_EQUAL, CLONE, 0, 3) + statement(LOAD_WORD, FIRST_ARGUMENT)
                    + statement(JUMP_ANY_BIT, NAMESPACES, 0, 1) + statement(RETURN, ERRNO | errno.EPERM))
    return program + statement(RETURN, ALLOW)


def install(program):
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]

    libc = ctypes.CDLL(None, use_errno=True)
    given = Program(len(program) // 8, program)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, MODE_FILTER,
                                                                 ctypes.byref(given)):
        raise OSError(ctypes.get_errno(), "no system call filter")


if __name__ == "__main__":
    install(filter_of(sys.argv[1].split(",")))
    os.execv(sys.argv[2], sys.argv[2:])
