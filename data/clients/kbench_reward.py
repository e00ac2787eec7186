"""Rewards of kbench for trainers that call a Python function: verl and TRL.

    verl   custom_reward_function.path=kbench_reward.py custom_reward_function.name=compute_score
           The ground truth of a sample, or extra_info["task"], is the task: "level1/019_relu".
           Takes one sample, or lists of them as the batch manager has it; a reward router is not asked.
    TRL    GRPOTrainer(reward_funcs=kbench_reward.reward, …), with a column `task` in the data set.

The server is `kbench serve`. Where it is and who asks says the environment:

    KBENCH_URL       http://127.0.0.1:8377
    KBENCH_TOKEN     a token with the scope evaluate; else KBENCH_TOKEN_FILE, a tokens' file, its first
    KBENCH_REWARD    the name of a reward; milestone_sure without it
    KBENCH_SIZE      small or full; by the server's device without it
    KBENCH_PATIENCE  seconds to ask again while a reward is not there; 3600 without it

The server finds the kernel in an answer as a reader would: the block that defines it, whatever stands around
it. Of a chat the answer is the last message of the assistant that says something. An answer without code is
worth what a failure is. Needs nothing but Python's standard library.
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
    body = json.dumps({"query": [answer], "labels": [task]}).encode()  # ASCII, whatever was cut in two
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


def _content(message):
    """The text of a message: of a list of parts, as other models' chats have it, those that are text."""
    content = message.get("content") if isinstance(message, dict) else message
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, (list, tuple)) else []
    texts = [part if isinstance(part, str) else part.get("text") for part in parts
             if isinstance(part, str) or (isinstance(part, dict) and part.get("type", "text") == "text")]
    return "".join(text for text in texts if isinstance(text, str))


def _text(completion):
    """Of a chat the last message of the assistant that says something, else the text itself.

    A tool answers behind it, and a call of a tool has no words."""
    if isinstance(completion, (str, dict)) or completion is None:
        return _content(completion)
    said = [_content(message) for message in completion
            if not isinstance(message, dict) or message.get("role", "assistant") == "assistant"]
    return next((text for text in reversed(said) if text.strip()), "")


def _task_of(ground_truth, extra_info=None):
    """A task's name, which rows of data sets may hold in a dictionary; empty where there is none."""
    for value in (extra_info, ground_truth):
        if isinstance(value, dict) and isinstance(value.get("task"), str):
            return value["task"]
    return ground_truth if isinstance(ground_truth, str) else ""


def _reward_for(answer, task):
    if not task:
        raise NoReward('the sample names no task: a column `task` (TRL), or the ground truth or '
                       'extra_info["task"] (verl), is the id of one, as "level1/019_relu"')
    return _reward_of(answer, task)


def _rewards_for(answers, tasks, when_none):
    """One for each answer, many at once; where there is none, what `when_none` makes of it."""
    def one(answer, task):
        try:
            return _reward_for(answer, task)
        except NoReward as why:
            return when_none(task, why)

    with concurrent.futures.ThreadPoolExecutor(CLIENTS_AT_ONCE) as pool:
        return list(pool.map(one, answers, tasks))


def _raise(_, why):
    raise why


def compute_score(data_source=None, solution_str=None, ground_truth=None, extra_info=None, *,
                  data_sources=None, solution_strs=None, ground_truths=None, extra_infos=None, **_):
    """verl's reward function. Raises where there is no reward, which is nobody's score.

    What else verl hands over, the address of a reward router and its tokenizer, is for judges that are
    models. The batch manager hands over lists, in the plural, and gets a list."""
    del data_source, data_sources
    if solution_strs is None:
        task = _task_of(ground_truth, extra_info)
        return _reward_for(_text(solution_str), task)
    count = len(solution_strs)
    truths = [None] * count if ground_truths is None else list(ground_truths)
    infos = [None] * count if extra_infos is None else list(extra_infos)
    if not len(truths) == len(infos) == count:
        raise NoReward(f"{count} answers came with {len(truths)} ground truths and {len(infos)} extra_infos")
    tasks = [_task_of(truth, info) for truth, info in zip(truths, infos)]
    return _rewards_for([_text(answer) for answer in solution_strs], tasks, _raise)


def reward(prompts=None, completions=(), **columns):
    """TRL's reward function: a number for each completion, None where there is none."""
    del prompts
    tasks = columns.get("task")
    if isinstance(tasks, str):
        tasks = [tasks] * len(completions)
    if tasks is None or len(tasks) != len(completions):
        had = ", ".join(sorted(columns)) or "none"
        raise NoReward("the data set has no column `task` with a task for each sample, as "
                       f'"level1/019_relu"; its columns are: {had}')

    def said(task, why):
        print(f"kbench: no reward for {task}: {why}", flush=True)

    return _rewards_for([_text(one) for one in completions], [_task_of(task) for task in tasks], said)
