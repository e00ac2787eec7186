"""kbench serve, asked over real connections by clients who send garbage: the requests of corpus/gate with
bytes changed, cut, doubled and spliced, in pieces, and left in the middle of a sentence.

    GATE_SOAK_SECONDS=3600 gate_soak.py

Its gate is to live through it as one process, to answer an honest client meanwhile, to keep no memory, and
never to say that it is kbench's fault. Whoever waits for an answer gets one that is HTTP.
"""

import contextlib
import os
import pathlib
import random
import re
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import cli_case  # noqa: E402
from serve_case import ServeCase  # noqa: E402

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus/gate"
CLIENTS = 4
INTERESTING = [b"\r\n", b"\r\n\r\n", b"\n", b"\0", b"\x1b[31m", b"\xff\xfe", "\u202e".encode(), b"-1",
               b"1e999", b"18446744073709551616", b"null", b"NaN", b"[" * 100, b'{"a":' * 40, b'"\\u0000"',
               b'"\\ud800"', b"%00", b"%2e%2e/", b"Content-Length: 0\r\n", b"Transfer-Encoding: chunked\r\n",
               b"Host: evil.example\r\n", b"Expect: 100-continue\r\n", b"Connection: close\r\n",
               b"Upgrade: h2c\r\n", b"ffffffffffffffff\r\n", b"A" * 20000, b"kernels/../../x"]
MOST_RESIDENT_MIB = 256
# Requests that each client has to have sent, and answers it has to have got, before the test ends; and
# seconds that the test may take longer than it was asked to.
SENT, ANSWERED, PATIENCE_S = 50, 10, 200


class Mutator:
    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.corpus = [file.read_bytes() for file in sorted(CORPUS.iterdir())]

    def place(self, data):
        start = self.dice.randrange(len(data) + 1)
        return start, min(len(data), start + self.dice.randrange(64))

    def once(self, data):
        start, end = self.place(data)
        match self.dice.randrange(6):
            case 0:
                return data[:start] + self.dice.randbytes(1) + data[start + 1:]
            case 1:
                return data[:start] + data[end:]
            case 2:
                to, _ = self.place(data)
                return data[:to] + data[start:end] + data[to:]
            case 3:
                return data[:start] + self.dice.choice(INTERESTING) + data[start:]
            case 4:
                other = self.dice.choice(self.corpus)
                return data[:start] + other[self.dice.randrange(len(other)):]
            case _:
                return data + self.dice.choice(self.corpus)  # a second request behind it

    def some(self, data):
        for _ in range(self.dice.randrange(5)):
            data = self.once(data)
        return data

    def request(self):
        return self.some(self.dice.choice(self.corpus))

    def frame(self, message):
        """A frame of a WebSocket: mostly as RFC 6455 has it."""
        first = 0x81 if self.dice.random() < .8 else self.dice.randrange(256)
        length = len(message) if self.dice.random() < .9 else self.dice.randrange(1 << 16)
        size = struct.pack("!B", 0x80 | length) if length < 126 else struct.pack("!BH", 0xfe, length)
        mask = self.dice.randbytes(4)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(message))
        frame = bytes([first]) + size + mask + masked
        return frame if self.dice.random() < .8 else self.once(frame)


class Client(threading.Thread):
    """Sends until told to stop. `wrong`: the first answer that nobody should get."""

    def __init__(self, server, seed):
        super().__init__(daemon=True)
        self.server = server
        self.mutator = Mutator(seed)
        self.dice = self.mutator.dice
        self.stop = threading.Event()
        self.sent = self.answered = 0
        self.wrong = None

    def has_done_enough(self):
        return self.sent >= SENT and self.answered >= ANSWERED

    def run(self):
        while not self.stop.is_set() and self.wrong is None:
            # That the server hangs up on such a client is its right.
            with contextlib.suppress(OSError), self.server.raw(timeout=1) as connection:
                if self.dice.random() < .2:
                    self.speak_websocket(connection)
                else:
                    self.ask(connection)

    def send(self, connection, data):
        self.sent += 1
        while data:
            size = self.dice.choice([len(data), len(data), self.dice.randrange(1, len(data) + 1)])
            connection.sendall(data[:size])
            data = data[size:]

    def ask(self, connection):
        request = self.mutator.request()
        self.send(connection, request)
        if self.dice.random() < .2:  # gone, and with a reset
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return
        connection.settimeout(self.dice.choice([.01, .1, .3]))
        self.check(request, connection.recv(1 << 16))

    def check(self, request, answer):
        if not answer:
            return
        self.answered += 1
        status = re.match(rb"HTTP/1\.[01] (\d{3}) ", answer)
        if status is None or status[1] == b"500":
            self.wrong = (request, answer)

    def speak_websocket(self, connection):
        head, _, messages = (CORPUS / "websocket.bin").read_bytes().partition(b"\r\n\r\n")
        connection.sendall(head + b"\r\n\r\n")
        self.check(head, connection.recv(1 << 16))
        for message in messages.split(b"\n"):
            self.send(connection, self.mutator.frame(self.mutator.some(message)))
        connection.settimeout(.1)
        if connection.recv(1 << 16):
            self.answered += 1


class SoakTest(ServeCase):
    maxDiff = None

    def test_garbage(self):
        seconds = float(os.environ.get("GATE_SOAK_SECONDS", "10"))
        server = self.serve()
        gate = pathlib.Path(f"/proc/{server.gate}")  # one process for the whole of it
        clients = [Client(server, seed) for seed in range(CLIENTS)]
        for client in clients:
            client.start()
        most, slowest = 0, 0.0
        begun = time.monotonic()
        # On a busy machine that many take longer than the seconds that were asked for.
        while time.monotonic() < begun + seconds or not all(client.has_done_enough() for client in clients):
            self.assertLess(time.monotonic(), begun + seconds + PATIENCE_S,
                            f"not that many in time: {[(one.sent, one.answered) for one in clients]}")
            slowest = max(slowest, self.ask_honestly(server))
            most = max(most, self.resident_mib(gate))
            for client in clients:
                self.assertIsNone(client.wrong)
                self.assertTrue(client.is_alive(), "a client of the test broke")
            time.sleep(.5)
        for client in clients:
            client.stop.set()
        for client in clients:
            client.join(30)
            self.assertFalse(client.is_alive(), "a client of the test does not end")
            self.assertIsNone(client.wrong)
        self.assertNotIn("another one is started", self.log())
        self.assertEqual(server.end(), cli_case.GOOD, self.log())
        print(f"{sum(client.sent for client in clients)} sent, "
              f"{sum(client.answered for client in clients)} answered; gate: {most} MiB; an honest client "
              f"waited for {slowest * 1000:.0f} ms at most")

    def ask_honestly(self, server):
        """Asks for what everybody is told; the seconds that it took."""
        begun = time.monotonic()
        self.assertEqual(server.ask("GET", "/health", token=None, timeout=60),
                         (200, {"status": "healthy"}))
        return time.monotonic() - begun

    def resident_mib(self, gate):
        status = (gate / "status").read_text(encoding="utf-8")
        resident = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024
        self.assertLess(resident, MOST_RESIDENT_MIB)
        return resident


if __name__ == "__main__":
    cli_case.main()
