"""An endpoint as a model has it, which plays one fixed episode: for tests, and to see an episode.

    python3 data/clients/scripted_endpoint.py --port 8000

It answers POST /v1/chat/completions. Which step it plays follows from how many replies the request
holds already, so that any number of episodes go on at once, and one that was cut off goes on too. The
task is level1/019_relu on a CPU: a wrong kernel, its correction, a check, a submission; without tools
(refine) the same two kernels in fences. Python's standard library only.
"""

import argparse
import http.server
import json
import re
import threading
import time

RIGHT = """#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
#pragma omp parallel for simd
  for (long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  return 0;
}
"""
WRONG = RIGHT.replace("in->x[i] < 0 ? 0 : in->x[i]", "in->x[i]")
TASK = "level1/019_relu"


def steps(handle):
    """What is said, and which tools are called, reply by reply."""
    at = {"workspace": handle}
    return [
        ("I read what is asked and how to go about it.",
         [("read", {**at, "path": "SKILL.md"}), ("read", {**at, "path": "task.h"})]),
        ("The plain kernel first.",
         [("write", {**at, "path": "kernels/main.cpp", "text": WRONG}), ("compile", at)]),
        ("It compiles. Is it right?", [("verify", at)]),
        ("Negative elements have to become zero.",
         [("edit", {**at, "path": "kernels/main.cpp", "old": "= in->x[i];",
                    "new": "= in->x[i] < 0 ? 0 : in->x[i];"}), ("verify", at)]),
        ("It is right, and all cores work on it.", [("submit", at)]),
    ]


def reply_to(request):
    messages = request["messages"]
    turn = sum(message["role"] == "assistant" for message in messages)
    if "tools" not in request:  # refine
        code = WRONG if turn == 0 else RIGHT
        return {"role": "assistant", "content": f"Here it is.\n\n```cpp\n{code}```\n"}
    handle = re.search(r"\b[0-9a-f]{32}\b", messages[0]["content"]).group()
    plan = steps(handle)
    if turn >= len(plan):
        return {"role": "assistant", "content": "There is nothing left to do."}
    said, calls = plan[turn]
    return {"role": "assistant", "content": said, "tool_calls": [
        {"id": f"call_{turn}_{i}", "type": "function",
         "function": {"name": name, "arguments": json.dumps(arguments)}}
        for i, (name, arguments) in enumerate(calls)]}


class Endpoint(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        server = self.server
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.seen.append({"path": self.path, "headers": dict(self.headers), "body": request})
            fault = server.faults.pop(0) if server.faults else None
        if fault:
            return self.answer(fault[0], {"error": {"message": fault[1]}}, fault[2])
        time.sleep(server.delay)
        message = (server.reply or reply_to)(request)
        if isinstance(message, tuple):
            return self.answer(message[0], {"error": {"message": message[1]}}, message[2])
        size = len(json.dumps(request["messages"]))
        return self.answer(200, {
            "choices": [{"index": 0, "message": message,
                         "finish_reason": "tool_calls" if message.get("tool_calls") else "stop"}],
            "usage": {"prompt_tokens": size // 4, "completion_tokens": len(json.dumps(message)) // 4}})

    def answer(self, status, body, headers=()):
        text = json.dumps(body).encode()
        self.send_response(status)
        known = {"Content-Type": "application/json", "Content-Length": str(len(text))}
        for name, value in {**known, **dict(headers)}.items():
            self.send_header(name, value)
        try:
            self.end_headers()
            self.wfile.write(text)
        except (BrokenPipeError, ConnectionResetError):
            pass  # whoever asked has gone

    def log_message(self, *_):
        pass


def make_server(port=0, faults=(), delay=0.0, reply=None):
    """`faults`: [(status, message, headers)], the first answers; `reply`: another script, which may
    answer with such a fault."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Endpoint)
    server.daemon_threads = True
    server.lock = threading.Lock()
    server.seen = []
    server.faults = list(faults)
    server.delay = delay
    server.reply = reply
    return server


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8000)
    server = make_server(parser.parse_args().port)
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
