#!/usr/bin/env python3
"""Python submissions that a build step does not see through at first sight.

    KBENCH=build/release/bin/kbench tests/gpu/build_steps.py

Three ask for their extension only where torch sees a GPU, by its capability, or once they are called; a
torch.compile makes no kernel of its own; a kernel is tuned for a tensor. Checks only. Exit code 1 where
one is not ok.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KBENCH = os.environ.get("KBENCH", str(ROOT / "build" / "release" / "bin" / "kbench"))
RELU, MATMUL = "level1/019_relu", "level1/001_square_matrix_multiplication"
KERNEL = '''import torch
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <torch/extension.h>
__global__ void relu(const float* x, float* y, long n) {
  const long i = blockIdx.x * 256l + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
torch::Tensor kernel(torch::Tensor x) {
  auto y = torch::empty_like(x);
  relu<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
"""


def build(name):
    return load_inline(name=name, cpp_sources="torch::Tensor kernel(torch::Tensor x);", cuda_sources=CUDA,
                       functions=["kernel"])


'''
COMPILED = '''import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.product = torch.compile(lambda a, b: torch.matmul(a, b))

    def forward(self, a, b):
        return self.product(a, b)
'''
TUNED = '''import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": size}) for size in (512, 1024)], key=["x"])
@triton.jit
def relu(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.maximum(tl.load(x + at, at < n, other=0.0), 0.0), at < n)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        relu[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())
        return y
'''
GUARDED = {
    "is_available": '''module = build("a") if torch.cuda.is_available() else None


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return module.kernel(x)
''',
    "capability": '''class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.module = None
        try:
            if torch.cuda.get_device_capability()[0] >= 7:
                self.module = build("b")
        except Exception as error:
            print(error)

    def forward(self, x):
        return self.module.kernel(x)
''',
    "first_call": '''module = None


class ModelNew(torch.nn.Module):
    def forward(self, x):
        global module
        if module is None and x.is_cuda:
            module = build("c")
        return module.kernel(x)
''',
}


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = {agent: (RELU, KERNEL + text) for agent, text in GUARDED.items()}
        files |= {"compiled": (MATMUL, COMPILED), "tuned": (RELU, TUNED)}
        for agent, (task, text) in files.items():
            file = folder / "submissions" / agent / f"{task}.py"
            file.parent.mkdir(parents=True)
            file.write_text(text)
        result = subprocess.run(
            [KBENCH, "run", "--task", RELU, "--task", MATMUL, "--device", "cuda", "--size", "small",
             "--checks-only", "--allow-torch", "all", "--submissions", folder / "submissions", "--db", folder / "rows.sqlite", "--format", "json"],
            stdout=subprocess.PIPE, check=False, text=True, env=os.environ | {"KBENCH_ROOT": str(ROOT)})
        rows = json.loads(result.stdout)["results"]
    for row in rows:
        print(row["agent"], row["state"], row["labels"], row["message"][-600:])
    good = sum(row["state"] == "ok" for row in rows)
    print(f"{good} of {len(files)} ok")
    return int(good != len(files))


if __name__ == "__main__":
    sys.exit(main())
