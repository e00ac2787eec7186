"""Stands in for runner/player/player.py in zygote_pool_test: speaks its protocol without torch. Sessions
run the Python that the test sends, in which `folder` is what the session may write to, and answer with what
it calls `result`. Looks over what is left by the real code.

    fake_zygote.py [FOLDER...]

Lies beside player_cleaning.py while it runs.
"""

import array
import json
import os
import socket
import struct
import sys

from player_cleaning import Ground

CONTROL = 3


def send(channel, body):
    text = json.dumps(body).encode()
    channel.sendall(struct.pack("=I", len(text)) + text)


def receive(channel):
    descriptors = array.array("i")
    data = b""
    length = None
    while length is None or len(data) < length:
        part, extra, _, _ = channel.recvmsg((length or 4) - len(data), 256)
        if not part:
            raise EOFError
        for _, _, content in extra:
            descriptors.frombytes(content[: len(content) - len(content) % descriptors.itemsize])
        data += part
        if length is None and len(data) == 4:
            (length,), data = struct.unpack("=I", data), b""
    return json.loads(data), list(descriptors)


def play(control, folder):
    os.dup2(control, CONTROL)
    channel = socket.socket(fileno=CONTROL)
    while True:
        try:
            message, _ = receive(channel)
        except EOFError:
            os._exit(0)
        scope = {"os": os, "folder": folder}
        exec(message["run"], scope)
        send(channel, {"result": scope.get("result")})


def main():
    channel = socket.socket(fileno=CONTROL)
    ground = Ground(sys.argv[1:])
    send(channel, {"type": "zygote"})
    while True:
        try:
            message, descriptors = receive(channel)
        except EOFError:
            return
        if message["type"] == "look_over":
            send(channel, ground.look_over())
            continue
        child = os.fork()
        if child == 0:
            channel.detach()
            play(descriptors[0], message["folder"])
        for descriptor in descriptors:
            os.close(descriptor)
        send(channel, {"type": "forked"})
        _, status = os.waitpid(child, 0)
        send(channel, {"type": "ended", "status": status})


main()
