#!/usr/bin/env python3
"""How many different CUDA kernels a study judges in an hour, on one GPU.

    KBENCH=build/release/bin/kbench tests/gpu/judged_an_hour.py [--count 300] [--seconds 1500]
    KBENCH=build/release/bin/kbench tests/gpu/judged_an_hour.py --profiled 50

A scripted endpoint answers each cell of a study with a source of its own. An outcome takes a time, so that each kernel
is timed. Counted are the rows of kernels, from the first request of a cell to the last row; baselines and probes before
that are not. After --seconds the study is asked to end, and what is stored by then counts. Exit code 1 where fewer than
--least (800) an hour are judged, or a kernel is not right.

With --profiled N: how long it takes until the profiler has spoken of N states, baselines, judging and probes included.
Exit code 1 where that is more than five minutes, or one of the states has no report.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "data/clients"))
import scripted_endpoint  # noqa: E402

KBENCH = os.environ.get("KBENCH", str(ROOT / "build" / "release" / "bin" / "kbench"))
# Tasks of the size that most have, and what each element of their output is.
FORMULAS = {
    "level1/012_matmul_with_diagonal_matrices": "in->a[i / kb::y_1] * in->b[i]",
    "level1/088_mingptnewgelu":
        "0.5f * in->x[i] * (1 + tanhf(0.7978845608f * (in->x[i] + 0.044715f * powf(in->x[i], 3))))",
}
SOURCE = """#include <cuda_runtime.h>

#include "task.h"

constexpr int kNumber = NUMBER;
__global__ void each_NUMBER(const kb_inputs values, float* y) {
  const kb_inputs* const in = &values;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < kb::y_elements; i += step)
    y[i] = FORMULA;
}

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  each_NUMBER<<<4096 + kNumber % 64, 256, 0, static_cast<cudaStream_t>(context->stream)>>>(*in, out->y);
  return cudaGetLastError();
}
"""


def source(task, number):
    return SOURCE.replace("FORMULA", FORMULAS[task]).replace("NUMBER", str(number))


class Model:
    """Answers with a kernel that nobody has handed in before; the probes' prompts are those of a cell."""

    def __init__(self):
        self.lock, self.number, self.begun = threading.Lock(), 1000, None

    def __call__(self, request):
        task = list(FORMULAS)[int(re.search(r"// state (\d+)", json.dumps(request["messages"])).group(1))]
        with self.lock:
            self.number += 1
            number = self.number
            if number == 1000 + 4:  # behind three probes
                self.begun = time.monotonic()
        return {"role": "assistant", "content": f"```cuda\n{source(task, number)}```\n"}


def kbench(folder, *words):
    done = subprocess.run([KBENCH, *map(str, words)], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=600, check=False)
    if done.returncode != 0:
        sys.exit(f"kbench {' '.join(map(str, words))}: {done.returncode}\n{done.stderr}")
    return done.stdout


def node_of(task, number):
    state = list(FORMULAS).index(task)
    return {"id": f"n{number}", "generation": 0, "trajectory": f"t{number}", "code": source(task, number),
            "outcome": {"stratum": "correct"},
            "messages": [{"role": "user", "content": f"// state {state}\nWrite it.\n"},
                         {"role": "user", "content": "It is:\n", "after": "Write it anew."}]}


def freeze(folder, states):
    tasks = list(FORMULAS)
    for first, task in enumerate(tasks):
        nodes = [json.dumps(node_of(task, number)) + "\n" for number in range(first, states, len(tasks))]
        (folder / "nodes.jsonl").write_text("".join(nodes), encoding="utf-8")
        kbench(folder, "trajectory", "import", "jsonl", "nodes.jsonl", "--task", task, "--device", "cuda", "--size",
               "full")


def run(folder, url, seconds, parallel, model):
    """Runs until the study ends, or until `seconds` after its first cell, when it is asked to."""
    words = [KBENCH, "attribute", "run", "plan.json", "--endpoint", url, "--parallel", str(parallel),
             "--trust-estimates"]
    with subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as study:
        said = []
        reader = threading.Thread(target=lambda: said.extend(study.stderr), daemon=True)
        reader.start()
        asked = False
        while study.poll() is None:
            time.sleep(0.2)
            if not asked and model.begun and time.monotonic() > model.begun + seconds:
                study.send_signal(signal.SIGINT)
                asked = True
        end = time.monotonic()
        reader.join(5)
    print("".join(said[-8:]), end="")
    return end, "".join(said)


def profile(folder, url, states, model):
    kbench(folder, "attribute", "plan", "--model", "scripted", "--quick", "--component", "profiler", "--outcome",
           "correct", "--replicates", 1, "--states", states)
    begun = time.monotonic()
    _, said = run(folder, url, 0, 1, model)
    if not model.begun:
        print(said)
        return 1
    taken, spoken = model.begun - begun, re.search(r"(\d+) reports of components", said)
    print(f"the profiler spoke of {spoken and spoken[1]} of {states} states in {taken:.0f} s")
    return 0 if spoken and int(spoken[1]) == states and taken <= 300 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=1500)
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--least", type=float, default=800)
    parser.add_argument("--profiled", type=int, metavar="N", help="have the profiler speak of N states instead")
    options = parser.parse_args()
    if options.profiled is not None and options.profiled < len(FORMULAS):
        parser.error(f"--profiled takes {len(FORMULAS)} at least, one state of each task")
    model = Model()
    server = scripted_endpoint.make_server(reply=model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="kbench-rate-") as scratch:
        folder = pathlib.Path(scratch)
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        freeze(folder, len(FORMULAS) if options.profiled is None else options.profiled)
        if options.profiled is not None:
            return profile(folder, url, options.profiled, model)
        cells = 2 * len(FORMULAS)  # of a replicate
        kbench(folder, "attribute", "plan", "--model", "scripted", "--quick", "--component", "heard=echo heard",
               "--outcome", "correct", "--outcome", "fast:1", "--replicates", -(-options.count // cells))
        end, _ = run(folder, url, options.seconds, options.parallel, model)
        rows = [row for row in json.loads(kbench(folder, "report", "json"))["results"] if row["agent"]]
    states = collections.Counter(row["state"] for row in rows)
    judged = len(rows) - len(FORMULAS)  # the states' own kernels come before the first cell
    if not model.begun or judged < 1:
        print("nothing was judged")
        return 1
    taken = end - model.begun
    rate = judged / taken * 3600
    print(f"{judged} kernels in {taken:.0f} s: {rate:.0f} an hour; states {dict(states)}")
    return 0 if rate >= options.least and set(states) == {"ok"} else 1


if __name__ == "__main__":
    sys.exit(main())
