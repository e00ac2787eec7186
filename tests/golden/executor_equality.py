"""Shows that the graph executor is right: its outputs against Python's Model.forward.

For each task, draws inputs and parameters as the task says, runs the model itself in this process,
and the program executor_run on identical bytes in another; on the CPU also the graph that the
compiled baseline is built from. Reports bitwise equality, or the largest absolute and relative
difference. Exit code 1 when a difference exceeds what is allowed, or when a side fails; 2 on wrong
usage.
"""

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

from reference import PythonModel, all_tasks, draw_all, leave, source_of, working_dtype

import task_cover
from lowering.graph import build_graph_module

# Tasks that may differ, each with the cause: (task, device, dtype) -> (largest difference relative
# to the largest output, cause). Only what was measured and explained belongs here.
EXCEPTIONS: dict[tuple[str, str, str], tuple[float, str]] = {}

_CHUNK = 1 << 26  # elements compared at a time
_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def task_id(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def write_tensors(path: Path, tensors: list[torch.Tensor]) -> None:
    """Raw little-endian bytes, contiguous, one tensor after another."""
    with open(path, "wb") as stream:
        for tensor in tensors:
            flat = tensor.contiguous().flatten()
            for part in flat.split(_CHUNK):
                stream.write(part.cpu().view(torch.uint8).numpy().data)


def read_tensors(path: Path, specs: list[dict], dtype: torch.dtype) -> list[torch.Tensor]:
    """Maps the outputs; raises where the file is not exactly as long as they are."""
    dtypes = [working_dtype(spec, dtype) for spec in specs]
    counts = [torch.Size(spec["shape"]).numel() for spec in specs]
    expected = sum(d.itemsize * n for d, n in zip(dtypes, counts))
    if path.stat().st_size != expected:
        raise ValueError(f"executor_run wrote {path.stat().st_size} bytes, {expected} expected")
    bytes_ = torch.from_file(str(path), size=expected, dtype=torch.uint8)
    outputs, offset = [], 0
    for spec, own, count in zip(specs, dtypes, counts):
        end = offset + own.itemsize * count
        part = bytes_[offset:end].clone() if offset % own.itemsize else bytes_[offset:end]
        outputs.append(part.view(own).reshape(spec["shape"]))
        offset = end
    return outputs


class Difference:
    """How far two tensors of one shape are apart."""

    def __init__(self, expected: torch.Tensor, got: torch.Tensor):
        self.absolute = 0.0
        self.largest = 0.0
        if (expected.shape, expected.dtype) != (got.shape, got.dtype):
            raise ValueError(
                f"forward returned {expected.dtype} {tuple(expected.shape)}, "
                f"the task says {got.dtype} {tuple(got.shape)}"
            )
        pairs = [(e.cpu().contiguous(), g)
                 for e, g in zip(expected.flatten().split(_CHUNK), got.flatten().split(_CHUNK))]
        bits = _BITS[expected.dtype.itemsize]
        self.equal = all(torch.equal(e.view(bits), g.view(bits)) for e, g in pairs)
        if not self.equal:  # else there is nothing to measure, which takes longer than to look
            for e, g in pairs:
                self._add(e.double(), g.double())

    def _add(self, e: torch.Tensor, g: torch.Tensor) -> None:
        if not e.numel():
            return
        apart = torch.where((e == g) | (e.isnan() & g.isnan()), 0.0, (e - g).abs())
        self.absolute = max(self.absolute, apart.nan_to_num(torch.inf).max().item())
        self.largest = max(self.largest, e.abs().nan_to_num(0, 0).max().item())

    @property
    def relative(self) -> float:
        """Relative to the largest element."""
        return self.absolute / self.largest if self.largest else float(self.absolute > 0)


class Executor:
    """The program executor_run, kept for all tasks: loading LibTorch takes longer than most."""

    def __init__(self, options):
        self.options = options
        self.process = None

    def run(self, path: Path, given: Path, result: Path) -> None:
        if self.process is None or self.process.poll() is not None:
            self.process = self._start()
        options = self.options
        words = [path, options.size, options.device, options.dtype, given, result]
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise RuntimeError(f"executor_run ended with {self.process.wait()}")
        if answer != "done":
            raise RuntimeError(f"executor_run: {answer}")

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()  # it has answered; LibTorch takes a second to end
            self.process.wait()
            self.process.stdin.close()

    def _start(self) -> subprocess.Popen:
        environment = os.environ | {"OMP_NUM_THREADS": str(self.options.threads)}
        environment.setdefault("OMP_WAIT_POLICY", "passive")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        return subprocess.Popen([self.options.executor, "-"], env=environment, text=True, **pipes)


def run_graph(options, task: dict, inputs: list, parameters: list) -> list[torch.Tensor]:
    """The lowered graph as Python builds it for the compiled baseline."""
    dtype = getattr(torch, options.dtype)
    device = inputs[0].device
    module = build_graph_module(task, options.size, real_dtype=dtype, device=device)
    for parameter in parameters:  # as those of a module do; at::matmul asks
        parameter.requires_grad_(parameter.is_floating_point())
    with torch.no_grad():
        return [y.cpu() for y in module(*inputs, *parameters)]


def compare(options, executor: Executor, path: Path) -> list[Difference]:
    """Outputs of the graph in Python, then those of the executor, against Model.forward's."""
    task = json.loads(path.read_text())
    graph = task["sizes"][options.size]
    dtype = getattr(torch, options.dtype)
    device = "cuda:0" if options.device.startswith("cuda") else "cpu"
    with tempfile.TemporaryDirectory(dir=options.scratch, prefix="equality-") as folder:
        given, result = Path(folder, "in.bin"), Path(folder, "out.bin")
        inputs, parameters = draw_all(graph, dtype, device, options.seed)
        write_tensors(given, inputs + parameters)
        differences = []
        if device == "cpu":  # where there is the memory for it
            python = run_graph(options, task, inputs, parameters)
        model = PythonModel(source_of(path), task, options.size, dtype, device)
        model.load(parameters)
        expected = [y.cpu() for y in model.forward(inputs)]
        if device == "cpu":
            differences = [Difference(e, g) for e, g in zip(expected, python, strict=True)]
        del inputs, parameters, model
        if device != "cpu":
            torch.cuda.empty_cache()  # the other process needs the memory
        executor.run(path, given, result)
        given.unlink()
        got = read_tensors(result, graph["outputs"], dtype)
        if len(expected) != len(got):
            raise ValueError(f"forward returned {len(expected)} tensors, the task says {len(got)}")
        return differences + [Difference(e, g) for e, g in zip(expected, got)]


def report(options, executor: Executor, path: Path) -> bool:
    name, start = task_id(path), time.monotonic()
    allowed, cause = options.tolerance, ""
    exception = EXCEPTIONS.get((name, options.device.split(":")[0], options.dtype))
    if exception and exception[0] > allowed:
        allowed, cause = exception
    try:
        differences = compare(options, executor, path)
    except (RuntimeError, ValueError) as error:
        print(f"FAILED   {name}: {error}", flush=True)
        return False
    seconds = time.monotonic() - start
    if all(d.equal for d in differences):
        print(f"equal    {name}: bit for bit ({seconds:.1f} s)", flush=True)
        return True
    worst = max(differences, key=lambda d: d.relative)
    good = worst.relative <= allowed
    because = f" because {cause}" if cause else ""
    print(
        f"{'within ' if good else 'DIFFERS'}  {name}: absolute {worst.absolute:.3g}, relative to "
        f"the largest output {worst.relative:.3g}, allowed {allowed:.3g}{because} ({seconds:.1f} s)",
        flush=True,
    )
    return good


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executor", type=Path, required=True, help="the program executor_run")
    parser.add_argument("--size", choices=("small", "full"), default="small")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--dtype", choices=("float32", "float64", "bfloat16", "float16"), default="float32")
    parser.add_argument("--task", action="append", metavar="GLOB",
                        help='e.g. "level1/*"; may be repeated')
    parser.add_argument("--cover", action="store_true",
                        help="of these, few that together have each operator and form of argument")
    parser.add_argument("--tolerance", type=float, default=0.0, help="relative to largest output")
    parser.add_argument("--scratch", type=Path, help="folder for the tensors, e.g. /dev/shm")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def chosen(options) -> list[Path]:
    globs = options.task or ["*"]
    paths = [p for p in all_tasks() if any(fnmatch.fnmatch(task_id(p), glob) for glob in globs)]
    if not options.cover:
        return paths
    tasks = {path: json.loads(path.read_text()) for path in paths}
    few = task_cover.cover(tasks, (options.size,), lambda task: task_cover.cost(task, options.size))
    missing = task_cover.operators(paths) - task_cover.operators(few)
    assert not missing, f"the cover lacks {sorted(missing)}"
    print(f"{len(few)} of {len(paths)} tasks have all {len(task_cover.operators(few))} operator overloads")
    return few


def main() -> int:
    options = parse()
    tasks = chosen(options)
    if not tasks:
        print(f"no task matches {' or '.join(options.task or ['*'])}", file=sys.stderr)
        return 2
    torch.set_num_threads(options.threads)
    executor = Executor(options)
    results = [report(options, executor, path) for path in tasks]
    executor.close()
    print(f"{sum(results)} of {len(results)} tasks agree ({options.size}, {options.device}, "
          f"{options.dtype})")
    return 0 if all(results) else 1


if __name__ == "__main__":
    leave(main())
