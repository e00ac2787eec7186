"""Puts kbench's two baselines beside PyTorch's own: are they as fast as Python's?

For each task: the Model of its .py file, eager and under torch.compile, timed by device events in
this process; then the same of kbench by the program baseline_profile. Both sides flush the L2 cache
before each call, draw new inputs for each call, and sum up the kernels of a call in a pass of their
own. Prints a table, and what differs wherever a limit is exceeded.

Exit code 0: no limit exceeded; 1: a limit exceeded or a task failed; 2: wrong usage. What was not
compared (no program, no package) is said in the table, and is no failure.
"""

import argparse
import collections
import ctypes
import fnmatch
import json
import os
import statistics
import subprocess
import sys
import time
import traceback
from pathlib import Path

os.environ.pop("NVIDIA_TF32_OVERRIDE", None)

import torch
from torch.utils import _pytree as pytree

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))
from reference import PythonModel, all_tasks, draw, draw_all, source_of  # noqa: E402

WARM_UP_ROUNDS = 3
PROFILED_ROUNDS = 5
EAGER_LIMIT = 1.02  # ours over Python's eager
COMPILED_LIMIT = 1.05  # ours over torch.compile
KERNEL_LIMIT = 0.02  # sums of kernel time may differ by this, either way
SIDES = ("eager", "compiled")
START = time.monotonic()


def say(text: str) -> None:
    print(f"[{time.monotonic() - START:6.1f} s] {text}", flush=True)


# --- The device -------------------------------------------------------------------------------


class CudaDevice:
    """Clock as in KernelBench, flush as in kbench's CUDA backend: a memset, no fill kernel."""

    name = "cuda:0"

    def __init__(self, clear_bytes: int):
        properties = torch.cuda.get_device_properties(0)
        # The device has to be at work with that for as long as Python needs to reach the first kernel
        # of the call, which the clock would else count. KernelBench clears 256 MiB.
        self.flush_bytes = max(2 * properties.L2_cache_size, clear_bytes)
        self.buffer = torch.empty(self.flush_bytes, dtype=torch.uint8, device=self.name)
        # The runtime that torch has loaded already: the same name finds the same library.
        self.runtime = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
        self.runtime.cudaMemsetAsync.argtypes = (
            ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p
        )
        self.start = torch.cuda.Event(enable_timing=True)
        self.stop = torch.cuda.Event(enable_timing=True)

    def _check(self, code: int, call: str) -> None:
        if code != 0:
            raise RuntimeError(f"{call} failed with CUDA error {code}")

    def prepare(self) -> None:
        stream, pointer = torch.cuda.current_stream().cuda_stream, self.buffer.data_ptr()
        runtime = self.runtime
        self._check(runtime.cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache")
        self._check(runtime.cudaMemsetAsync(pointer, 0, self.flush_bytes, stream), "the flush")

    def time(self, call) -> float:
        """Nanoseconds of one call, after the flush."""
        torch.cuda.synchronize()
        self.prepare()
        self.start.record()
        call()
        self.stop.record()
        self.stop.synchronize()
        return self.start.elapsed_time(self.stop) * 1e6

    def profile(self, call) -> list[tuple[str, int, int]]:
        """Name, start, nanoseconds of all that the device did in a call, without our memset."""
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
            self.prepare()
            call()
            torch.cuda.synchronize()
        device = torch.autograd.DeviceType.CUDA
        events = sorted(
            (event.start_ns(), event.name(), event.duration_ns())
            for event in profiler.profiler.kineto_results.events()
            if event.device_type() == device and not event.is_user_annotation()
        )
        own = [e for e in events if e[1].startswith("Memset")][:1]
        return [(name, start, ns) for start, name, ns in events if (start, name, ns) not in own]

    def forget(self) -> None:
        torch.cuda.empty_cache()

    def describe(self) -> str:
        return torch.cuda.get_device_name(0)


class CpuDevice:
    """For trying this script where there is no GPU: wall time, no flush, no kernels."""

    name = "cpu"

    def time(self, call) -> float:
        start = time.perf_counter_ns()
        call()
        return float(time.perf_counter_ns() - start)

    profile = None

    def forget(self) -> None:
        pass

    def describe(self) -> str:
        return "the CPU"


# --- Python's baselines -----------------------------------------------------------------------


def without_running_statistics(model: torch.nn.Module) -> None:
    """A task has no running statistics to update, so Python is spared that work as well."""
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._NormBase):
            module.track_running_stats = False


class PythonBaselines:
    """The model of one task, its compiled form, and inputs that are new for each call."""

    def __init__(self, path: Path, size: str, device: str):
        task = json.loads(path.read_text())
        self.specs = task["sizes"][size]["inputs"]
        self.device = device
        self.generator = torch.Generator(device=device).manual_seed(1)
        self.python = PythonModel(source_of(path), task, size, torch.float32, device)
        without_running_statistics(self.python.model)
        _, parameters = draw_all({**task["sizes"][size], "inputs": []}, torch.float32, device)
        self.python.load(parameters)
        self.calls = {"eager": self.python.model}
        self.arguments, self.outputs = None, None

    def compile(self) -> None:
        torch._dynamo.reset()
        self.calls["compiled"] = torch.compile(self.python.model, dynamic=False)
        self.draw_inputs()
        self.run("compiled")

    def draw_inputs(self) -> None:
        self.arguments = None  # the allocator then gives the same warm memory again
        tensors = (draw(s, torch.float32, self.device, self.generator) for s in self.specs)
        leaves = [
            next(tensors) if isinstance(a, torch.Tensor) else a for a in self.python.arguments
        ]
        self.arguments = pytree.tree_unflatten(leaves, self.python.structure)

    def ready(self, side: str):
        """The call to be measured, with everything around it done."""
        self.draw_inputs()
        self.outputs = None
        call, arguments = self.calls[side], self.arguments

        def run():
            with torch.no_grad():
                self.outputs = call(*arguments)

        return run

    def run(self, side: str) -> None:
        self.ready(side)()


def summary(calls: list[list[tuple[str, int, int]]]) -> dict:
    """A summary of profiled calls, in the words of baseline_profile."""
    sums = {"kernel_ns": [], "memcpy_ns": [], "memset_ns": []}
    counts, names, times = [], collections.Counter(), collections.Counter()
    for events in calls:
        of_call = dict.fromkeys(sums, 0.0)
        count = 0
        for name, _, ns in events:
            kind = {"Memcpy": "memcpy_ns", "Memset": "memset_ns"}.get(name[:6], "kernel_ns")
            of_call[kind] += ns
            if kind == "kernel_ns":
                count += 1
                names[name] += 1
                times[name] += ns
        counts.append(count)
        for kind, total in of_call.items():
            sums[kind].append(total)
    if not all(counts):
        raise RuntimeError("the profiler did not see the kernels of a call")
    return {
        **{kind: statistics.median(values) for kind, values in sums.items()},
        "kernel_ns_of_calls": sums["kernel_ns"],
        "kernel_count": statistics.median(counts),
        "kernels": [
            {"name": n, "count": names[n] / len(calls), "ns": times[n] / len(calls)} for n in names
        ],
    }


def measure_python(options, path: Path, device) -> dict:
    """The same fields as baseline_profile; "compile_error" where torch.compile failed."""
    baselines = PythonBaselines(path, options.size, device.name)
    result = {}
    if not options.eager_only:
        start = time.monotonic()
        try:
            baselines.compile()
            result["compile_s"] = time.monotonic() - start
        except Exception as error:  # whatever Inductor raises: eager is still of interest
            baselines.calls.pop("compiled", None)
            result["compile_error"] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    sides = list(baselines.calls)
    samples = {side: [] for side in sides}
    for round_ in range(-WARM_UP_ROUNDS, options.calls):
        for side in sides if round_ % 2 else reversed(sides):
            nanoseconds = device.time(baselines.ready(side))
            if round_ >= 0:
                samples[side].append(nanoseconds)
    for side in sides:
        result[side] = {"median_ns": statistics.median(samples[side]), "samples_ns": samples[side]}
        if device.profile:
            # The first pays for the profiler's start.
            calls = [device.profile(baselines.ready(side)) for _ in range(PROFILED_ROUNDS + 1)]
            result[side] |= summary(calls[1:])
    return result


# --- Ours -------------------------------------------------------------------------------------


def library_path() -> str:
    """Paths at which the program finds the libraries that this Python's torch uses."""
    site = Path(torch.__file__).resolve().parent
    folders = [site / "lib", *sorted((site.parent / "nvidia").glob("*/lib"))]
    before = os.environ.get("LD_LIBRARY_PATH")
    return ":".join([*map(str, folders), *([before] if before else [])])


def measure_ours(options, path: Path, package: Path | None) -> dict:
    command = [options.program, path, options.size, *([package] if package else [])]
    done = subprocess.run(
        [*map(str, command), "--calls", str(options.calls)],
        env=os.environ | {"LD_LIBRARY_PATH": library_path()},
        capture_output=True, text=True, timeout=300,
    )
    if done.returncode != 0:
        raise RuntimeError(f"baseline_profile ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


# --- The comparison ---------------------------------------------------------------------------


def ratio(result: dict, side: str, key: str) -> float | None:
    """Ours over Python's; None where one is missing. The mean where ours ran twice."""
    python = (result.get("python", {}).get(side) or {}).get(key)
    ours = [(run.get(side) or {}).get(key) for run in result.get("ours", [])]
    if not python or not ours or None in ours:
        return None
    return statistics.mean(ours) / python


def judge(result: dict) -> None:
    """Adds "ratios" and "exceeded", and for a side that exceeds a limit the kernels that differ."""
    result["ratios"], result["exceeded"], result["kernels"] = {}, [], {}
    for side, limit in zip(SIDES, (EAGER_LIMIT, COMPILED_LIMIT)):
        calls, kernels = ratio(result, side, "median_ns"), ratio(result, side, "kernel_ns")
        result["ratios"][side] = {"call": calls, "kernels": kernels}
        exceeded = []
        if calls is not None and calls > limit:
            exceeded.append(f"{side} {calls:.3f} > {limit}")
        if kernels is not None and abs(kernels - 1) > KERNEL_LIMIT:
            exceeded.append(f"{side} kernels {100 * (kernels - 1):+.1f} %")
        if exceeded and kernels is not None:
            result["kernels"][side] = kernel_differences(
                result["ours"][-1][side], result["python"][side]
            )
        result["exceeded"] += exceeded


def kernel_differences(ours: dict, python: dict) -> list[dict]:
    """By name, largest difference first. Inductor's generated names need not agree."""
    sides = [{k["name"]: k for k in side["kernels"]} for side in (ours, python)]
    none = {"count": 0, "ns": 0.0}
    rows = [
        {"name": name, "ours": sides[0].get(name, none), "python": sides[1].get(name, none)}
        for name in sides[0].keys() | sides[1].keys()
    ]
    return sorted(rows, key=lambda row: -abs(row["ours"]["ns"] - row["python"]["ns"]))


def verdict(result: dict) -> list[str]:
    """Faults, and sides that were not compared; else "ok"."""
    missing = [side for side in SIDES if result["ratios"][side]["call"] is None]
    unseen = [f"{' and '.join(missing)} not compared"] if missing else []
    return result["errors"] + result["exceeded"] + unseen or ["ok"]


def print_table(results: list[dict]) -> None:
    width = max(len(result["task"]) for result in results)
    head = ("eager us", "python", "ratio", "kernels", "aoti us", "compile", "ratio", "kernels")
    print("\n" + "task".ljust(width) + "".join(f"{title:>10}" for title in head))
    for result in results:
        cells = []
        for side in SIDES:
            ours = [r[side]["median_ns"] for r in result.get("ours", []) if r.get(side)]
            python = (result.get("python", {}).get(side) or {}).get("median_ns")
            ratios = result["ratios"][side]
            cells += [f"{statistics.mean(ours) / 1e3:.1f}" if ours else "-"]
            cells += [f"{python / 1e3:.1f}" if python else "-"]
            cells += [f"{r:.3f}" if r else "-" for r in (ratios["call"], ratios["kernels"])]
        flags = "; ".join(verdict(result))
        print(result["task"].ljust(width) + "".join(f"{cell:>10}" for cell in cells), "", flags)


def print_differences(results: list[dict]) -> None:
    for result in results:
        for side, rows in result["kernels"].items():
            print(f"\n{result['task']}, {side}: ours count and us, Python's count and us")
            for row in rows[:8]:
                cells = "".join(
                    f"{row[who]['count']:6.1f}{row[who]['ns'] / 1e3:10.1f}"
                    for who in ("ours", "python")
                )
                print(f"{cells}  {row['name'][:110]}")


# --- The program ------------------------------------------------------------------------------


def run_task(options, path: Path, device, packages: dict) -> dict:
    """A task that fails becomes an entry of "errors"; the rest is measured all the same."""
    name = f"{path.parent.name}/{path.stem}"
    result = {"task": name, "errors": [], "ours": []}
    package = packages.get(name)
    package = Path(options.package_dir, package) if package else None

    def attempt(what, step):
        start = time.monotonic()
        try:
            value = step()
            say(f"{name}: {what} done in {time.monotonic() - start:.1f} s")
            return value
        except Exception as error:
            if options.verbose:
                traceback.print_exc()
            result["errors"].append(f"{what} failed: {error}")
            say(f"{name}: {result['errors'][-1]}")
            return None

    def ours():
        device.forget()
        run = attempt("ours", lambda: measure_ours(options, path, package)) if ours_wanted else None
        if run:
            result["ours"].append(run)
            if package and run["compiled_reason"]:
                result["errors"].append(f"no compiled baseline: {run['compiled_reason']}")

    ours_wanted = options.program is not None and device.name != "cpu"
    if options.twice:
        ours()
    result["python"] = attempt("Python", lambda: measure_python(options, path, device)) or {}
    if "compile_error" in result["python"]:
        result["errors"].append(f"torch.compile failed: {result['python']['compile_error']}")
    ours()
    judge(result)
    return result


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tasks", nargs="*", type=Path, help="lowered tasks; default: all")
    parser.add_argument("--only", metavar="GLOB", default="*", help='e.g. "level1/*"')
    parser.add_argument("--size", choices=("small", "full"), default="full")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--calls", type=int, default=30, help="timed calls of each side")
    parser.add_argument("--clear", metavar="MIB", type=int, default=256,
                        help="memory cleared before each of Python's calls")
    parser.add_argument("--program", type=Path, help="baseline_profile; without it: Python only")
    parser.add_argument("--packages", type=Path, help="JSON {task: .pt2}; without one: eager only")
    parser.add_argument("--package-dir", type=Path, default=Path(), help="where those paths start")
    parser.add_argument("--twice", action="store_true", help="ours before and after Python")
    parser.add_argument("--eager-only", action="store_true", help="without torch.compile")
    parser.add_argument("--output", type=Path, help="write everything measured here, as JSON")
    parser.add_argument("--verbose", action="store_true", help="tracebacks")
    return parser.parse_args()


def main() -> int:
    options = parse()
    paths = [p.resolve() for p in options.tasks] or all_tasks()
    paths = [p for p in paths if fnmatch.fnmatch(f"{p.parent.name}/{p.stem}", options.only)]
    problem = None if paths else f"no task matches {options.only!r}"
    if options.device == "cuda" and not torch.cuda.is_available():
        problem = "no GPU that torch can use; try --device cpu --size small"
    if problem:
        print(problem, file=sys.stderr)
        return 2
    packages = json.loads(options.packages.read_text()) if options.packages else {}
    device = CudaDevice(options.clear << 20) if options.device == "cuda" else CpuDevice()
    torch.backends.cudnn.allow_tf32 = True  # torch-default: PyTorch's own defaults, said aloud
    torch.backends.cuda.matmul.allow_tf32 = False
    say(f"{len(paths)} tasks, {options.size}, torch {torch.__version__} on {device.describe()}")
    if device.name == "cpu":
        say("baseline_profile needs CUDA: Python's baselines alone, without kernels")

    results = []
    for path in paths:
        results.append(run_task(options, path, device, packages))
        if options.output:  # after each task: an interrupted run keeps what it has
            report = {"device": device.describe(), "torch": torch.__version__, "results": results}
            options.output.write_text(json.dumps(report, indent=1))
    print_table(results)
    print_differences(results)
    good = sum(verdict(result) == ["ok"] for result in results)
    bad = sum(bool(result["errors"] or result["exceeded"]) for result in results)
    seconds = time.monotonic() - START
    print(f"\nof {len(results)} tasks {good} within all limits, {bad} exceed one or failed, "
          f"{len(results) - good - bad} not compared on both sides ({seconds:.0f} s)")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
