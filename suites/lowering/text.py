"""The text of a lowered task: JSON, one line a tensor and one line a node."""

import json

_LISTS = ("inputs", "parameters", "nodes", "outputs")


def _json(value) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def format_task(task: dict) -> str:
    """suites/FORMAT.md as text; equal tasks give equal bytes."""
    head = [f"{_json(key)}: {_json(value)}" for key, value in task.items() if key != "sizes"]
    sizes = [f"{_json(name)}: {_format_size(size)}" for name, size in task["sizes"].items()]
    return "{\n" + ",\n".join(head) + ',\n"sizes": {\n' + ",\n".join(sizes) + "\n}\n}\n"


def _format_size(size: dict) -> str:
    fields = []
    for key, value in size.items():
        if key in _LISTS and value:
            lines = ",\n".join("  " + _json(item) for item in value)
            fields.append(f"{_json(key)}: [\n{lines}\n]")
        else:
            fields.append(f"{_json(key)}: {_json(value)}")
    return "{\n" + ",\n".join(fields) + "\n}"
