"""A whole episode, to see one: a scripted endpoint in a model's place, an agent, a page that tells it.

    python3 first_episode.py                     # in less than two minutes on a CPU; writes episode.html
    python3 first_episode.py --episodes 3        # whatever `kbench agent run` takes
    python3 first_episode.py --style refine --turns 2

The endpoint is scripted_endpoint.py, which plays one fixed episode on level1/019_relu; `kbench agent run`
cannot tell it from a model. Python's standard library only.
"""

import os
import subprocess
import sys
import threading

from scripted_endpoint import TASK, make_server

PAGE = "episode.html"


def main(words):
    kbench = os.environ.get("KBENCH", "kbench")
    endpoint = make_server()
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{endpoint.server_address[1]}/v1"
    played = subprocess.run([kbench, "agent", "run", "--endpoint", url, "--model", "scripted",
                             "--task", TASK, "--device", "cpu", "--quick", *words], check=False)
    endpoint.shutdown()
    if played.returncode != 0:
        return played.returncode
    told = subprocess.run([kbench, "report", "html", "-o", PAGE], check=False)
    if told.returncode == 0:
        print(f"the episode, turn by turn: {os.path.abspath(PAGE)}#{TASK}")
    return told.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
