#!/usr/bin/env python3
"""Six kernels of bad/ by lot, as somebody gets them who knows none: source and profile, without the answer.

    tests/profile/newcomer.py --kbench build/release/bin/kbench --out FOLDER --answers FILE [--seed N] [--count 6]

FOLDER gets 1/kernel.cu (without comments), 1/profile.txt and so on. FILE gets which kernels they are, and what would
mend each by mendings.json. Exit code 1 where a profile is not made or is longer than 4 KiB.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LONGEST = 4096


def without_comments(source):
    """Comments of a line of their own or behind code; no kernel here has // in a text."""
    lines = [re.sub(r"\s*//.*", "", line) for line in source.splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def profile_text(kbench, kernel, file):
    """The profile by kbench, or None with the reason on the screen."""
    command = [kbench, "profile", kernel["task"], "--submission", file, "--size", kernel.get("size", "small"),
               "--device", "cuda", "--precision", kernel.get("precision", "torch-default"), "--no-store", "-q"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode == 0 and len(done.stdout.encode()) <= LONGEST:
        return done.stdout
    print(f"{kernel['name']}: exit code {done.returncode}, {len(done.stdout.encode())} bytes; {done.stderr[-300:]}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbench", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--answers", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=6)
    options = parser.parse_args()
    kernels = json.loads((HERE / "kernels.json").read_text())["kernels"]
    mendings = json.loads((HERE / "mendings.json").read_text())["mendings"]
    drawn = random.Random(options.seed).sample(kernels, options.count)
    answers, missing = {}, 0
    for number, kernel in enumerate(drawn, 1):
        folder = options.out / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "kernel.cu"
        file.write_text(without_comments((HERE / "bad" / f"{kernel['name']}.cu").read_text()))
        text = profile_text(options.kbench, kernel, file)
        missing += text is None
        (folder / "profile.txt").write_text(text or "")
        print(f"{number}\n{text or ''}")
        answers[number] = {"kernel": kernel["name"], "verdict": kernel["verdict"], "mending": mendings[kernel["name"]]}
    options.answers.write_text(json.dumps(answers, indent=1) + "\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
