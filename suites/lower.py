#!/usr/bin/env python3
"""Writes the lowered form of tasks: NNN_name.json beside each NNN_name.py (see FORMAT.md).

Without arguments all tasks of this folder. Needs PyTorch; running the tasks afterwards does not
need Python. Exit code 1 when a task cannot be lowered or, with --check, when a file differs.
"""

import argparse
import concurrent.futures
import difflib
import functools
import json
import multiprocessing
import sys
from pathlib import Path

from lowering.taskfile import TaskFile

SUITES = Path(__file__).resolve().parent


def all_tasks() -> list[Path]:
    return sorted(SUITES.glob("level*/[0-9]*.py"))


def check(path: Path, text: str) -> str:
    """Differences between the checked-in file and `text`; empty where there are none."""
    old = path.read_text() if path.exists() else ""
    if old == text:
        return ""
    lines = difflib.unified_diff(
        old.splitlines(), text.splitlines(), str(path), "lowered now", n=0, lineterm=""
    )
    return "\n".join(line[:200] for _, line in zip(range(20), lines))


def is_unchanged(path: Path) -> bool:
    """Whether the lowered file was made from this very source, with this PyTorch."""
    import torch

    try:
        lowered = json.loads(path.with_suffix(".json").read_text())
    except (OSError, ValueError):
        return False
    made_from = (lowered.get("source_sha256"), lowered.get("torch"))
    return made_from == (TaskFile(path).sha256, torch.__version__.split("+")[0])


def process(path: Path, mode: str, checking: bool, changed_only: bool) -> tuple[bool, str]:
    """Whether all is well with the task, and a line or more about it."""
    import torch

    from lowering.blame import line_of
    from lowering.errors import LoweringError
    from lowering.task import lower_task
    from lowering.text import format_task

    torch.set_num_threads(1)  # one task a process is the better use of the processors
    output = path.with_suffix(".json")
    try:
        if changed_only and is_unchanged(path):
            return True, f"same    {output.name}: its source is unchanged"
        text = format_task(lower_task(path, mode))
    except LoweringError as error:
        line = line_of(error, path)
        return False, f"FAILED  {error}" + (f" (line {line})" if line else "")
    if checking:
        difference = check(output, text)
        if difference:
            return False, f"{difference}\nDIFFERS {output.name}"
        return True, f"ok      {output.name}"
    output.write_text(text)
    return True, f"wrote   {output} ({len(text)} bytes)"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", type=Path, metavar="TASK.py")
    parser.add_argument("--check", action="store_true", help="write nothing, fail on a difference")
    parser.add_argument(
        "--changed",
        action="store_true",
        help="leave out tasks whose source has not changed since they were lowered; a change of the "
        "lowering itself needs all of them",
    )
    parser.add_argument("--mode", choices=("batch-stats", "eval"), default="batch-stats")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes; default: 2")
    return parser.parse_args()


def main() -> int:
    arguments = parse()
    tasks = arguments.tasks or all_tasks()
    work = functools.partial(
        process,
        mode=arguments.mode,
        checking=arguments.check,
        changed_only=arguments.changed,
    )
    results = []
    jobs = max(1, min(arguments.jobs, len(tasks)))
    # Fresh processes: PyTorch does not survive a fork once it has started threads.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
        for good, line in pool.map(work, tasks):
            print(line, file=sys.stdout if good else sys.stderr, flush=True)
            results.append(good)
    print(f"{sum(results)} of {len(results)} tasks are as they should be")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
