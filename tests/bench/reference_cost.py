#!/usr/bin/env python3
"""Cost of `kbench run FILE --reference ref.py` once ref.py is imported, beside `--task` of the same problem.

In an empty folder: one submission, and relu in KernelBench's form at the shipped task's small size. Both commands run
once, so that everything is cached; then PAIRS times one after the other, in changing order. Prints each pair and the
median ratio. Judges nothing.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KBENCH = ROOT / "build/release/bin/kbench"
REFERENCE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.rand(2048, 4096) * 2 - 1]


def get_init_inputs():
    return []
"""
KERNEL = """#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out, kb_context*) {
#pragma omp parallel for simd
  for (long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  return 0;
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("options", nargs="*", default=["--quick"], help="of both commands, behind -- (default: --quick)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kbench-reference-") as folder:
        environment = {**os.environ, "HOME": folder, "XDG_STATE_HOME": f"{folder}/state", "XDG_CACHE_HOME": f"{folder}/cache"}
        pathlib.Path(folder, "ref.py").write_text(REFERENCE, encoding="ascii")
        pathlib.Path(folder, "v1.cpp").write_text(KERNEL, encoding="ascii")
        words = {"reference": ["--reference", "ref.py"], "task": ["--task", "level1/019_relu"]}

        def seconds(kind):
            begin = time.monotonic()
            subprocess.run([KBENCH, "run", "v1.cpp", *words[kind], "--device", "cpu", *options.options], cwd=folder,
                           env=environment, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            return time.monotonic() - begin

        for kind in words:
            print(f"{kind:9} for the first time {seconds(kind):.1f} s")
        ratios = []
        for pair in range(options.pairs):
            took = {kind: seconds(kind) for kind in (sorted(words) if pair % 2 else sorted(words, reverse=True))}
            ratios.append(took["reference"] / took["task"])
            print(f"reference {took['reference']:5.1f} s  task {took['task']:5.1f} s  {ratios[-1]:.2f}×")
        print(f"median {statistics.median(ratios):.2f}×")


if __name__ == "__main__":
    main()
