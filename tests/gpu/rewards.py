#!/usr/bin/env python3
"""Rewards that a trainer gets from `kbench serve` on a GPU.

    rewards.py load [--kbench PROGRAM] [--device cuda[:N]] [--count 200] [--clients 16]
    rewards.py grpo [--kbench PROGRAM] [--device cuda[:N]] [--steps 150]

`load` hands in so many different submissions to /get_reward as OpenRLHF's client asks, and prints how long
all took, the slowest, and how many had no answer within its 180 seconds. `grpo` is
data/clients/trl_example.py with CUDA kernels of a 3-D pooling, two of which are faster than both
baselines: prints the mean reward at the end, at most 3, and how many rows were measured. It needs trl.
Exit code 1 where a reward is missing, is not the stored one, or a limit is not kept: ten minutes, 2.9.
"""

import argparse
import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "data/clients"))

ANSWER_WITHIN, TRIES = 180, 5
LOAD_WITHIN = 600
LEAST_REWARD = 2.9
LAST = 20
POOL = "level1/043_max_pooling_3d"
# Tasks of the size that most have (an evaluation takes some two seconds), what each element of their output
# is, and something else.
FORMULAS = {
    "level1/012_matmul_with_diagonal_matrices": ("in->a[i / kb::y_1] * in->b[i]", "in->b[i]"),
    "level1/088_mingptnewgelu":
        ("0.5f * in->x[i] * (1 + tanhf(0.7978845608f * (in->x[i] + 0.044715f * powf(in->x[i], 3))))",
         "in->x[i]"),
}

ELEMENTWISE_KERNEL = """#include <cuda_runtime.h>

#include "task.h"

__global__ void each(const kb_inputs values, float* y) {
  const kb_inputs* const in = &values;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < kb::y_elements; i += step)
    y[i] = FORMULA;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  each<<<4096, 256, 0, static_cast<cudaStream_t>(context->stream)>>>(*in, out->y);
  return cudaGetLastError();
}
"""
# The window's planes and rows are read where they are wanted; no index is written, which is what eager
# and the compiled baseline do.
POOL_KERNEL = """#include <cuda_runtime.h>
#include <math_constants.h>

#include "task.h"

constexpr int kSide = kb::x_dims[4], kOut = kb::y_dims[4], kStride = 2, kPadding = 1, kDilation = 3;

__global__ void pool(const float* x, float* y) {
  const int column = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y, plane = blockIdx.y;
  if (column >= kOut || row >= kOut) return;
  const float* volume = x + static_cast<long long>(blockIdx.z) * kSide * kSide * kSide;
  float most = -CUDART_INF_F;
  for (int a = 0; a < 3; ++a) {
    const int z = plane * kStride - kPadding + a * kDilation;
    if (z < 0 || z >= kSide) continue;
    for (int b = 0; b < 3; ++b) {
      const int r = row * kStride - kPadding + b * kDilation;
      if (r < 0 || r >= kSide) continue;
      for (int c = 0; c < 3; ++c) {
        const int at = column * kStride - kPadding + c * kDilation;
        if (at < 0 || at >= kSide) continue;
        const float value = volume[(z * kSide + r) * kSide + at];
        most = value > most || value != value ? value : most;
      }
    }
  }
  y[((static_cast<long long>(blockIdx.z) * kOut + plane) * kOut + row) * kOut + column] = most;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  const dim3 threads(64, 8), blocks((kOut + 7) / 8, kOut, kb::x_dims[0] * kb::x_dims[1]);
  pool<<<blocks, threads, 0, static_cast<cudaStream_t>(context->stream)>>>(in->x, out->y);
  return cudaGetLastError();
}
"""
EIGHT = [
    POOL_KERNEL,
    POOL_KERNEL.replace("threads(64, 8)", "threads(64, 4)").replace("(kOut + 7) / 8", "(kOut + 3) / 4"),
    POOL_KERNEL.replace("most = -CUDART_INF_F", "most = 0"),
    POOL_KERNEL.replace("kDilation = 3", "kDilation = 1"),
    POOL_KERNEL.replace("value > most ||", "value < most ||"),
    POOL_KERNEL.replace("return cudaGetLastError();", "return nothing;"),
    POOL_KERNEL.replace("return cudaGetLastError();", "return 0"),
    POOL_KERNEL.replace("#include", "#exclude"),
]


def fenced(source):
    """The source in a model's answer."""
    return f"This is the kernel.\n\n```cuda\n{source}```\n"


def hash_of(source):
    return hashlib.sha256(source.encode()).hexdigest()


class Server:
    """A `kbench serve` on the GPU, and what it stores."""

    def __init__(self, program, device, folder):
        self.program = program
        self.database = folder / "rewards.sqlite"
        self.token = secrets.token_hex(32)
        tokens = folder / "tokens"
        tokens.touch(mode=0o600)
        tokens.write_text(f"trainer evaluate {self.token}\n", encoding="ascii")
        self.process = subprocess.Popen(
            [program, "serve", "--port", "0", "--device", device, "--db", str(self.database),
             "--tokens", str(tokens), "--trust-estimates"], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            sys.exit("rewards: kbench serve did not start")

    def end(self):
        self.process.terminate()
        self.process.wait()

    def ask(self, source, task):
        """One reward by that client's rule, whatever is wrong again; with how often it was asked."""
        body = json.dumps({"query": [fenced(source)], "prompts": ["p"], "labels": [task]}).encode()
        request = urllib.request.Request(self.url + "/get_reward", body, {
            "Content-Type": "application/json", "Authorization": f"Bearer {self.token}"})
        for tries in range(1, TRIES + 1):
            try:
                with urllib.request.urlopen(request, timeout=ANSWER_WITHIN) as response:
                    return json.load(response)["rewards"][0], tries
            except (urllib.error.URLError, TimeoutError):
                time.sleep(1)
        return None, TRIES

    def stored(self):
        """The reward of each source, by its text's SHA-256."""
        worth = {}
        for run in self._told("runs", "--json")["runs"]:
            for row in self._told("report", "json", "--run", run["id"], "--reward",
                                  "milestone_sure")["results"]:
                if row["agent"]:
                    print(f"  {row['state']:<14} {json.dumps(row['reward']['value']):>5}  "
                          f"{row['speedup']}", file=sys.stderr)
                    [file] = [one for one in row["sources"]["files"] if one["path"].endswith(".cu")]
                    worth[file["hash"]] = row["reward"]["value"]
        return worth

    def _told(self, *words):
        told = subprocess.run([self.program, *words, "--db", str(self.database)],
                              stdout=subprocess.PIPE, check=True)
        return json.loads(told.stdout)


@contextlib.contextmanager
def serve(program, device):
    with tempfile.TemporaryDirectory(prefix="kbench-rewards-") as name:
        server = Server(program, device, pathlib.Path(name))
        try:
            yield server
        finally:
            server.end()


def submissions(count):
    """So many different ones: of twelve nine are right, two wrong, and one is no CUDA."""
    tasks = list(FORMULAS)
    for i in range(count):
        task = tasks[i % len(tasks)]
        wrong = i % 12 in (4, 9)
        source = ELEMENTWISE_KERNEL.replace("FORMULA", FORMULAS[task][wrong])
        if i % 12 == 7:
            source = source.replace("#include", "#exclude")
        yield f"{source}// {i}\n", task


def load(options):
    with serve(options.kbench, options.device) as server, \
            concurrent.futures.ThreadPoolExecutor(options.clients) as pool:
        begun = time.monotonic()

        def one(submission):
            start = time.monotonic()
            return *server.ask(*submission), time.monotonic() - start
        handed_in = list(submissions(options.count))
        answers = list(pool.map(one, handed_in))
        took = time.monotonic() - begun
        stored = server.stored()
    again = sum(tries - 1 for _, tries, _ in answers)
    right = sum(reward is not None and reward == stored.get(hash_of(source))
                for (source, _), (reward, _, _) in zip(handed_in, answers))
    waits = sorted(wait for _, _, wait in answers)
    print(f"{options.count} submissions by {options.clients} clients in {took:.1f} s: "
          f"{right} rewards as stored, {again} time-outs or refusals; a client waited "
          f"{statistics.median(waits):.1f} s in the middle, {waits[-1]:.1f} s at most")
    return right == options.count and again == 0 and took <= LOAD_WITHIN


def grpo(options):
    import trl_example
    trl_example.KERNELS, trl_example.TASK = EIGHT, POOL
    means = []
    asked = trl_example.kbench_reward.reward

    def reward(prompts, completions, **columns):
        answers = [trl_example.as_answer(one).replace("```cpp", "```cuda") for one in completions]
        rewards = asked(prompts, answers, **columns)
        means.append(statistics.fmean(rewards))
        return rewards
    trl_example.reward = reward
    with serve(options.kbench, options.device) as server:
        os.environ.update(KBENCH_URL=server.url, KBENCH_TOKEN=server.token)
        begun = time.monotonic()
        trl_example.train(options.steps, 1)
        took = time.monotonic() - begun
        del os.environ["KBENCH_URL"], os.environ["KBENCH_TOKEN"]  # no options of kbench's own
        stored = server.stored()
    last = statistics.fmean(means[-LAST:])
    print(f"mean reward {means[0]:+.3f} at first, {last:+.3f} over the last {LAST} of {len(means)} "
          f"steps; {len(stored)} evaluations, {took:.0f} s")
    return last >= LEAST_REWARD and len(stored) <= len(EIGHT)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("load", "grpo"))
    parser.add_argument("--kbench", default=str(ROOT / "build/release/bin/kbench"))
    parser.add_argument("--device", default="cuda", help="cuda or cuda:N")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--steps", type=int, default=150)
    options = parser.parse_args()
    return 0 if (load if options.part == "load" else grpo)(options) else 1


if __name__ == "__main__":
    sys.exit(main())
