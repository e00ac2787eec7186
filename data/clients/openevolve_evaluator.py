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

It waits for the server, however long that is away, says so on standard error, and never raises for what the
server does: OpenEvolve makes programs of fitness 0 of evaluations that raise, and of those that take too long.
A fault of the machine is asked for again. So a program has the reward that is stored; one that was refused has
REFUSED, below all that can be earned, and a right one that the server pays nobody for has UNPAID.
What is set up wrongly ends the process at once, with exit status 2 and a line on standard error: a variable that
makes no sense, a file of tokens without one, a token that the server does not take, a task that it does not have.
Artifacts are state, message and hint of the judge. Needs nothing but Python's standard library.
"""

import argparse
import datetime
import email.utils
import http.client
import json
import math
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


def _say(what):
    print("kbench:", what, file=sys.stderr, flush=True)


def _set_up_wrongly(what):
    """Ends the process: no program has a fitness until somebody mends this. Nothing that catches errors stops it."""
    _say(what)
    raise SystemExit(2)


def _token():
    file = _setting("TOKEN_FILE")
    if _setting("TOKEN") or not file:
        return _setting("TOKEN") or _set_up_wrongly("set KBENCH_TOKEN or KBENCH_TOKEN_FILE")
    try:
        lines = pathlib.Path(file).read_text(encoding="ascii").splitlines()
    except (OSError, ValueError) as error:
        _set_up_wrongly(f"KBENCH_TOKEN_FILE: {error}")
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            words = line.split()
            if len(words) != 3:
                _set_up_wrongly(f"KBENCH_TOKEN_FILE: {file}: its first line is not NAME SCOPES TOKEN")
            return words[2]
    _set_up_wrongly(f"KBENCH_TOKEN_FILE: {file} has no token")


def _request(path, body=None):
    url = _setting("URL", "http://127.0.0.1:8377").rstrip("/") + path
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + _token()}
    try:
        parts = urllib.parse.urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and url.isascii()
        if not usable or any(letter <= " " for letter in url):
            raise ValueError("http://HOST:PORT is expected")
        headers["Authorization"].encode("ascii")
        if any(letter < " " for letter in headers["Authorization"]):
            raise ValueError("the token is more than a word")
    except ValueError as error:
        _set_up_wrongly(f"KBENCH_URL is {_setting('URL')!r}, or KBENCH_TOKEN makes no sense: {error}")
    return urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers)


def _pause_of(said):
    """Seconds of a Retry-After, which may be a number or a date; PAUSE where it is neither."""
    try:
        pause = float(said)
    except (TypeError, ValueError):
        try:
            when = email.utils.parsedate_to_datetime(said)
            now = datetime.datetime.now(when.tzinfo)
            pause = (when - now).total_seconds()
        except (AttributeError, IndexError, OverflowError, TypeError, ValueError):
            pause = PAUSE
    return min(max(pause, 0.0), LONGEST_PAUSE) if math.isfinite(pause) else PAUSE


def _asked(path, body=None):
    """The status and what was answered; waits while nobody answers, or says that they are busy."""
    told = False
    while True:
        try:
            with _OPENER.open(_request(path, body), timeout=2 * ANSWER_WITHIN) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (408, 429) and error.code < 500:
                return error.code, _words(error)
            pause, why = _pause_of(error.headers.get("Retry-After", PAUSE)), str(error)
        # It is away, went away in the middle of an answer, or what answers is no server of this kind.
        except (OSError, ValueError, RecursionError, http.client.HTTPException) as error:
            pause, why = PAUSE, f"{type(error).__name__}: {error}"
        if not told:
            _say(f"{_setting('URL', 'the server')} gives no answer ({why}); asking on")
            told = True
        time.sleep(pause)


def _words(error):
    try:
        return json.loads(error.read())
    except (OSError, ValueError, RecursionError, http.client.HTTPException):
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
    if not order["task"]:
        _set_up_wrongly("KBENCH_TASK names no task, as level1/019_relu")
    faults = 0
    while True:
        status, answer = _asked("/v1/evaluations", order)
        if status == 202:
            continue  # the same order, asked again, waits for the same row
        if status != 200:
            return _refused(status, answer)
        row = answer.get("row") if isinstance(answer, dict) else None
        result = _result_of(row) if isinstance(row, dict) and isinstance(row.get("state"), str) else None
        if result is not None:
            return result
        if faults == 0:
            _say("the server's answer has no row to go by, or the machine was at fault; asking on")
        time.sleep(min(PAUSE * 2 ** min(faults, 10), LONGEST_PAUSE))  # nobody's fitness; it is measured again
        faults += 1


def _refused(status, answer):
    """The result of a program that the server does not take. Ends the process where the set-up is at fault."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, dict):
        error = {"message": error if isinstance(error, str) else answer}
    message, hint = str(error.get("message", answer)), str(error.get("hint") or "")
    of_program = status == 413 or status == 422 and error.get("fault") == "submission"
    if not of_program:
        _set_up_wrongly(f"the server refuses this order, whatever the program is (status {status}): {message}. {hint}")
    return _result(REFUSED, "submission_error", message, hint)


def _result_of(row):
    """Nothing where a row is not the program's: the machine failed, or it is none that a server of kbench sends."""
    state, message, hint = row["state"], str(row.get("message") or ""), str(row.get("hint") or "")
    if row.get("fault") == "infrastructure" and state != "does_not_fit":
        return None
    reward = row.get("reward") or {}
    if not isinstance(reward, dict):
        return None
    if reward.get("value") is None:  # right or not, the server pays nobody here
        return _result(UNPAID if state == "ok" else REFUSED, state, message or f"no reward: {reward.get('reason')}",
                       hint)
    value = reward["value"]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return _result(float(value), state, message, hint) if is_number else None


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
