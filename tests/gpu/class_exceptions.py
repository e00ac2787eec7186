#!/usr/bin/env python3
"""Tasks without a baseline in a precision class, and why: counted by reason, each task named.

    kbench run --baselines-only --quick --precision bf16 --level 1,2 --size full --device cuda --format json |
        tests/gpu/class_exceptions.py

Reads the JSON of a run, or of `kbench report --format json`. A reason is the message of the row, or what says why there
is no compiled baseline, without the task's name and figures, so that tasks share it. Exit code 1 where a row is an
infrastructure error.
"""

import collections
import json
import re
import sys


def reasons_of(row):
    """The reason of a task without eager, or without the compiled baseline; nothing where both are there."""
    if row["state"] not in ("ok", "no_submission"):
        return [f"{row['state']}: {row['message']}"]
    why = (row["time_ns"].get("reason") or {}).get("compiled")
    return [f"no compiled baseline: {why}"] if why else []


def main():
    rows = json.load(sys.stdin)["results"]
    found = collections.defaultdict(list)
    for row in rows:
        for reason in reasons_of(row):
            reason = reason.replace(row["task"], "the task")
            found[re.sub(r"(?<![\w/])[0-9][0-9.e+-]*", "N", reason)[:160]].append(row["task"])
    excepted = {task for tasks in found.values() for task in tasks}
    print(f"{len(rows)} tasks, {len(rows) - len(excepted)} with both baselines, {len(excepted)} exceptions")
    for reason, tasks in sorted(found.items(), key=lambda one: -len(one[1])):
        print(f"{len(tasks):4} {reason}\n       {', '.join(tasks)}")
    return 1 if any(row["state"] == "infrastructure_error" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
