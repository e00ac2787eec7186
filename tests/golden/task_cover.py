"""Few tasks that have whatever the 250 have, for tests that take too long on all of them.

What a task has is read from its lowered file (suites/FORMAT.md): operator overloads, each argument's form,
ways of drawing. So the choice follows the tasks; there is no list to keep.
"""

import math
import re
from pathlib import Path

OPERATOR = re.compile(r'"op": "([^"]+)", "overload": "([^"]*)"')


def form(entry) -> str:
    """The kind of an argument, without its value, but for the few values that choose code paths."""
    if isinstance(entry, list):
        return f"[{' '.join(sorted({form(one) for one in entry}))}]"
    if isinstance(entry, dict):
        (kind, value), = entry.items()
        return f"{kind} {value}" if kind in ("dtype", "float", "layout", "memory_format") else kind
    return type(entry).__name__


def features(task: dict, sizes: tuple[str, ...]) -> set[str]:
    """Features of a lowered task at these sizes, as words."""
    found = {f"head {key}" for key in task}
    for size in (task["sizes"][name] for name in sizes):
        found |= {f"size {key}" for key in size}
        for node in size["nodes"]:
            name = f"{node['op']}.{node['overload']}"
            found |= {name, f"{name} returns {len(node['outs'])}"}
            found |= {f"{name} argument {i}: {form(entry)}" for i, entry in enumerate(node["args"])}
            if None in node["outs"]:
                found.add(f"{name} returns what nobody reads")
        for group in ("inputs", "parameters"):
            for spec in size[group]:
                drawn = " ".join([spec["draw"]["kind"], *sorted(spec["draw"])])
                found.add(f"{group}: {drawn} of {spec['dtype']}")
                found |= {f"{group}: {key}" for key in spec}
                found.add(f"{group}: fqn {type(spec.get('fqn')).__name__}")
        found |= {f"output of {spec['dtype']}" for spec in size["outputs"]}
    return found


def cost(task: dict, size: str) -> float:
    """About how long the task takes to draw, run and compare: bytes that are touched, and operations."""
    graph = task["sizes"][size]
    groups = ("inputs", "parameters", "outputs")
    elements = sum(math.prod(spec["shape"]) for group in groups for spec in graph[group])
    return graph["flops"] / 20 + 8 * elements + graph["peak_bytes_fp64"]


def nodes(task: dict) -> float:
    """About how long the task takes to be lowered."""
    return sum(len(size["nodes"]) for size in task["sizes"].values())


def cover(tasks: dict[Path, dict], sizes: tuple[str, ...], price) -> list[Path]:
    """A few of the tasks (file -> its contents) that together have what all have, cheap ones first.

    Going from the cheapest, takes each that has something new; then, from the dearest, leaves out each whose
    features the others have as well.
    """
    has = {path: features(task, sizes) for path, task in tasks.items()}
    chosen, seen = [], set()
    for path in sorted(tasks, key=lambda path: (price(tasks[path]), path)):
        if not has[path] <= seen:
            chosen.append(path)
            seen |= has[path]
    for path in reversed(list(chosen)):
        others = set().union(*(has[other] for other in chosen if other != path))
        if has[path] <= others:
            chosen.remove(path)
    return sorted(chosen)


def operators(paths) -> set[tuple[str, str]]:
    """Operator overloads that stand in the files, found in their text alone."""
    return {pair for path in paths for pair in OPERATOR.findall(path.read_text(encoding="utf-8"))}
