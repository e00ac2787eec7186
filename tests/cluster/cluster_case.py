"""Parts that tests of several machines share: the programs of others, scripted machines, and what lies in a database.

A machine is a folder with a home of its own, below the test's, into which the pool's key was copied. Its kbench is
tests/fakes/scripted_kbench.cpp, which measures nothing, where it runs or serves, and the built one for all else.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request

ROOT = pathlib.Path(os.environ["KBENCH_ROOT"])
sys.path.insert(0, str(ROOT / "tests/cli"))

import cli_case  # noqa: E402
import own_processes  # noqa: E402
from cli_case import KBENCH, TINY  # noqa: E402

SCRIPTED = pathlib.Path(os.environ["SCRIPTED_KBENCH"])
CLUSTER = pathlib.Path(os.environ.get("CLUSTER") or ROOT / "build/cluster")
LIBRARIES = CLUSTER / "usr/lib/x86_64-linux-gnu"
SKIPPED = 77
TASK = "level1/019_relu"
TOKEN = "c" * 64


def tool(*names):
    """The program of the unpacked packages, or of the machine; the test is skipped where there is none."""
    for name in names:
        for folder in ("usr/sbin", "usr/bin"):
            if (CLUSTER / folder / name).exists():
                return CLUSTER / folder / name
        if shutil.which(name):
            return pathlib.Path(shutil.which(name))
    print(f"skipped: there is no {names[0]}; tests/cluster/set_up brings it")
    sys.exit(SKIPPED)


def with_libraries(**environment):
    """The environment of such a program."""
    path = f"{LIBRARIES}:{LIBRARIES}/slurm-wlm"
    return {**os.environ, **({"LD_LIBRARY_PATH": path} if LIBRARIES.exists() else {}), **environment}


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def kernel(number):
    return f"// {number}\nint nothing;\n"


class Judge:
    """A `kbench serve` on a machine of its own, which may be killed and started again at its port."""

    def __init__(self, case, name, *words, port=0, **environment):
        self.case, self.name, self.words = case, name, words
        self.folder = case.machine(name)
        self.port, self.environment = port, environment
        self.process = None
        self.start()

    def start(self):
        self.errors = open(self.folder / "serve.stderr", "ab")
        self.process = subprocess.Popen(
            [str(SCRIPTED), "serve", "--port", str(self.port), "--tokens", str(self.case.folder / "tokens"), "--suite",
             str(TINY), *map(str, self.words)],
            cwd=self.folder, env=self.case.environment(self.name, **self.environment), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.errors)
        url = self.process.stdout.readline().decode().strip()
        self.case.assertRegex(url, r"^http://127\.0\.0\.1:\d+$", self.log())
        self.port = int(url.rsplit(":", 1)[1])

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait(60)
        self.process.stdout.close()
        self.errors.close()

    def log(self):
        return (self.folder / "serve.stderr").read_text(encoding="utf-8")

    def ask(self, path, body=None, timeout=180):
        return ask(self.port, path, body, timeout)


def ask(port, path, body=None, timeout=180):
    """Status and the body, which is JSON."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data,
                                     {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as error:
        with error:
            text = error.read()
            return error.code, json.loads(text) if text.startswith(b"{") else text.decode()


class ClusterCase(cli_case.CliCase):
    def setUp(self):
        super().setUp()
        tokens = self.folder / "tokens"
        tokens.write_text(f"trainer read,evaluate {TOKEN}\n", encoding="ascii")
        tokens.chmod(0o600)
        self.measured = self.folder / "measured"
        self.pool = self.folder / "pool"
        self.assert_good(self.kbench("exchange", "init", self.pool))
        self.judges = []
        self.addCleanup(self.end_judges)

    def end_judges(self):
        for judge in self.judges:
            if judge.process.poll() is None:
                judge.end(signal.SIGKILL)

    def machine(self, name):
        """Its folder. The pool's key was copied to it, as the page says."""
        folder = self.folder / name
        state = folder / ".local/state/kbench"
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = self.chain_key().parent / "pool.key"
        if not (state / "pool.key").exists():
            shutil.copy(key, state)
            (state / "pool.key").chmod(0o600)
        return folder

    def environment(self, machine, **more):
        """Its own home, and its own lock of the device."""
        kept = {k: v for k, v in os.environ.items() if k not in cli_case.FOREIGN}
        locks = self.machine(machine) / "locks"
        locks.mkdir(exist_ok=True)
        return {**kept, "HOME": str(self.machine(machine)), "KBENCH_LOCKS": str(locks),
                "KBENCH_SCRIPTED_LOG": str(self.measured), **more}

    def judge(self, name, *words, **environment):
        judge = Judge(self, name, "--exchange", self.pool, *words, **environment)
        self.judges.append(judge)
        return judge

    def measured_rows(self):
        """The submissions that any machine has measured, once for each time."""
        if not self.measured.exists():
            return []
        return [line.split()[1] for line in self.measured.read_text(encoding="utf-8").splitlines()]

    def sql(self, file, query):
        with contextlib.closing(sqlite3.connect(file)) as database:
            return database.execute(query).fetchall()


main = cli_case.main

__all__ = ["CLUSTER", "KBENCH", "LIBRARIES", "ROOT", "SCRIPTED", "TASK", "TINY", "TOKEN", "ClusterCase", "Judge", "ask",
           "free_port", "kernel", "main", "own_processes", "tool", "with_libraries"]
