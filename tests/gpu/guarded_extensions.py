#!/usr/bin/env python3
"""Python submissions that ask for their extension only where torch sees a GPU, or only once they are called.

    KBENCH=build/release/bin/kbench tests/gpu/guarded_extensions.py

Checks only. Exit code 1 where one is not ok, or where its kernel is not what was measured.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KBENCH = os.environ.get("KBENCH", str(ROOT / "build" / "release" / "bin" / "kbench"))
TASK = "level1/019_relu"
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
        for agent, text in GUARDED.items():
            file = folder / "submissions" / agent / f"{TASK}.py"
            file.parent.mkdir(parents=True)
            file.write_text(KERNEL + text)
        result = subprocess.run(
            [KBENCH, "run", "--task", TASK, "--device", "cuda", "--size", "small", "--checks-only",
             "--submissions", folder / "submissions", "--db", folder / "rows.sqlite", "--format", "json"],
            stdout=subprocess.PIPE, check=False, text=True, env=os.environ | {"KBENCH_ROOT": str(ROOT)})
        rows = json.loads(result.stdout)["results"]
    for row in rows:
        print(row["agent"], row["state"], row["labels"], row["message"][-600:])
    good = sum(row["state"] == "ok" for row in rows)
    print(f"{good} of {len(GUARDED)} ok")
    return int(good != len(GUARDED))


if __name__ == "__main__":
    sys.exit(main())
