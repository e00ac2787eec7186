"""Stands in for baselines/aot_builder.py in builder_pool_test: speaks its protocol without torch.

The requested "size" says how to behave. Outside of a sandbox each process appends its process id, and that
of a child it keeps, to the file "pids" of the folder that NOTES names.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def reply(message: dict) -> None:
    print(json.dumps(message), flush=True)


def build(request: dict) -> dict:
    Path(request["output"]).write_text(f"threads {request['threads']}")
    return {"id": request["id"], "output": request["output"]}


def note_pids(request: dict) -> None:
    child = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL)
    with open(Path(os.environ["NOTES"]) / "pids", "a", encoding="utf-8") as pids:
        pids.write(f"{os.getpid()} {child.pid} ")


def reach(path: str) -> str:
    try:
        with open(path, "a+", encoding="utf-8") as file:
            file.write("planted")
        return "written"
    except OSError as error:
        return type(error).__name__


def state_of_lock() -> str:
    if "KBENCH_TUNING_LOCK" not in os.environ:
        return "there is no lock"
    try:
        fcntl.flock(int(os.environ["KBENCH_TUNING_LOCK"]), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "somebody tunes"
    return "nobody tunes"


def serve(request: dict) -> None:
    behaviour = request["size"]
    if behaviour == "ok":
        reply(build(request))
    elif behaviour == "environment":
        names = ("NVIDIA_TF32_OVERRIDE", "TORCHINDUCTOR_CACHE_DIR", "TORCHINDUCTOR_MAX_AUTOTUNE",
                 "TORCHINDUCTOR_COMPILE_THREADS", "CUDA_VISIBLE_DEVICES")
        reply({"id": request["id"], "reason": " ".join(os.environ.get(n, "-") for n in names)})
    elif behaviour == "pids":
        note_pids(request)
        reply(build(request))
    elif behaviour == "noise":
        print("warning: a library says hello")
        print('{"half": "a line of JSON that is nobody\'s reply"}')
        reply({"id": request["id"] + 1000, "output": "of somebody else"})
        reply(build(request))
    elif behaviour == "refuse":
        reply({"id": request["id"], "reason": "no such operator"})
    elif behaviour == "transient":
        reply({"id": request["id"], "reason": "out of memory", "transient": True})
    elif behaviour == "crowded":  # too little memory at the first try
        tried = Path(os.environ["NOTES"], "tried")
        if tried.exists():
            reply(build(request))
        else:
            tried.touch()
            reply({"id": request["id"], "reason": "out of memory", "transient": True})
    elif behaviour == "crash":
        sys.exit("the builder stumbled over a stone")
    elif behaviour == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif behaviour == "garbage":
        reply({"id": request["id"], "outcome": 42})
    elif behaviour == "lie":  # claims a file that is not there
        reply({"id": request["id"], "output": request["output"]})
    elif behaviour == "link":  # names another file
        Path(request["output"]).symlink_to(__file__)
        reply({"id": request["id"], "output": request["output"]})
    elif behaviour == "elsewhere":
        Path("made").write_text("here")
        reply({"id": request["id"], "output": os.path.abspath("made")})
    elif behaviour == "reach":  # for a file of the operator's, and for the cache
        reply({"id": request["id"], "reason": " ".join(map(reach, json.loads(request["task"])))})
    elif behaviour == "tune":
        reply({"id": request["id"], "reason": state_of_lock()})
    elif behaviour == "hang":
        note_pids(request)
        time.sleep(600)


def main() -> None:
    reply({"ready": True, "torch": "2.11.0"})
    for line in sys.stdin:
        serve(json.loads(line))


if __name__ == "__main__":
    main()
