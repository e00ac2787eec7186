"""Each checked-in lowered file is what lowering its .py gives today, byte for byte.

All of them, several at a time. Exit code 77 (skipped) with another PyTorch than the files name.
"""

import json
import os
import subprocess
import sys

import torch

from reference import SUITES, all_tasks

SKIPPED = 77


def main() -> int:
    pinned = {json.loads(path.read_text())["torch"] for path in all_tasks()}
    version = torch.__version__.split("+")[0]
    if pinned != {version}:
        print(f"the files are pinned to torch {sorted(pinned)}, this is {version}")
        return SKIPPED
    jobs = str(min(8, os.cpu_count() or 1))
    command = [sys.executable, "-B", str(SUITES / "lower.py"), "--check", "--jobs", jobs]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
