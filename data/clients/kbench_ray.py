"""Rewards of kbench for a trainer on Ray (verl, SkyRL, slime, Relax): judges on nodes of its own cluster.

    ray start --address=HEAD:6379 --resources='{"kbench": 1}'     on each node that judges, and nothing else runs there

    verl          custom_reward_function.path=kbench_ray.py custom_reward_function.name=compute_score, or
                  compute_score_async where the reward loop is asynchronous
    slime, Relax  --custom-rm-path kbench_ray.reward_func; the label of a sample is the task
    SkyRL         compute_score("", answer, task) in the step of an environment

The first call starts an actor on each node with the resource `kbench`. It takes all GPUs of its node, and runs
`kbench serve` there, which it asks over loopback. One more actor, the pool, hands each answer to the judge that has the
fewest at hand. If a judge or its node dies, the pool hands what it had to another one, and looks for new nodes. The
same answer may be measured twice then, but it counts once if the judges share an exchange.

The environment of the process that calls first decides, as in kbench_reward.py, which lies beside this file:

    KBENCH_RAY_SERVE    words of `kbench serve`: "--devices all --exchange /shared/pool"
    KBENCH_RAY_FOLDER   where a judge works, a folder of each node: databases and queues (~/kbench-ray)
    KBENCH_RAY_PROGRAM  the program on the nodes (kbench)
    KBENCH_REWARD, KBENCH_SIZE, KBENCH_PATIENCE as in kbench_reward.py
"""

import asyncio
import hashlib
import itertools
import json
import os
import pathlib
import secrets
import shlex
import subprocess
import sys
import threading
import types
import urllib.error
import urllib.request

import ray
import ray.cloudpickle
import ray.exceptions
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

_BESIDE = pathlib.Path(__file__).resolve().parent / "kbench_reward.py"

RESOURCE = "kbench"
AT_ONCE = 64  # answers that a judge has at hand: its server measures the next one while others compile
LOOK_EVERY = 2  # seconds between two looks at the nodes
GONE = (ray.exceptions.RayActorError, ray.exceptions.NodeDiedError, ray.exceptions.WorkerCrashedError)
KEPT = ("KBENCH_REWARD", "KBENCH_SIZE", "KBENCH_PATIENCE", "KBENCH_RAY_SERVE", "KBENCH_RAY_FOLDER",
        "KBENCH_RAY_PROGRAM")

# The nodes need no copy of this file: Ray sends the classes themselves.
if __name__ in sys.modules:
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])


def _client(source):
    """kbench_reward.py, of which the nodes have no copy either."""
    module = types.ModuleType("kbench_reward")
    exec(compile(source, "kbench_reward.py", "exec"), module.__dict__)
    return module


_REWARD = _client(_BESIDE.read_text(encoding="utf-8"))
NoReward = _REWARD.NoReward

# Ends the server with the actor. Ray ends actors by SIGKILL, and sometimes their children, too.
_KEEPER = """
import ctypes, os, signal, subprocess, sys, threading
end_with_parent = lambda: ctypes.CDLL(None).prctl(1, signal.SIGTERM)
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, preexec_fn=end_with_parent)
threading.Thread(target=lambda: (sys.stdin.buffer.read(), server.terminate()), daemon=True).start()
code = server.wait()
os._exit(code if code >= 0 else 128 - code)  # the thread still reads
"""


class Judge:
    """`kbench serve` on this node. Both end together."""

    def __init__(self, source, settings):
        token = secrets.token_hex(32)
        node = ray.get_runtime_context().get_node_id()
        folder = pathlib.Path(settings.get("KBENCH_RAY_FOLDER") or pathlib.Path.home() / "kbench-ray") / node[:12]
        folder.mkdir(parents=True, exist_ok=True)
        tokens = folder / "tokens"
        tokens.unlink(missing_ok=True)
        with open(os.open(tokens, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(f"ray read,evaluate {token}\n")
        # Ray allows one thread to whatever asks for no CPU; a judge has its node to itself.
        environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
        words = [settings.get("KBENCH_RAY_PROGRAM") or "kbench", "serve", "--port", "0", "--tokens", str(tokens),
                 *shlex.split(settings.get("KBENCH_RAY_SERVE", ""))]
        with open(folder / "serve.log", "ab") as log:
            self._keeper = subprocess.Popen([sys.executable, "-c", _KEEPER, *words], cwd=folder, env=environment,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        self._url = self._keeper.stdout.readline().decode().strip()
        if not self._url.startswith("http"):
            raise RuntimeError(f"kbench serve ended with {self._keeper.wait()}: see {folder}/serve.log")
        threading.Thread(target=self._end_with_server, daemon=True).start()
        os.environ.update(settings, KBENCH_URL=self._url, KBENCH_TOKEN=token)
        self._client = _client(source)

    def _end_with_server(self):
        self._keeper.wait()
        os._exit(1)

    def reward(self, answer, task):
        """A number and no words, or None and why there is none."""
        try:
            return self._client._reward_for(answer, task), ""
        except self._client.NoReward as why:
            return None, str(why)

    def unfit(self):
        """Why it answers nothing; empty if it judges."""
        try:
            with self._client._OPENER.open(self._url + "/health", timeout=30):
                return ""
        except urllib.error.HTTPError as error:
            with error:
                health = json.loads(error.read())
            return health.get("reason", "")

    def pid(self):
        return os.getpid()


class _Node:
    """A judge as the pool sees it."""

    def __init__(self, actor):
        self.actor = actor
        self.is_ready = False
        self.at_hand = 0


class Pool:
    """Hands out answers; each is asked for once, however many ask at the same time."""

    def __init__(self, source, settings):
        self._source, self._settings = source, settings
        self._patience = _patience(settings)
        self._nodes = {}  # of judges, by node
        self._refused = {}  # why, by node
        self._failed = {}  # starts in a row that failed, and why the last one did, by node
        self._rewards = {}  # futures of those that were not given yet
        self._watch = None
        self._change = None

    async def reward(self, answer, task):
        self._begin()
        key = hashlib.sha256(json.dumps([answer, task]).encode()).digest()
        if key not in self._rewards:
            self._rewards[key] = asyncio.ensure_future(self._ask(answer, task))
            self._rewards[key].add_done_callback(lambda _: self._rewards.pop(key))
        return await asyncio.shield(self._rewards[key])

    async def judges(self):
        """{node: process} of those that judge, and {node: why not} of the others."""
        self._begin()
        ready = {name: node for name, node in self._nodes.items() if node.is_ready}
        pids = await asyncio.gather(*(node.actor.pid.remote() for node in ready.values()), return_exceptions=True)
        return {name: pid for name, pid in zip(ready, pids) if isinstance(pid, int)}, dict(self._refused)

    def pid(self):
        return os.getpid()

    def _begin(self):
        if self._watch is None:
            self._change = asyncio.Event()
            self._watch = asyncio.ensure_future(self._look_after_nodes())

    async def _ask(self, answer, task):
        while True:
            try:
                node = await self._least_loaded()
            except asyncio.TimeoutError:
                return None, self._no_judge()
            node.at_hand += 1
            try:
                return await node.actor.reward.remote(answer, task)
            except GONE:
                self._leave_out(node)
            finally:
                node.at_hand -= 1
                self._change.set()

    async def _least_loaded(self):
        while True:
            ready = [node for node in self._nodes.values() if node.is_ready]
            least = min(ready, key=lambda node: node.at_hand, default=None)
            if least and least.at_hand < AT_ONCE:
                return least
            self._change.clear()
            # Judges that are busy will be free; whether one will ever start is not known.
            await asyncio.wait_for(self._change.wait(), None if ready else self._patience)

    def _no_judge(self):
        words = "; ".join(sorted({*self._refused.values(), *(why for _, why in self._failed.values())}))
        return f'no node with the resource "{RESOURCE}" judges{": " + words if words else ""}'

    def _leave_out(self, node):
        self._nodes = {name: other for name, other in self._nodes.items() if other is not node}
        self._change.set()

    async def _look_after_nodes(self):
        looks = -1
        while True:
            alive = {node["NodeID"]: node["Resources"] for node in await asyncio.to_thread(ray.nodes)
                     if node["Alive"] and node["Resources"].get(RESOURCE)}
            looks += 1
            for name in set(alive) - set(self._nodes) - set(self._refused):
                starts, _ = self._failed.get(name, (0, ""))
                if looks % min(2 ** starts, 32) == 0:
                    self._start(name, alive[name].get("GPU", 0))
            await asyncio.gather(*(self._look_at(name, node) for name, node in list(self._nodes.items())
                                   if node.is_ready))
            await asyncio.sleep(LOOK_EVERY)

    def _start(self, name, gpus):
        actor = ray.remote(Judge).options(
            num_cpus=0, num_gpus=gpus, resources={RESOURCE: 1}, max_concurrency=AT_ONCE + 4,
            scheduling_strategy=NodeAffinitySchedulingStrategy(name, soft=False)).remote(self._source, self._settings)
        self._nodes[name] = _Node(actor)
        asyncio.ensure_future(self._await_start(name, self._nodes[name]))

    async def _await_start(self, name, node):
        try:
            await node.actor.pid.remote()
            node.is_ready = True
            self._failed.pop(name, None)
            self._change.set()
        except GONE as error:  # a later look starts it again
            why = str(error).strip().splitlines()[-1]
            self._failed[name] = (self._failed.get(name, (0, ""))[0] + 1, why)
            print(f"kbench: no judge on node {name[:12]} yet: {why}", flush=True)
            self._leave_out(node)

    async def _look_at(self, name, node):
        try:
            why = await node.actor.unfit.remote()
        except GONE:
            self._leave_out(node)
            return
        except ray.exceptions.RayTaskError:  # it ends, and its actor with it
            return
        if why:
            self._refused[name] = why
            self._leave_out(node)
            ray.kill(node.actor)
            print(f"kbench: the judge on node {name[:12]} is left out: {why}", flush=True)


def _patience(settings):
    """Seconds that a caller waits while there is no judge."""
    word = settings.get("KBENCH_PATIENCE") or "3600"
    try:
        return float(word)
    except ValueError:
        raise NoReward(f'KBENCH_PATIENCE is a number of seconds, not "{word}"') from None


_found = None


def pool(again=False):
    """The actor that all processes of the trainer share. It ends with the process that made it, and is made again."""
    global _found
    if _found is None or again:
        settings = {name: os.environ[name] for name in KEPT if name in os.environ}
        _patience(settings)  # the actor would end by it, again and again
        _found = ray.remote(Pool).options(
            name="kbench-pool", get_if_exists=True, num_cpus=0, max_concurrency=100_000, max_restarts=-1,
            max_task_retries=-1).remote(_BESIDE.read_text(encoding="utf-8"), settings)
    return _found


def _named(task):
    if not task:
        raise NoReward('the sample names no task: the ground truth (verl), the label (slime) or extra_info["task"] is '
                       'the id of one, as "level1/019_relu"')
    return task


def _number(found):
    value, why = found
    if why:
        raise NoReward(why)
    return value


def _ask(answer, task):
    return pool().reward.remote(answer, _named(task))


MOST_POOLS = 20  # that one call sees end


def _gone(times):
    if times >= MOST_POOLS:
        raise NoReward(f"the pool of judges ended {times} times while it was asked: see Ray's log of kbench-pool")


def _get(answer, task, asked):
    for times in itertools.count(1):
        try:
            return _number(ray.get(asked))
        except GONE:
            _gone(times)
            asked = pool(again=True).reward.remote(answer, task)


async def _await(answer, task):
    asked = _ask(answer, task)
    for times in itertools.count(1):
        try:
            return _number(await asked)
        except GONE:
            _gone(times)
            asked = pool(again=True).reward.remote(answer, task)


async def compute_score_async(data_source=None, solution_str=None, ground_truth=None, extra_info=None, **_):
    """verl's reward function where it awaits one. Raises where there is no reward, which is nobody's score."""
    del data_source
    return await _await(_REWARD._text(solution_str), _REWARD._task_of(ground_truth, extra_info))


def compute_score(data_source=None, solution_str=None, ground_truth=None, extra_info=None, *,
                  solution_strs=None, ground_truths=None, extra_infos=None, **_):
    """verl's reward function: for one sample, or for the lists of its batch manager."""
    del data_source
    if solution_strs is None:
        answer, task = _REWARD._text(solution_str), _REWARD._task_of(ground_truth, extra_info)
        return _get(answer, task, _ask(answer, task))
    count = len(solution_strs)
    truths = [None] * count if ground_truths is None else ground_truths
    infos = [None] * count if extra_infos is None else extra_infos
    if not len(truths) == len(infos) == count:
        raise NoReward(f"{count} answers came with {len(truths)} ground truths and {len(infos)} extra_infos")
    answers = [_REWARD._text(answer) for answer in solution_strs]
    tasks = [_REWARD._task_of(truth, info) for truth, info in zip(truths, infos)]
    asked = [_ask(answer, task) for answer, task in zip(answers, tasks)]
    return [_get(*one) for one in zip(answers, tasks, asked)]


async def reward_func(args, sample, **_):
    """slime's and Relax' reward of a sample, or of a list of them."""
    if isinstance(sample, (list, tuple)):
        return await asyncio.gather(*(reward_func(args, one) for one in sample))
    return await _await(_REWARD._text(sample.response), _REWARD._task_of(sample.label, sample.metadata))
