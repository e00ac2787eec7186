"""Tells what the Model of each task is made with: get_init_inputs(), as a literal of Python; and the
task's text at that size.

    python3 init_arguments.py SIZE FILE...

Writes one line of JSON for each file, in their order: {"init": "([64], {})", "parameters": ["weight"],
"text": "…"} (positional and keyword arguments; the names of Model's parameters, null where it cannot be
made without memory; the file with the constants of that size) or {"error": "…"}. Each file is executed in a process of its own.
"""

import ast
import json
import os
import sys

import torch

from lowering.calls import call_of
from lowering.taskfile import TaskFile


def parameters_of(model_class, call):
    try:
        with torch.device("meta"):
            model = model_class(*call.args, **call.kwargs)
        return [name for name, _ in model.named_parameters(remove_duplicate=False)]
    except Exception:
        return None


def arguments_of(path, size):
    file = TaskFile(path)
    module = file.load(size)
    call = call_of(module.get_init_inputs(), module.Model)
    text = repr((list(call.args), dict(call.kwargs)))
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise ValueError("get_init_inputs() returns more than numbers, texts and lists of them") from error
    return {"init": text, "parameters": parameters_of(module.Model, call), "text": file.text_at(size)}


def answer_of(path, size):
    try:
        return arguments_of(path, size)
    except BaseException as error:  # the file's own, SystemExit among them
        return {"error": f"{type(error).__name__}: {error}"[:500]}


def ask_in_a_process(path, size):
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        with os.fdopen(theirs, "w", encoding="utf-8") as pipe:
            json.dump(answer_of(path, size), pipe)
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, encoding="utf-8") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    try:
        return json.loads(text)
    except ValueError:
        return {"error": "the file ends the process that executes it"}


def main():
    size, *files = sys.argv[1:]
    for path in files:
        print(json.dumps(ask_in_a_process(path, size)), flush=True)


if __name__ == "__main__":
    main()
