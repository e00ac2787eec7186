#!/usr/bin/env python3
"""Fast mathematics of the GPU itself: intrinsics are right, halves and an approximate tanh are not.

    KBENCH=build/release/bin/kbench tests/gpu/fast_math.py

Evaluates the kernels of tests/precision/fast_math on CUDA, checks only. Prints a line for each row; exit
code 1 where a state is not the one that is wanted.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("KBENCH_ROOT", str(ROOT))
os.environ.setdefault("KBENCH", str(ROOT / "build" / "release" / "bin" / "kbench"))
sys.path.insert(0, str(ROOT / "tests" / "cli"))

import fast_math  # noqa: E402


def rows_of(folder):
    words = [word for task in fast_math.tasks() for word in ("--task", task)]
    result = subprocess.run(
        [os.environ["KBENCH"], "run", *words, "--device", "cuda", "--size", "small", "--checks-only",
         "--submissions", folder / "submissions", "--db", folder / "rows.sqlite", "--format", "json"],
        stdout=subprocess.PIPE, check=False, text=True)
    return json.loads(result.stdout)["results"]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        count = fast_math.submit(folder / "submissions", "cuda")
        rows = rows_of(folder)
    wrong = 0
    for row in rows:
        wanted = "ok" if row["agent"] in fast_math.RIGHT else "wrong_result"
        wrong += row["state"] != wanted
        print(row["task"], row["agent"], row["state"], row["labels"], row["message"][:160])
    print(f"{len(rows)} of {count} rows, {wrong} not as wanted")
    return int(wrong > 0 or len(rows) != count)


if __name__ == "__main__":
    sys.exit(main())
