"""Shipped tasks with fewer rows: their `small` size has a sixteenth of the rows that are computed each by
itself, and what is added up, or normalised, is as long as it was. So rounding is what it is at the shipped
size, in a sixteenth of the time.

The shipped sizes themselves are the matter of the tests under the label `slow`.
"""

import json

from cli_case import ROOT

FRACTION = 16
# Which axis of an input its rows lie along, where that is not the first axis of the first input alone.
ROWS = {
    "level1/003_batched_matrix_multiplication": {"a": 0, "b": 0},
    "level1/016_matmul_with_transposed_a": {"a": 1},
    "level1/095_crossentropyloss": {"logits": 0, "targets": 0},
    "level1/098_kldivloss": {},  # its graph divides by the number of its rows
    "level3/008_resnetbasicblock": {},  # it normalises over all of its rows
}


def fewer(rows):
    """An odd number stays one: it is what a kernel may go wrong at."""
    return min(rows, max(2, rows // FRACTION | rows % 2))


def with_fewer_rows(name):
    """The lowered task as JSON."""
    task = json.loads((ROOT / "suites" / f"{name}.json").read_text(encoding="utf-8"))
    size = task["sizes"]["small"]
    task["sizes"] = {"small": size}
    inputs = {spec["name"]: spec for spec in size["inputs"]}
    axes = ROWS.get(name, {size["inputs"][0]["name"]: 0})
    if not axes:
        return task
    (rows,) = {inputs[tensor]["shape"][axis] for tensor, axis in axes.items()}
    for tensor, axis in axes.items():
        inputs[tensor]["shape"][axis] = fewer(rows)
    for output in size["outputs"]:
        if not output["shape"]:
            continue  # a loss
        if output["shape"][0] != rows:
            raise ValueError(f"{name}: {output['name']} has other rows than the inputs; see ROWS")
        output["shape"][0] = fewer(rows)
    return task


def write_suite(folder, names):
    """A folder for --suite with these tasks."""
    for name in names:
        file = folder / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(with_fewer_rows(name)), encoding="utf-8")
        source = file.with_suffix(".py")
        source.write_text((ROOT / "suites" / f"{name}.py").read_text(encoding="utf-8"), encoding="utf-8")
    return folder
