#!/usr/bin/env python3
"""The timed-call protocol against real kernels, as one compact table.

    python3 tests/gpu/protocol_check.py --kbench build/bin/kbench            # the examples, once
    python3 tests/gpu/protocol_check.py --kbench build/bin/kbench --rounds 20 --quick
    python3 tests/gpu/protocol_check.py --kbench build/bin/kbench --cheats   # and the cheat corpus

Honest submissions are the twelve examples and those of tests/gpu/submissions that do what looks odd and
is allowed: a thousand launches in a call, a cuBLAS handle made late, waiting inside a call. They must all
end as `ok`. For each the table shows how far the supervisor's two clocks
lie above the claimed time once an empty call is taken off (medians, microseconds), and the most that
was seen: these are the margins that runner/measure/claims.cpp grants. It exits with 1 when an honest
submission does not end as `ok`, when a cheat is not caught, or when level1/019_relu takes longer than
its limit. Python's standard library only.
"""

import argparse
import json
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "data" / "submissions"
ODD_BUT_HONEST = ("launches_many_kernels", "calls_cublas_lazily", "synchronises_inside")
RELU = "level1/019_relu"
RELU_LIMIT_S = 5.0


def gather_honest(folder, cuda):
    """One folder with all honest submissions for the device, and the tasks that they are for."""
    shutil.copytree(EXAMPLES, folder)
    for agent in ODD_BUT_HONEST if cuda else ():
        shutil.copytree(ROOT / "tests" / "gpu" / "submissions" / agent, folder / agent)
    return sorted({f"{entry.parent.name}/{entry.name.partition('.')[0]}"
                   for entry in folder.glob("*/level*/*")})


def run_kbench(kbench, submissions, database, words):
    start = time.monotonic()
    done = subprocess.run([str(kbench), "run", "--db", str(database), "--format", "json",
                           "--submissions", str(submissions), *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    seconds = time.monotonic() - start
    try:
        return json.loads(done.stdout), seconds
    except json.JSONDecodeError:
        sys.exit(f"kbench run ended with {done.returncode}:\n{done.stderr[-3000:]}")


def margins(database, run_id):
    """Excess of both clocks over claim and empty call, by (task, agent): microseconds."""
    with sqlite3.connect(database) as store:
        rows = store.execute(
            "SELECT e.task, e.agent, s.wall_ns - s.claimed_ns - e.null_call_ns,"
            "       s.strict_ns - s.claimed_ns - e.null_strict_ns, s.time_ns > s.claimed_ns"
            "  FROM sample s JOIN evaluation e ON s.evaluation = e.number"
            " WHERE e.run_id = ? AND s.claimed_ns IS NOT NULL AND e.null_call_ns IS NOT NULL",
            (run_id,)).fetchall()
    found = {}
    for task, agent, plain, strict, bounded in rows:
        entry = found.setdefault((task, agent), ([], [], []))
        for values, value in zip(entry, (plain / 1e3, strict / 1e3, bounded)):
            values.append(value)
    return found


def spread(values):
    if not values:
        return "-"
    return f"{statistics.median(values):7.1f} ({max(values):8.1f})"


def speedup(row):
    value = (row.get("speedup") or {}).get("eager")
    return f"{value['estimate']:6.2f}x" if value else "      -"


def show(report, found):
    failures = 0
    for row in report["results"]:
        plain, strict, bounded = found.get((row["task"], row["agent"]), ([], [], []))
        ok = row["state"] in ("ok", "no_submission")
        failures += not ok
        print(f"{'  ' if ok else '!!'} {row['task'][:40]:<40} {row['agent'] or '-':<21} "
              f"{row['state']:<20} {speedup(row)} "
              f"x{1 + row['repeats']} plain {spread(plain)} strict {spread(strict)} "
              f"bounded {sum(bounded)}/{len(bounded)} {row.get('labels') or ''}")
        if not ok:
            print(f"     {row['message']}")
    return failures


def check_honest(options, folder):
    failures = 0
    tasks = gather_honest(folder / "honest", options.device.startswith("cuda"))
    for number in range(options.rounds):
        database = folder / f"round-{number}.sqlite"
        words = ["--device", options.device, *(["--quick"] if options.quick else [])]
        for pattern in options.task or tasks:
            words += ["--task", pattern]
        report, seconds = run_kbench(options.kbench, folder / "honest", database, words)
        print(f"round {number + 1} of {options.rounds}: {seconds:.1f} s")
        failures += show(report, margins(database, report["run_id"]))
    return failures


def check_cost(options, folder):
    words = ["--device", options.device, "--task", RELU]
    seconds = min(run_kbench(options.kbench, EXAMPLES, folder / "cost.sqlite", words)[1]
                  for _ in range(2))
    late = seconds > RELU_LIMIT_S and options.device.startswith("cuda")
    print(f"{'!!' if late else '  '} {RELU} from start to exit: {seconds:.1f} s, "
          f"limit {RELU_LIMIT_S:.0f} s on CUDA")
    return int(late)


def check_cheats(options):
    corpus = ROOT / "tests" / "cheats" / "run_corpus.py"
    return subprocess.run([sys.executable, str(corpus), "--device", options.device,
                           "--kbench", str(options.kbench)], check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbench", type=pathlib.Path, default=ROOT / "build" / "bin" / "kbench")
    parser.add_argument("--device", default="cuda", help="cpu, cuda or cuda:N")
    parser.add_argument("--task", action="append", default=[], help="as of kbench run; repeatable")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="eight blocks each, as of kbench run")
    parser.add_argument("--cheats", action="store_true", help="also run tests/cheats")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the databases")
    options = parser.parse_args()
    options.kbench = options.kbench.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        failures = check_honest(options, folder) + check_cost(options, folder)
    if options.cheats:
        failures += check_cheats(options)
    print("all good" if failures == 0 else f"{failures} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
