#!/usr/bin/env python3
"""Kernels that never end, with honest submissions between them: are those still timed the same?

    python3 tests/gpu/endless_kernels.py --kbench build/bin/kbench [--count 20] [--device cuda:0]

Evaluates honest, endless, honest, ... endless, honest on level1/019_relu in one run, prints the honest
times in order, and how long the run took. Exits with 1 when an endless kernel does not end as `timeout`
or an honest submission not as `ok`. Whether the times agree is for the reader: a script that compared
them would fail by chance. Python's standard library only.
"""

import argparse
import pathlib
import shutil
import statistics
import sys
import tempfile

from protocol_check import EXAMPLES, RELU, ROOT, run_kbench

HONEST = EXAMPLES / "example" / "level1" / "019_relu.cu"
ENDLESS = ROOT / "tests" / "gpu" / "submissions" / "never_ends" / "level1" / "019_relu.cu"


def write_agents(folder, count):
    """Agents are evaluated in the order of their names: even numbers are honest, odd ones endless."""
    for number in range(2 * count + 1):
        kind, source = (("endless", ENDLESS), ("honest", HONEST))[number % 2 == 0]
        target = folder / f"{number:03}_{kind}" / "level1"
        target.mkdir(parents=True)
        shutil.copy(source, target)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbench", type=pathlib.Path, default=ROOT / "build" / "bin" / "kbench")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--count", type=int, default=20, help="endless kernels")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kbench-endless-") as name:
        folder = pathlib.Path(name)
        write_agents(folder / "agents", options.count)
        report, seconds = run_kbench(options.kbench.resolve(), folder / "agents",
                                     folder / "endless.sqlite",
                                     ["--task", RELU, "--device", options.device, "--quick"])
    rows = report["results"]
    surprises = 0
    times = []
    for row in sorted(rows, key=lambda row: row["agent"]):
        honest = row["agent"].endswith("honest")
        surprise = row["state"] != ("ok" if honest else "timeout")
        surprises += surprise
        nanoseconds = row["time_ns"]["submission"]
        if honest and nanoseconds:
            times.append(nanoseconds)
        words = [f"{nanoseconds / 1e6:.4f} ms"] if nanoseconds else []
        words += row["message"].splitlines()[:1]
        print(f"{'!!' if surprise else '  '} {row['agent']:<14} {row['state']:<20} {' '.join(words)}")
    if times:
        print(f"honest: median {statistics.median(times) / 1e6:.4f} ms, "
              f"{min(times) / 1e6:.4f} to {max(times) / 1e6:.4f}")
    print(f"{len(rows)} of {2 * options.count + 1} rows, {surprises} surprises, {seconds:.0f} s")
    return 0 if surprises == 0 and len(rows) == 2 * options.count + 1 else 1


if __name__ == "__main__":
    sys.exit(main())
