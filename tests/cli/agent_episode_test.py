"""kbench agent run: whole episodes against a scripted endpoint, on the CPU. It measures."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import threading
import time

import cli_case
import quiet
import scripted_endpoint
from cli_case import GOOD, INFRASTRUCTURE, INTERRUPTED, KBENCH
from scripted_endpoint import TASK

KEY = "sk-a-secret-of-the-test"


class AgentCase(cli_case.CliCase):
    def serve(self, **how):
        server = scripted_endpoint.make_server(**how)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        return server

    def words(self, *words):
        return ("agent", "run", "--endpoint", self.url, "--device", "cpu", "--quick", *words)

    def run_agent(self, *words, **options):
        return self.kbench(*self.words("--model", "scripted", "--task", TASK, *words), timeout=600,
                           KBENCH_CACHE=str(cli_case.CACHE), **options)

    def episodes(self):
        result = self.kbench("episodes", "list", "--json")
        self.assert_good(result)
        return json.loads(result.stdout)["episodes"]

    def story(self, episode):
        result = self.kbench("episodes", "show", episode, "--json")
        self.assert_good(result)
        return json.loads(result.stdout)

    def everything_stored(self):
        return (self.folder / "kbench.sqlite").read_bytes()


class EpisodeTest(AgentCase):
    def play(self, *words, faults=(), **environment):
        """The endpoint and the result of a whole episode that the machine had memory for. Where other
        programs have taken all of it kbench says `does_not_fit`, and nothing is known of the episode.
        The task is of tests/tiny: it is the one whose package and checks packages_test has left."""
        for _ in range(quiet.MOST_TRIES):
            (self.folder / "kbench.sqlite").unlink(missing_ok=True)
            self.begin_checked()
            server = self.serve(faults=faults)
            result = self.run_agent("--suite", cli_case.TINY, *words, **environment)
            if not self.lacked_memory():
                return server, result
        raise quiet.BusyMachine(f"{quiet.MARK} {self.id()}: no memory in {quiet.MOST_TRIES} episodes")

    def lacked_memory(self):
        if not (self.folder / "kbench.sqlite").exists():
            return False  # it failed for another reason
        return any("does_not_fit" in json.dumps(self.story(one["id"])) for one in self.episodes())

    def test_from_the_prompt_to_a_rewarded_row(self):
        server, result = self.play(
            "--key-env", "KEY_OF_TEST", "--seed", "41", "--temperature", "0.5", KEY_OF_TEST=KEY,
            faults=[(429, "slow down", [("Retry-After", "0")]), (503, "busy", [])])
        self.assertEqual(result.returncode, GOOD, result.stderr)
        self.assertIn("try 2 of 6 in 0.0 s", result.stderr)
        self.assertIn("submit", result.stdout)

        # The requests: the key as a header, the same request again, then one for each turn.
        seen = server.seen
        self.assertEqual([one["path"] for one in seen], ["/v1/chat/completions"] * 7)
        self.assertEqual({one["headers"]["Authorization"] for one in seen}, {f"Bearer {KEY}"})
        self.assertEqual(seen[0]["body"], seen[2]["body"])
        first = seen[2]["body"]
        self.assertEqual((first["model"], first["seed"], first["temperature"]), ("scripted", 41, 0.5))
        self.assertEqual([message["role"] for message in first["messages"]], ["system", "user"])
        names = [tool["function"]["name"] for tool in first["tools"]]
        self.assertLessEqual({"read", "write", "edit", "compile", "verify", "submit", "recall"},
                             set(names))
        answers = seen[3]["body"]["messages"][3:]
        self.assertEqual([(one["role"], one["tool_call_id"]) for one in answers],
                         [("tool", "call_0_0"), ("tool", "call_0_1")])

        # The stored rows: an episode, turn by turn, and a row in the same run.
        [episode] = self.episodes()
        self.assertEqual((episode["stop_reason"], episode["state"], episode["model"]),
                         ("submit", "ok", "scripted"))
        self.assertIn(episode["reward"]["value"], (1, 2, 3))
        story = self.story(episode["id"])
        calls = [call for turn in story["turns"] for call in turn["calls"]]
        self.assertEqual([call["tool"] for call in calls],
                         ["read", "read", "write", "compile", "verify", "edit", "verify", "submit"])
        self.assertEqual([call["state"] for call in calls],
                         [None, None, None, "ok", "wrong_result", None, "ok", "ok"])
        self.assertTrue(calls[-1]["judged"])
        self.assertGreater(calls[-1]["speedup"]["eager"], 0)
        self.assertEqual(len({call["tree_after"] for call in calls}), 3, "none, wrong, right")
        report = json.loads(self.kbench("report", "json").stdout)
        self.assertEqual(report["run_id"], episode["run_id"])
        agents = [(row["agent"], row["state"]) for row in report["results"]]
        self.assertEqual(sorted(agents, key=str), [("scripted", "ok"), (None, "no_submission")])
        self.assertEqual(report["chain"]["state"], "holds")
        self.assertNotIn(KEY.encode(), self.everything_stored())
        self.assertNotIn(KEY, result.stderr + result.stdout)

        # Its page section, and what a trainer gets of it.
        self.assert_good(self.kbench("report", "html", "-o", "page.html"))
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertIn("What agents did", page)
        self.assertIn("Negative elements have to become zero.", page)
        exported = self.kbench("export", "sft")
        self.assert_good(exported)
        [line] = exported.stdout.splitlines()
        line = json.loads(line)
        self.assertEqual(line["messages"][:-1], seen[-1]["body"]["messages"] + [line["messages"][-2]])
        self.assertEqual(line["tools"], first["tools"])

    def test_without_tools(self):
        """A reply is read as an answer to a trainer is; one in Python leaves nothing to the next in C++."""
        identity = ("import torch\n\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
                    "        return x.clone()\n")

        def replies(request):
            first = sum(message["role"] == "assistant" for message in request["messages"]) == 0
            kernel = f"```python\n{identity}```\n" if first else f"```cpp\n{scripted_endpoint.RIGHT}```\n"
            return {"role": "assistant", "content": f"<think>```cpp\nint x;</think>\n{kernel}Try it:\n\n"
                    "```bash\nkbench run\n```\n"}

        server = self.serve(reply=replies)
        result = self.run_agent("--style", "refine", "--turns", "2")
        self.assertEqual(result.returncode, GOOD, result.stderr)
        self.assertFalse(any("tools" in one["body"] for one in server.seen))
        feedback = server.seen[1]["body"]["messages"][-1]
        self.assertEqual(feedback["role"], "user")
        self.assertIn("wrong_result", feedback["content"])
        [episode] = self.episodes()
        self.assertEqual((episode["stop_reason"], episode["state"]), ("submit", "ok"))
        report = json.loads(self.kbench("report", "json").stdout)
        self.assertEqual(sorted(row["state"] for row in report["results"]),
                         ["no_submission", "ok", "wrong_result"])
        self.check_frozen_states()

    def test_chosen_feedback_and_a_planner(self):
        """The model is told what was chosen and no more; the planner is asked first, and is no try."""
        def replies(request):
            last = request["messages"][-1]["content"]
            if "Do not write the kernel yet" in last:
                return {"role": "assistant", "content": "Set what is negative to zero:\n```cpp\nint no_kernel;\n```"}
            first = len(request["messages"]) == 2
            code = scripted_endpoint.WRONG if first else scripted_endpoint.RIGHT
            return {"role": "assistant", "content": f"```cpp\n{code}```\n"}

        server = self.serve(reply=replies)
        result = self.run_agent("--style", "refine", "--turns", "2", "--feedback", "error", "--plan")
        self.assertEqual(result.returncode, GOOD, result.stderr)
        prompts = [one["body"]["messages"] for one in server.seen]
        self.assertEqual([len(prompt) for prompt in prompts], [2, 4, 4], "the planner's turn is not kept")
        self.assertEqual(prompts[2][:3], prompts[1][:3])
        for prompt in prompts[1:]:
            self.assertIn("What is known of this kernel:\n\nerror:\n```\nwrong_result: ", prompt[-1]["content"])
            self.assertNotIn('"row"', prompt[-1]["content"])
        self.assertNotIn("Set what is negative to zero", prompts[1][-1]["content"])
        self.assertIn("A plan for the next kernel:\n````\nSet what is negative to zero", prompts[2][-1]["content"])
        [episode] = self.episodes()
        self.assertEqual((episode["stop_reason"], episode["state"]), ("submit", "ok"))
        report = json.loads(self.kbench("report", "json").stdout)
        self.assertEqual(sorted(row["state"] for row in report["results"]), ["no_submission", "ok", "wrong_result"])
        frozen = self.kbench("trajectory", "freeze", "--run", "latest")
        self.assertEqual(frozen.returncode, GOOD, frozen.stderr)
        self.assertIn("2 nodes of 2 states, 0 with a fresh context;", frozen.stderr)
        nodes = json.loads(self.kbench("trajectory", "list", "--json").stdout)["nodes"]
        self.assertEqual([node["leaks"] for node in nodes], [0, 0])
        shown = json.loads(self.kbench("trajectory", "show", nodes[0]["node"], "--json").stdout)
        self.assertNotIn("wrong_result", json.dumps(shown["context"]))
        self.assertNotIn("negative to zero", json.dumps(shown["context"]))

    def check_frozen_states(self):
        """Each judged reply is a state; what was said of its kernel is cut out of what is asked next."""
        frozen = self.kbench("trajectory", "freeze", "--run", "latest")
        self.assertEqual(frozen.returncode, GOOD, frozen.stderr)
        self.assertIn("2 nodes of 2 states, 0 with a fresh context;", frozen.stderr)
        nodes = json.loads(self.kbench("trajectory", "list", "--json").stdout)["nodes"]
        self.assertEqual([(node["generation"], node["outcome"]["stratum"], node["leaks"]) for node in nodes],
                         [(0, "wrong", 0), (1, "correct", 0)])
        self.assertEqual(nodes[1]["parents"], [nodes[0]["node"]])
        shown = json.loads(self.kbench("trajectory", "show", nodes[0]["node"][:12], "--json").stdout)
        last = shown["context"]["messages"][-1]
        self.assertNotIn("wrong_result", json.dumps(shown["context"]))
        self.assertTrue(last["content"].startswith("Your kernel was judged:") and "Make it right" in last["after"])
        self.assertEqual(self.kbench("report", "json").returncode, GOOD, "latest is the run that judged")


class EndsTest(AgentCase):
    """How an episode ends that comes to nothing; all with baselines of their own, the shortest."""

    def test_each_is_named(self):
        def talks(_):
            return {"role": "assistant", "content": "I would rather not."}

        def invents(_):
            return {"role": "assistant", "content": "", "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "shell", "arguments": "{}"}},
                {"id": "b", "type": "function", "function": {"name": "read", "arguments": "{"}}]}

        def explores(request):
            handle = scripted_endpoint.re.search(r"\b[0-9a-f]{32}\b",
                                                 request["messages"][0]["content"]).group()
            return {"role": "assistant", "content": "", "tool_calls": [
                {"id": "a", "type": "function", "function": {
                    "name": "read", "arguments": json.dumps({"workspace": handle,
                                                             "path": "TASK.md"})}}]}

        cases = [("answered", talks, ()), ("turns", invents, ("--turns", "3")),
                 ("tokens", invents, ("--tokens", "10")), ("seconds", talks, ("--seconds", "1")),
                 ("window", explores, ("--window", "12000", "--turns", "9"))]
        for reason, reply, words in cases:
            with self.subTest(reason=reason):
                (self.folder / "kbench.sqlite").unlink(missing_ok=True)
                self.serve(reply=reply, delay=3 if reason == "seconds" else 0)
                result = self.run_agent(*words)
                self.assertEqual(result.returncode, GOOD, result.stderr)
                [episode] = self.episodes()
                if reason == "window":  # it fits for a while, by what is left out
                    self.assertIn(episode["stop_reason"], ("window", "turns"))
                    turns = self.story(episode["id"])["turns"]
                    self.assertTrue(any(turn["compacted"] for turn in turns), turns)
                    continue
                self.assertEqual(episode["stop_reason"], reason)
                if reply is invents:
                    turn = self.story(episode["id"])["turns"][0]
                    self.assertEqual(turn["invalid_calls"], 2)
                    self.assertEqual([call["error"] for call in turn["calls"]],
                                     ["unknown_tool", "bad_arguments"])

    def test_an_endpoint_that_refuses(self):
        server = self.serve(faults=[(401, "no such key", [])] * 9)
        result = self.run_agent()
        self.assert_fails(result, INFRASTRUCTURE, "status 401: no such key")
        self.assertEqual(len(server.seen), 1)
        [episode] = self.episodes()
        self.assertEqual(episode["stop_reason"], "endpoint")
        self.assertIsNone(episode["reward"]["value"])

    def test_a_length_that_nobody_has_room_for(self):
        for length in (2147483648, 99999999999):
            with self.subTest(length):
                (self.folder / "kbench.sqlite").unlink(missing_ok=True)
                server = self.serve(faults=[(200, "x", [("Content-Length", str(length))])] * 9)
                result = self.run_agent()
                self.assert_fails(result, INFRASTRUCTURE, "answer is larger than 4 MiB")
                self.assertEqual(len(server.seen), 1, "another try would not change it")
                [episode] = self.episodes()
                self.assertEqual(episode["stop_reason"], "endpoint")
                self.assertIsNone(episode["reward"]["value"])


class ResumeTest(AgentCase):
    def start(self, *words):
        variables = {**os.environ, "HOME": str(self.folder), "KBENCH_CACHE": str(cli_case.CACHE)}
        return subprocess.Popen([str(KBENCH), *self.words(*words)], cwd=self.folder, env=variables,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def begin(self, *words):
        return self.start("--model", "scripted", "--task", TASK, *words)

    def stored_turns(self):
        try:
            with sqlite3.connect(f"file:{self.folder}/kbench.sqlite?mode=ro", uri=True) as database:
                return database.execute("SELECT count(*) FROM turn").fetchone()[0]
        except sqlite3.Error:
            return 0

    def wait_for(self, turns, process):
        self.wait_until(lambda: self.stored_turns() >= turns, f"{turns} turns were stored", process,
                        seconds=300)
        self.assertIsNone(process.poll(), "it ended before it could be stopped")

    def resume(self):
        return self.kbench(*self.words("--resume", "latest"), timeout=600,
                           KBENCH_CACHE=str(cli_case.CACHE))

    def check_whole(self, server):
        [episode] = self.episodes()
        self.assertEqual(episode["stop_reason"], "submit")
        tools = [call["tool"] for turn in self.story(episode["id"])["turns"]
                 for call in turn["calls"]]
        self.assertEqual(tools, ["read", "read", "write", "compile", "verify", "edit", "verify",
                                 "submit"])
        report = json.loads(self.kbench("report", "json").stdout)
        self.assertEqual(len([row for row in report["results"] if row["agent"]]), 1, "judged once")
        # No reply that was stored was asked for again.
        prompts = [json.dumps(one["body"]["messages"]) for one in server.seen]
        self.assertGreaterEqual(len(set(prompts)), 5)

    def test_killed_and_gone_on_it_is_as_if_nothing_had_been(self):
        server = self.serve(delay=0.2)
        process = self.begin()
        self.wait_for(1, process)
        process.kill()
        process.communicate()
        for turns in (2, 3, 4):
            again = self.start("--resume", "latest")
            self.wait_for(turns, again)
            again.kill()
            again.communicate()
        result = self.resume()
        self.assertEqual(result.returncode, GOOD, result.stderr)
        self.check_whole(server)

    def test_interrupted_it_finishes_what_is_at_hand(self):
        server = self.serve(delay=0.2)
        process = self.begin()
        self.wait_for(2, process)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=300)
        self.assertEqual(process.returncode, INTERRUPTED, stderr)
        self.assertIn("1 of 1 episodes go on with --resume", stderr)
        result = self.resume()
        self.assertEqual(result.returncode, GOOD, result.stderr)
        self.check_whole(server)
        again = self.resume()
        self.assertEqual(again.returncode, cli_case.NOTHING_SELECTED)

    def test_in_the_class_bf16(self):
        """A kernel for float32 copies the bits of negative numbers."""
        server = self.serve(reply=lambda _: {"role": "assistant",
                                             "content": f"```cpp\n{scripted_endpoint.RIGHT}```\n"})
        self.run_agent("--suite", cli_case.TINY, "--precision", "bf16", "--style", "refine", "--turns", "1")
        self.assertIn("Precision class `bf16`", json.dumps(server.seen[0]["body"]["messages"]))
        report = json.loads(self.kbench("report", "json").stdout)
        [row] = [row for row in report["results"] if row["agent"]]
        self.assertEqual((row["state"], row["precision"]), ("wrong_result", "bf16"))

    def test_several_at_once_on_one_device(self):
        self.serve()
        result = self.run_agent("--episodes", "3", "--parallel", "3")
        self.assertEqual(result.returncode, GOOD, result.stderr)
        episodes = self.episodes()
        self.assertEqual([one["stop_reason"] for one in episodes], ["submit"] * 3)
        self.assertEqual(sorted(one["seed"] for one in episodes), [0, 1, 2])
        report = json.loads(self.kbench("report", "json").stdout)
        rows = [row for row in report["results"] if row["agent"]]
        self.assertEqual(len({row["variant"] for row in rows}), 3)
        self.assertEqual({row["state"] for row in rows}, {"ok"})

    def rows(self, sql):
        with sqlite3.connect(f"file:{self.folder}/kbench.sqlite?mode=ro", uri=True) as database:
            return database.execute(sql).fetchall()

    def test_killed_at_random_moments(self):
        """AGENT_KILLS times (default: 8), each time somewhere else; or fewer, if all have ended."""
        kills = int(os.environ.get("AGENT_KILLS", "8"))
        episodes = max(2, kills // 8)
        patience = 600 + 60 * episodes
        dice = random.Random(20)
        self.serve(delay=0.1)
        process = self.begin("--episodes", str(episodes))
        self.wait_for(1, process)
        turns, calls = set(), set()
        for kill in range(kills):
            time.sleep(dice.expovariate(1 / 3))  # sometimes long enough for what takes longest
            process.kill()
            process.communicate()
            now = set(self.rows("SELECT episode, position, context, reply FROM turn"))
            self.assertLessEqual(turns, now, "a turn was lost")
            turns = now
            now = set(self.rows("SELECT episode, turn, position, arguments, result FROM call"))
            self.assertLessEqual(calls, now, "an answer was lost")
            calls = now
            if self.rows("SELECT min(stop_reason) FROM episode") != [("",)]:
                break  # all have ended
            process = self.start("--resume", "latest")
        if process.poll() is None:
            process.communicate(timeout=patience)
        self.resume()
        self.assertEqual(self.rows("SELECT DISTINCT stop_reason FROM episode"), [("submit",)])
        self.assertEqual(self.rows("SELECT count(*) FROM turn"), [(5 * episodes,)],
                         "five turns each")
        self.assertEqual(self.rows("SELECT count(*), count(DISTINCT variant) FROM evaluation "
                                   "WHERE agent IS NOT NULL"), [(episodes, episodes)],
                         "each was judged once")
        print(f"killed {kill + 1} times in {episodes} episodes")
        self.assert_good(self.kbench("db", "check"))


if __name__ == "__main__":
    cli_case.main()
