#!/usr/bin/env python3
"""Cost of a request to `kbench serve` that comes alone, beside the measuring that it asks for.

    serve_alone.py [--kbench PROGRAM] [--device cuda] [--requests 20] [-- OPTION...]

Submits one native relu again and again, each time with another comment, so that each is measured; all are compiled
beforehand. Every second evaluation is `kbench run` of the same kind, which starts the oracle, probes the sandbox and
looks for tools anew. Prints each, its ratio to the time that the row says its evaluation took (`wall_seconds`), and
the median ratio of both ways. Exit code 1 where a row is not ok or the server's median is above 1.5.
"""

import argparse
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import python_copies

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = 1.5
CPU_KERNEL = """#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out, kb_context*) {
  for (long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  return 0;
}
"""


class Bench:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.environment = {**os.environ, "HOME": str(folder), "XDG_STATE_HOME": f"{folder}/state",
                            "XDG_CACHE_HOME": f"{folder}/cache"}
        cuda = arguments.device.startswith("cuda")
        self.text, self.ending = (python_copies.NATIVE, ".cu") if cuda else (CPU_KERNEL, ".cpp")
        self.common = ["--device", arguments.device, *arguments.options]

    def file(self, number):
        """The relu with a comment that no other has."""
        path = self.folder / f"relu_{number}{self.ending}"
        path.write_text(f"// {number}\n{self.text}", encoding="utf-8")
        return path

    def kbench(self, *words):
        ended = subprocess.run([self.arguments.kbench, *map(str, words)], cwd=self.folder, env=self.environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               check=False)
        if ended.returncode:
            sys.exit(f"kbench {words[0]} ended with {ended.returncode}:\n{ended.stdout}")

    def start_server(self):
        server = subprocess.Popen([self.arguments.kbench, "serve", "--port", "0", "--trust-estimates", "--db", "served.sqlite",
                                   *self.common], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True)
        self.address = server.stdout.readline().strip()
        lines = (self.folder / "state/kbench/serve/tokens").read_text(encoding="ascii").splitlines()
        self.token = next(line.split()[2] for line in lines if line.startswith("default "))
        return server

    def serve_one(self, number):
        path = self.folder / f"relu_{number}{self.ending}"
        body = {"task": python_copies.RELU, "files": {path.name: path.read_text(encoding="utf-8")}, "wait_s": 300}
        request = urllib.request.Request(f"{self.address}/v1/evaluations", json.dumps(body).encode(), {
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        urllib.request.urlopen(request).read()

    def run_one(self, number):
        self.kbench("run", f"relu_{number}{self.ending}", "--task", python_copies.RELU, "--db", "ran.sqlite", "--no-html",
                    "-q", *self.common)

    def newest(self, database):
        """State of the newest row, and how long its evaluation took."""
        with sqlite3.connect(self.folder / database) as rows:
            return rows.execute("SELECT state, wall_seconds FROM evaluation WHERE agent IS NOT NULL "
                                "ORDER BY number DESC LIMIT 1").fetchone()

    def timed(self, way, number, database):
        begin = time.monotonic()
        way(number)
        seconds = time.monotonic() - begin
        state, own = self.newest(database)
        if state != "ok":
            sys.exit(f"{way.__name__} {number}: {state}")
        print(f"{way.__name__:<10} {number:>3}  {seconds:6.2f} s, its evaluation {own:6.2f} s, ratio {seconds / own:.2f}",
              flush=True)
        return seconds / own


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="cpu, cuda or cuda:N")
    parser.add_argument("--kbench", type=pathlib.Path, default=ROOT / "build/release/bin/kbench")
    parser.add_argument("--requests", type=int, default=20)
    parser.add_argument("options", nargs="*", help="of serve and run, behind --")
    arguments = parser.parse_args()
    arguments.kbench = pathlib.Path(os.path.abspath(arguments.kbench))
    served, ran = [], []
    with tempfile.TemporaryDirectory(prefix="kbench-serve-alone-") as name:
        bench = Bench(arguments, pathlib.Path(name))
        for number in range(2 * arguments.requests + 2):
            bench.kbench("build", bench.file(number), "--task", python_copies.RELU, "--device", arguments.device)
        server = bench.start_server()
        try:
            bench.serve_one(0)  # baselines, graph and oracle: what the first request pays
            bench.run_one(1)
            for number in range(2, 2 * arguments.requests + 2, 2):
                served.append(bench.timed(bench.serve_one, number, "served.sqlite"))
                ran.append(bench.timed(bench.run_one, number + 1, "ran.sqlite"))
        finally:
            server.terminate()
            server.wait()
    print(f"median of {len(served)}: request to row {statistics.median(served):.2f} times its evaluation, "
          f"run alone {statistics.median(ran):.2f}")
    return 0 if statistics.median(served) <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
