#!/usr/bin/env python3
"""Whether a published interval holds what the next run will say.

    repeats.py [--device cpu|cuda] [--runs 10] [--quick] [--busy-loops N] [--task GLOB]... [--db FILE]
               [--precision CLASS] [--submissions FOLDER]
    repeats.py --only-read --db FILE

Measures the shipped examples, or those of a folder in kbench's layout, again and again with the real program, each time in a run of its own, and
prints for each speed-up its estimates, its half-widths, how far the runs lie apart, and how many
intervals hold the median of the other runs. With --busy-loops, so many processes keep cores busy
meanwhile. Nothing is judged: what the figures should be stands in the design of kbench's timing.
"""

import argparse
import contextlib
import json
import math
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUSY = "while True: pass"


@contextlib.contextmanager
def busy(loops):
    """Keeps cores busy meanwhile, with a process for each of the loops."""
    running = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(loops)]
    try:
        yield
    finally:
        for loop in running:
            loop.kill()
            loop.wait()


def repeat(command, runs):
    """So many runs. A failed submission is a result like any other."""
    for number in range(runs):
        print(f"run {number + 1} of {runs}", file=sys.stderr)
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        if ended.returncode not in (0, 1):
            sys.exit(f"kbench ended with {ended.returncode}")


def tasks_with_examples(device):
    """Ids of the tasks that a shipped example is for, on that device. Of others only baselines would be
    timed."""
    examples = ROOT / "data" / "submissions" / "example"
    ending = {"cpu": ".cpp", "cuda": ".cu"}[device]
    return sorted(str(file.relative_to(examples).with_suffix(""))
                  for file in examples.glob(f"level*/*{ending}"))


def measure(kbench, arguments, database):
    command = [kbench, "run", "--quiet", "--device", arguments.device, "--db", database, "--no-html",
               "--submissions", arguments.submissions or str(ROOT / "data" / "submissions")]
    if arguments.precision:
        command += ["--precision", arguments.precision]
    for task in arguments.task or ([] if arguments.submissions else tasks_with_examples(arguments.device)):
        command += ["--task", task]
    if arguments.quick:
        command.append("--quick")
    repeat(command, arguments.runs)


def stored_runs(database):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM run ORDER BY number")]


def rows_of(kbench, database, run):
    """A run as kbench reports it."""
    told = subprocess.run([kbench, "report", "json", "--db", database, "--run", run],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(told.stdout)["results"]


def speedups(kbench, database):
    """By submission and baseline: one speed-up of each run, as kbench reports it."""
    found = defaultdict(list)
    for run in stored_runs(database):
        for row in rows_of(kbench, database, run):
            for baseline, ratio in (row.get("speedup") or {}).items():
                if ratio:
                    found[row["submission"], baseline].append(ratio)
    return found


def holds(ratios, index):
    """Whether one run's interval holds the median of the others."""
    others = statistics.median(r["estimate"] for i, r in enumerate(ratios) if i != index)
    return ratios[index]["low"] <= others <= ratios[index]["high"]


def show(found):
    held = total = 0
    widths = []
    for (submission, baseline), ratios in sorted(found.items()):
        if len(ratios) < 2:
            continue
        hits = sum(holds(ratios, i) for i in range(len(ratios)))
        apart = statistics.stdev(math.log(r["estimate"]) for r in ratios)
        half = [100 * r["half_width"] for r in ratios]
        verdicts = defaultdict(int)
        for ratio in ratios:
            verdicts[ratio["verdict"]] += 1
        print(f"{submission} over {baseline}: {hits} of {len(ratios)} hold, "
              f"estimates {min(r['estimate'] for r in ratios):.3f} to "
              f"{max(r['estimate'] for r in ratios):.3f}, {100 * apart:.2f} % apart, "
              f"half-width {statistics.median(half):.2f} % ({max(half):.2f}), "
              + ", ".join(f"{count} {name}" for name, count in sorted(verdicts.items())))
        held += hits
        total += len(ratios)
        widths += half
    if total:
        print(f"{held} of {total} intervals hold the median of the other runs ({100 * held / total:.1f} %), "
              f"half-width {statistics.median(widths):.2f} % in the middle")


def options(parser, runs):
    """Adds the options of every tool that measures the same again and again; returns the command line, read."""
    parser.add_argument("--kbench", default=str(ROOT / "build" / "release" / "bin" / "kbench"))
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--busy-loops", type=int, default=0)
    parser.add_argument("--db", help="database to keep, or to read")
    parser.add_argument("--only-read", action="store_true", help="measure nothing")
    arguments = parser.parse_args()
    if arguments.only_read and not arguments.db:
        parser.error("--only-read needs --db")
    return arguments


@contextlib.contextmanager
def measured(arguments, measure_into):
    """The database that measure_into(database) has filled beside the busy loops, or an older one."""
    with tempfile.TemporaryDirectory(prefix="kbench-repeats-") as folder:
        database = arguments.db or str(pathlib.Path(folder) / "repeats.sqlite")
        if not arguments.only_read:
            with busy(arguments.busy_loops):
                measure_into(database)
        yield database


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--task", action="append", default=[])
    parser.add_argument("--precision")
    parser.add_argument("--submissions", help="default: the shipped examples")
    arguments = options(parser, 10)
    with measured(arguments, lambda database: measure(arguments.kbench, arguments, database)) as database:
        show(speedups(arguments.kbench, database))


if __name__ == "__main__":
    main()
