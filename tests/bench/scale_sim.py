#!/usr/bin/env python3
"""How long many lanes take, simulated by discrete events, and held against lanes that are real processes.

    scale_sim.py run --lanes 8 [--units 400] [--order longest|plan|nth]     one run, its units pulled
    scale_sim.py cluster --gpus 128 --clients 512 [--build 1.5] [--cores 512] [--think 0]
    scale_sim.py hold build/release/bench/lane_makespan [--lanes 8,64,1024]

`run` prints the speed-up over one lane. `cluster` has clients that each wait for an answer before they ask again; an
order is built on one of the cores, then measured on one of the GPUs. `hold` gives the same durations, a tenth as
long, to scripted lanes: exit code 1 where they take more than 5 % longer or shorter than simulated.

Durations: 85 % take 2 s, 15 % between 4 and 20 s, unless --seconds names one for all.
"""

import argparse
import heapq
import itertools
import json
import random
import subprocess
import sys

SIMULATED_SECONDS = 3600  # of a cluster
ALLOWED = 0.05  # between simulated and seen


def durations(count, seed, seconds=None):
    """Seconds that units take to measure."""
    drawn = random.Random(seed)
    return [seconds if seconds else 2.0 if drawn.random() < 0.85 else drawn.uniform(4, 20) for _ in range(count)]


def ordered(units, order):
    return sorted(units, reverse=True) if order == "longest" else list(units)


def makespan(units, lanes, order="longest"):
    """Seconds until the last of the units is measured. "nth": each lane has every n-th unit, whether it is free
    or not; else a lane that is free pulls the next one."""
    if order == "nth":
        return max(sum(units[first::lanes]) for first in range(lanes))
    free = [0.0] * lanes
    for seconds in ordered(units, order):
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


class Servers:
    """Servers that take what waits, in order of arrival."""

    def __init__(self, count):
        self.free, self.waiting, self.busy_seconds = count, [], 0.0


def cluster(gpus, clients, build, cores, think, seconds=None, seed=1):
    """Rows a second of all GPUs, and the share of their time in which they measure, once it goes steadily."""
    drawn = random.Random(seed)
    draw = lambda: durations(1, drawn.random(), seconds)[0]  # noqa: E731
    builders, measurers = Servers(cores), Servers(gpus)
    number = itertools.count()
    events, rows, start = [], 0, SIMULATED_SECONDS / 4

    def at(time, what, *more):
        heapq.heappush(events, (time, next(number), what, more))

    def enter(now, servers, duration, then):
        servers.waiting.append((duration, then))
        begin(now, servers)

    def begin(now, servers):
        while servers.free and servers.waiting:
            duration, then = servers.waiting.pop(0)
            servers.free -= 1
            # Only what lies in the steady part counts.
            servers.busy_seconds += max(0.0, min(now + duration, start + SIMULATED_SECONDS) - max(now, start))
            at(now + duration, "done", servers, then)

    for client in range(clients):
        at(drawn.uniform(0, think + build + 2), "asks")
    while events:
        now, _, what, more = heapq.heappop(events)
        if now > start + SIMULATED_SECONDS:
            break
        if what == "asks":
            enter(now, builders, build, "built")
            continue
        servers, then = more
        servers.free += 1
        if then == "built":
            enter(now, measurers, draw(), "measured")
        else:
            rows += now >= start
            at(now + think, "asks")
        begin(now, servers)
    return rows / SIMULATED_SECONDS, measurers.busy_seconds / SIMULATED_SECONDS / gpus


def hold(program, lanes, units):
    """Simulated and seen seconds, and the coordinator's milliseconds a row."""
    milliseconds = [round(100 * seconds) for seconds in ordered(units, "longest")]
    done = subprocess.run([program, str(lanes)], input="\n".join(map(str, milliseconds)), text=True,
                          capture_output=True, timeout=600, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} {lanes}: exit code {done.returncode}\n{done.stderr}")
    seen = json.loads(done.stdout)
    return makespan([each / 1000 for each in milliseconds], lanes), seen["seconds"], seen["coordinator_ms_a_row"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="that each measurement takes")
    parts = parser.add_subparsers(dest="part", required=True)
    run = parts.add_parser("run")
    run.add_argument("--lanes", type=int, default=8)
    run.add_argument("--units", type=int, default=400)
    run.add_argument("--order", choices=("longest", "plan", "nth"), default="longest")
    many = parts.add_parser("cluster")
    many.add_argument("--gpus", type=int, default=128)
    many.add_argument("--clients", type=int, default=512)
    many.add_argument("--build", type=float, default=1.5, help="seconds on one core")
    many.add_argument("--cores", type=int, default=512, help="of all builders")
    many.add_argument("--think", type=float, default=0, help="seconds between an answer and the next question")
    held = parts.add_parser("hold")
    held.add_argument("program")
    held.add_argument("--lanes", default="8,64,1024")
    options = parser.parse_args()

    if options.part == "run":
        units = durations(options.units, options.seed, options.seconds)
        print(f"{sum(units) / makespan(units, options.lanes, options.order):.2f} times as fast as one lane")
    elif options.part == "cluster":
        rate, busy = cluster(options.gpus, options.clients, options.build, options.cores, options.think,
                             options.seconds, options.seed)
        print(f"{rate:.1f} rows a second, GPUs measure {100 * busy:.1f} % of the time")
    else:
        worst = 0
        for lanes in map(int, options.lanes.split(",")):
            simulated, seen, coordinator = hold(options.program, lanes,
                                                durations(20 * lanes, options.seed, options.seconds))
            worst = max(worst, abs(seen / simulated - 1))
            print(f"{lanes} lanes: simulated {simulated:.2f} s, seen {seen:.2f} s ({100 * (seen / simulated - 1):+.1f} %), "
                  f"coordinator {coordinator:.2f} ms a row")
        return 1 if worst > ALLOWED else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
