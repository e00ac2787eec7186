#!/usr/bin/env python3
"""The limits that `kbench calibrate` measures, beside two other ways of measuring them.

    KBENCH=build/release/bin/kbench tests/gpu/peaks.py

Copy: cudaMemcpyAsync from device to device, ten in a row between two events, as the CUDA samples' bandwidthTest does.
Products: large squares by cuBLASLt through torch.mm, ten in a row, the best of four sizes. Both count as kbench does:
bytes read and written, 2 n^3 operations. Exit code 1 where kbench's copy is off by more than 3 %, or where one of its
products is below 85 % of cuBLASLt's best. Run it with a Python whose torch sees the GPU, and nothing beside it.
"""

import ctypes
import json
import os
import pathlib
import subprocess
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
KBENCH = os.environ.get("KBENCH", str(ROOT / "build" / "release" / "bin" / "kbench"))
ROUNDS, IN_A_ROW = 12, 10
SIZES = (4096, 8192, 12288, 16384)
CLASSES = {"fp32": (torch.float32, False), "tf32": (torch.float32, True), "fp16": (torch.float16, False),
           "bf16": (torch.bfloat16, False)}
DEVICE_TO_DEVICE = 3  # cudaMemcpyKind


def best_seconds(call):
    """Seconds of one call, in the fastest of the rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(IN_A_ROW):
            call()
        end.record()
        end.synchronize()
        best = min(best, begin.elapsed_time(end) / IN_A_ROW * 1e-3)
    return best


def copy_rate(runtime, size):
    """Bytes a second, read and written, of copies of `size` bytes."""
    source, target = (torch.ones(size, dtype=torch.uint8, device="cuda") for _ in range(2))
    pointers = ctypes.c_void_p(target.data_ptr()), ctypes.c_void_p(source.data_ptr())
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

    def once():
        failed = runtime.cudaMemcpyAsync(*pointers, ctypes.c_size_t(size), DEVICE_TO_DEVICE, stream)
        if failed:
            raise RuntimeError(f"cudaMemcpyAsync: error {failed}")

    return 2 * size / best_seconds(once)


def product_rate(dtype, tf32):
    """Operations a second of the best size, and that size."""
    torch.backends.cuda.matmul.allow_tf32 = tf32
    rates = []
    for n in SIZES:
        a = torch.ones(n, n, dtype=dtype, device="cuda")
        out = torch.empty_like(a)
        rates.append((2 * n**3 / best_seconds(lambda: torch.mm(a, a, out=out)), n))
    return max(rates)


def calibrated():
    """The limits that kbench measures now."""
    done = subprocess.run([KBENCH, "calibrate", "--only", "limits", "--device", "cuda", "--json", "-q"], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return json.loads(done.stdout)["limits"]


def main():
    ours = calibrated()
    torch.backends.cuda.preferred_blas_library("cublaslt")
    runtime = ctypes.CDLL("libcudart.so.13")
    wrong = 0
    for mib in (256, 1024):
        theirs = copy_rate(runtime, mib << 20)
        ratio = ours["copy"]["value"] / theirs
        fine = mib < 1024 or abs(ratio - 1) <= 0.03  # the size that kbench copies
        wrong += not fine
        print(f"copy of {mib} MiB   cudaMemcpy {theirs / 1e12:.3f} TB/s, kbench / that {ratio:.3f}"
              f"{'' if fine else '  WRONG'}")
    for name, (dtype, tf32) in CLASSES.items():
        theirs, n = product_rate(dtype, tf32)
        ratio = ours["products"][name]["value"] / theirs
        wrong += ratio < 0.85
        print(f"{name} product       cuBLASLt {theirs / 1e12:.1f} TFLOP/s at {n}, kbench / that {ratio:.3f}"
              f"{'' if ratio >= 0.85 else '  WRONG'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
