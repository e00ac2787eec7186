"""Common parts of tests with somebody else's client library: its environment, and a server.

Each library has a virtual environment of its own, which `tests/clients/set_up` makes; CLIENTS
names the folder that holds them. A test begins with enter("mcp"): it goes on in that environment, or is
skipped (exit status 77) where there is none.
"""

import hashlib
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(os.environ["KBENCH_ROOT"])
CLIENTS = pathlib.Path(os.environ.get("CLIENTS") or ROOT / "build/clients")
SKIPPED = 77


def python_of(name):
    return CLIENTS / name / "bin/python3"


def enter(name):
    """Goes on in the environment of that name; to be called before anything of it is imported."""
    if pathlib.Path(sys.prefix).resolve() == (CLIENTS / name).resolve():
        return
    if not python_of(name).exists():
        print(f"skipped: there is no {CLIENTS / name}; tests/clients/set_up makes it")
        sys.exit(SKIPPED)
    os.execv(python_of(name), [str(python_of(name)), "-B", *sys.argv])


sys.path[:0] = [str(ROOT / "tests/cli"), str(ROOT / "data/clients")]

import cli_case  # noqa: E402
from serve_case import TASK, ServeCase  # noqa: E402

main = cli_case.main


def fenced(source):
    """The source in a model's answer."""
    return f"This is the kernel.\n\n```cpp\n{source}```\n"


class ClientCase(ServeCase):
    """A server without a compiled baseline, which takes long to build and is no client's matter."""

    def serve(self, *words, **environment):
        return super().serve(*words, KBENCH_TORCH=str(self.folder), **environment)

    def stored_rewards(self, name="milestone_sure"):
        """The reward of each source, by its text's SHA-256: of every row of every run."""
        worth = {}
        for row in self.stored_rows(name):
            [file] = [one for one in row["sources"]["files"] if one["path"].endswith("kernel.cpp")]
            self.assertNotIn(file["hash"], worth, "it was evaluated twice")
            worth[file["hash"]] = row["reward"]["value"]
        return worth

    def stored_rows(self, reward):
        runs = self.kbench("runs", "--json")
        self.assert_good(runs)
        rows = []
        for run in json.loads(runs.stdout)["runs"]:
            report = self.kbench("report", "json", "--run", run["id"], "--reward", reward)
            rows += [row for row in json.loads(report.stdout)["results"] if row["agent"]]
        return rows


def hash_of(source):
    return hashlib.sha256(source.encode()).hexdigest()


__all__ = ["CLIENTS", "ROOT", "TASK", "ClientCase", "enter", "fenced", "hash_of", "main", "python_of"]
