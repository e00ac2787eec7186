#!/usr/bin/env python3
"""Whether `kbench run --checks-only` judges as a full run does.

    same_states.py [--device cpu|cuda[:N]] [--kbench PROGRAM] [FOLDER...]

Evaluates the submissions of the folders (default: the corpus of cheats and their twins, and the faults) both
ways and compares the states. A cheat that the timed calls or a clock caught may be ok without them, and is
counted; any other difference is printed, and the exit code is 1.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
USUAL = [TESTS / "cheats/cheat", TESTS / "cheats/honest", TESTS / "faults/submissions"]


def tasks_of(folder):
    return sorted({f"{path.parent.name}/{path.stem.partition('@')[0]}" for path in folder.glob("*/level*/*")})


def evaluate(folder, arguments, scratch, how):
    """{(agent, task, variant): state} of one run."""
    copy = pathlib.Path(tempfile.mkdtemp(dir=scratch)) / "submissions"
    shutil.copytree(folder, copy)
    for script in copy.rglob("make_library"):
        subprocess.run([str(script)], check=True)
        script.unlink()
    command = [arguments.kbench, "run", "--device", arguments.device, how, "--format", "json", "--submissions",
               copy, "--db", copy.with_suffix(".sqlite"), "--call-limit", "10"]
    if how == "--quick":
        command.append("--no-html")
    for task in tasks_of(copy):
        command += ["--task", task]
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=False,
                            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            env={**os.environ, "KBENCH_TORCH": str(scratch)})
    rows = json.loads(result.stdout)["results"]
    return {(row["agent"], row["task"], row["variant"]): row for row in rows
            if row["agent"] and row["state"] != "skipped" and row["worker_kind"] == "native"}


def compare(folder, arguments, scratch):
    full = evaluate(folder, arguments, scratch, "--quick")
    checked = evaluate(folder, arguments, scratch, "--checks-only")
    counts = {"the same": 0, "caught by time or timed calls only": 0, "different": 0}
    for key in sorted(full.keys() | checked.keys(), key=str):
        states = [rows[key]["state"] if key in rows else "no row" for rows in (full, checked)]
        if states[0] == states[1]:
            counts["the same"] += 1
        elif states[1] == "ok" and folder.name == "cheat":
            counts["caught by time or timed calls only"] += 1
            print(f"  {key[0]:<44} {states[0]:<20} only when timed")
        else:
            counts["different"] += 1
            print(f"  {key[0]:<44} {states[0]:<20} {states[1]:<20} DIFFERENT: {checked[key]['message'][:90]}")
    print(f"{folder.relative_to(TESTS.parent)}: {', '.join(f'{n} {what}' for what, n in counts.items())}",
          flush=True)
    return counts["different"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=pathlib.Path, default=USUAL, metavar="FOLDER")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--kbench", default=os.environ.get("KBENCH", "kbench"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kbench-same-") as scratch:
        different = [compare(folder.resolve(), arguments, scratch) for folder in arguments.folders]
    return 1 if any(different) else 0


if __name__ == "__main__":
    sys.exit(main())
