#!/usr/bin/env python3
"""Whether a run that gives turns to checks measures as one that gives none (A/A).

    turns.py [--kbench PROGRAM] [--device cpu|cuda] [--rounds 2] [--quick] [--task ID]...

Each submission is a copy of its task's module, so that its speed-up over eager is one number, whatever runs beside
it. A round is a run alone and a run beside a second process that checks a shipped example without pause
(`kbench run --checks-only`: each check is a turn of the device); the order changes with each round. Prints for each
task by how much its speed-up differs beside the turns, and the median of that over the tasks: the bias. Exit code 1
where a row has no speed-up, where no check ended meanwhile, or where the bias is above 0.2 %.
"""

import argparse
import contextlib
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading

import python_copies

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = 0.002


def command_of(arguments, folder, database, *words):
    return [str(arguments.kbench), "run", "--device", arguments.device, "--no-html", "--format", "json", "-q",
            "--submissions", str(folder), "--db", str(database), *words]


class Checks:
    """The second process, again and again until it is told to end."""

    def __init__(self, arguments, folder):
        self.command = command_of(arguments, ROOT / "data" / "submissions", folder / "checks.sqlite", "--checks-only",
                                  "--agent", "example", "--task", python_copies.RELU)
        self.taken, self.failed = 0, 0

    def once(self):
        ended = subprocess.run(self.command, stdout=subprocess.DEVNULL, check=False)
        self.taken += ended.returncode == 0
        self.failed += ended.returncode != 0

    @contextlib.contextmanager
    def beside(self):
        over = threading.Event()

        def again():
            while not over.is_set():
                self.once()

        thread = threading.Thread(target=again)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def speedups(arguments, folder, database):
    """Speed-up over eager of each task, with half the width of its interval; None where a row has none."""
    words = ["--allow-torch", "all", *["--quick"] * arguments.quick]
    for task in arguments.task:
        words += ["--task", task]
    ended = subprocess.run(command_of(arguments, folder, database, *words), stdout=subprocess.PIPE, text=True,
                           check=False)
    if ended.returncode not in (0, 1):
        sys.exit(f"kbench ended with {ended.returncode}")
    found = dict.fromkeys(arguments.task)
    for row in json.loads(ended.stdout)["results"]:
        ratio = row["speedup"]["eager"] if row["agent"] else None
        if ratio and row["state"] == "ok":
            found[row["task"]] = (ratio["estimate"], (ratio["high"] - ratio["low"]) / 2)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--kbench", type=pathlib.Path, default=ROOT / "build/release/bin/kbench")
    parser.add_argument("--task", action="append", help="repeatable; else twelve tasks")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="eight blocks each, for a look")
    arguments = parser.parse_args()
    arguments.task = arguments.task or list(python_copies.TASKS)
    arguments.kbench = pathlib.Path(os.path.abspath(arguments.kbench))
    alone, beside = [], []
    with tempfile.TemporaryDirectory(prefix="kbench-turns-") as name:
        folder = pathlib.Path(name)
        for task in arguments.task:
            text = (ROOT / "suites" / f"{task}.py").read_text(encoding="utf-8")
            python_copies.submit(folder / "copies", "copies", task, f"{text}\n\nModelNew = Model\n", ".py")
        checks = Checks(arguments, folder)
        checks.once()  # compiles it, and fills what is cached
        checks.taken = 0
        for number in range(arguments.rounds):
            for turns in (False, True) if number % 2 == 0 else (True, False):
                with checks.beside() if turns else contextlib.nullcontext():
                    (beside if turns else alone).append(
                        speedups(arguments, folder / "copies", folder / "rows.sqlite"))
    return judge(arguments, alone, beside, checks)


def judge(arguments, alone, beside, checks):
    """Prints what differs, and gives the exit code."""
    differences, lost = [], 0
    for task in arguments.task:
        rows = [run[task] for run in alone], [run[task] for run in beside]
        missing = sum(row is None for row in [*rows[0], *rows[1]])
        lost += missing
        if missing:
            print(f"{task:<58} {missing} rows without a speed-up")
            continue
        means = [statistics.fmean(math.log(row[0]) for row in side) for side in rows]
        half = statistics.fmean(row[1] for side in rows for row in side)
        differences.append(means[1] - means[0])
        print(f"{task:<58} alone {math.exp(means[0]):.4f}, beside turns {math.exp(means[1]):.4f}, "
              f"{100 * differences[-1]:+.2f} %, interval +-{100 * half:.2f} %")
    bias = statistics.median(differences) if differences else math.inf
    print(f"bias {100 * bias:+.3f} % over {len(differences)} tasks, {lost} rows lost, "
          f"{checks.taken} checks ended, {checks.failed} failed")
    return 1 if lost or not checks.taken or checks.failed or abs(bias) > ALLOWED else 0


if __name__ == "__main__":
    sys.exit(main())
