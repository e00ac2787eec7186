"""kbench serve: who may ask, what is refused, and who harms whom. Nothing is measured here."""

import base64
import http.client
import json
import os
import pathlib
import signal
import stat
import subprocess

import cli_case
import own_processes
from cli_case import GOOD, KBENCH, USAGE
from serve_case import ANN, BOB, EVE, GateCase, ServeCase, evaluation


class StartTest(ServeCase):
    def test_an_address_that_others_reach_is_refused(self):
        for address in ("0.0.0.0", "::", "192.0.2.1"):
            result = self.kbench("serve", "--bind", address, "--tokens", "tokens", "--device",
                                 "cpu")
            self.assert_fails(result, USAGE, "TLS", "proxy")
        self.assert_fails(self.kbench("serve", "--bind", "localhost", "--device", "cpu"), USAGE,
                          "is no address")

    def test_a_named_file_of_tokens_is_there(self):
        (self.folder / "tokens").unlink()
        self.assert_fails(self.kbench("serve", "--tokens", "tokens", "--device", "cpu"), USAGE,
                          "tokens")

    def test_a_file_of_tokens_that_others_may_read_is_refused(self):
        (self.folder / "tokens").chmod(0o644)
        self.assert_fails(self.kbench("serve", "--tokens", "tokens", "--device", "cpu"), USAGE,
                          "may be read by others")

    def test_a_database_has_one_server(self):
        self.serve()
        result = self.kbench("serve", "--port", "0", "--tokens", "tokens", "--device", "cpu",
                             "--trust-estimates")
        self.assert_fails(result, USAGE, "another `kbench serve`")
        other = self.kbench("serve", "--port", "0", "--tokens", "nowhere", "--db", "other.sqlite",
                            "--device", "cpu", "--trust-estimates")
        self.assert_fails(other, USAGE, "nowhere")

    def test_time_limits_are_some_seconds(self):
        for option in ("--header-timeout", "--body-timeout"):
            for value in ("0", "-1", "x", "3601"):
                result = self.kbench("serve", "--tokens", "tokens", "--device", "cpu", option, value)
                self.assert_fails(result, USAGE, option)

    def test_a_port_that_is_taken_is_said_so(self):
        server = self.serve()
        result = self.kbench("serve", "--port", server.port, "--tokens", "tokens", "--db",
                             "other.sqlite", "--device", "cpu", "--trust-estimates")
        self.assert_fails(result, USAGE, "cannot listen", "--port")

    def test_it_ends_when_asked_to(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.serve()
            self.assertEqual(server.end(number), GOOD, self.log())
        self.assertIn("0 judged", self.log())
        self.assertNotIn(ANN, self.log())


class UsualTokensTest(ServeCase):
    def test_the_usual_file_is_made(self):
        # Without --tokens: the folder of the state.
        environment = {k: v for k, v in os.environ.items() if k not in cli_case.FOREIGN}
        environment["HOME"] = str(self.folder)
        with open(self.folder / "stderr", "wb") as errors:
            process = subprocess.Popen(
                [str(KBENCH), "serve", "--port", "0", "--device", "cpu", "--trust-estimates"],
                cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
            self.assertTrue(process.stdout.readline().startswith(b"http://127.0.0.1:"))
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(60), GOOD)
            process.stdout.close()
        tokens = self.folder / ".local/state/kbench/serve/tokens"
        self.assertEqual(stat.S_IMODE(tokens.stat().st_mode), 0o600)
        self.assertRegex(tokens.read_text(), r"(?m)^default read,evaluate,workspace [0-9a-f]{64}$")


class GateTest(GateCase):
    @classmethod
    def start(cls, host):
        return host.serve("--host", "judge.example.org")

    def lines(self, data, timeout=30):
        """The answer to these bytes until the connection is closed."""
        with self.server.raw(timeout) as connection:
            connection.sendall(data)
            answer = b""
            while part := connection.recv(65536):
                answer += part
        return answer

    # --- who may ask ---

    def test_without_a_token_nothing_is_told(self):
        for token in (None, "c" * 64, ANN[1:], ANN + "a", "", "x"):
            status, body = self.ask("POST", "/v1/evaluations", evaluation(), token=token)
            self.assertEqual(status, 401, token)
            self.assertIn("token", body["error"]["message"])

    def test_a_token_may_be_a_password(self):
        basic = base64.b64encode(f"kbench:{ANN}".encode()).decode()
        status, _ = self.ask("GET", "/v1/evaluations/" + "0" * 64, token=None,
                             headers={"Authorization": f"Basic {basic}"})
        self.assertEqual(status, 404)

    def test_tokens_have_scopes(self):
        self.assertEqual(self.ask("POST", "/v1/evaluations", evaluation(), token=EVE)[0], 403)
        self.assertEqual(self.ask("GET", "/v1/evaluations/" + "0" * 64, token=EVE)[0], 404)
        self.assertEqual(self.ask("GET", "/v1/evaluations/" + "0" * 64, token=BOB)[0], 403)
        self.assertEqual(self.ask("POST", "/mcp", {}, token=BOB)[0], 403)

    def test_foreign_hosts_and_origins_are_refused(self):
        for headers in ({"Host": "evil.example"}, {"Host": f"evil.example:{self.server.port}"},
                        {"Origin": "https://evil.example"}, {"Origin": "null"}):
            self.assertEqual(self.ask("GET", "/health", headers=headers)[0], 403, headers)
        for headers in ({"Host": "judge.example.org"}, {"Origin": "http://localhost:3000"}):
            self.assertEqual(self.ask("GET", "/health", headers=headers)[0], 200, headers)
        answer = self.lines(b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n"
                            b"Connection: close\r\n\r\n")
        self.assertIn(b"403", answer.splitlines()[0])

    # --- what is malformed ---

    def test_bodies(self):
        url = "/v1/evaluations"
        self.assertEqual(self.ask("POST", url, "[" * 100_000)[0], 400)
        self.assertEqual(self.ask("POST", url, '{"files": ' + "[" * 40 + "]" * 40 + "}")[0], 400)
        self.assertEqual(self.ask("POST", url, "{")[0], 400)
        self.assertEqual(self.ask("POST", url, b"\xff\xfe")[0], 400)
        self.assertEqual(self.ask("POST", url, '{"task": 1, "task": 2}')[0], 400)
        plain = {"Content-Type": "text/plain"}
        self.assertEqual(self.ask("POST", url, "{}", headers=plain)[0], 415)
        self.assertEqual(self.ask("POST", url, " " * (2 << 20) + "{}")[0], 413)

    def test_the_largest_body_is_read(self):
        files = {f"f{i}.hpp": " " * 30_000 for i in range(60)}
        status, body = self.ask("POST", "/v1/evaluations", {"task": "level1/019_relu",
                                                            "files": files})
        self.assertEqual(status, 422)
        self.assertEqual(body["error"]["fault"], "submission")
        self.assertIn("1024 KiB", body["error"]["message"])

    def test_submissions_that_cannot_be(self):
        for files, words in (({"../a.cpp": "x"}, "is not allowed"),
                             ({"-o.cpp": "x"}, "is not allowed"),
                             ({"a.txt": "x"}, "no file is"), ({"a.cu": "x"}, "for cuda"),
                             ({f"f{i}.hpp": "" for i in range(65)}, "more than 64 files")):
            status, body = self.ask("POST", "/v1/evaluations",
                                    {"task": "level1/019_relu", "files": files})
            self.assertEqual((status, body["error"]["fault"]), (422, "submission"), body)
            self.assertIn(words, body["error"]["message"])

    def test_orders_that_make_no_sense(self):
        for order, words in ((evaluation(task="level1/019_rleu"), "no task"),
                             (evaluation(device="cuda"), "judges on cpu"),
                             (evaluation(size="full", task="../../x"), "no task")):
            status, body = self.ask("POST", "/v1/evaluations", order)
            self.assertEqual((status, body["error"]["fault"]), (422, "client"), body)
            self.assertIn(words, body["error"]["message"])
        status, body = self.ask("POST", "/v1/evaluations", evaluation(task="level1/019_rleu"))
        self.assertIn("019_relu", body["error"]["hint"])
        self.assertEqual(self.ask("POST", "/v1/evaluations", evaluation(reward="much"))[0], 400)

    def test_an_episode_that_names_no_problem_is_of_any_task(self):
        for body in (None, {}, {"problem_id": None}):
            untyped = {"Content-Type": ""} if body is None else {}
            status, answer = self.ask("POST", "/reset", body, headers=untyped)
            self.assertEqual(status, 200, answer)
            self.assertRegex(answer["observation"]["problem_id"], r"^level[1-4]/\d{3}_")

    def test_half_of_a_pair_of_surrogates_is_a_character(self):
        body = '{"query": ["\\ud83d none"], "labels": ["level1/019_relu"]}'
        self.assertEqual(self.ask("POST", "/get_reward", body)[1]["rewards"], [-1.0])
        self.assertEqual(self.ask("POST", "/get_reward", body.replace("\\ud83d", "\ud83d").encode(
            "utf-8", "surrogatepass"))[1]["rewards"], [-1.0])

    def test_what_a_client_writes_steers_no_terminal(self):
        status, body = self.ask("POST", "/v1/evaluations",
                                {"task": "\x1b[31mred", "files": {"\x1b]0;x\x07.cpp": "x"}})
        self.assertEqual(status, 422)
        self.assertNotIn("\x1b", json.dumps(body, ensure_ascii=False))
        self.assertNotIn("\x1b", self.host.log())

    # --- what is not HTTP, or too much of it ---

    def test_what_is_no_request_is_answered_or_dropped(self):
        self.assertIn(b"400", self.lines(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n").splitlines()[0])
        self.assertIn(b"400", self.lines(b"GET /health\r\n\r\n").splitlines()[0])
        headers = b"".join(b"X-%d: %s\r\n" % (i, b"x" * 100) for i in range(400))
        answer = self.lines(b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + headers + b"\r\n")
        self.assertIn(b"431", answer.splitlines()[0])

    def test_a_flood_of_connections_leaves_room_for_others_later(self):
        connections = []
        try:
            for _ in range(600):
                connections.append(self.server.raw())
        finally:
            for connection in connections:
                connection.close()

    def test_several_requests_on_one_connection(self):
        request = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        last = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        self.assertEqual(self.lines(request * 5 + last).count(b"200 OK"), 6)

    def test_a_client_that_wants_to_be_asked_for_its_body(self):
        body = b"{}"
        with self.server.raw() as connection:
            connection.sendall(b"POST /v1/evaluations HTTP/1.1\r\nHost: localhost\r\n"
                               b"Authorization: Bearer " + ANN.encode() + b"\r\n"
                               b"Content-Type: application/json\r\nContent-Length: 2\r\n"
                               b"Expect: 100-continue\r\nConnection: close\r\n\r\n")
            self.assertIn(b"100 Continue", connection.recv(1000))
            connection.sendall(body)
            self.assertIn(b"400", connection.recv(10_000).splitlines()[0])

    def test_a_client_that_goes_away_harms_nobody(self):
        for _ in range(20):
            with self.server.raw() as connection:
                connection.sendall(b"POST /v1/evaluations HTTP/1.1\r\nHost: localhost\r\n"
                                   b"Authorization: Bearer " + ANN.encode() + b"\r\n"
                                   b"Content-Type: application/json\r\n"
                                   b"Content-Length: 100\r\n\r\n{")

    # --- the rest ---

    def test_the_document_is_served(self):
        status, document = self.ask("GET", "/openapi.json", token=None)
        self.assertEqual(status, 200)
        self.assertEqual(document["openapi"], "3.1.0")

    def test_events_are_a_stream(self):
        with self.server.raw() as connection:
            connection.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n"
                               b"Authorization: Bearer " + ANN.encode() + b"\r\n\r\n")
            answer = b""
            while b"retry" not in answer:
                answer += connection.recv(1000)
        self.assertIn(b"text/event-stream", answer)

    def test_the_gate_is_sandboxed(self):
        # No file of ours, no capability, a filter.
        text = pathlib.Path(f"/proc/{self.server.gate}/status").read_text(encoding="utf-8")
        status = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
        self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual(int(status["CapEff"], 16), 0)
        self.assertNotEqual(status["Seccomp"], "0")


class SlowClientTest(ServeCase):
    def test_it_has_as_long_as_the_server_was_told(self):
        """Two servers, each with little patience for one part: it hangs up there, and the other waits."""
        of_headers = self.serve("--header-timeout", "1", "--body-timeout", "3600")
        of_bodies = self.serve("--header-timeout", "3600", "--body-timeout", "1", "--db", "bodies.sqlite")
        headers = b"GET /health HTTP/1.1\r\n"
        body = (b"POST /v1/evaluations HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
                ANN.encode() + b"\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
        for hasty, patient, first, drop in ((of_headers, of_bodies, headers, b"X: y\r\n"),
                                            (of_bodies, of_headers, body, b" ")):
            with self.subTest(first), patient.raw(timeout=0.1) as waiting, \
                    hasty.raw(timeout=0.1) as hurried:
                for connection in (waiting, hurried):
                    connection.sendall(first)
                self.wait_until(lambda: self.is_closed(hurried, drop),
                                "a connection with a slow request was closed")
                self.assertFalse(self.is_closed(waiting, drop))

    @staticmethod
    def is_closed(connection, drop):
        """Sends a little more, and looks whether anybody is there."""
        try:
            connection.sendall(drop)
            return connection.recv(1000) == b""
        except TimeoutError:
            return False
        except ConnectionError:
            return True


class GateDiesTest(ServeCase):
    @staticmethod
    def is_healthy(server):
        try:
            return server.ask("GET", "/health", token=None, timeout=10)[0] == 200
        except (OSError, http.client.HTTPException):
            return False  # nobody listens, or the one who did was killed

    def test_another_one_takes_its_place(self):
        server = self.serve()
        for _ in range(2):
            killed = server.gate
            os.kill(killed, signal.SIGKILL)
            self.assertEqual(own_processes.wait_until_gone({killed}), {})
            self.wait_until(lambda: self.is_healthy(server), f"another gate answers: {self.log()}",
                            server.process)
        self.assertIn("another one is started", self.log())
        self.assertEqual(server.end(), GOOD)


if __name__ == "__main__":
    cli_case.main()
