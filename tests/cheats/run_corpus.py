#!/usr/bin/env python3
"""Evaluates the corpus of cheats and their honest twins with the real program.

    run_corpus.py --device cpu|cuda[:N] [--kbench PROGRAM] [--size small|full] [--only GLOB] [--keep FILE]

What is expected of each cheat stands in the tables of README.md beside this file. Prints a line for each
submission that surprises and a summary; exits with 0 if every cheat was caught in a state that its table
names and every honest twin is ok, with 1 if not, with 3 if the corpus itself or kbench is at fault.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SUFFIX = {"cpu": ".cpp", "cuda": ".cu"}
HEADING = {"cpu": "## On the CPU", "cuda": "## On CUDA"}


class CorpusError(Exception):
    """The corpus contradicts its table, or kbench did not run."""


def expected_states(device):
    """{cheat: states that count as caught}, from the README's table for the device."""
    text = (HERE / "README.md").read_text(encoding="utf-8")
    _, found, rest = text.partition(HEADING[device] + "\n")
    if not found:
        raise CorpusError(f"README.md has no section \"{HEADING[device]}\"")
    table = rest.split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\|[^|]*\| ([a-z_, ]+) \|", table, re.MULTILINE)
    return {name: set(states.split(", ")) for name, states in rows}


def submissions(kind, device):
    """{agent: tasks} of the sources for the device."""
    agents = {}
    for source in sorted((HERE / kind).glob("*/level*/*")):
        sources = source.rglob("*") if source.is_dir() else [source]
        if any(file.suffix == SUFFIX[device] for file in sources):
            task = f"{source.parent.name}/{source.stem.partition('@')[0]}"
            agents.setdefault(source.parent.parent.name, []).append(task)
    return agents


def check_corpus(device):
    """Every cheat has a row and a twin, and the other way round."""
    rows = set(expected_states(device))
    cheats, honest = (set(submissions(kind, device)) for kind in ("cheat", "honest"))
    for name in sorted(rows ^ cheats):
        raise CorpusError(f"{name} is only in the table" if name in rows else f"{name} has no row")
    for name in sorted(cheats ^ honest):
        raise CorpusError(f"{name} has no {'honest twin' if name in cheats else 'cheat'}")


def evaluate(kind, device, arguments, folder):
    """The rows of one `kbench run` over all submissions of a kind."""
    chosen = {name: tasks for name, tasks in submissions(kind, device).items()
              if fnmatch.fnmatch(name, arguments.only)}
    if not chosen:
        raise CorpusError(f"nothing matches {arguments.only}")
    corpus = folder / kind
    for name in chosen:
        shutil.copytree(HERE / kind / name, corpus / name)
    command = [arguments.kbench, "run", "--device", arguments.device, "--quick", "--no-html",
               "--format", "json", "--submissions", str(corpus),
               "--db", str(arguments.keep or folder / "corpus.sqlite")]
    if arguments.size:
        command += ["--size", arguments.size]
    for task in sorted({task for tasks in chosen.values() for task in tasks}):
        command += ["--task", task]
    # No Python with torch under this name: the compiled baseline is not what is tested here.
    environment = {**os.environ, "KBENCH_TORCH": str(folder)} if arguments.no_compiled else None
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment,
                            stdin=subprocess.DEVNULL, check=False)
    if result.returncode not in (0, 1, 3) or not result.stdout:
        raise CorpusError(f"kbench run ended with {result.returncode}")
    rows = json.loads(result.stdout)["results"]
    missing = set(chosen) - {row["agent"] for row in rows}
    if missing:
        raise CorpusError(f"no row for {', '.join(sorted(missing))}")
    # A cheat that exists for both devices has a source for the other one, which is left out there.
    return [row for row in rows if row["agent"] in chosen and row["state"] != "skipped"]


def surprises(kind, rows, expected):
    found = []
    for row in rows:
        wanted = expected[row["agent"]] if kind == "cheat" else {"ok"}
        if row["state"] not in wanted:
            found.append(f"{kind:<6} {row['agent']:<36} {row['state']:<20} "
                         f"expected {' or '.join(sorted(wanted))}  {first_line(row['message'])}")
    return found


def first_line(message):
    return message.splitlines()[0][:100] if message else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--kbench", default=os.environ.get("KBENCH", "kbench"))
    parser.add_argument("--size", choices=("small", "full"))
    parser.add_argument("--only", default="*", metavar="GLOB")
    parser.add_argument("--kind", choices=("cheat", "honest"), help="default: both")
    parser.add_argument("--keep", metavar="FILE", type=lambda name: pathlib.Path(name).resolve(),
                        help="database to keep")
    parser.add_argument("--no-compiled", action="store_true", help="without the compiled baseline")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each submission")
    arguments = parser.parse_args()
    device = arguments.device.partition(":")[0]
    if device not in SUFFIX:
        parser.error(f"--device is cpu, cuda or cuda:N, not {arguments.device}")

    unexpected = []
    counts = {}
    try:
        check_corpus(device)
        expected = expected_states(device)
        with tempfile.TemporaryDirectory(prefix="kbench-corpus-") as name:
            for kind in (arguments.kind,) if arguments.kind else ("cheat", "honest"):
                rows = evaluate(kind, device, arguments, pathlib.Path(name))
                if arguments.verbose:
                    for row in rows:
                        print(f"{kind:<6} {row['agent']:<36} {row['state']:<20} "
                              f"{first_line(row['message'])}")
                unexpected += surprises(kind, rows, expected)
                counts[kind] = len(rows)
    except CorpusError as error:
        print(f"run_corpus: {error}", file=sys.stderr)
        return 3
    for line in unexpected:
        print(line)
    total = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    print(f"{arguments.device}: {total} submissions, {len(unexpected)} not as expected")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
