#!/usr/bin/env python3
"""Profiles the kernels of this folder on a GPU and holds each verdict against kernels.json.

    tests/profile/run.py --kbench build/release/bin/kbench [--only NAME] [--repeat N]

Exit code 1 where a bad kernel is not named, or its twin is accused of the same.
"""

import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def profile(kbench, kernel, kind):
    """What kbench says of it, or the last lines of what went wrong."""
    command = [kbench, "profile", kernel["task"], "--submission", HERE / kind / f"{kernel['name']}.cu",
               "--size", kernel.get("size", "small"), "--device", "cuda", "--precision",
               kernel.get("precision", "torch-default"), "--format", "json", "-q"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"verdict": "failed: " + " ".join(done.stderr.split())[-300:], "evidence": "", "missing": []}
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbench", required=True)
    parser.add_argument("--only")
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    kernels = json.loads((HERE / "kernels.json").read_text())["kernels"]
    wrong = 0
    for kernel in kernels:
        if options.only and kernel["name"] != options.only:
            continue
        for _ in range(options.repeat):
            bad, good = (profile(options.kbench, kernel, kind) for kind in ("bad", "good"))
            named = bad["verdict"] == kernel["verdict"]
            accused = good["verdict"] == kernel["verdict"] or good["verdict"].startswith("failed")
            wrong += not named or accused
            print(f"{kernel['name']:<14} {'named' if named else 'NOT NAMED'}: {bad['verdict']}: {bad['evidence']}\n"
                  f"{'':<14} {'ACCUSED' if accused else 'left alone'}: {good['verdict']}: {good['evidence'][:120]}")
            for line in bad["missing"] if not named else []:
                print(f"{'':<14} missing: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
