"""What kbench answers with: a row of a run, and a task. Both are the dictionaries of its JSON, with a few names more."""

import re
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Union

# The text of one file; a file or folder; or several files of one submission, by their names.
Source = Union[str, Path, Mapping[str, str]]

_PYTHON = re.compile(r"^\s*class\s+ModelNew\b", re.MULTILINE)
_CUDA = re.compile(r"__global__|<<<|\bcuda[A-Z]\w*|\.cuh\b|#include\s*[<\"](?:cuda|cublas|cudnn|mma\.h)")


def file_name(text: str) -> str:
    """The name of a submission's only file, by the language of its text: Python, CUDA or C++."""
    if _PYTHON.search(text):
        return "kernel.py"
    return "kernel.cu" if _CUDA.search(text) else "kernel.cpp"


class Speedup(NamedTuple):
    """The time of a baseline over that of the submission, with its 95 % interval."""

    estimate: float
    low: float
    high: float
    verdict: str  # FASTER, SLOWER, SAME, UNDECIDED or NO VERDICT


class Row(Dict[str, Any]):
    """One evaluation, as `kbench report jsonl` has it: data/schema/row.schema.json describes each field."""

    @property
    def task(self) -> str:
        return str(self["task"])

    @property
    def run_id(self) -> str:
        return str(self["run_id"])

    @property
    def state(self) -> str:
        """"ok", or what went wrong: "compile_error", "wrong_result", "timeout" and so on."""
        return str(self["state"])

    @property
    def ok(self) -> bool:
        return self.state == "ok"

    @property
    def fault(self) -> str:
        """Whose fault a failure is: "none", "submission" or "infrastructure" (kbench or its machine)."""
        return str(self["fault"])

    @property
    def message(self) -> str:
        """The words of a failure, as the compiler's."""
        return str(self["message"])

    @property
    def time_ns(self) -> Optional[float]:
        """The median time of a call in nanoseconds; None if it was not timed."""
        value = self["time_ns"]["submission"]
        return None if value is None else float(value)

    @property
    def over_eager(self) -> Optional[Speedup]:
        """The speed-up over PyTorch eager; None if there is none."""
        return self._speedup("eager")

    @property
    def over_compiled(self) -> Optional[Speedup]:
        """The speed-up over compiled PyTorch; None if there is none."""
        return self._speedup("compiled")

    @property
    def reward(self) -> Optional[float]:
        """The reward, in a row of a Client: None if the row is worth nothing, neither good nor bad."""
        value = self.get("reward", {}).get("value")
        return None if value is None else float(value)

    def _speedup(self, name: str) -> Optional[Speedup]:
        value = self["speedup"][name]
        if value is None or value["estimate"] is None:
            return None
        return Speedup(value["estimate"], value["low"], value["high"], value["verdict"])


class Task(Dict[str, Any]):
    """A task, as `kbench tasks list --json` has it."""

    @property
    def id(self) -> str:
        """The level and the name: "level1/019_relu"."""
        return str(self["task"])

    @property
    def level(self) -> int:
        return int(self["level"])

    @property
    def title(self) -> str:
        return str(self["title"])

    @property
    def sizes(self) -> List[str]:
        return list(self["sizes"])
