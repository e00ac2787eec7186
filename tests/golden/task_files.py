"""Paths of tasks, for tests that need no torch."""

from pathlib import Path

SUITES = Path(__file__).resolve().parents[2] / "suites"


def all_tasks() -> list[Path]:
    """The lowered file of every task."""
    return sorted(SUITES.glob("level*/[0-9]*.json"))


def source_of(task_file: Path) -> Path:
    return task_file.with_suffix(".py")
