#!/usr/bin/env python3
"""Writes the tasks of this folder: those of suites/ that tests submit to, with a `small` size of some ten
thousand elements, so that an evaluation spends its time in the protocol and not in arithmetic. Dimensions are
multiples of what those submissions take for granted, vectors and tiles. After a change of one of these tasks
in suites/:

    .venv/bin/python3 tests/tiny/make.py

golden.relowering fails where that was forgotten.
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SUITES = HERE.parents[1] / "suites"
# Values in the place of the task's own SMALL.
SMALL = {
    "level1/001_square_matrix_multiplication": {"N": 192},
    "level1/019_relu": {"BATCH": 48, "FEATURES": 1280},
    "level1/023_softmax": {"BATCH": 24, "FEATURES": 2560},
    "level2/076_gemm_add_relu": {"BATCH": 48, "IN_FEATURES": 256, "OUT_FEATURES": 160},
}


def source_of(task):
    """The task's source with the other size."""
    text = (SUITES / f"{task}.py").read_text(encoding="utf-8")
    # With the lines that say why the size was chosen.
    text, found = re.subn(r"(^#.*\n)*^SMALL = .*\n", f"SMALL = {SMALL[task]}\n".replace("'", '"'), text,
                          flags=re.MULTILINE)
    if found != 1:
        sys.exit(f"make.py: {task}.py has not one line that begins with SMALL")
    return text


def sources():
    """{file: what it is to hold}."""
    return {HERE / f"{task}.py": source_of(task) for task in SMALL}


def stale():
    """Names of the sources that are others than what they are made of says."""
    return [path.name for path, text in sources().items()
            if not path.exists() or path.read_text(encoding="utf-8") != text]


def main():
    for path, text in sources().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return subprocess.run([sys.executable, "-B", SUITES / "lower.py", *sources()], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
