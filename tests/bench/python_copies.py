#!/usr/bin/env python3
"""Whether a Python submission is timed like what it is compared with.

    python_copies.py [--device cpu|cuda] [--kbench PROGRAM] [--task ID]... [--suite FOLDER]
                     [--quick] [--only-copies] [--db FILE]

Hands in the reference of twelve tasks as ModelNew, which is nothing but eager: its speed-up has to
be 1. On CUDA also one kernel as a native submission and compiled by NVRTC in a Python one: their
times have to agree, and evaluating the second one once everything is cached may take so much longer.
Prints a line for each. Exit code 1 where a figure is outside of what is granted, 3 where kbench did
not run.

A suite is a folder of tasks such as `kbench import` makes of a clone of KernelBench:
levelN/NNN_name.py beside levelN/NNN_name.json. Python's standard library only.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TASKS = (
    "level1/001_square_matrix_multiplication", "level1/019_relu", "level1/023_softmax",
    "level1/040_layernorm", "level1/047_sum_reduction_over_a_dimension",
    "level1/050_conv_standard_2d__square_input__square_kernel",
    "level1/097_scaleddotproductattention", "level2/057_conv2d_relu_hardswish",
    "level2/076_gemm_add_relu", "level2/099_matmul_gelu_softmax", "level3/001_mlp",
    "level3/043_mingptcausalattention",
)
RELU = "level1/019_relu"
# How far from 1 a copy may be, and from which time of eager on.
GRANTED = {"cpu": (0.06, 0.0), "cuda": (0.03, 1e6)}
SAME_KERNEL_SHARE, SAME_KERNEL_NS = 0.02, 10e3
WARM_SECONDS = 3.0

KERNEL = """
extern "C" __global__ void relu(const float* x, float* y, int elements) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += step)
    y[i] = x[i] < 0 ? 0 : x[i];
}
"""
BLOCKS, THREADS = 4096, 256

NATIVE = f"""#include <cuda_runtime.h>

#include "task.h"
{KERNEL}
extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {{
  relu<<<{BLOCKS}, {THREADS}, 0, static_cast<cudaStream_t>(context->stream)>>>(
      in->x, out->y, static_cast<int>(kb::y_elements));
  return cudaGetLastError();
}}
"""

PYTHON = f'''import torch
from torch import nn

KERNEL = """{KERNEL}"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = torch.cuda._compile_kernel(KERNEL, "relu")

    def forward(self, x):
        y = torch.empty_like(x)
        self.kernel(grid=({BLOCKS}, 1, 1), block=({THREADS}, 1, 1), args=[x, y, x.numel()])
        return y
'''


def submit(folder, agent, task, text, ending):
    file = folder / agent / f"{task}{ending}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def run(arguments, submissions, tasks, database):
    """The rows of a run, those without a submission left out."""
    command = [str(arguments.kbench), "run", "--device", arguments.device, "--allow-torch", "all",
               "--db", str(database), "--no-html", "--format", "json", "--submissions",
               str(submissions)]
    if arguments.suite:
        command += ["--suite", str(arguments.suite)]
    if arguments.quick:
        command.append("--quick")
    for task in tasks:
        command += ["--task", task]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    rows = json.loads(ended.stdout)["results"] if ended.stdout else []
    if ended.returncode not in (0, 1):
        print(f"python_copies: kbench ended with {ended.returncode}",
              *sorted({row["message"] for row in rows}), sep="\n", file=sys.stderr)
        sys.exit(3)
    return [row for row in rows if row["agent"]]


def milliseconds(nanoseconds):
    return "-" if nanoseconds is None else f"{nanoseconds / 1e6:.3f}"


def check_copies(arguments, folder, database):
    """How many of the copies are not what they are copies of."""
    references = arguments.suite or ROOT / "suites"
    for task in arguments.task:
        text = (references / f"{task}.py").read_text(encoding="utf-8")
        submit(folder, "copies", task, f"{text}\n\nModelNew = Model\n", ".py")
    share, from_ns = GRANTED[arguments.device.partition(":")[0]]
    bad = 0
    print(f"{'task':<58} {'eager ms':>9} {'copy ms':>9} {'ratio':>7} {'interval':>17} labels")
    for row in run(arguments, folder, arguments.task, database):
        ratio, eager = row["speedup"]["eager"], row["time_ns"]["eager"]
        counts = eager is not None and eager >= from_ns
        wrong = row["state"] != "ok" or ratio is None or (
            counts and abs(ratio["estimate"] - 1) > share)
        bad += wrong
        interval = f"[{ratio['low']:.3f}-{ratio['high']:.3f}]" if ratio else row["state"]
        estimate = f"{ratio['estimate']:.3f}" if ratio else "-"
        print(f"{row['task']:<58} {milliseconds(eager):>9} "
              f"{milliseconds(row['time_ns']['submission']):>9} {estimate:>7} {interval:>17} "
              f"{row['labels'] or '-'}{'' if counts else '  too short to count'}"
              f"{'  <--' if wrong else ''}", flush=True)
        if row["state"] != "ok":
            print(f"    {row['message'].splitlines()[0]}")
    return bad


def check_same_kernel(arguments, folder, database):
    """Checks one kernel, native and in Python: whether times and costs agree."""
    submit(folder, "native", RELU, NATIVE, ".cu")
    submit(folder, "python", RELU, PYTHON, ".py")
    run(arguments, folder, [RELU], database)  # compiles, and fills what is cached
    rows = {row["agent"]: row for row in run(arguments, folder, [RELU], database)}
    for agent, row in rows.items():
        if row["state"] != "ok":
            print(f"{agent}: {row['state']}: {row['message'].splitlines()[0]}")
            return 1
    native, python = (rows[agent]["time_ns"]["submission"] for agent in ("native", "python"))
    apart = abs(python - native)
    far = apart > max(SAME_KERNEL_SHARE * native, SAME_KERNEL_NS)
    longer = rows["python"]["wall_seconds"] - rows["native"]["wall_seconds"]
    late = longer > WARM_SECONDS
    print(f"one kernel: native {milliseconds(native)} ms, in Python {milliseconds(python)} ms "
          f"({100 * (python / native - 1):+.2f} %){'  <--' if far else ''}")
    print(f"a warm evaluation in Python takes {longer:+.1f} s more than "
          f"{rows['native']['wall_seconds']:.1f} s{'  <--' if late else ''}")
    return int(far) + int(late)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--kbench", type=pathlib.Path, default=ROOT / "build/release/bin/kbench")
    parser.add_argument("--task", action="append", help="repeatable; else twelve tasks")
    parser.add_argument("--suite", type=pathlib.Path, help="another folder of tasks")
    parser.add_argument("--quick", action="store_true", help="eight blocks each, for a look")
    parser.add_argument("--only-copies", action="store_true", help="without the kernel in both forms")
    parser.add_argument("--db", type=pathlib.Path, help="database to keep")
    arguments = parser.parse_args()
    arguments.task = arguments.task or list(TASKS)
    arguments.kbench = pathlib.Path(os.path.abspath(arguments.kbench))
    with tempfile.TemporaryDirectory(prefix="kbench-copies-") as name:
        folder = pathlib.Path(name)
        database = arguments.db or folder / "copies.sqlite"
        bad = check_copies(arguments, folder / "copies", database)
        on_cuda = arguments.device.startswith("cuda")
        if on_cuda and not arguments.suite and not arguments.only_copies:
            bad += check_same_kernel(arguments, folder / "same", database)
    print("all within what is granted" if bad == 0 else f"{bad} outside of what is granted")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
