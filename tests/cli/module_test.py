"""data/clients/kbench, the Python module: its functions are the command line's answers, its client the server's.

mypy comes from third_party/requirements-tests.txt, pandas from tests/clients/set_up; what is missing skips its test.
"""

import csv
import http.server
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import cli_case
import serve_case
from cli_case import KBENCH, ROOT, TINY
from workspace_test import RELU

import kbench
from kbench import _client as kbench_client

MODULE = ROOT / "data/clients/kbench"
TASK = "level1/019_relu"
WRONG = RELU.replace("in->x[i] < 0 ? 0", "i % 1000 == 7 ? 1")


class ModuleCase(cli_case.CliCase):
    """Works in a folder of its own, with the program under test on the PATH."""

    def setUp(self):
        super().setUp()
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "kbench").symlink_to(KBENCH)
        variables = {k: v for k, v in os.environ.items() if k not in cli_case.FOREIGN}
        variables.update({"HOME": str(self.folder), "PATH": f"{programs}:{os.environ['PATH']}"})
        patch = mock.patch.dict(os.environ, variables, clear=True)
        patch.start()
        self.addCleanup(patch.stop)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)

    def evaluate(self, source, task=TASK, **more):
        return kbench.evaluate(task, source, suite=TINY, device="cpu", checks_only=True, options=("--no-lint",),
                               **more)

    def stored(self, run):
        report = self.kbench("report", "jsonl", "--run", run)
        self.assert_good(report)
        return [json.loads(line) for line in report.stdout.splitlines()]


class EvaluateTest(ModuleCase):
    def test_a_right_kernel_is_the_row_that_the_database_holds(self):
        row = self.evaluate(RELU, agent="ann")
        self.assertEqual([dict(row)], self.stored(row.run_id))
        self.assertEqual((row.state, row.ok, row.task, row["agent"], row.fault), ("ok", True, TASK, "ann", "none"))
        self.assertIsNone(row.time_ns)
        self.assertIsNone(row.over_eager)

    def test_a_failing_kernel_is_a_row(self):
        row = self.evaluate(WRONG)
        self.assertEqual((row.state, row.ok, row.fault), ("wrong_result", False, "submission"))
        self.assertIn("elements of y are wrong", row.message)
        (self.folder / "broken.cpp").write_text("int kbench_forward( {", encoding="ascii")
        row = self.evaluate(pathlib.Path("broken.cpp"))
        self.assertEqual((row.state, row["submission"]), ("compile_error", "broken.cpp"))
        self.assertEqual([dict(row)], self.stored(row.run_id))

    def test_several_files_are_one_submission(self):
        manifest = json.dumps({"schema": "kbench-submission/1", "sources": ["a.cpp"]})
        files = {"submission.json": manifest, "a.cpp": '#include "b.hpp"\n' + RELU, "b.hpp": "#pragma once\n"}
        row = self.evaluate(files)
        self.assertEqual(row.state, "ok", row.message)
        with self.assertRaisesRegex(kbench.KbenchError, "no name of a file"):
            self.evaluate({"../a.cpp": RELU})

    def test_what_cannot_be_handed_over_is_an_error(self):
        with self.assertRaisesRegex(kbench.KbenchError, "NUL"):
            kbench.evaluate("a\0b", RELU, device="cpu", checks_only=True)
        with self.assertRaisesRegex(kbench.KbenchError, "no Unicode text"):
            kbench.evaluate(TASK, "\ud800", device="cpu", checks_only=True)

    def test_what_has_no_row_is_an_error_with_what_to_do(self):
        with self.assertRaises(kbench.KbenchError) as raised:
            self.evaluate(RELU, task="level1/018_relu")
        self.assertEqual(raised.exception.code, cli_case.NOTHING_SELECTED)
        self.assertTrue(raised.exception.hint)
        with self.assertRaises(kbench.KbenchError) as raised:
            self.evaluate(RELU, size="huge")
        self.assertEqual(raised.exception.code, cli_case.USAGE)
        self.assertIn("huge", raised.exception.message)

    def test_without_a_program_it_says_what_to_install(self):
        with mock.patch.dict(os.environ, {"PATH": str(self.folder / "nothing")}):
            with self.assertRaisesRegex(kbench.KbenchError, "install the wheel"):
                kbench.tasks()


class TasksTest(ModuleCase):
    def test_they_are_those_of_the_command(self):
        told = json.loads(self.kbench("tasks", "list", "--level", "1", "--json").stdout)["tasks"]
        tasks = kbench.tasks(level=1)
        self.assertEqual([dict(task) for task in tasks], told)
        self.assertIn(TASK, [task.id for task in tasks])
        self.assertEqual({task.level for task in tasks}, {1})


class LanguageTest(unittest.TestCase):
    def test_a_text_has_the_name_of_its_language(self):
        name = kbench._rows.file_name
        self.assertEqual(name(RELU), "kernel.cpp")
        self.assertEqual(name("import torch\n\nclass ModelNew(torch.nn.Module): pass\n"), "kernel.py")
        for folder in ("example", ):
            for file in (ROOT / "data/submissions" / folder).glob("level*/*.c*"):
                with self.subTest(file=file.name):
                    self.assertEqual(name(file.read_text("utf-8")), "kernel" + file.suffix)


class RowTest(unittest.TestCase):
    def test_its_names_are_fields_of_the_row(self):
        eager = {"estimate": 1.5, "low": 1.4, "high": 1.6, "verdict": "FASTER", "units": 18}
        row = kbench.Row(time_ns={"submission": 2000, "eager": 3000}, speedup={"eager": eager, "compiled": None})
        self.assertEqual(row.time_ns, 2000.0)
        self.assertEqual(row.over_eager, kbench.Speedup(1.5, 1.4, 1.6, "FASTER"))
        self.assertIsNone(row.over_compiled)
        self.assertIsNone(row.reward)


class ImportTest(unittest.TestCase):
    def in_python(self, code, **environment):
        return subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False, timeout=60,
                              env={**os.environ, "PYTHONPATH": str(MODULE.parent), **environment})

    def test_it_needs_the_standard_library_only(self):
        result = self.in_python("import sys; before = set(sys.modules); import kbench\n"
                                "roots = {name.split('.')[0] for name in set(sys.modules) - before}\n"
                                "print(*sorted(roots - set(sys.stdlib_module_names)))")
        self.assertEqual(result.stdout, "kbench\n", result.stderr)

    def test_without_pandas_read_says_what_to_install(self):
        result = self.in_python("import sys; sys.modules['pandas'] = None\nimport kbench\n"
                                "try: kbench.read('x.sqlite')\nexcept ImportError as error: print(error)")
        self.assertEqual(result.stdout, "kbench.read needs pandas: pip install pandas\n", result.stderr)

    def test_its_annotations_are_strict(self):
        python = ROOT / ".venv/bin/python3"
        words = [str(python), "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", os.devnull]
        if not python.exists() or subprocess.run([*words[:3], "--version"], capture_output=True, check=False).returncode:
            self.skipTest("there is no mypy")
        self.assertTrue((MODULE / "py.typed").exists())
        checked = subprocess.run([*words, str(MODULE)], cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        with tempfile.TemporaryDirectory() as folder:
            caller = pathlib.Path(folder, "caller.py")
            caller.write_text("import kbench\nx: int = kbench.evaluate('t', 's').state\n", encoding="ascii")
            checked = subprocess.run([*words, str(caller)], capture_output=True, text=True, check=False,
                                     env={**os.environ, "MYPYPATH": str(MODULE.parent)})
        self.assertRegex(checked.stdout, r'Incompatible types in assignment \(expression has type "str"')


class TextColumnsTest(cli_case.CliCase):
    def test_they_are_those_that_the_schema_has_as_text(self):
        schema = json.loads((ROOT / "data/schema/row.schema.json").read_text("utf-8"))

        def is_text(kind):
            values = kind.get("enum", [])
            names = kind.get("type", [])
            names = [names] if isinstance(names, str) else names
            return "string" in names or "object" in names or any(isinstance(one, str) for one in values)

        def flat(name, kind):
            kind = next((one for one in kind.get("anyOf", []) if "$ref" in one), kind)
            if "$ref" in kind:
                kind = schema["$defs"][kind["$ref"].split("/")[-1]]
            elif kind.get("anyOf"):
                kind = next(one for one in kind["anyOf"] if one.get("type") != "null")
            if name in ("time_ns.reason", "sources") or "properties" not in kind:
                return {name: is_text(kind)}
            return {k: v for inner, more in kind["properties"].items() for k, v in flat(f"{name}.{inner}", more).items()}

        subprocess.run([os.environ["MAKE_STORE"], str(self.folder / "kbench.sqlite"), "a" * 32], check=True)
        report = self.kbench("report", "csv")
        self.assert_good(report)
        texts = {}
        for name, kind in schema["properties"].items():
            if name not in ("schema_version", "reward"):
                texts.update(flat(name, kind))
        header = next(csv.reader(report.stdout.splitlines()))
        self.assertEqual(set(header), set(texts))
        self.assertEqual({name for name in header if texts[name]}, set(kbench._command.TEXT_COLUMNS))


class ReadTest(ModuleCase):
    """Also called by tests/clients/notebook_test.py, in an environment that has pandas."""

    def setUp(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("there is no pandas")
        super().setUp()

    def test_the_columns_are_those_of_the_csv_and_text_stays_text(self):
        first = self.evaluate(WRONG, agent="007")
        second = self.evaluate(RELU, agent="NA")
        frame = kbench.read("kbench.sqlite", run=None)
        self.assertEqual(list(frame["run_id"]), [first.run_id, second.run_id])
        self.assertEqual(list(frame["agent"]), ["007", "NA"])
        self.assertEqual(list(frame["message"])[0], first.message)
        self.assertEqual(list(frame["state"]), ["wrong_result", "ok"])
        self.assertTrue(frame["time_ns.submission"].isna().all())
        header = self.kbench("report", "csv").stdout.splitlines()[0]
        self.assertEqual(list(frame.columns), header.split(","))
        self.assertEqual(list(kbench.read()["run_id"]), [second.run_id])

    def test_no_database_is_an_error(self):
        with self.assertRaisesRegex(kbench.KbenchError, "no such database"):
            kbench.read("nothing.sqlite")


class Scripted(http.server.BaseHTTPRequestHandler):
    """Answers with what its server holds, one after the other, and keeps what it was asked."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, self.headers["Authorization"], json.loads(body)))
        status, headers, answer = self.server.answers.pop(0)
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *words):
        pass


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
        self.server.asked, self.server.answers = [], []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.client = kbench.Client(f"http://127.0.0.1:{self.server.server_port}", "secret")

    def test_it_asks_again_until_there_is_a_row(self):
        done = {"id": "1", "run_id": "r", "row": {"state": "ok", "reward": {"value": 2}}}
        self.server.answers = [(503, {"Retry-After": "0"}, {}), (429, {"Retry-After": "0"}, {}), (200, {}, done)]
        row = self.client.evaluate(TASK, RELU, reward="log", size="small")
        self.assertEqual((row.state, row.run_id, row.reward), ("ok", "r", 2.0))
        path, token, body = self.server.asked[-1]
        self.assertEqual((path, token), ("/v1/evaluations", "Bearer secret"))
        self.assertEqual((body["task"], body["files"], body["reward"]), (TASK, {"kernel.cpp": RELU}, "log"))
        self.assertEqual(len(self.server.asked), 3)

    def test_a_refusal_is_an_error_and_patience_ends(self):
        self.server.answers = [(401, {}, {"error": {"message": "nobody has this token", "hint": "send one"}})]
        with self.assertRaisesRegex(kbench.KbenchError, r"nobody has this token \(send one\)") as raised:
            self.client.evaluate(TASK, RELU)
        self.assertEqual(raised.exception.code, 401)
        self.server.answers = [(202, {}, {"id": "1", "state": "queued"})]
        with self.assertRaisesRegex(kbench.KbenchError, "no row within 1 s"):
            self.client.evaluate(TASK, RELU, patience=1)

    def test_the_token_follows_no_redirect(self):
        self.server.answers = [(302, {"Location": f"http://127.0.0.1:{self.server.server_port}/other"}, {})]
        with self.assertRaises(kbench.KbenchError):
            self.client.evaluate(TASK, RELU)
        self.assertEqual(len(self.server.asked), 1)

    def test_whatever_answers_is_a_row_or_an_error(self):
        for answer in (b"<html>", b"[1, 2]", b"null", b"[" * 200_000, b'{"row": "x", "id": 3}', b'{"row": {}}'):
            with self.subTest(answer[:20]):
                self.server.answers = [(200, {}, answer)]
                with self.assertRaisesRegex(kbench.KbenchError, "something else than `kbench serve`"):
                    self.client.evaluate(TASK, RELU)
        for status, headers, answer in ((200, {"Content-Length": "100"}, b"{"), (500, {}, b"[]")):
            self.server.answers = [(status, headers, answer)]
            with self.assertRaises(kbench.KbenchError):
                self.client.evaluate(TASK, RELU, patience=1)
        with self.assertRaisesRegex(kbench.KbenchError, "no token") as raised:
            kbench.Client("http://127.0.0.1:1", "secret\r\nX: y")
        self.assertNotIn("secret", str(raised.exception))

    def test_an_endless_answer_is_not_read_to_its_end(self):
        class Endless(io.RawIOBase):
            taken = 0

            def readable(self):
                return True

            def readinto(self, buffer):
                Endless.taken += len(buffer)
                return len(buffer)

        with self.assertRaisesRegex(kbench.KbenchError, "no JSON object"):
            kbench_client._object_in(io.BufferedReader(Endless()))
        self.assertLess(Endless.taken, 2 * kbench_client.MOST_BYTES)

    def test_no_server_and_no_address(self):
        with self.assertRaisesRegex(kbench.KbenchError, "no address"):
            kbench.Client("localhost:8377", "x")
        port = serve_case.socket.create_server(("127.0.0.1", 0))
        number = port.getsockname()[1]
        port.close()
        client = kbench.Client(f"http://127.0.0.1:{number}", "x")
        self.assertFalse(client.healthy())
        with self.assertRaisesRegex(kbench.KbenchError, "does not answer"):
            client.evaluate(TASK, RELU)


class ServedTest(serve_case.ServeCase):
    def test_its_row_is_the_servers(self):
        server = self.serve("--suite", str(TINY))
        client = kbench.Client(server.url, serve_case.ANN)
        self.assertTrue(client.healthy())
        row = client.evaluate(TASK, serve_case.NOT_COMPILED)
        self.assertEqual((row.state, row.reward), ("compile_error", -1.0))
        status, answer = server.ask("POST", "/v1/evaluations",
                                    {"task": TASK, "files": {"kernel.cpp": serve_case.NOT_COMPILED}, "wait_s": 60})
        self.assertEqual(status, 200)
        self.assertEqual(dict(row), {"run_id": answer["run_id"], **answer["row"]})
        self.assertEqual(dict(client.row(answer["id"])), dict(row))
        with self.assertRaises(kbench.KbenchError) as raised:
            client.evaluate("level1/018_relu", RELU)
        self.assertEqual(raised.exception.code, 422)


if __name__ == "__main__":
    cli_case.main()
