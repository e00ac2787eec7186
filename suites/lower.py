#!/usr/bin/env python3
"""Writes the lowered form of tasks: NNN_name.json beside each NNN_name.py (see FORMAT.md).

Without arguments all tasks of this folder. Needs PyTorch; running the tasks afterwards does not
need Python. Exit code 1 when a task cannot be lowered or, with --check, when a file differs.
"""

import argparse
import difflib
import sys
from pathlib import Path

from lowering.errors import LoweringError
from lowering.task import MODES, lower_task
from lowering.text import format_task

SUITES = Path(__file__).resolve().parent


def all_tasks() -> list[Path]:
    return sorted(SUITES.glob("level*/[0-9]*.py"))


def check(path: Path, text: str) -> bool:
    """Whether the checked-in file is `text`; prints the first differences where it is not."""
    old = path.read_text() if path.exists() else ""
    if old == text:
        return True
    lines = difflib.unified_diff(
        old.splitlines(), text.splitlines(), str(path), "lowered now", n=0, lineterm=""
    )
    for _, line in zip(range(20), lines):
        print(line[:200])
    return False


def process(path: Path, arguments) -> bool:
    output = path.with_suffix(".json")
    try:
        text = format_task(lower_task(path, arguments.mode))
    except LoweringError as error:
        print(f"{error}", file=sys.stderr)
        return False
    if arguments.check:
        same = check(output, text)
        print(f"{'ok     ' if same else 'DIFFERS'} {output.name}")
        return same
    output.write_text(text)
    print(f"wrote {output} ({len(text)} bytes)")
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", type=Path, metavar="TASK.py")
    parser.add_argument("--check", action="store_true", help="write nothing, fail on a difference")
    parser.add_argument("--mode", choices=MODES, default=MODES[0], help="default: %(default)s")
    arguments = parser.parse_args()
    results = [process(path, arguments) for path in arguments.tasks or all_tasks()]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
