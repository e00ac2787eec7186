#!/usr/bin/env python3
"""Evaluates the kernels of this folder: what a build step makes of load_inline, CUDA Agent's folders and Triton.

    run_kernels.py --device cpu|cuda[:N] [--kbench PROGRAM] [--only GLOB] [--task GLOB]... [--quick]

Prints a line for each and, on CUDA, how the same kernel fares as a native submission and through
load_inline: within 2 % or 10 us of each other. Exits with 0 if all are right (and those two alike), with 1
if not, with 3 if kbench did not run.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "submissions"
AGENTS = {"cpu": ("cuda_agent_cpu", "inline_cpu"),
          "cuda": ("cuda_agent", "inline_cuda", "native_cuda", "triton")}
SAME_KERNEL = ("native_cuda", "inline_cuda", "level1/019_relu")
ALIKE_PART, ALIKE_NS = 0.02, 10_000


class NotRun(Exception):
    """kbench did not do what it was asked."""


def tasks_of(agent, arguments):
    found = {f"{path.parent.name}/{path.stem}" for path in (HERE / agent).glob("level*/*")}
    return {task for task in found if any(fnmatch.fnmatch(task, glob) for glob in arguments.task)}


def evaluate(agents, arguments, folder):
    """The rows of these agents, in one run."""
    submissions = folder / "submissions"
    for agent in agents:
        shutil.copytree(HERE / agent, submissions / agent)
    command = [arguments.kbench, "run", "--device", arguments.device, "--submissions", str(submissions),
               "--allow-torch", "data", "--no-html", "--format", "json", "--db", str(folder / "runs.sqlite")]
    command += ["--quick"] if arguments.quick else []
    for task in sorted(set().union(*(tasks_of(agent, arguments) for agent in agents))):
        command += ["--task", task]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                            check=False)
    if result.returncode not in (0, 1) or not result.stdout:
        raise NotRun(f"kbench run ended with {result.returncode}")
    return [row for row in json.loads(result.stdout)["results"] if row["agent"]]


def milliseconds(nanoseconds):
    return "-" if nanoseconds is None else f"{nanoseconds / 1e6:.4f}"


def line_of(row):
    speedup = row["speedup"]["eager"]
    built = row["build_seconds"]
    words = "" if row["state"] == "ok" else (row["message"] or "").splitlines()[0][:120]
    return (f"{'right' if row['state'] == 'ok' else 'WRONG':<6} {row['agent']:<15} {row['task']:<42} "
            f"{row['state']:<16} {milliseconds(row['time_ns']['submission']):>10} ms "
            f"{'-' if speedup is None else format(speedup['estimate'], '.3f'):>8}x  "
            f"built in {'-' if built is None else format(built, '.1f')} s  "
            f"{row['labels'] or ''} {words}".rstrip())


def difference(rows):
    """(words, alike) of the kernel that is there twice; None where it is not."""
    native, inline, task = SAME_KERNEL
    times = {row["agent"]: row["time_ns"]["submission"] for row in rows if row["task"] == task}
    one, other = times.get(native), times.get(inline)
    if one is None or other is None:
        return None
    apart = other - one
    alike = abs(apart) <= max(ALIKE_PART * one, ALIKE_NS)
    return (f"the same kernel, native {milliseconds(one)} ms, by load_inline {milliseconds(other)} ms: "
            f"{apart / 1000:+.1f} us, {100 * apart / one:+.2f} %, {'alike' if alike else 'APART'}", alike)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--kbench", default=os.environ.get("KBENCH", "kbench"))
    parser.add_argument("--only", default="*", metavar="GLOB", help="agents: folders of submissions/")
    parser.add_argument("--task", action="append", metavar="GLOB", help="default: all")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    arguments.task = arguments.task or ["*"]
    agents = [agent for agent in AGENTS.get(arguments.device.partition(":")[0], ())
              if fnmatch.fnmatch(agent, arguments.only) and tasks_of(agent, arguments)]
    if not agents:
        parser.error("nothing matches")
    try:
        with tempfile.TemporaryDirectory(prefix="kbench-extensions-") as name:
            rows = evaluate(agents, arguments, pathlib.Path(name))
    except NotRun as error:
        print(f"run_kernels: {error}", file=sys.stderr)
        return 3
    rows.sort(key=lambda row: (row["agent"], row["task"]))
    for row in rows:
        print(line_of(row))
    wrong = sum(row["state"] != "ok" for row in rows)
    compared = difference(rows)
    if compared:
        print(compared[0])
    print(f"{arguments.device}: {len(rows)} kernels, {wrong} not right")
    return 1 if wrong or (compared and not compared[1]) else 0


if __name__ == "__main__":
    sys.exit(main())
