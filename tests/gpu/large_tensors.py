#!/usr/bin/env python3
"""Python submissions beside the largest tasks: what kbench itself holds of a GPU leaves them room.

    KBENCH=build/release/bin/kbench tests/gpu/large_tensors.py

The references of two norms whose tensors are 8 GiB each, and a relu of 6 GiB that is replayed as a CUDA
graph, which has a pool of its own. Checks only. Exit code 1 where one is not ok on a GPU of 80 GB.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KBENCH = os.environ.get("KBENCH", str(ROOT / "build" / "release" / "bin" / "kbench"))
REFERENCES = ("038_l1norm", "039_l2norm")
GRAPH = """import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.graph = None

    def forward(self, x):
        if self.graph is None:
            self.x = torch.empty_like(x)
            self.x.copy_(x)
            aside = torch.cuda.Stream()
            aside.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(aside):
                torch.relu(self.x)
            torch.cuda.current_stream().wait_stream(aside)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.y = torch.relu(self.x)
        self.x.copy_(x)
        self.graph.replay()
        return self.y
"""


def submit(folder):
    """A folder of submissions, one for each task."""
    tasks = folder / "large" / "level1"
    tasks.mkdir(parents=True)
    for name in REFERENCES:
        text = (ROOT / "suites" / "level1" / f"{name}.py").read_text()
        (tasks / f"{name}.py").write_text(text.replace("class Model(", "class ModelNew("))
    (tasks / "019_relu.py").write_text(GRAPH)
    return [f"level1/{path.stem}" for path in sorted(tasks.iterdir())]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tasks = submit(folder / "submissions")
        words = [word for task in tasks for word in ("--task", task)]
        result = subprocess.run(
            [KBENCH, "run", *words, "--device", "cuda", "--size", "full", "--checks-only", "--allow-torch", "all",
             "--submissions", folder / "submissions", "--db", folder / "rows.sqlite", "--format", "json"],
            stdout=subprocess.PIPE, check=False, text=True, env=os.environ | {"KBENCH_ROOT": str(ROOT)})
        rows = json.loads(result.stdout)["results"]
    for row in rows:
        print(row["task"], row["state"], row["labels"], row["message"][-600:])
    good = sum(row["state"] == "ok" for row in rows)
    print(f"{good} of {len(tasks)} ok")
    return int(good != len(tasks))


if __name__ == "__main__":
    sys.exit(main())
