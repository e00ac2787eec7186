"""kbench as the judge of an evolution: OpenEvolve and ShinkaEvolve.

    OpenEvolve    openevolve-run first.cpp openevolve_evaluator.py --config openevolve.yaml
                  with openevolve.yaml beside this file, in which you name your model
    ShinkaEvolve  evaluation program openevolve_evaluator.py, called with --program_path and --results_dir

The server is `kbench serve`. Where it is and what is evolved says the environment:

    KBENCH_TASK      the task's id, as level1/019_relu
    KBENCH_URL       http://127.0.0.1:8377
    KBENCH_TOKEN     a token with the scope evaluate; else KBENCH_TOKEN_FILE, a tokens' file, its first
    KBENCH_REWARD    the name of a reward; milestone_sure without it. It is the fitness
    KBENCH_SIZE      small or full; by the server's device without it
    KBENCH_FILE      the program's name among kernels: main.cpp (without it) or main.cu

It waits for the server, however long that is away, and never raises: OpenEvolve makes programs of fitness 0
of evaluations that raise, and of those that take too long. A fault of the machine is asked for again. So a
program has the reward that is stored; one that was refused has REFUSED, below all that can be earned, and a
right one that the server pays nobody for has UNPAID.
Artifacts are state, message and hint of the judge. Needs nothing but Python's standard library.
"""

import argparse
import json
import os
import pathlib
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

REFUSED = -1.0  # no kernel, or one that the server does not take
UNPAID = 0.0  # a right one without a reward: its task is not checked, or, but for milestones, there is no verdict
ANSWER_WITHIN = 60  # seconds that one request waits for its row
PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _setting(name, otherwise=""):
    return os.environ.get("KBENCH_" + name) or otherwise


def _token():
    file = _setting("TOKEN_FILE")
    if _setting("TOKEN") or not file:
        return _setting("TOKEN")
    for line in pathlib.Path(file).read_text(encoding="ascii").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return line.split()[2]
    return ""


def _request(path, body=None):
    url = _setting("URL", "http://127.0.0.1:8377").rstrip("/") + path
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + _token()}
    return urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers)


def _asked(path, body=None):
    """The status and what was answered; waits while nobody answers, or says that they are busy."""
    while True:
        try:
            with _OPENER.open(_request(path, body), timeout=2 * ANSWER_WITHIN) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (408, 429) and error.code < 500:
                return error.code, _words(error)
            pause = float(error.headers.get("Retry-After") or PAUSE)
        except (OSError, ValueError):  # it is away, or went away in the middle of an answer
            pause = PAUSE
        time.sleep(pause)


def _words(error):
    try:
        return json.loads(error.read())
    except (OSError, ValueError):
        return {"error": {"message": str(error), "hint": ""}}


def _result(score, state, message, hint):
    return {"combined_score": score, "correct": 1.0 if state == "ok" else 0.0}, {
        "state": state, "message": message, "hint": hint}


def judge(text):
    """({combined_score, correct}, {state, message, hint}) of a program's text."""
    order = {"task": _setting("TASK"), "files": {_setting("FILE", "main.cpp"): text},
             "reward": _setting("REWARD", "milestone_sure"), "wait_s": ANSWER_WITHIN}
    if _setting("SIZE"):
        order["size"] = _setting("SIZE")
    faults = 0
    while True:
        status, answer = _asked("/v1/evaluations", order)
        if status == 202:
            continue  # the same order, asked again, waits for the same row
        row = answer.get("row") if isinstance(answer, dict) else None
        if status != 200 or not isinstance(row, dict):
            error = answer.get("error", {}) if isinstance(answer, dict) else {}
            return _result(REFUSED, "submission_error", str(error.get("message", answer)), str(error.get("hint", "")))
        if row.get("fault") == "infrastructure" and row["state"] != "does_not_fit":
            time.sleep(min(PAUSE * 2 ** faults, LONGEST_PAUSE))  # nobody's fitness; it is measured again
            faults += 1
            continue
        reward = row.get("reward") or {}
        if reward.get("value") is None:  # right or not, the server pays nobody here
            return _result(UNPAID if row["state"] == "ok" else REFUSED, row["state"],
                           row.get("message") or f"no reward: {reward.get('reason')}", row.get("hint") or "")
        return _result(float(reward["value"]), row["state"], row.get("message") or "", row.get("hint") or "")


def evaluate(program_path):
    """OpenEvolve's evaluation. With OpenEvolve's own type the artifacts come along."""
    metrics, artifacts = judge(pathlib.Path(program_path).read_text(encoding="utf-8", errors="replace"))
    try:
        from openevolve.evaluation_result import EvaluationResult
    except ImportError:
        return metrics
    return EvaluationResult(metrics=metrics, artifacts=artifacts)


def main():
    """ShinkaEvolve's: metrics.json and correct.json in the folder that it names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program_path", required=True, type=pathlib.Path)
    parser.add_argument("--results_dir", required=True, type=pathlib.Path)
    options = parser.parse_args()
    metrics, artifacts = judge(options.program_path.read_text(encoding="utf-8", errors="replace"))
    options.results_dir.mkdir(parents=True, exist_ok=True)
    told = "\n".join(one for one in artifacts.values() if one)
    (options.results_dir / "metrics.json").write_text(json.dumps(
        {"combined_score": metrics["combined_score"], "public": artifacts, "private": {}, "text_feedback": told}))
    (options.results_dir / "correct.json").write_text(json.dumps(
        {"correct": artifacts["state"] == "ok", "error": "" if artifacts["state"] == "ok" else told}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
