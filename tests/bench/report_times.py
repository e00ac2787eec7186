#!/usr/bin/env python3
"""How long reports and commands take on a large database, and how much memory.

    build/release/bench/make_history years.sqlite 400 state   # a million rows, once
    tests/bench/report_times.py years.sqlite                  # KBENCH names another kbench

Each is run three times; the fastest counts, and what it had in memory at most. Judges nothing.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KBENCH = os.environ.get("KBENCH", str(ROOT / "build/release/bin/kbench"))
ROUNDS = 3


def measure(words):
    """Seconds and MiB of the fastest round; the exit code of the last."""
    best = None
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with subprocess.Popen([KBENCH, *map(str, words)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            said = process.stderr.read().decode(errors="replace")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        round_ = (time.perf_counter() - began, usage.ru_maxrss / 1024)
        best = min(best or round_, round_)
    return *best, process.returncode, said.strip().splitlines()[-1:]


def main():
    database = pathlib.Path(sys.argv[1])
    print(f"{database}: {database.stat().st_size / 1e9:.1f} GB")
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        commands = {
            "report html": ("report", "html", "-o", page),
            "report json": ("report", "json"),
            "compare": ("compare", "latest~1", "latest"),
            "runs": ("runs",),
            "history": ("history", sys.argv[2] if len(sys.argv) > 2 else "level1/001*"),
            "prune, dry run": ("db", "prune", "--keep", "0d", "--dry-run"),
        }
        for name, words in commands.items():
            seconds, mebibytes, code, said = measure((*words, "--db", database))
            print(f"{name:16} {seconds:7.2f} s {mebibytes:7.0f} MiB  {'' if code == 0 else said}")
            if page.exists():
                print(f"{'':16} {page.stat().st_size / 1e6:7.1f} MB")
                page.unlink()


if __name__ == "__main__":
    main()
