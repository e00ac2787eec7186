#!/usr/bin/env python3
"""Writes kernelbench_names.json: how KernelBench's own models name the parameters of our tasks.

    python3 suites/kernelbench_names.py CLONE

CLONE is a checkout of https://github.com/ScalingIntelligence/KernelBench. Only names are taken from
it. A task is listed where its Model's names differ from those of KernelBench's problem of that number.
Parameters are matched in the order in which the two register them; where a task leaves out what
changes nothing (a bias before a norm), KernelBench's has no counterpart, and is zero.
Where both register the same ones in another order, the order in which forward uses them decides.
What fits in neither way is another computation, and is named on stderr.

Listed apart are the tasks of which a Model, made right after torch.manual_seed, draws other values than
KernelBench's does. Takes 20 GB of memory, since those of `full` are drawn.
"""

import argparse
import hashlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import torch

from lowering.calls import call_of
from lowering.model_state import made_by, state_of
from lowering.taskfile import TaskFile

SUITES = Path(__file__).resolve().parent


def load(path: Path):
    spec = importlib.util.spec_from_file_location("problem", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leaf(name: str) -> str:
    return name.rpartition(".")[2]


def in_order(theirs: list[dict], ours: list[dict]) -> list | None:
    """Pairs of names; None beside one that has no counterpart. None where ours do not fit."""
    pairs, rest = [], list(ours)
    for entry in theirs:
        fits = rest and entry["type"] == rest[0]["type"]
        # The name decides which of a weight and a bias of one shape is left out.
        if fits and len(theirs) > len(ours) and leaf(entry["name"]) in ("weight", "bias"):
            fits = leaf(entry["name"]) == leaf(rest[0]["name"])
        pairs.append([entry["name"], rest.pop(0)["name"] if fits else None])
    return None if rest else pairs


def modules_in_use(module, model) -> list[str]:
    """Modules with parameters of their own, in the order in which forward enters them."""
    entered = []
    for name, part in model.named_modules():
        if any(True for _ in part.parameters(recurse=False)):
            part.register_forward_pre_hook(lambda *_, name=name: entered.append(name))
    with torch.device("meta"):
        given = call_of(module.get_inputs(), model.forward)
        model.to("meta")(*given.args, **given.kwargs)
    return list(dict.fromkeys(entered))


def in_use(theirs, ours) -> list | None:
    """The same by modules; each of theirs has to have what its counterpart has."""
    names = [modules_in_use(*pair) for pair in (theirs, ours)]
    parts = [dict(pair[1].named_modules()) for pair in (theirs, ours)]
    if len(names[0]) != len(names[1]):
        return None
    pairs = {}
    for their_name, our_name in zip(*names):
        their_state, our_state = state_of(parts[0][their_name]), state_of(parts[1][our_name])
        if their_state != our_state:
            return None
        for entry in their_state:
            pairs[f"{their_name}.{entry['name']}"] = f"{our_name}.{entry['name']}"
    return [[entry["name"], pairs.get(entry["name"])] for entry in state_of(theirs[1])]


def names_of(problem: Path, task: Path) -> list | None:
    """Empty: they are called alike. None: no parameters to be found."""
    modules = load(problem), TaskFile(task).load("full")
    models = [made_by(m.Model, call_of(m.get_init_inputs(), m.Model)) for m in modules]
    theirs, ours = (state_of(model) for model in models)
    if {e["name"]: e["type"] for e in theirs} == {e["name"]: e["type"] for e in ours}:
        return []
    pairs = []
    for buffer in (False, True):
        some = in_order(*([e for e in s if e["buffer"] == buffer] for s in (theirs, ours)))
        if some is None:
            return in_use(*zip(modules, models))
        pairs += some
    return pairs


def drawn_by(module) -> dict:
    """A digest of each parameter and buffer that Model has once it is made."""
    torch.manual_seed(0)
    call = call_of(module.get_init_inputs(), module.Model)
    state = module.Model(*call.args, **call.kwargs)
    tensors = [*state.named_parameters(remove_duplicate=False), *state.named_buffers(remove_duplicate=False)]
    return {name: hashlib.sha256(tensor.detach().contiguous().numpy().tobytes()).digest()
            for name, tensor in tensors}


def draw_alike(problem: Path, task: Path, pairs: list) -> bool:
    theirs, ours = drawn_by(load(problem)), drawn_by(TaskFile(task).load("full"))
    return all(theirs[own] == ours.get(name) for own, name in pairs or zip(theirs, theirs))


def problem_of(clone: Path, task: Path) -> Path:
    number = int(task.name.split("_")[0])
    (path,) = clone.glob(f"KernelBench/{task.parent.name}/{number}_*.py")
    return path


def commit_of(clone: Path) -> str:
    answer = subprocess.run(["git", "-C", str(clone), "rev-parse", "HEAD"], check=True,
                            capture_output=True, text=True)
    return answer.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clone", type=Path)
    clone = parser.parse_args().clone
    torch.set_grad_enabled(False)
    tasks, others = {}, []
    for task in sorted(SUITES.glob("level*/[0-9]*.py")):
        name = f"{task.parent.name}/{task.stem}"
        problem = problem_of(clone, task)
        pairs = names_of(problem, task)
        if pairs is None:
            print(f"{name}: KernelBench's registers something else", file=sys.stderr)
        elif pairs:
            tasks[name] = pairs
        if pairs is None or not draw_alike(problem, task, pairs):
            others.append(name)
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(pairs)}" for name, pairs in tasks.items())
    (SUITES / "kernelbench_names.json").write_text(
        '{\n "source": "https://github.com/ScalingIntelligence/KernelBench",\n'
        f' "commit": "{commit_of(clone)}",\n "tasks": {{\n{lines}\n }},\n'
        f' "other_draws": {json.dumps(others, indent=2)[:-1]} ]\n}}\n')


if __name__ == "__main__":
    main()
