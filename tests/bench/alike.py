#!/usr/bin/env python3
"""Verdicts of kbench on two sides that do the same (A/A), on a CPU.

    alike.py [--kbench PROGRAM] [--runs 34] [--quick] [--busy-loops N] [--mebibytes 128] [--db FILE]
    alike.py --only-read --db FILE

One file under three names, which is the compiled baseline's own loop (tests/honest, level1/019_relu),
against that baseline, each time in a run of its own. The package calls its loop through LibTorch, which
takes some 0.1 ms of cold code that the bare loop does not have: at the task's own 32 MiB that is 3 % of a
call. Here the tensor is so large that it is less than the 3 % below which a CPU tells nothing apart.

Prints the verdicts, the estimate that lies farthest from 1, and in how many runs the three names have the
same verdict. Judges nothing. With --busy-loops, so many processes keep cores busy meanwhile.
"""

import argparse
import collections
import json
import math
import pathlib
import shutil
import statistics
import sys
import tempfile

import repeats

ROOT = pathlib.Path(__file__).resolve().parents[2]
TASK = "level1/019_relu"
NAMES = ("first", "second", "third")
COLUMNS = 4096


def write_suite(folder, mebibytes):
    """The shipped task, with another number of rows."""
    rows = mebibytes * 2**20 // (4 * COLUMNS)
    text = (ROOT / "suites" / f"{TASK}.json").read_text(encoding="utf-8")
    task = json.loads(text)
    del task["sizes"]["full"]
    small = task["sizes"]["small"]
    for tensor in small["inputs"] + small["outputs"]:
        tensor["shape"] = [rows, COLUMNS]
    small["peak_bytes_fp32"], small["peak_bytes_fp64"] = mebibytes * 2**20, mebibytes * 2**21
    file = folder / f"{TASK}.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(task), encoding="utf-8")
    shutil.copy(ROOT / "suites" / f"{TASK}.py", file.parent)


def measure(arguments, database):
    with tempfile.TemporaryDirectory(prefix="kbench-alike-") as name:
        folder = pathlib.Path(name)
        write_suite(folder / "suite", arguments.mebibytes)
        for agent in NAMES:
            file = folder / "submissions" / agent / f"{TASK}.cpp"
            file.parent.mkdir(parents=True)
            shutil.copy(ROOT / "tests/honest/submissions/other" / f"{TASK}.cpp", file)
        command = [arguments.kbench, "run", "--quiet", "--device", "cpu", "--size", "small", "--no-html",
                   "--task", TASK, "--suite", str(folder / "suite"), "--db", database,
                   "--submissions", str(folder / "submissions"), *["--quick"] * arguments.quick]
        repeats.repeat(command, arguments.runs)


def ratios_of(kbench, database, run):
    """The speed-up of each name over the compiled baseline."""
    return [row["speedup"]["compiled"] for row in repeats.rows_of(kbench, database, run)
            if row["agent"] and row["speedup"]["compiled"]]


def show(kbench, database):
    runs = [ratios_of(kbench, database, run) for run in repeats.stored_runs(database)]
    ratios = [ratio for run in runs for ratio in run]
    if not ratios:
        sys.exit("alike: no row has a speed-up over the compiled baseline")
    estimates = [ratio["estimate"] for ratio in ratios]
    verdicts = collections.Counter(ratio["verdict"] for ratio in ratios)
    print(f"{len(ratios)} rows: " + ", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common()))
    print(f"estimates {min(estimates):.4f} to {max(estimates):.4f}, {statistics.median(estimates):.4f} in "
          f"the middle, half-width {100 * statistics.median(r['half_width'] for r in ratios):.2f} % in the "
          "middle")
    told = [r for r in ratios if r["verdict"] in ("FASTER", "SLOWER")]
    for ratio in told:
        print(f"  {ratio['verdict']}: {ratio['estimate']:.4f} [{ratio['low']:.4f}-{ratio['high']:.4f}]")
    sure = [r["estimate"] for r in ratios if r["verdict"] != "NO VERDICT"]
    if sure:
        farthest = max(sure, key=lambda estimate: abs(math.log(estimate)))
        print(f"with a verdict, the farthest from 1 is {farthest:.4f}")
    whole = [run for run in runs if len(run) == len(NAMES)]
    agree = sum(len({ratio["verdict"] for ratio in run}) == 1 for run in whole)
    print(f"the three names agree in {agree} of {len(whole)} runs")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mebibytes", type=int, default=128, help="of the tensor; the task has 32")
    arguments = repeats.options(parser, 34)
    with repeats.measured(arguments, lambda database: measure(arguments, database)) as database:
        show(arguments.kbench, database)


if __name__ == "__main__":
    main()
