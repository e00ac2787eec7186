"""kbench serve: submissions that are judged, in every shape; kills and the end.

What is judged is a task of tests/tiny, since nothing here depends on how much there is to compute. Only RightTest
has a row timed. What is paid for is a task whose graph was compared with its Python, so there is one; the compiled
baseline is the one that packages_test builds.
"""

import base64
import contextlib
import fcntl
import json
import os
import re
import signal
import struct
import subprocess
import sys
import threading

import cli_case
import own_processes
import quiet
from cli_case import GOOD, KBENCH, ROOT, TINY
from prepared import Prepared
from run_test import EAGER, SUBMISSION, stored_samples
from serve_case import ANN, BOB, EVE, NOT_COMPILED, TASK, WRONG, GateCase, ServeCase, evaluation
from waiting_test import HOLDER, lock_name
from workspace_test import RELU

# For some seconds after its worker has started the evaluation has not ended.
SLOW_TO_LOAD = WRONG + "\n#include <unistd.h>\nstatic const unsigned left = sleep(5);\n"

CLIENT = ROOT / "data/clients/kbench_reward.py"


class Events:
    """The stream of what becomes of orders, open from the start."""

    def __init__(self, server):
        self.connection = server.raw(timeout=120)
        self.connection.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n"
                                b"Authorization: Bearer " + EVE.encode() + b"\r\n\r\n")
        self.text = b""
        self.read_until(b"retry: ")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def read_until(self, words):
        while words not in self.text:
            part = self.connection.recv(1000)
            assert part, f"the stream ended without {words}: {self.text}"
            self.text += part

    def await_event(self, name):
        self.read_until(f"event: {name}\n".encode())

    def heard(self):
        return [name.decode() for name in re.findall(rb"event: (\w+)", self.text)]


class MeasuringCase(ServeCase):
    def serve(self, *words, **environment):
        return super().serve("--suite", str(TINY), *words, **environment)


class CheckedCase(MeasuringCase):
    """Begins with a database in which the task was compared with its Python, where there is one: the
    comparison takes fourteen seconds of processor time. The server of ShapesTest makes it by itself."""

    def setUp(self):
        super().setUp()
        self.begin_checked()


class RightTest(CheckedCase):
    def test_a_submission_is_judged_once_and_is_a_row(self):
        server = self.serve()
        answers = []
        clients = [threading.Thread(target=lambda: answers.append(
            server.ask("POST", "/v1/evaluations", evaluation(wait_s=300)))) for _ in range(3)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        self.assertEqual([status for status, _ in answers], [200] * 3)
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])
        done = answers[0][1]
        self.assertEqual((done["row"]["state"], done["row"]["agent"], done["row"]["task"]),
                         ("ok", "ann", TASK))
        self.assertIn(done["row"]["reward"]["value"], (1, 2, 3))

        # It was measured in full, and every sample is stored.
        samples, _, _ = stored_samples(self.folder / "kbench.sqlite")
        self.assertEqual(samples[EAGER], samples[SUBMISSION])
        self.assertGreaterEqual(samples[SUBMISSION], 20)

        # The row is that of the store, and its id finds it under any reward.
        self.assertEqual(self.rows(), [done["row"]])
        status, again = server.ask("GET", f"/v1/evaluations/{done['id']}?reward=kevin")
        self.assertEqual((status, again["row"]["reward"]["name"]), (200, "kevin"))
        status, again = server.ask("POST", "/v1/evaluations", evaluation())
        self.assertEqual((status, again["id"]), (200, done["id"]))

        # So does another server, and another token is somebody else.
        self.assertEqual(server.end(), GOOD, self.log())
        server = self.serve()
        self.assertEqual(server.ask("POST", "/v1/evaluations", evaluation())[1], done)
        status, other = server.ask("POST", "/v1/evaluations", evaluation(), token=BOB)
        self.assertEqual(status, 202)
        self.assertNotEqual(other["id"], done["id"])


class WrongTest(CheckedCase):
    def test_what_is_wrong_costs_and_is_told(self):
        server = self.serve()
        status, body = server.ask("POST", "/v1/batch", {
            "wait_s": 300, "reward": "kernrl",
            "evaluations": [evaluation(WRONG), evaluation(NOT_COMPILED),
                            evaluation(task="level1/0"),
                            {"task": TASK, "files": {"submission.json": "{}", "a.cpp": RELU}}]})
        self.assertEqual(status, 200)
        wrong, broken, unknown, malformed = body["evaluations"]
        self.assertEqual((wrong["status"], wrong["row"]["state"], wrong["row"]["reward"]["value"]),
                         (200, "wrong_result", -.25))
        self.assertEqual((broken["status"], broken["row"]["state"]), (200, "compile_error"))
        self.assertEqual(broken["row"]["reward"]["value"], -.5)
        self.assertEqual((unknown["status"], unknown["error"]["fault"]), (422, "client"))
        self.assertEqual((malformed["status"], malformed["error"]["fault"]), (422, "submission"))
        self.assertEqual(len(self.rows()), 2)

    def test_events_tell_of_it(self):
        server = self.serve()
        with Events(server) as events:
            server.ask("POST", "/v1/evaluations", evaluation(NOT_COMPILED))
            events.await_event("done")
            self.assertEqual(events.heard(), ["queued", "running", "done"])


    def test_who_waits_for_the_device_is_told_for_whom(self):
        """Was: "running", for the 24 minutes that another run measured, and no word of the server."""
        locks = self.folder / "locks"
        locks.mkdir()
        lock = locks / lock_name(turn=False)
        with lock.open("w", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            held.write(HOLDER)
            held.flush()
            server = self.serve(KBENCH_LOCKS=str(locks))
            _, body = server.ask("POST", "/v1/evaluations", evaluation(WRONG))
            path = f"/v1/evaluations/{body['id']}"
            self.wait_until(lambda: server.ask("GET", path)[1].get("state") == "waiting", "it waits", server.process)
            why = server.ask("GET", path)[1]["waiting"]
            self.assertRegex(why.pop("since"), r"^20\d\d-\d\d-\d\dT")
            self.assertEqual(why, {"held_by": "run 0123456789ab", "held_since": "2026-11-21T13:00:00Z", "place": 1,
                                   "until": None})
            self.assertIn("1 evaluation waits for the device, which run 0123456789ab has had since", self.log())
            lock.unlink()
        status, body = server.ask("GET", f"{path}?wait_s=200")
        self.assertEqual((status, body["row"]["state"]), (200, "wrong_result"))


class KillTest(CheckedCase):
    def test_what_waits_goes_on_after_a_kill(self):
        server = self.serve()
        orders = [evaluation(NOT_COMPILED + f" // {i}") for i in range(6)]
        ids = []
        for order in orders:
            status, body = server.ask("POST", "/v1/evaluations", order)
            self.assertEqual(status, 202)
            ids.append(body["id"])
        server.end(signal.SIGKILL)
        server = self.serve()
        for name in ids:
            status, body = server.ask("GET", f"/v1/evaluations/{name}?wait_s=200")
            self.assertEqual((status, body["row"]["state"]), (200, "compile_error"))
        names = [row["submission"] for row in self.rows()]
        self.assertEqual(len(names), 6)
        self.assertEqual(len(set(names)), 6, "none was judged twice")
        self.assertEqual(server.end(), GOOD)

    def test_asked_to_end_it_finishes_what_it_measures(self):
        server = self.serve()
        _, first = server.ask("POST", "/v1/evaluations", evaluation(SLOW_TO_LOAD))
        own_processes.wait_for("kbench-worker", server.process.pid, seconds=120)
        self.assertEqual(server.ask("GET", f"/v1/evaluations/{first['id']}")[1]["state"], "running")
        # Somebody else's, so that it is none of the same run; and a client who waits for it.
        waiting = []
        client = threading.Thread(target=lambda: waiting.append(server.ask(
            "POST", "/v1/evaluations", evaluation(WRONG, wait_s=300), token=BOB)))
        with Events(server) as events:
            client.start()
            events.await_event("queued")
        server.process.send_signal(signal.SIGTERM)
        self.wait_until(lambda: server.ask("GET", "/health", token=None)[0] == 503, "the server drains",
                        server.process)
        self.assertEqual(server.ask("POST", "/v1/evaluations", evaluation(NOT_COMPILED))[0], 503)
        client.join()
        self.assertEqual(waiting[0][0], 202)
        self.assertEqual(server.ended(), GOOD, self.log())
        self.assertIn("1 wait for the next server", self.log())
        self.assertEqual([(row["agent"], row["state"]) for row in self.rows()], [("ann", "wrong_result")])
        server = self.serve()
        status, body = server.ask("GET", f"/v1/evaluations/{waiting[0][1]['id']}?wait_s=200")
        self.assertEqual((status, body["row"]["state"]), (200, "wrong_result"))

    def test_a_flood_is_told_to_come_again(self):
        server = self.serve()
        statuses = []
        while 429 not in statuses and len(statuses) < 2300:  # some are judged meanwhile
            orders = [evaluation(WRONG + f"// {len(statuses) + i}") for i in range(64)]
            _, answer = server.ask("POST", "/v1/batch", {"evaluations": orders})
            statuses += [one["status"] for one in answer["evaluations"]]
        taken = statuses.index(429)
        self.assertGreaterEqual(taken, 2048)
        self.assertEqual(set(statuses[:taken]), {202})
        status, answer = server.ask("POST", "/v1/evaluations", evaluation(WRONG + "// one more"))
        self.assertEqual(status, 429)
        self.assertGreater(answer["error"]["retry_after_s"], 1, "others were told to come before")
        status, _ = server.ask("POST", "/v1/evaluations", evaluation(WRONG), token=BOB)
        self.assertEqual(status, 202, "another token has a place of its own")
        server.end(signal.SIGKILL)


class ShapesTest(GateCase, MeasuringCase):
    """Each in its own format, of a row of its own. One server for all: it compares the task with its Python
    once."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        first = json.dumps(cls.server.ask("POST", "/v1/evaluations",
                                          evaluation(WRONG + "// first\n", wait_s=300))[1])
        if "the machine was busy" in first:
            cls.host.doCleanups()
            raise quiet.BusyMachine(f"{quiet.MARK} {cls.__name__}: {first}")

    def setUp(self):
        super().setUp()
        if self._testMethodName != "run_host":
            self.wrong = WRONG + f"// {self.id()}\n"
            self.answer = f"Think.\n```cpp\n{self.wrong}```\n"
            self.rows_before = len(self.host.rows())

    def assert_one_more_row(self):
        self.assertEqual(len(self.host.rows()), self.rows_before + 1)

    def test_openrlhf(self):
        body = {"query": ["Write it." + self.answer], "prompts": ["Write it."], "labels": [TASK]}
        status, reply = self.server.ask("POST", "/get_reward?reward=kernrl", body)
        self.assertEqual((status, reply["rewards"]), (200, [-.25]))
        self.assertEqual(reply["extra_logs"]["correct"], [0])
        # The client says in the address who it is.
        basic = "Basic " + base64.b64encode(f"x:{ANN}".encode()).decode()
        status, again = self.server.ask("POST", "/get_reward?reward=kernrl", body, token=None,
                                        headers={"Authorization": basic})
        self.assertEqual(again, reply)
        self.assert_one_more_row()

    def test_kernelgym(self):
        reference = (TINY / (TASK + ".py")).read_text(encoding="utf-8")
        body = {"task_id": "mine", "reference_code": reference, "kernel_code": self.wrong,
                "timeout": 200}
        status, reply = self.server.ask("POST", "/evaluate", body)
        self.assertEqual((status, reply["status"], reply["compiled"], reply["correctness"]),
                         (200, "completed", True, False), reply)
        self.assertEqual(self.server.ask("GET", "/status/mine")[1]["status"], "completed")
        self.assertEqual(self.server.ask("GET", "/results/mine")[1], reply)
        body["reference_code"] = "class Model: pass"
        self.assertEqual(self.server.ask("POST", "/evaluate", body)[0], 422)
        self.assert_one_more_row()

    def test_openenv(self):
        with WebSocket(self.server, ANN) as socket:
            reset = socket.ask({"type": "reset",
                                "data": {"problem_id": "L1_19_relu", "max_turns": 2}})
            self.assertEqual(reset["type"], "observation")
            self.assertIn("class Model", reset["data"]["observation"]["reference_code"])
            def judged():
                step = socket.ask({"type": "step", "data": {"code": self.wrong}})
                return None if "still measuring" in step["data"]["observation"]["feedback"] else step
            step = self.wait_until(judged, "a step was judged", self.server.process, seconds=300)
            self.assertEqual((step["data"]["reward"], step["data"]["done"]), (-.25, False))
            self.assertEqual(socket.ask({"type": "state"})["data"]["step_count"], 1)
            listed = socket.ask({"type": "mcp", "data": {"jsonrpc": "2.0", "id": 1,
                                                         "method": "tools/list"}})
            self.assertGreater(len(listed["data"]["result"]["tools"]), 5)
            self.assertEqual(socket.ask({"type": "what"})["data"]["code"], "UNKNOWN_TYPE")
        self.assert_one_more_row()

    def test_python_clients(self):
        script = f"""
import sys
sys.path.insert(0, {str(CLIENT.parent)!r})
import kbench_reward
answer = {self.answer!r}
print(kbench_reward.compute_score("x", answer, {TASK!r}))
print(kbench_reward.reward(["p"] * 3, [answer, [{{"role": "assistant", "content": answer}}], "none"],
                           task=[{TASK!r}] * 3))
try:
    kbench_reward.compute_score("x", answer, "level1/000_none")
except kbench_reward.NoReward as why:
    print("no reward:", why)
"""
        result = subprocess.run(
            [sys.executable, "-B", "-c", script], capture_output=True, text=True, timeout=300,
            env={**os.environ, "KBENCH_URL": self.server.url, "KBENCH_REWARD": "kernrl",
                 "KBENCH_TOKEN_FILE": str(self.host.folder / "tokens")}, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.splitlines(),
                         ["-0.25", "[-0.25, -0.25, -0.5]",
                          "no reward: there is no task level1/000_none"])
        self.assert_one_more_row()


class WebSocket:
    """As much of RFC 6455 as a client of tests needs."""

    def __init__(self, server, token):
        self.connection = server.raw(timeout=120)
        self.connection.sendall(
            b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
            b"Authorization: Bearer " + token.encode() + b"\r\n\r\n")
        self.input = self.connection.makefile("rb")
        assert b"101" in self.input.readline()
        while self.input.readline().strip():
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.send(b'{"type": "close"}')
        self.input.close()
        self.connection.close()

    def send(self, text):
        length = struct.pack("!B", 0x80 | len(text)) if len(text) < 126 else (
            struct.pack("!BH", 0x80 | 126, len(text)) if len(text) < 65536 else
            struct.pack("!BQ", 0x80 | 127, len(text)))
        mask = b"\x01\x02\x03\x04"
        self.connection.sendall(b"\x81" + length + mask +
                                bytes(c ^ mask[i % 4] for i, c in enumerate(text)))

    def ask(self, message):
        self.send(json.dumps(message).encode())
        answer = b""
        while True:
            first, second = self.input.read(2)
            size = second & 127
            if size == 126:
                size, = struct.unpack("!H", self.input.read(2))
            elif size == 127:
                size, = struct.unpack("!Q", self.input.read(8))
            payload = self.input.read(size)
            if first & 15 in (0, 1):  # of text: its first frame, or one that continues it
                answer += payload
                if first & 0x80:
                    return json.loads(answer)


class McpTest(Prepared, CheckedCase):
    """An episode by the tools alone, in both eras, over both transports. What is asked over the second
    transport goes on from the database of the first."""

    def prepare(self):
        server = self.serve()

        def send(message, headers):
            return server.ask("POST", "/mcp", message, headers=headers)[1]
        for stateless in (True, False):
            self.episode(self.caller(send, stateless))
        self.assertEqual(server.end(), GOOD, self.log())

    def episode(self, call):
        """`call(tool, arguments)` returns what the tool does, and whether it is an error."""
        tasks, _ = call("list_tasks", {"pattern": "level1/019*"})
        self.assertEqual(tasks["tasks"][0]["task"], TASK)
        opened, _ = call("open_workspace", {"task": TASK, "size": "small"})
        work = {"workspace": opened["workspace"]}
        self.assertIn("kbench_forward", call("read", {**work, "path": "TASK.md"})[0]["text"])
        self.assertTrue(call("read", {**work, "path": "../workspace.json"})[1])
        self.assertTrue(call("write", {**work, "path": "TASK.md", "text": "x"})[1])
        self.assertTrue(call("compile", work)[1], "there is nothing yet")
        call("write", {**work, "path": "kernels/relu.cpp", "text": RELU})
        listed, _ = call("glob", {**work, "pattern": "kernels/*"})
        self.assertEqual([file["path"] for file in listed["files"]], ["kernels/relu.cpp"])
        self.assertEqual(call("compile", work)[0]["state"], "ok")
        call("edit", {**work, "path": "kernels/relu.cpp", "old": "in->x[i] < 0 ? 0",
                      "new": "i % 1000 == 7 ? 1"})
        self.assertEqual(call("verify", work)[0]["state"], "wrong_result")
        submitted, _ = call("submit", {**work, "reward": "kernrl"})
        self.assertEqual(submitted["row"]["reward"], {"name": "kernrl", "value": -.25,
                                                      "capped": False, "reason": None})
        again, _ = call("submit", {**work, "reward": "kernrl"})
        self.assertEqual(again, submitted)
        self.assertTrue(call("read", {"workspace": "0" * 32, "path": "TASK.md"})[1])

    def caller(self, send, stateless):
        """`send(message, headers)` returns the answer to a JSON-RPC message."""
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}

        def request(method, params):
            if stateless:
                params = {**params, "_meta": meta}
            headers = {"MCP-Protocol-Version": "2026-07-28" if stateless else "2025-11-25"}
            if stateless:
                headers.update({"Mcp-Method": method, "Mcp-Name": params.get("name", "")})
            answer = send({"jsonrpc": "2.0", "id": method, "method": method, "params": params},
                          headers)
            self.assertEqual(answer["id"], method)
            return answer["result"]

        if stateless:
            self.assertEqual(request("server/discover", {})["supportedVersions"], ["2026-07-28"])
        else:
            opened = request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                            "clientInfo": {"name": "test", "version": "1"}})
            self.assertEqual(opened["protocolVersion"], "2025-11-25")
            self.assertIsNone(send({"jsonrpc": "2.0", "method": "notifications/initialized"}, {}))

        def ask(tool, arguments):
            result = request("tools/call", {"name": tool, "arguments": arguments})
            value = json.loads(result["content"][0]["text"])
            waits = value.get("state") in ("queued", "running")
            return None if waits else (value, result["isError"])

        def call(tool, arguments):
            return self.wait_until(lambda: ask(tool, arguments), f"an answer of {tool}", seconds=300)
        return call

    def test_over_http_the_same_files_were_measured_once(self):
        self.assertEqual(len(self.rows()), 1)

    def test_on_standard_streams(self):
        environment = {k: v for k, v in os.environ.items() if k not in cli_case.FOREIGN}
        environment.update({"HOME": str(self.folder), "KBENCH_CACHE": str(cli_case.CACHE)})
        for stateless in (True, False):
            with self.subTest(stateless=stateless), open(self.folder / "stderr", "wb") as errors:
                process = subprocess.Popen(
                    [str(KBENCH), "mcp", "--device", "cpu", "--suite", str(TINY)],
                    cwd=self.folder, env=environment, stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=errors, text=True)

                def send(message, _headers, process=process):
                    process.stdin.write(json.dumps(message) + "\n")
                    process.stdin.flush()
                    return json.loads(process.stdout.readline()) if "id" in message else None
                self.episode(self.caller(send, stateless))
                process.stdin.write("{\n")
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["error"]["code"], -32700)
                process.stdin.close()
                self.assertEqual(process.wait(60), GOOD)
                self.assertEqual(process.stdout.read(), "")
                process.stdout.close()

    def test_what_was_read_before_the_end_of_input_is_answered(self):
        opened = {"method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                     "clientInfo": {"name": "test", "version": "1"}}}
        asked = {"method": "tools/call", "params": {"name": "list_tasks", "arguments": {}}}
        messages = [{"jsonrpc": "2.0", "id": number} | (asked if number else opened) for number in range(9)]
        messages.insert(1, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        result = subprocess.run(
            [str(KBENCH), "mcp", "--device", "cpu", "--suite", str(TINY)], cwd=self.folder,
            env=os.environ | {"HOME": str(self.folder), "KBENCH_CACHE": str(cli_case.CACHE)},
            input="".join(json.dumps(message) + "\n" for message in messages), capture_output=True, text=True,
            timeout=120, check=False)
        answers = {answer["id"]: answer for answer in map(json.loads, result.stdout.splitlines())}
        self.assertEqual(set(answers), set(range(9)), result.stderr)
        for number in range(1, 9):
            self.assertFalse(answers[number]["result"]["isError"], answers[number])

    def test_the_tools_are_printed(self):
        tools = json.loads(self.kbench("mcp", "--print", "mcp").stdout)
        functions = json.loads(self.kbench("mcp", "--print", "openai").stdout)
        self.assertEqual([tool["name"] for tool in tools],
                         [one["function"]["name"] for one in functions])
        for tool, one in zip(tools, functions):
            self.assertEqual(tool["inputSchema"], one["function"]["parameters"])


if __name__ == "__main__":
    cli_case.main()
