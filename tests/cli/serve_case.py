"""A `kbench serve` on a free port of loopback, and how a test asks it."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import urllib.parse

import cli_case
import own_processes
from cli_case import KBENCH
from workspace_test import RELU

TASK = "level1/019_relu"
ANN, BOB, EVE = "a" * 64, "b" * 64, "e" * 64
TOKENS = f"""# for tests
ann read,evaluate,workspace {ANN}
bob evaluate {BOB}
eve read {EVE}
"""
WRONG = RELU.replace("in->x[i] < 0 ? 0", "i % 1000 == 7 ? 1")
NOT_COMPILED = "int kbench_forward( {"


class Server:
    """The running program. Its address is its first line on standard output."""

    def __init__(self, folder, *words, port=0, **environment):
        variables = {k: v for k, v in os.environ.items() if k not in cli_case.FOREIGN
                     and not k.startswith("KBENCH_RUN_")}
        variables.update({"HOME": str(folder), "KBENCH_CACHE": str(cli_case.CACHE), **environment})
        self.errors = open(folder / "serve.stderr", "ab")
        self.process = subprocess.Popen(
            [str(KBENCH), "serve", "--port", str(port), "--device", "cpu", "--tokens", "tokens",
             "--trust-estimates", *words],
            cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.errors)
        self.url = self.process.stdout.readline().decode().strip()

    @property
    def port(self):
        return urllib.parse.urlsplit(self.url).port

    @property
    def gate(self):
        """The process of its gate, which the sandbox may have put some levels below kbench's own."""
        return own_processes.wait_for("kbench-gate", self.process.pid)

    def connect(self, timeout=120):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def raw(self, timeout=30):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def ask(self, method, path, body=None, token=ANN, headers=None, timeout=300):
        """Status and the body, which is JSON."""
        sent = {"Content-Type": "application/json", **(headers or {})}
        if token:
            sent.setdefault("Authorization", f"Bearer {token}")
        data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
        with contextlib.closing(self.connect(timeout)) as connection:
            connection.request(method, path, data, sent)
            response = connection.getresponse()
            text = response.read()
        return response.status, json.loads(text) if text.strip() else None

    def end(self, number=signal.SIGTERM, timeout=180):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.ended(timeout)

    def ended(self, timeout=180):
        """The server's exit code, once it has ended by itself."""
        code = self.process.wait(timeout)
        self.process.stdout.close()
        self.errors.close()
        return code


class ServeCase(cli_case.CliCase):
    def setUp(self):
        super().setUp()
        tokens = self.folder / "tokens"
        tokens.write_text(TOKENS, encoding="ascii")
        tokens.chmod(0o600)
        self.servers = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.end(signal.SIGKILL)

    def serve(self, *words, **environment):
        server = Server(self.folder, *words, **environment)
        self.servers.append(server)
        self.assertRegex(server.url, r"^http://127\.0\.0\.1:\d+$", self.log())
        return server

    def log(self):
        return (self.folder / "serve.stderr").read_text(encoding="utf-8")

    def rows(self, database="kbench.sqlite"):
        """All rows of all runs, of which there may be none yet."""
        runs = self.kbench("runs", "--db", database, "--json")
        if runs.returncode == cli_case.NOTHING_SELECTED:
            return []
        self.assert_good(runs)
        rows = []
        for run in json.loads(runs.stdout)["runs"]:
            report = self.kbench("report", "json", "--db", database, "--run", run["id"], "--reward",
                                 "milestone_sure", "--trust-estimates")
            rows += json.loads(report.stdout)["results"]
        return rows


def evaluation(source=RELU, **more):
    return {"task": TASK, "files": {"relu.cpp": source}, **more}


class GateCase(ServeCase):
    """One server for all tests of a class: whatever one does to it, the next one finds it well."""

    @classmethod
    def start(cls, host):
        """The server, started by the case that owns it."""
        return host.serve()

    @classmethod
    def setUpClass(cls):
        cls.host = cls("run_host")
        cls.host.setUp()
        cls.server = cls.start(cls.host)

    @classmethod
    def tearDownClass(cls):
        cls.host.doCleanups()

    def run_host(self):
        """The case that owns the server."""

    def setUp(self):
        if self._testMethodName == "run_host":
            super().setUp()

    def tearDown(self):
        if self._testMethodName != "run_host":
            self.assertEqual(self.server.ask("GET", "/health", token=None),
                             (200, {"status": "healthy"}))

    def ask(self, *words, **more):
        return self.server.ask(*words, **more)
