"""Forty messages that are wrong, and the error that the protocol specifies for each: over HTTP and on
standard streams, in both eras. Answers are read by the protocol's own library.
"""

import client_case

client_case.enter("mcp")

import json  # noqa: E402
import os  # noqa: E402
import subprocess  # noqa: E402

import cli_case  # noqa: E402
import mcp_types as spec  # noqa: E402
from client_case import ClientCase  # noqa: E402
from serve_case import ANN  # noqa: E402

MODERN, SESSION = "2026-07-28", "2025-11-25"
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
META = {VERSION: MODERN, CAPABILITIES: {}}
LIST = "tools/list"
CALL = "tools/call"


def message(method=LIST, params=None, **other):
    """A request as it should be, but for what is given; None leaves a member out."""
    whole = {"jsonrpc": "2.0", "id": 7, "method": method,
             "params": {"_meta": META} if params is None else params, **other}
    return {name: value for name, value in whole.items() if value is not None}


def with_meta(**meta):
    return {"_meta": {name: value for name, value in {**META, **meta}.items() if value is not None}}


def headers(method=LIST, name=None, version=MODERN):
    given = {"MCP-Protocol-Version": version, "Mcp-Method": method, "Mcp-Name": name}
    return {key: value for key, value in given.items() if value is not None}


def tool(**params):
    return {"_meta": META, **params}


# Malformed requests: the fault, headers, the body, status and code. Over HTTP, where each request
# stands alone.
HTTP = [
    ("a brace", headers(), "{", 400, spec.PARSE_ERROR),
    ("nothing", headers(), "", 400, spec.PARSE_ERROR),
    ("no UTF-8", headers(), b'{"jsonrpc": "\xff"}', 400, spec.PARSE_ERROR),
    ("a hundred thousand brackets", headers(), "[" * 100_000, 400, spec.PARSE_ERROR),
    ("forty brackets in order", headers(),
     json.dumps(message()).replace('"id": 7', '"x": ' + "[" * 40 + "]" * 40 + ', "id": 7'), 400,
     spec.PARSE_ERROR),
    ("a name twice", headers(), '{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', 400,
     spec.PARSE_ERROR),
    ("something behind it", headers(), json.dumps(message()) + "{}", 400, spec.PARSE_ERROR),
    ("a number that is none", headers(), '{"jsonrpc": "2.0", "id": NaN}', 400, spec.PARSE_ERROR),
    ("a batch", headers(), [message()], 400, spec.INVALID_REQUEST),
    ("an empty batch", headers(), [], 400, spec.INVALID_REQUEST),
    ("a text", headers(), '"tools/list"', 400, spec.INVALID_REQUEST),
    ("an empty object", headers(), {}, 400, spec.INVALID_REQUEST),
    ("another JSON-RPC", headers(), message(jsonrpc="1.0"), 400, spec.INVALID_REQUEST),
    ("no JSON-RPC", headers(), message(jsonrpc=None), 400, spec.INVALID_REQUEST),
    ("an id that is null", headers(), '{"jsonrpc": "2.0", "id": null, "method": "tools/list"}', 400,
     spec.INVALID_REQUEST),
    ("an id that is a fraction", headers(), message(id=1.5), 400, spec.INVALID_REQUEST),
    ("an id that is an object", headers(), message(id={}), 400, spec.INVALID_REQUEST),
    ("no method", headers(), message(method=None), 400, spec.INVALID_REQUEST),
    ("a method that is a number", headers(), message(method=7), 400, spec.INVALID_REQUEST),
    ("parameters in a list", headers(), message(params=[1]), 400, spec.INVALID_PARAMS),
    ("_meta that is a text", headers(), message(params={"_meta": "x"}), 400, spec.INVALID_PARAMS),
    ("no _meta", headers(), message(params={}), 400, spec.INVALID_PARAMS),
    ("a version that is a number", headers(), message(params=with_meta(**{VERSION: 7})), 400,
     spec.INVALID_PARAMS),
    ("a version to come", headers(version="2099-01-01"),
     message(params=with_meta(**{VERSION: "2099-01-01"})), 400, spec.UNSUPPORTED_PROTOCOL_VERSION),
    ("no capabilities", headers(), message(params=with_meta(**{CAPABILITIES: None})), 400,
     spec.INVALID_PARAMS),
    ("capabilities in a list", headers(), message(params=with_meta(**{CAPABILITIES: []})), 400,
     spec.INVALID_PARAMS),
    ("no header of the version", headers(version=None), message(), 400, spec.HEADER_MISMATCH),
    ("a header of another version", headers(version=SESSION), message(), 400, spec.HEADER_MISMATCH),
    ("no header of the method", headers(method=None), message(), 400, spec.HEADER_MISMATCH),
    ("a header of another method", headers(method=CALL), message(), 400, spec.HEADER_MISMATCH),
    ("no header of the tool", headers(CALL), message(CALL, tool(name="list_tasks")), 400,
     spec.HEADER_MISMATCH),
    ("a header of another tool", headers(CALL, "submit"), message(CALL, tool(name="list_tasks")), 400,
     spec.HEADER_MISMATCH),
    ("a method of sessions", headers("initialize"), message("initialize"), 404,
     spec.METHOD_NOT_FOUND),
    ("a method that nobody has", headers("tools/burn"), message("tools/burn"), 404,
     spec.METHOD_NOT_FOUND),
    ("a cursor that nobody gave", headers(), message(params=tool(cursor="x")), 400,
     spec.INVALID_PARAMS),
    ("a tool that nobody has", headers(CALL, "shell"), message(CALL, tool(name="shell")), 400,
     spec.INVALID_PARAMS),
    ("a version before there were headers", {"MCP-Protocol-Version": "2024-01-01"},
     message(params={}), 400, spec.UNSUPPORTED_PROTOCOL_VERSION),
]
# The same line after line on standard streams, in a session; the first one before it is opened.
STREAMS = [
    ("nothing is opened yet", message(params={}), spec.INVALID_REQUEST),
    ("it opens without a version", message("initialize", {"capabilities": {}}), spec.INVALID_PARAMS),
    ("a call of no tool", message(CALL, {"arguments": {}}), spec.INVALID_PARAMS),
]


class MalformedTest(ClientCase):
    def check(self, answer, code, sent):
        """Checks that the library takes the answer for an error of that code to the request that was
        sent."""
        error = spec.JSONRPCError.model_validate(answer)
        self.assertEqual(error.error.code, code, answer)
        self.assertTrue(error.error.message)
        sent_id = sent.get("id") if isinstance(sent, dict) else None
        self.assertEqual(answer["id"], sent_id if isinstance(sent_id, (int, str)) else None)
        if code == spec.UNSUPPORTED_PROTOCOL_VERSION:
            data = spec.UnsupportedProtocolVersionErrorData.model_validate(error.error.data)
            self.assertIn(MODERN, data.supported)
            self.assertIn(SESSION, data.supported)

    def test_there_are_forty(self):
        self.assertEqual(len(HTTP) + len(STREAMS), 40)

    def test_over_http(self):
        server = self.serve()
        for what, given, body, status, code in HTTP:
            with self.subTest(what=what):
                sent = given | {"Authorization": f"Bearer {ANN}", "Accept":
                                "application/json, text/event-stream"}
                text = body if isinstance(body, (str, bytes)) else json.dumps(body)
                got, answer = server.ask("POST", "/mcp", text, token=None, headers=sent)
                self.assertEqual(got, status, answer)
                self.check(answer, code, body)
        # A message that needs no answer gets none, and a correct request is answered as before.
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"_meta": META}}
        self.assertEqual(server.ask("POST", "/mcp", note, headers=headers(note["method"])),
                         (202, None))
        status, answer = server.ask("POST", "/mcp", message(), headers=headers())
        self.assertEqual((status, answer["id"]), (200, 7))
        spec.ListToolsResult.model_validate(answer["result"])

    def test_on_standard_streams(self):
        environment = {k: v for k, v in os.environ.items() if k not in cli_case.FOREIGN}
        environment.update({"HOME": str(self.folder), "KBENCH_TORCH": str(self.folder)})
        lines = [json.dumps(sent) + "\n" for _, sent, _ in STREAMS]
        opens = message("initialize", {"protocolVersion": SESSION, "capabilities": {},
                                       "clientInfo": {"name": "test", "version": "1"}})
        lines.insert(2, json.dumps(opens) + "\n")
        result = subprocess.run([str(cli_case.KBENCH), "mcp", "--device", "cpu"], cwd=self.folder,
                                env=environment, input="".join(lines), capture_output=True, text=True,
                                timeout=120, check=False)
        self.assertEqual(result.returncode, cli_case.GOOD, result.stderr)
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(len(answers), 4, result.stdout)
        self.assertEqual(answers.pop(2)["result"]["protocolVersion"], SESSION)
        for (what, sent, code), answer in zip(STREAMS, answers):
            with self.subTest(what=what):
                self.check(answer, code, sent)


if __name__ == "__main__":
    client_case.main()
