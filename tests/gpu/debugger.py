#!/usr/bin/env python3
"""The debugger on CUDA: four kernels with a fault are named, eight without one are not accused.

    KBENCH=build/release/bin/kbench tests/gpu/debugger.py

It needs compute-sanitizer, from the toolkit or on the PATH. What is said of each kernel, and the seconds that its four
tools and their compiling took, go to standard output, and to the folder that OUT names. Exit code 1 where a fault is
not named with its kernel, or a clean kernel is accused.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KBENCH = os.environ.get("KBENCH", str(ROOT / "build" / "release" / "bin" / "kbench"))
RELU, SOFTMAX, PRODUCT = "level1/019_relu", "level1/023_softmax", "level1/001_square_matrix_multiplication"
# File, task, the kind of its fault and the kernel that has it.
KERNELS = [
    ("bounds_one_behind", RELU, "out of bounds", "rectify_next"),
    ("race_shared_sum", SOFTMAX, "race", "racing_rows"),
    ("uninitialised_output", RELU, "uninitialised memory", "add_rectified"),
    ("barrier_divergent", RELU, "barrier", "waiting_some"),
    ("clean_rectifier", RELU, "", ""),
    ("clean_vectors", RELU, "", ""),
    ("clean_strides", RELU, "", ""),
    ("clean_shared_sum", SOFTMAX, "", ""),
    ("clean_shuffles", SOFTMAX, "", ""),
    ("clean_workspace", SOFTMAX, "", ""),
    ("clean_product", PRODUCT, "", ""),
    ("clean_tiles", PRODUCT, "", ""),
]
CLEAN = "Nothing was found by memcheck, racecheck, initcheck, synccheck."


def ask(folder, *words):
    done = subprocess.run([KBENCH, "workspace", *words, "--suite", str(ROOT / "tests/tiny")], cwd=folder, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    return done.stdout, done.stderr


def judge(kind, kernel, report):
    """The fault of a report; empty: none."""
    text = report["text"]
    if report["status"] != "answered":
        return f"ended as {report['status']}"
    if not kind:
        return "" if text.strip() == CLEAN else "a clean kernel is accused"
    if f"{kind}: " not in text:
        return f"no {kind} is named"
    return "" if kernel in text else f"{kernel} is not named"


def main():
    wrong = 0
    out = pathlib.Path(os.environ["OUT"]) if os.environ.get("OUT") else None
    with tempfile.TemporaryDirectory(prefix="kbench-debugger-") as scratch:
        for name, task, kind, kernel in KERNELS:
            _, said = ask(scratch, "open", task, name, "--device", "cuda", "--size", "small")
            folder = pathlib.Path(scratch) / name
            if not folder.is_dir():
                print(said)
                return 1
            source = ROOT / f"tests/debugger/cuda/{name}.cu"
            (folder / "kernels/main.cu").write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
            begun = time.monotonic()
            line, said = ask(scratch, "debug", name)
            seconds = time.monotonic() - begun
            answer = json.loads(line) if line else {}
            problem = judge(kind, kernel, answer["report"]) if answer.get("report") else f"no report: {line}{said}"
            wrong += bool(problem)
            print(f"{'WRONG' if problem else 'right'} {seconds:5.1f} s  {name}  {problem}")
            text = (answer.get("report") or {}).get("text", "")
            print("".join(f"        | {one}\n" for one in text.splitlines()), end="", flush=True)
            if out:
                (out / f"debug-{name}.json").write_text(line, encoding="utf-8")
    print(f"{len(KERNELS) - wrong} of {len(KERNELS)} kernels are as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
