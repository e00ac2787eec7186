#!/usr/bin/env python3
"""Whether a side's time depends on who ran before it.

    order_effect.py DATABASE...

Sides take turns in drawn orders, so each side follows each of the others, and itself, equally often. For
each submission, prints how far a side's times after one predecessor lie from its median after all of
them, within one evaluation, so that what differs between runs cancels.
"""

import argparse
import math
import sqlite3
import statistics
from collections import defaultdict

SIDES = ("eager", "compiled", "submission")
TURNS = """
    SELECT e.task, s.evaluation, s.attempt, s.block, s.side, s.time_ns * 1.0 / s.calls
    FROM sample s JOIN evaluation e ON e.number = s.evaluation
    WHERE e.agent IS NOT NULL AND s.time_ns > 0
    ORDER BY s.evaluation, s.attempt, s.position
"""


def turns_by_evaluation(database):
    """By task and measurement: (side, predecessor in its block, log of a call's time)."""
    turns = defaultdict(list)
    before = None
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        for task, evaluation, attempt, block, side, time_ns in connection.execute(TURNS):
            here = (evaluation, attempt, block)
            predecessor = before[1] if before and before[0] == here else None
            turns[task, evaluation, attempt].append((side, predecessor, math.log(time_ns)))
            before = (here, side)
    return turns


def effects(databases):
    """By task, side and predecessor: log-times over the side's median in its measurement."""
    found = defaultdict(list)
    for database in databases:
        for (task, *_), turns in turns_by_evaluation(database).items():
            own = {side: statistics.median(time for who, _, time in turns if who == side)
                   for side in {who for who, _, _ in turns}}
            for side, predecessor, time in turns:
                if predecessor is not None:
                    found[task, side, predecessor].append(time - own[side])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("database", nargs="+")
    worst = 0.0
    for (task, side, predecessor), apart in sorted(effects(parser.parse_args().database).items()):
        if len(apart) < 8:
            continue
        effect = statistics.median(apart)
        # Standard error of a median, from the quartiles: 1.2533 * deviation / sqrt(n), deviation = range
        # / 1.349.
        quartiles = statistics.quantiles(apart, n=4)
        error = 0.929 * (quartiles[2] - quartiles[0]) / math.sqrt(len(apart))
        worst = max(worst, abs(effect))
        print(f"{task}: {SIDES[side]} after {SIDES[predecessor]}: {100 * effect:+.3f} % "
              f"± {100 * error:.3f}, {len(apart)} calls")
    print(f"farthest: {100 * worst:.3f} %")


if __name__ == "__main__":
    main()
