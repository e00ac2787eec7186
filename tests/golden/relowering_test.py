"""Checked-in lowered files are what lowering their .py gives today, byte for byte.

lowered.sha256 names the tasks and the lowering for which this was so of all. Here are lowered the tasks
that are others than in it, all where the lowering is another, and always a few that together have each
operator and each form that tasks have (task_cover.py): they show that this machine's Python lowers as the
recorded one did. Those of tests/tiny always are, after a look at whether their sources are up to date.
With --all all are lowered; --record does so and then writes lowered.sha256. Exit code 77 (skipped) with
another PyTorch than the files name.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import task_cover
from task_files import SUITES, all_tasks, source_of

sys.path.append(str(SUITES.parent / "tests/tiny"))

import make as tiny  # noqa: E402  (the folder is known only now)

SKIPPED = 77
RECORD = Path(__file__).with_name("lowered.sha256")
LOWERING = "lowering"  # the word of its line in the record


def digest(paths) -> str:
    """One for all of the files, their names included."""
    parts = (f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in paths)
    return hashlib.sha256("".join(parts).encode()).hexdigest()


def word(task: Path) -> str:
    return f"{task.parent.name}/{task.stem}"


def current() -> dict[str, str]:
    """The record of the present files, by which changed ones are found."""
    code = [SUITES / "lower.py", *sorted((SUITES / "lowering").glob("*.py"))]
    return {LOWERING: digest(code)} | {word(task): digest([source_of(task), task]) for task in all_tasks()}


def recorded() -> dict[str, str]:
    if not RECORD.exists():
        return {}
    lines = RECORD.read_text(encoding="utf-8").splitlines()
    return {name: value for value, name in (line.split() for line in lines if not line.startswith("#"))}


def write_record(digests: dict[str, str]) -> None:
    lines = [f"{value}  {name}" for name, value in digests.items()]
    head = "# Written by tests/golden/relowering_test.py --record after it had lowered all tasks."
    RECORD.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")


def chosen() -> list[Path]:
    """The tasks that are lowered without --all."""
    old, new = recorded(), current()
    if old.get(LOWERING) != new[LOWERING]:
        print(f"the lowering is another than in {RECORD.name}: all tasks. relowering_test.py --record "
              "lowers them once and makes this shorter again")
        return all_tasks()
    tasks = {task: json.loads(task.read_text(encoding="utf-8")) for task in all_tasks()}
    changed = [task for task in tasks if old.get(word(task)) != new[word(task)]]
    sample = task_cover.cover(tasks, ("small", "full"), task_cover.nodes)
    missing = task_cover.operators(tasks) - task_cover.operators(sample)
    assert not missing, f"the sample lacks {sorted(missing)}"
    print(f"{len(changed)} tasks that {RECORD.name} does not have as they are, and {len(sample)} that have "
          f"whatever the {len(tasks)} have")
    return sorted({*changed, *sample})


def lower(tasks: list[Path]) -> int:
    jobs = str(min(8, os.cpu_count() or 1))
    sources = [*map(source_of, tasks), *tiny.sources()]
    command = [sys.executable, "-B", SUITES / "lower.py", "--check", "--jobs", jobs, *sources]
    sys.stdout.flush()
    return subprocess.run(command, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    pinned = {json.loads(path.read_text())["torch"] for path in all_tasks()}
    installed = version("torch").split("+")[0]  # without importing it
    if pinned != {installed}:
        print(f"the files are pinned to torch {sorted(pinned)}, this is {installed}")
        return SKIPPED
    before = current()
    if stale := tiny.stale():
        print(f"DIFFERS {stale}: tests/tiny/make.py writes them anew")
        return 1
    status = lower(all_tasks() if options.all or options.record else chosen())
    if options.record and status == 0:
        write_record(before)  # not of files that were edited meanwhile
    return status


if __name__ == "__main__":
    sys.exit(main())
