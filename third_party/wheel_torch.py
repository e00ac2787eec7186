"""Which torch a wheel of kbench needs: one of the version that its oracle is linked with.

Asked by scikit-build-core for the wheel's metadata (pyproject.toml), before CMake runs. Both use
the torch that KBENCH_TORCH names, else that of the Python that pip runs in (cmake/Torch.cmake).
"""

import os
import re
import subprocess
import sys
from pathlib import Path

NAME = "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"


def torch_folder():
    named = os.environ.get("KBENCH_TORCH")
    if named and Path(named).is_dir():
        return Path(named)
    # pip builds with a PYTHONPATH that hides what the environment has.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    python = named or sys.executable
    asked = subprocess.run([python, "-c", NAME], env=environment, capture_output=True, text=True)
    if asked.returncode != 0:
        raise SystemExit(f"A wheel of kbench is linked with a LibTorch, and {python} has none. "
                         "Install torch into that environment, or set KBENCH_TORCH to a Python "
                         "that has it.")
    return Path(asked.stdout.strip())


def dynamic_metadata(_settings, _project):
    folder = torch_folder()
    for name in ("version.py", "build-version"):
        file = folder / name
        found = re.search(r"(\d+\.\d+)\.\d+", file.read_text()) if file.is_file() else None
        if found:
            return {"dependencies": [f"torch=={found[1]}.*"]}
    raise SystemExit(f"{folder} does not say which version of torch it is.")
