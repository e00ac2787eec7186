"""The operators that a task may hold, by suites/operators.txt.

kbench itself decides, by the list that was compiled into it (runner/task/operator_check.cpp). Here it is
read so that the line of the task's own file can be named, and before a graph reaches a compiler.
"""

import functools
from pathlib import Path

LIST = Path(__file__).resolve().parent.parent / "operators.txt"


@functools.cache
def listed() -> dict[str, str]:
    """"aten::add.Tensor" -> "T N num -> T"."""
    lines = [line.split(maxsplit=1) for line in LIST.read_text().splitlines() if line[:1] not in ("", "#")]
    return {f"aten::{name}": words for name, words in lines}


def full_name(op: str, overload: str) -> str:
    """As the list has it, for the two entries of a node."""
    return f"{op}.{overload}" if overload else op
