"""A port of loopback before a server: what clients send is kept, and the server may go away and come back elsewhere."""

import contextlib
import socket
import socketserver
import threading


class Forwarder(socketserver.ThreadingTCPServer):
    """Hands everything on to the port `to`; without one, connections are closed as they come."""
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, to=None):
        self.to, self.sent = to, []  # what came, a bytearray for each connection
        super().__init__(("127.0.0.1", 0), Handing)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def end(self):
        self.shutdown()
        self.server_close()


class Handing(socketserver.BaseRequestHandler):
    def handle(self):
        kept = bytearray()
        self.server.sent.append(kept)
        if self.server.to is None:
            return
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.server.to)) as other:
            back = threading.Thread(target=self.pump, args=(other, self.request, None), daemon=True)
            back.start()
            self.pump(self.request, other, kept)
            back.join()

    @staticmethod
    def pump(one, other, kept):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                if kept is not None:
                    kept += data
                other.sendall(data)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_WR)
