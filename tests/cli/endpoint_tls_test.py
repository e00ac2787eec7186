"""Endpoints by https: the right certificate is believed, any other is refused with a sentence, and before the check
nothing is sent.

Between kbench and the server stands a forwarder that keeps what goes over the wire.
"""

import ssl
import subprocess
import threading

import cli_case
import scripted_endpoint
import study_test
from cli_case import GOOD, INFRASTRUCTURE, USAGE
from forwarder import Forwarder

KEY = "sk-planted-on-the-wire"
HANDSHAKE, APPLICATION_DATA = 0x16, 0x17  # types of TLS records
ALERT = 24  # bytes of one at most, which TLS 1.3 encrypts and calls application data


def records(sent):
    """Types and lengths of the TLS records of a connection."""
    found, at = [], 0
    while at + 5 <= len(sent):
        length = int.from_bytes(sent[at + 3:at + 5], "big")
        found.append((sent[at], length))
        at += 5 + length
    return found


class TlsTest(study_test.StudyCase):
    def setUp(self):
        super().setUp()
        self.freeze({1: ("level1/019_relu", "wrong")})
        self.assert_good(self.plan("--outcome", "correct", components=("error",)))
        self.authority("trusted")
        (self.folder / "key").write_text(KEY)
        (self.folder / "key").chmod(0o600)

    def openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True, timeout=60)

    def authority(self, name):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                     f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}", "-days", "2")

    def certificate(self, name, names, signer="trusted", days="2"):
        """A server's, for these names; signed by itself where nobody is named."""
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                     f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        (self.folder / f"{name}.ext").write_text(f"subjectAltName={names}\n")
        by = ["-CA", f"{signer}.pem", "-CAkey", f"{signer}.key", "-CAcreateserial"] if signer else [
            "-signkey", f"{name}.key"]
        self.openssl("x509", "-req", "-in", f"{name}.csr", *by, "-days", days, "-extfile", f"{name}.ext", "-out",
                     f"{name}.pem")

    def endpoint(self, certificate):
        """A scripted server behind a forwarder; with a certificate it speaks TLS."""
        text = study_test.kernel("level1/019_relu", "not built")  # to be judged in a second
        server = scripted_endpoint.make_server(reply=lambda _: {"role": "assistant", "content": f"```cpp\n{text}```\n"})
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.folder / f"{certificate}.pem", self.folder / f"{certificate}.key")
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
            server.handle_error = lambda *_: None  # a client that went away is what is tested
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        wire = Forwarder(server.server_address[1])
        self.addCleanup(wire.end)
        self.url = f"https://localhost:{wire.port}/v1"
        return server, wire

    def ask(self, *words):
        return self.kbench(*self.run_words("--key-file", "key", *words), timeout=600, KBENCH_CACHE=str(cli_case.CACHE),
                           SSL_CERT_FILE=str(self.folder / "trusted.pem"))

    def assert_refused(self, certificate, sentence, *words):
        server, wire = self.endpoint(certificate)
        result = self.ask(*words)
        self.assert_fails(result, INFRASTRUCTURE, sentence)
        self.assertEqual(server.seen, [], "the server has got a request")
        self.assertEqual(len(wire.sent), 1, "it was asked more than once")
        sent = bytes(wire.sent[0])
        self.assertEqual(sent[0], HANDSHAKE)
        self.assertNotIn(KEY.encode(), sent)
        self.assertNotIn(b"POST", sent)
        for kind, length in records(sent):
            if kind == APPLICATION_DATA:
                self.assertLessEqual(length, ALERT, "something but an alert followed on the handshake")

    def test_who_does_not_prove_its_name_gets_nothing(self):
        self.certificate("itself", "DNS:localhost", signer=None)
        self.assert_refused("itself", "it is signed by itself, and this machine does not trust it")
        self.certificate("expired", "DNS:localhost", days="-1")
        self.assert_refused("expired", "it has expired", "--resume")
        self.certificate("other", "DNS:models.example.org,IP:127.0.0.2")
        self.assert_refused("other", "it is not for localhost", "--resume")
        self.authority("stranger")
        self.certificate("strangers", "DNS:localhost", signer="stranger")
        self.assert_refused("strangers", "signed by nobody whom this machine trusts", "--resume")
        self.assert_refused(None, "the endpoint speaks no TLS: is its address http://", "--resume")
        self.certificate("right", "DNS:localhost,IP:127.0.0.1")
        server, wire = self.endpoint("right")
        done = self.ask("--resume")
        self.assertEqual(done.returncode, GOOD, done.stderr)
        self.assertEqual({one["headers"]["Authorization"] for one in server.seen}, {f"Bearer {KEY}"})
        self.assertEqual(len(server.seen), 3 + 2)
        self.assertNotIn(KEY.encode(), b"".join(map(bytes, wire.sent)))
        # An address is proved like a name.
        self.url = self.url.replace("localhost", "127.0.0.1")
        self.assert_good(self.plan("--outcome", "correct", "--seed", "7", components=("error",)))
        self.assert_good(self.ask())

    def test_a_connection_that_ends_in_the_handshake_is_tried_again(self):
        self.certificate("right", "DNS:localhost")
        server, wire = self.endpoint("right")
        wire.to = None  # closes what comes

        def let_it_through():
            self.wait_until(lambda: len(wire.sent) >= 2, "it asks once more")
            wire.to = server.server_address[1]

        threading.Thread(target=let_it_through, daemon=True).start()
        done = self.ask()
        self.assertEqual(done.returncode, GOOD, done.stderr)
        self.assertIn("no TLS with the endpoint: it ended the connection; try 2 of", done.stderr)
        self.assertTrue(server.seen)

    def test_without_anybody_to_trust_nobody_is_asked(self):
        _, wire = self.endpoint(None)
        (self.folder / "trusted.pem").write_text("nobody\n")
        self.assert_fails(self.ask(), USAGE, "trusted.pem holds no certificates")
        self.assertEqual(wire.sent, [])


if __name__ == "__main__":
    cli_case.main()
