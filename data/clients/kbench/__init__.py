"""kbench from Python: judge a kernel, read stored rows, list the tasks, ask a server.

    import kbench
    row = kbench.evaluate("level1/019_relu", open("my_relu.cpp").read(), checks_only=True)
    frame = kbench.read("kbench.sqlite")           # needs pandas
    names = [task.id for task in kbench.tasks()]
    client = kbench.Client("http://127.0.0.1:8377", token)

Everything is asked of the program `kbench` (its JSON and CSV) or of `kbench serve` (HTTP). Importing the module
needs Python's standard library only.
"""

from ._client import Client
from ._command import evaluate, main, read, tasks
from ._errors import KbenchError
from ._rows import Row, Source, Speedup, Task

__all__ = ["Client", "KbenchError", "Row", "Source", "Speedup", "Task", "evaluate", "main", "read", "tasks"]
