"""Every C++ and CUDA file of ours is as clang-format 16 writes it with the tree's .clang-format.

Another version formats differently, so the one that third_party/setup brings for tests is used, or
one on the PATH that says it is a 16. To mend: .venv/bin/clang-format -i FILES.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["baselines", "data", "reports", "runner", "suites", "tests", "third_party"]
ENDINGS = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".inc"}
VERSION = "16"


def find_tool():
    for name in [ROOT / ".venv/bin/clang-format", "clang-format-" + VERSION, "clang-format"]:
        program = shutil.which(name)
        if not program:
            continue
        words = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
        if re.search(r"version " + VERSION + r"\.", words.stdout):
            return program
    return None


def files():
    for folder in FOLDERS:
        for path, _, names in os.walk(ROOT / folder):
            for name in names:
                if pathlib.Path(name).suffix in ENDINGS:
                    yield str(pathlib.Path(path, name).relative_to(ROOT))


def main():
    program = find_tool()
    if not program:
        sys.exit(f"There is no clang-format {VERSION}. `third_party/setup -- ctest --preset ci` "
                 "brings it into .venv.")
    ours = sorted(files())
    assert len(ours) > 500, f"the scan saw {len(ours)} files only"
    # Works in pieces, for the longest command line that a system may take.
    differing = False
    for start in range(0, len(ours), 200):
        command = [program, "--dry-run", "--Werror", *ours[start:start + 200]]
        differing |= subprocess.run(command, cwd=ROOT, check=False).returncode != 0
    if differing:
        sys.exit(f"To mend: {program} -i FILES")


if __name__ == "__main__":
    main()
