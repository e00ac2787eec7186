"""Rewards of kbench for trainers that call a Python function: verl and TRL.

    verl   custom_reward_function.path=kbench_reward.py custom_reward_function.name=compute_score
           The ground truth of a sample, or extra_info["task"], is the task: "level1/019_relu".
    TRL    GRPOTrainer(reward_funcs=kbench_reward.reward, …), with a column `task` in the data set.

The server is `kbench serve`. Where it is and who asks says the environment:

    KBENCH_URL       http://127.0.0.1:8377
    KBENCH_TOKEN     a token with the scope evaluate; else KBENCH_TOKEN_FILE, a tokens' file, its first
    KBENCH_REWARD    the name of a reward; milestone_sure without it
    KBENCH_SIZE      small or full; by the server's device without it
    KBENCH_PATIENCE  seconds to ask again while a reward is not there; 3600 without it

The code of an answer is its last fenced block, or all blocks that name a file. An answer without any
is worth what a failure is. Needs nothing but Python's standard library.
"""

import concurrent.futures
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request

CLIENTS_AT_ONCE = 16
ANSWER_WITHIN = 180  # seconds; the server says 503 before


class NoReward(RuntimeError):
    """The server will not give a number, however often it is asked; its words say why."""


def _token():
    token = os.environ.get("KBENCH_TOKEN", "")
    if token:
        return token
    file = os.environ.get("KBENCH_TOKEN_FILE", "")
    if not file:
        raise NoReward("set KBENCH_TOKEN or KBENCH_TOKEN_FILE")
    with open(file, encoding="ascii") as lines:
        for line in lines:
            if line.strip() and not line.lstrip().startswith("#"):
                return line.split()[2]
    raise NoReward("no token is in KBENCH_TOKEN_FILE")


def _request(answer, task):
    query = {name: os.environ[variable] for name, variable in
             (("reward", "KBENCH_REWARD"), ("size", "KBENCH_SIZE")) if os.environ.get(variable)}
    url = os.environ.get("KBENCH_URL", "http://127.0.0.1:8377").rstrip("/") + "/get_reward"
    if query:
        url += "?" + urllib.parse.urlencode(query)
    body = json.dumps({"query": [answer], "labels": [task]}).encode()
    return urllib.request.Request(url, body, {"Content-Type": "application/json",
                                              "Authorization": "Bearer " + _token()})


def _words(error):
    try:
        return json.loads(error.read())["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return str(error)


# A server of this machine is asked by itself, whatever proxies the environment names.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _reward_of(answer, task):
    """Asks until there is a number. The same answer is measured once, however often it is asked."""
    deadline = time.monotonic() + float(os.environ.get("KBENCH_PATIENCE", "3600"))
    while True:
        try:
            with _OPENER.open(_request(answer, task), timeout=ANSWER_WITHIN) as response:
                return float(json.load(response)["rewards"][0])
        except urllib.error.HTTPError as error:
            words = _words(error)
            if error.code not in (429, 503):
                raise NoReward(words) from error
            pause = float(error.headers.get("Retry-After", "1"))
        except OSError as error:
            words, pause = str(error), 1.0
        if time.monotonic() + pause > deadline:
            raise NoReward(words)
        time.sleep(pause)


def _text(completion):
    """Of a chat the last message, else the text itself."""
    if isinstance(completion, str):
        return completion
    return completion[-1]["content"] or ""


def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    """verl's reward function. Raises where there is no reward, which is nobody's score."""
    del data_source
    task = (extra_info or {}).get("task") or ground_truth
    return _reward_of(solution_str, task)


def reward(prompts, completions, **columns):
    """TRL's reward function: a number for each completion, None where there is none."""
    del prompts

    def one(completion, task):
        try:
            return _reward_of(_text(completion), task)
        except NoReward as why:
            print(f"kbench: no reward for {task}: {why}", flush=True)
            return None

    with concurrent.futures.ThreadPoolExecutor(CLIENTS_AT_ONCE) as pool:
        return list(pool.map(one, completions, columns["task"]))
