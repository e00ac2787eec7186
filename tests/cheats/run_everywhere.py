#!/usr/bin/env python3
"""The corpus of cheats as whoever may run kbench: with more rights and with fewer.

    run_everywhere.py [--kbench PROGRAM] [--only GLOB] [CIRCUMSTANCE...]

To be started as root, who can give up what the others lack. In each circumstance run_corpus.py has to
find every cheat caught and nothing left behind. Exits with 0 if it does, with 1 if not, and with 3 if a
circumstance cannot be made here.
"""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parent / "run_corpus.py"
USER = 1000  # needs no name
PLAIN = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs"]
NO_GROUPS = ["unshare", "--mount", "sh", "-c",
             'mount -t tmpfs -o ro none /sys/fs/cgroup && exec "$@"', "sh"]
# Capabilities that container engines take from root by default; none of these, no namespaces.
TAKEN = ",".join(f"-{name}" for name in ("sys_admin", "sys_ptrace", "sys_module", "sys_nice",
                                         "sys_resource", "sys_time", "net_admin", "syslog"))

# The system's, which every user may run; the one that runs this may lie in somebody's home.
PYTHON = shutil.which("python3", path="/usr/bin:/bin") or sys.executable
# A namespace numbers its processes anew. Control groups and users are known by the number of their kbench, so
# two checkouts that run this at the same time must not count from the same one.
COUNTING_ON = ["sh", "-c", 'echo "$0" > /proc/sys/kernel/ns_last_pid; exec "$@"',
               str(random.randrange(1_000, 30_000))]

CIRCUMSTANCES = {
    "root": [],
    "root-without-control-groups": NO_GROUPS,
    "plain-user": PLAIN,
    "plain-user-without-namespaces": [*PLAIN, "bwrap", "--dev-bind", "/", "/", "--unshare-user",
                                      "--disable-userns", "--"],
    "container": ["unshare", "--fork", "--pid", "--mount-proc", "--mount", "--ipc", *COUNTING_ON,
                  "setpriv", f"--bounding-set={TAKEN}", f"--inh-caps={TAKEN}"],
}


def run(name, arguments):
    """The exit code of the corpus in a circumstance."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kbench-everywhere-"))
    folder.chmod(0o777)
    environment = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder),
                   "XDG_STATE_HOME": str(folder / "state"), "XDG_CACHE_HOME": str(folder / "cache")}
    command = [*CIRCUMSTANCES[name], PYTHON, "-B", str(CORPUS), "--device", "cpu",
               "--no-compiled", "--kind", "cheat", "--only", arguments.only,
               "--kbench", arguments.kbench]
    print(f"{name}:", flush=True)
    try:
        return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                              check=False).returncode
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbench", default=os.environ.get("KBENCH", "kbench"))
    parser.add_argument("--only", default="*", metavar="GLOB")
    parser.add_argument("circumstance", nargs="*", choices=[*CIRCUMSTANCES, []],
                        help="default: all of " + ", ".join(CIRCUMSTANCES))
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("only root can give up what the others lack")
    codes = {name: run(name, arguments) for name in arguments.circumstance or CIRCUMSTANCES}
    for name, code in codes.items():
        if code != 0:
            print(f"{name}: run_corpus.py ended with {code}")
    return 1 if 1 in codes.values() else 3 if any(codes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
