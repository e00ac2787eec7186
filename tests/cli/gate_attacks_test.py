"""kbench serve: attacks on its gate and on the workspaces behind it, each a test; all are refused, and the
next one finds the server well. Nothing is measured here. More is in serve_limits_test.py.
"""

import concurrent.futures
import contextlib
import json
import os
import threading
import time

import cli_case
from serve_case import ANN, BOB, EVE, TASK, TOKENS, GateCase, evaluation
from serve_test import WebSocket
from workspace_test import RELU

DAN = "d" * 64
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}
SECRET = "this is what nobody may read"


class AttackCase(GateCase):
    @classmethod
    def start(cls, host, *words):
        (host.folder / "tokens").write_text(f"{TOKENS}dan workspace {DAN}\n", encoding="ascii")
        (host.folder / "secret").write_text(SECRET + "\n", encoding="ascii")
        return host.serve(*words, KBENCH_TORCH=str(host.folder))

    def tearDown(self):
        super().tearDown()
        if self._testMethodName != "run_host":
            self.assertNotIn("another one is started", self.host.log())

    def answer_to(self, data, timeout=30):
        """The answer to these bytes until the connection is closed, by whomever."""
        with self.server.raw(timeout) as connection, contextlib.suppress(ConnectionError):
            connection.sendall(data)
            answer = b""
            while part := connection.recv(65536):
                answer += part
            return answer
        return b""

    def head(self, method, path, *lines, token=ANN):
        return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost",
                            f"Authorization: Bearer {token}", *lines, "", ""]).encode()


class WorkspaceAttackTest(AttackCase):
    """By an agent with tools, or by what else it may do to the folder that they work on."""

    def tool(self, name, token=ANN, **arguments):
        """A function that calls a tool; it returns the tool's answer and whether the tool refuses."""
        def call():
            status, answer = self.ask(
                "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                    "name": name, "arguments": arguments, "_meta": META}}, token=token,
                headers={"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
                         "Mcp-Name": name})
            self.assertEqual(status, 200, answer)
            value = json.loads(answer["result"]["content"][0]["text"])
            waits = value.get("state") in ("queued", "running")
            return None if waits else (value, answer["result"]["isError"])
        return self.wait_until(call, f"an answer of the tool {name}", self.server.process, seconds=300)

    def refused(self, name, *words, **arguments):
        value, refused = self.tool(name, **arguments)
        self.assertTrue(refused, value)
        text = json.dumps(value)
        self.assertNotIn(SECRET, text)
        for word in words:
            self.assertIn(word, text)

    def setUp(self):
        super().setUp()
        if self._testMethodName == "run_host":
            return
        opened, _ = self.tool("open_workspace", task=TASK, size="small")
        self.work = opened["workspace"]
        [self.kernels] = self.host.folder.glob(
            f".local/state/kbench/workspaces/ann-{self.work}/kernels")
        self.secret = self.host.folder / "secret"

    def test_a_link_to_a_secret_is_no_kernel(self):
        self.tool("write", workspace=self.work, path="kernels/main.cpp", text=RELU)
        (self.kernels / "secret.hpp").symlink_to(self.secret)
        for tool in ("compile", "verify", "submit"):
            self.refused(tool, "is a link", workspace=self.work)

    def test_a_link_in_the_place_of_the_folder(self):
        self.kernels.rmdir()
        self.kernels.symlink_to(self.host.folder)
        self.refused("compile", workspace=self.work)
        self.refused("read", "is a link", workspace=self.work, path="kernels/secret")
        self.refused("write", "is a link", workspace=self.work, path="kernels/new.cpp", text="x")
        self.assertFalse((self.host.folder / "new.cpp").exists())

    def test_another_name_of_a_secret(self):
        os.link(self.secret, self.kernels / "main.cpp")
        self.refused("compile", "hard link", workspace=self.work)
        (self.kernels / "main.cpp").unlink()

    def test_a_pipe_that_nobody_writes_to(self):
        os.mkfifo(self.kernels / "main.cpp")
        self.refused("compile", "is no file", workspace=self.work)
        self.refused("read", workspace=self.work, path="kernels/main.cpp")

    def test_a_link_is_not_read(self):
        (self.kernels / "main.cpp").symlink_to(self.secret)
        self.refused("read", workspace=self.work, path="kernels/main.cpp")
        found, _ = self.tool("grep", workspace=self.work, text="nobody may read")
        self.assertNotIn(SECRET, json.dumps(found))

    def test_a_link_is_not_written_through(self):
        victim = self.host.folder / "victim"
        victim.write_text("mine", encoding="ascii")
        (self.kernels / "main.cpp").symlink_to(victim)
        self.tool("write", workspace=self.work, path="kernels/main.cpp", text="theirs")
        self.tool("edit", workspace=self.work, path="kernels/main.cpp", old="mine", new="theirs")
        self.assertEqual(victim.read_text(encoding="ascii"), "mine")

    def test_paths_that_leave_the_workspace(self):
        for path in ("../../../../../secret", str(self.secret), "kernels/../../workspace.json",
                     "/etc/passwd", "kernels//../../../secret", ""):
            self.refused("read", workspace=self.work, path=path)

    def test_what_is_not_the_agents_is_not_written(self):
        for path in ("TASK.md", "../evil", "workspace.json", str(self.host.folder / "evil"),
                     "kernels/../TASK.md", "kernels/.hidden/../../../evil"):
            self.refused("write", workspace=self.work, path=path, text="x")
        self.assertEqual(list(self.host.folder.rglob("evil")), [])

    def test_a_workspace_of_somebody_else(self):
        for handle in (self.work, "../ann-" + self.work, self.work + "/../ann-" + self.work,
                       "-" + self.work, "*"):
            value, refused = self.tool("read", token=DAN, workspace=handle, path="TASK.md")
            self.assertTrue(refused, value)

    def test_a_kernel_that_is_swapped_while_it_is_compiled(self):
        """The judge judges a copy: its tree is that of the text that was compiled, whatever lies there
        meanwhile; and a link in its place is never followed."""
        texts = {name: f"#error this is {name}\n" for name in ("first", "second")}
        trees = {}
        for name, text in texts.items():
            self.tool("write", workspace=self.work, path="kernels/main.cpp", text=text)
            done, _ = self.tool("compile", workspace=self.work)
            self.assertIn(f"this is {name}", done["message"])
            trees[done["tree"]] = name
        stop = threading.Event()

        def swap():
            beside = self.kernels.parent / "beside"
            while not stop.is_set():
                for text in (*texts.values(), None):
                    if text is None:
                        beside.symlink_to(self.secret)
                    else:
                        beside.write_text(text, encoding="ascii")
                    beside.rename(self.kernels / "main.cpp")
        swapper = threading.Thread(target=swap)
        swapper.start()
        try:
            answers = [self.tool("compile", workspace=self.work) for _ in range(40)]
        finally:
            stop.set()
            swapper.join()
        for value, refused in answers:
            self.assertNotIn(SECRET, json.dumps(value))
            if refused:
                # A hard link: one of its names, or the only one, was taken while it was looked at.
                self.assertRegex(json.dumps(value), "is a link|is a hard link|cannot be read")
            else:
                self.assertIn(f"this is {trees[value['tree']]}", value["message"])

    def test_a_kernel_that_includes_a_secret(self):
        for line in (f'#include "{self.secret}"', f'asm(".incbin \\"{self.secret}\\"");',
                     f'#include "{self.host.folder / "tokens"}"', '#include "/etc/passwd"'):
            self.tool("write", workspace=self.work, path="kernels/main.cpp",
                      text=f"{RELU}\n{line}\n")
            value, _ = self.tool("compile", workspace=self.work)
            self.assertEqual(value["state"], "compile_error", value)
            self.assertNotIn(SECRET, json.dumps(value))
            self.assertNotIn(ANN, json.dumps(value))

    def test_a_pattern_that_takes_for_ever(self):
        listed, refused = self.tool("list_tasks", pattern="*e" * 2000 + "!")
        self.assertFalse(refused)
        self.assertEqual(listed["tasks"], [])
        self.tool("glob", workspace=self.work, pattern="*[a-z]" * 1000 + "!")


class GateAttackTest(AttackCase):
    """By whoever reaches its port."""

    # --- as somebody else ---

    def test_a_page_of_another_origin(self):
        for origin in ("https://evil.example", "null", "http://localhost.evil.example",
                       "http://127.0.0.1@evil.example", "file://"):
            self.assertEqual(self.ask("POST", "/v1/evaluations", evaluation(),
                                      headers={"Origin": origin})[0], 403, origin)

    def test_a_name_that_leads_here(self):
        for host in ("evil.example", f"evil.example:{self.server.port}", "localhost.evil.example",
                     "127.0.0.1.evil.example", "localhost:80@evil.example", ""):
            self.assertEqual(self.ask("GET", "/health", headers={"Host": host})[0], 403, host)

    def test_two_names(self):
        answer = self.answer_to(b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n"
                                b"Connection: close\r\n\r\n")
        self.assertIn(b"403", answer.splitlines()[0])

    def test_two_tokens(self):
        answer = self.answer_to(self.head("GET", "/state", f"Authorization: Bearer {EVE}",
                                          "Connection: close"))
        self.assertIn(b"401", answer.splitlines()[0])

    def test_tokens_that_are_none(self):
        for token in ("c" * 64, ANN[1:], ANN + "a", ANN.upper(), "a" * 8000, "ann", "\t"):
            self.assertEqual(self.ask("POST", "/mcp", {}, token=token)[0], 401, token)

    def test_more_than_a_token_allows(self):
        self.assertEqual(self.ask("POST", "/mcp", {}, token=BOB)[0], 403)
        self.assertEqual(self.ask("POST", "/reset", {}, token=EVE)[0], 403)
        with WebSocket(self.server, BOB) as connection:
            said = connection.ask({"type": "mcp", "data": {"jsonrpc": "2.0", "id": 1,
                                                           "method": "tools/list"}})
            self.assertIn("allows no tools", said["data"]["message"])

    def upgrade(self, *lines):
        return self.head("GET", "/ws", "Upgrade: websocket", "Connection: Upgrade",
                         "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
                         "Sec-WebSocket-Version: 13", *lines)

    def test_a_socket_of_another_origin(self):
        answer = self.answer_to(self.upgrade("Origin: https://evil.example"))
        self.assertIn(b"403", answer.splitlines()[0])

    # --- too much of something ---

    def test_a_depth_bomb(self):
        for body in ("[" * 1_000_000, '{"a":' * 300_000, '{"files": ' + "[" * 40 + "]" * 40 + "}"):
            self.assertEqual(self.ask("POST", "/v1/evaluations", body)[0], 400)
        with WebSocket(self.server, ANN) as connection:
            connection.send(b"[" * 60_000)
            self.assertEqual(connection.ask({"type": "state"})["data"]["code"], "INVALID_JSON")

    def test_a_body_of_a_terabyte(self):
        answer = self.answer_to(self.head("POST", "/v1/evaluations",
                                          "Content-Type: application/json",
                                          f"Content-Length: {1 << 40}"))
        self.assertIn(b"413", answer.splitlines()[0])

    def test_chunks_without_end(self):
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        answer = self.answer_to(self.head("POST", "/v1/evaluations",
                                          "Content-Type: application/json",
                                          "Transfer-Encoding: chunked") + chunk * 40)
        self.assertTrue(answer == b"" or b" 413 " in answer.splitlines()[0], answer[:200])

    def test_a_request_within_a_request(self):
        """Length and chunks at once: what one reader takes for a body is a request to another."""
        inner = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for lines in (("Content-Length: 4", "Transfer-Encoding: chunked"),
                      ("Content-Length: 4", f"Content-Length: {len(inner)}"),
                      ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
                      ("Content-Length: -1",), ("Content-Length: 4,4",), ("Content-Length: 0x4",)):
            answer = self.answer_to(self.head("POST", "/v1/evaluations",
                                              "Content-Type: application/json", "Connection: close",
                                              *lines) + b"0\r\n\r\n" + inner)
            self.assertNotIn(b"openapi", answer, lines)
            self.assertLessEqual(answer.count(b"HTTP/1.1 "), 1, lines)

    def test_headers_without_end(self):
        headers = b"".join(b"X-%d: %s\r\n" % (i, b"x" * 100) for i in range(400))
        answer = self.answer_to(b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + headers + b"\r\n")
        self.assertIn(b"431", answer.splitlines()[0])
        answer = self.answer_to(b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n")
        self.assertTrue(answer == b"" or b"431" in answer.splitlines()[0], answer[:200])

    def frames(self, data):
        """The answer of a socket to these frames until it closes, or says that it does."""
        with self.server.raw() as connection:
            connection.sendall(self.upgrade())
            answer = b""
            while not answer.endswith(b"\r\n\r\n"):
                answer += connection.recv(1)
            self.assertIn(b"101", answer.splitlines()[0])
            answer = b""
            with contextlib.suppress(ConnectionError):
                connection.sendall(data)
                while not answer.startswith(b"\x88"):
                    part = connection.recv(1000)
                    if not part:
                        break
                    answer += part
        return answer

    def test_a_frame_of_four_exabytes(self):
        for header in (b"\x81\xff\x40" + b"\x00" * 7, b"\x81\xff" + b"\xff" * 8):
            self.assertRegex(self.frames(header + b"\x00" * 4 + b"x" * 1000), b"^(\x88|$)")

    def test_fragments_without_end(self):
        part = b"\xfe\xff\xff" + b"\x00" * 4 + b" " * 65535
        self.assertRegex(self.frames(b"\x01" + part + (b"\x00" + part) * 40), b"^(\x88|$)")

    def test_a_frame_without_a_mask(self):
        self.assertRegex(self.frames(b'\x81\x11{"type": "state"}'), b"^(\x88|$)")

    def test_all_places_of_a_token(self):
        """A client that takes all places of its token takes none of another's."""
        with contextlib.ExitStack() as stack:
            streams = []
            for _ in range(70):
                connection = stack.enter_context(self.server.raw())
                connection.sendall(self.head("GET", "/v1/events", token=EVE))
                streams.append(connection.recv(1000).split(b"\r\n")[0])
            self.assertEqual(sum(b"200" in line for line in streams), 64)
            self.assertEqual({line for line in streams if b"200" not in line},
                             {b"HTTP/1.1 429 Too Many Requests"})
            self.assertEqual(self.ask("GET", "/state")[0], 200)

    # --- what is written into something ---

    def test_names_that_leave_their_folder(self):
        for name in ("../a.cpp", "/etc/cron.d/a.cpp", "a/../../b.cpp", "a\\..\\b.cpp", "-o.cpp",
                     "a\0.cpp", ".a.cpp", "a b.cpp", "@a.cpp", "include/../a.cpp"):
            status, body = self.ask("POST", "/v1/evaluations",
                                    {"task": TASK, "files": {name: RELU}})
            self.assertEqual((status, body["error"]["fault"]), (422, "submission"), name)
        for task in ("../../etc/passwd", "/etc/passwd", "level1/../level1/019_relu", "\0"):
            self.assertEqual(self.ask("POST", "/v1/evaluations", evaluation(task=task))[0], 422)
        for path in ("/v1/evaluations/..%2f..%2ftokens", "/v1/evaluations/%00", "/..%2ftokens",
                     "/v1/evaluations/%zz"):
            self.assertIn(self.ask("GET", path)[0], (400, 404), path)

    def test_words_that_steer_a_terminal(self):
        status, body = self.ask("POST", "/v1/evaluations",
                                {"task": "\x1b[31mred\u202e", "files": {"\x1b]0;x\x07.cpp": "x"}})
        self.assertEqual(status, 422)
        text = json.dumps(body, ensure_ascii=False) + self.host.log()
        for control in ("\x1b", "\x07", "\u202e"):
            self.assertNotIn(control, text)


class SlowAttackTest(AttackCase):
    """By whoever has time: on a server that gives a client less of it than by default."""

    SECONDS = {"--header-timeout": 1, "--body-timeout": 2}

    @classmethod
    def start(cls, host):
        return super().start(host, *(str(word) for option in cls.SECONDS.items() for word in option))

    def drip(self, first, drop):
        """Sends a byte or two now and then, for as long as it is listened to; whether that had an end."""
        deadline = time.monotonic() + 60
        with self.server.raw(timeout=0.1) as connection, contextlib.suppress(ConnectionError):
            connection.sendall(first)
            while time.monotonic() < deadline:
                connection.sendall(drop)
                with contextlib.suppress(TimeoutError):
                    if connection.recv(1000) == b"":
                        return True
            return False
        return True

    def test_slow_headers_and_a_slow_body(self):
        """Both at once, many of them; and others are served meanwhile."""
        body = self.head("POST", "/v1/evaluations", "Content-Type: application/json",
                         "Content-Length: 100000")
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            headers = [pool.submit(self.drip, b"GET /health HTTP/1.1\r\n", b"X: y\r\n")
                       for _ in range(20)]
            bodies = [pool.submit(self.drip, body, b" ") for _ in range(20)]
            for _ in range(5):
                self.assertEqual(self.ask("GET", "/health", token=None)[0], 200)
            for one in headers + bodies:
                self.assertTrue(one.result(), "it was listened to for ever")


class CountTest(cli_case.CliCase):
    def test_there_are_twenty_five_at_least(self):
        attacks = [name for case in (WorkspaceAttackTest, GateAttackTest, SlowAttackTest)
                   for name in vars(case) if name.startswith("test_")]
        self.assertGreaterEqual(len(attacks), 25)


if __name__ == "__main__":
    cli_case.main()
