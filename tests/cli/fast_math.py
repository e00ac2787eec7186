"""Submissions of tests/precision/fast_math: an agent for each way in which functions are computed."""

import shutil

from cli_case import ROOT

FAST_MATH = ROOT / "tests" / "precision" / "fast_math"
RIGHT = {"intrinsics", "at_the_limit"}
TANH = {"level1/022_tanh", "level1/088_mingptnewgelu"}
# Rounding cancels in a mean of a million.
LOSSES = {"level1/095_crossentropyloss", "level1/098_kldivloss"}


def tasks():
    return sorted(str(kernel.relative_to(FAST_MATH / "kernels").with_suffix(""))
                  for kernel in FAST_MATH.glob("kernels/*/*.cpp"))


def submit(submissions, device):
    """Into this folder, for "cpu" or "cuda". The number of rows to expect."""
    agents = {"intrinsics": set(tasks()), "eleven_bits": set(tasks()) - LOSSES, "approximate_tanh": TANH}
    if device == "cpu":
        agents["at_the_limit"] = {"level1/027_selu"}
    for agent, some in agents.items():
        include = submissions / agent / "include"
        include.mkdir(parents=True)
        shutil.copy(FAST_MATH / device / "mathematics" / f"{agent}.hpp", include / "mathematics.hpp")
        shutil.copy(FAST_MATH / device / "parallel.hpp", include)
        shutil.copy(ROOT / "tests" / "precision" / "rounding.hpp", include)
        for task in some:
            file = (submissions / agent / task).with_suffix(".cu" if device == "cuda" else ".cpp")
            file.parent.mkdir(exist_ok=True)
            shutil.copy(FAST_MATH / "kernels" / f"{task}.cpp", file)
    return sum(map(len, agents.values()))
