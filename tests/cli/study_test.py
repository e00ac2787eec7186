"""kbench attribute plan, run and report: whole studies over HTTP with a scripted model, the judge and a store.

The model has no luck: whether its kernel builds and is right follows from the state's number, the components whose
marks stand in its prompt, and `seed` mod 10. So every index has one value, which the test computes for itself.
"""

import collections
import contextlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
import time

import cli_case
import quiet
import scripted_endpoint
from cli_case import CACHE, GOOD, INFRASTRUCTURE, KBENCH, NOTHING_SELECTED, TINY, USAGE

HEAD = '#include "task.h"\n#include <cmath>\n'
FORWARD = ('extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out, '
           'kb_context*) {\n%s  return 0;\n}\n')
RELU = "for (long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] < 0 ? 0 : in->x[i];\n"
SOFTMAX = """for (long r = 0; r < kb::x_0; ++r) {
    const float* x = in->x + r * kb::x_1;
    float* y = out->y + r * kb::x_1;
    float most = x[0], sum = 0;
    for (long i = 0; i < kb::x_1; ++i) most = x[i] > most ? x[i] : most;
    for (long i = 0; i < kb::x_1; ++i) sum += y[i] = std::exp(x[i] - most);
    for (long i = 0; i < kb::x_1; ++i) y[i] /= sum;
  }
"""
PRODUCT = """for (long i = 0; i < kb::a_0; ++i) {
    for (long j = 0; j < kb::b_1; ++j) out->y[i * kb::b_1 + j] = 0;
    for (long k = 0; k < kb::a_1; ++k)
      for (long j = 0; j < kb::b_1; ++j) out->y[i * kb::b_1 + j] += in->a[i * kb::a_1 + k] * in->b[k * kb::b_1 + j];
  }
"""
BODIES = {"level1/019_relu": RELU, "level1/023_softmax": SOFTMAX, "level1/001_square_matrix_multiplication": PRODUCT}
# How often a slow kernel does the work. On tasks this small a fast one, which is a plain loop, has between 0.04 and
# 0.004 of eager's speed, and a slow one less than 0.0006.
AGAIN = {"level1/019_relu": 2000, "level1/023_softmax": 100, "level1/001_square_matrix_multiplication": 400}
THRESHOLD = 0.0015
# Kernels that the model hands in, from bad to good.
RUNGS = ("not built", "wrong", "slow", "fast")


def kernel(task, rung):
    if rung == "not built":
        return HEAD + "this is no C++\n"
    if rung == "wrong":
        return HEAD + FORWARD % "  for (long i = 0; i < kb::y_elements; ++i) out->y[i] = 7;\n"
    body = "  " + BODIES[task]
    if rung == "slow":
        body = (f"  for (volatile int again = 0; again < {AGAIN[task]}; again = again + 1) {{\n  " + BODIES[task] +
                "  }\n")
    return HEAD + FORWARD % body


def planted(number, coalition, seed):
    """The rung of the reply in that state, under these components."""
    score = 2 + number % 3
    score += 3 * ("error" in coalition) + 2 * ("profiler" in coalition) + ("left" in coalition)
    score -= 2 * ("left" in coalition and "right" in coalition) + ("right" in coalition and number % 2)
    luck = seed % 10
    return RUNGS[(luck < score + 3) + (luck < score) + (luck < score - 2)]


VALUE = {"built": lambda rung: rung != "not built", "correct": lambda rung: rung in ("slow", "fast"),
         f"fast:{THRESHOLD}": lambda rung: rung == "fast"}


def model(task_of):
    """The scripted model: `task_of` gives a state's task by its number."""
    def reply(request):
        last = request["messages"][-1]["content"]
        number = int(re.search(r"// state (\d+)", json.dumps(request["messages"])).group(1))
        spoken = [name for name in ("error", "profiler", "left", "right")
                  if re.search(rf"^{name}:$|said:.*\b{name}\b", last, re.M)]
        if "Do not write the kernel yet" in last:
            return {"role": "assistant", "content": f"I was said: {' '.join(spoken)}."}
        rung = planted(number, spoken, request["seed"])
        return {"role": "assistant", "content": f"```cpp\n{kernel(task_of(number), rung)}```\n"}
    return reply


def brute(states, outcome, replicates, seed, group):
    """Mean over the states that have all of `group` of Banzhaf's interaction, from its definition."""
    values = []
    for number, available in states:
        if not set(group) <= set(available):
            continue
        rest = [name for name in available if name not in group]

        def value(coalition):
            return sum(VALUE[outcome](planted(number, coalition, seed + r)) for r in range(replicates)) / replicates

        total = 0
        for size in range(len(rest) + 1):
            for others in itertools.combinations(rest, size):
                for inner in range(len(group) + 1):
                    for part in itertools.combinations(group, inner):
                        total += (-1) ** (len(group) - inner) * value(set(others) | set(part))
        values.append(total / 2 ** len(rest))
    return sum(values) / len(values), len(values)


class StudyCase(cli_case.CliCase):
    COMPONENTS = ("error", "profiler", "left=echo left", "right=echo right")

    def serve(self, reply, **how):
        server = scripted_endpoint.make_server(reply=reply, **how)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        return server

    def freeze(self, states):
        """Puts states into the database: {number: (task, stratum)}."""
        self.begin_checked()
        self.tasks = {number: task for number, (task, _) in states.items()}
        rung = {"not built": "not built", "wrong": "wrong", "correct": "fast"}
        for task in sorted(set(self.tasks.values())):
            lines = [{"id": f"n{number}", "generation": number,
                      "code": kernel(task, rung[stratum]), "outcome": {"stratum": stratum},
                      "trajectory": f"t{number}", "messages": self.prompt(number, kernel(task, rung[stratum]))}
                     for number, (of, stratum) in states.items() if of == task]
            (self.folder / "nodes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
            self.assert_good(self.kbench("trajectory", "import", "jsonl", "nodes.jsonl", "--task", task, "--suite",
                                         TINY, "--device", "cpu", "--size", "small"))

    @staticmethod
    def prompt(number, code):
        return [{"role": "user", "content": f"// state {number}\nWrite it.\n"},
                {"role": "user", "content": f"It is:\n```\n{code}```\n", "after": "Write it anew."}]

    def plan(self, *words, components=COMPONENTS):
        listed = [word for one in components for word in ("--component", one)]
        return self.kbench("attribute", "plan", "--model", "scripted", "--quick", *listed, *words)

    def run_words(self, *words):
        return ("attribute", "run", "plan.json", "--endpoint", self.url, "--suite", TINY, *words)

    def run_study(self, *words):
        return self.kbench(*self.run_words(*words), timeout=3000, KBENCH_CACHE=str(CACHE))

    def report(self, *words):
        result = self.kbench("attribute", "report", "--json", *words)
        self.assert_good(result)
        return json.loads(result.stdout)

    def check_indices(self, report, states, replicates, seed=0, outcomes=tuple(VALUE)):
        """Each index of components alone, in pairs and in threes, of each outcome, equals the planted one."""
        expected = {}
        sets = {tuple(sorted(available)) for _, available in states}
        for outcome in outcomes:
            for available in sets:
                for size in range(1, min(len(available), 3) + 1):
                    for group in itertools.combinations(available, size):
                        expected[outcome, group] = brute(states, outcome, replicates, seed, group)
        found = {(one["outcome"], tuple(one["components"])): (one["mean"], one["states"])
                 for one in report["effects"] if one["index"] == "banzhaf" and one["by"] is None}
        for key, (mean, count) in expected.items():
            self.assertIn(key, found)
            self.assertAlmostEqual(found[key][0], mean, delta=1e-9, msg=key)
            self.assertEqual(found[key][1], count, key)
        return len(expected)

    def rows(self):
        return json.loads(self.kbench("report", "json").stdout)["results"]

    def evaluations(self):
        return [row for row in self.rows() if row["agent"]]


def answering(stratum):
    """Components that have something to say there, in the order of the alphabet."""
    return sorted({"not built": ["error"], "wrong": ["error", "profiler"], "correct": ["profiler"]}[stratum]
                  + ["left", "right"])


class SmallTest(StudyCase):
    STATES = {1: ("level1/019_relu", "not built"), 2: ("level1/019_relu", "wrong")}

    def setUp(self):
        super().setUp()
        self.freeze(self.STATES)
        self.server = self.serve(model(lambda number: self.tasks[number]))

    def test_from_the_states_to_the_indices(self):
        planned = self.plan("--replicates", "2", "--seed", "3", "--outcome", "correct", "--outcome", "built", "--json",
                            components=("error", "left=echo left"))
        self.assert_good(planned)
        told = json.loads(planned.stdout)
        self.assertEqual((told["states"], told["cells"], told["requests"], told["checks_only"]), (2, 16, 16 + 3, True))
        self.assert_fails(self.run_study("--resume"), NOTHING_SELECTED, "there is no study")
        done = self.run_study()
        self.assertEqual(done.returncode, GOOD, done.stderr)
        self.assertIn("16 of 16 cells", done.stderr)
        self.assertIn("one seed twice alike", done.stderr)
        self.assertIn("4 reports of components, 4 of them said now", done.stderr)
        self.assertEqual(len(self.server.seen), told["requests"])
        states = [(number, ["error", "left"]) for number in self.STATES]
        report = self.report("--lines", "cells.jsonl")
        self.assertEqual(self.check_indices(report, states, 2, seed=3, outcomes=("correct", "built")), 6)
        # Counting again from the lines gives the same numbers.
        again = json.loads(self.kbench("attribute", "analyze", "cells.jsonl", "--json").stdout)
        self.assertEqual(again["effects"], report["effects"])
        # A kernel is a row once, whoever wrote it, the states' own included.
        self.assertLessEqual(len(self.evaluations()), len(RUNGS))
        # No outcome takes a time: no kernel was timed, and no baseline.
        self.assertEqual(collections.Counter((row["agent"], row["timed"]) for row in self.rows()),
                         {("scripted", False): len(self.evaluations()), (None, False): 1})
        # Nothing is asked twice.
        self.assert_fails(self.run_study(), USAGE, "begun already")
        asked = len(self.server.seen)
        resumed = self.run_study("--resume")
        self.assert_good(resumed)
        self.assertEqual(len(self.server.seen), asked)
        self.assertIn("4 reports of components, 0 of them said now", resumed.stderr)
        self.assert_good(self.kbench("db", "check"))


class ReviewerTest(StudyCase):
    """A reviewer gets the page and the lines of a study that was stopped, and believes neither."""
    STATES = SmallTest.STATES

    def phi(self, component):
        """By the lines alone: mean over the states that have all of their coalitions."""
        tried = collections.defaultdict(dict)
        for line in (self.folder / "cells.jsonl").read_text(encoding="utf-8").splitlines():
            cell = json.loads(line)
            if cell["arm"] == "direct" and cell["outcomes"]:
                tried[cell["state"]][frozenset(cell["coalition"])] = float(cell["outcomes"]["correct"])
        whole = [cells for cells in tried.values() if len(cells) == 4]
        gains = [value - cells[coalition - {component}] for cells in whole
                 for coalition, value in cells.items() if component in coalition]
        return sum(gains) / len(gains), len(whole)

    def stop_after(self, cells):
        """Interrupts the study once so many of its cells are asked for; further ones get no answer."""
        whole, enough = model(lambda number: self.tasks[number]), threading.Event()
        asked = itertools.count()

        def reply(request):
            if next(asked) >= 3 + cells:  # three probes
                enough.set()
                time.sleep(1)
                return 503, "overloaded", [("Retry-After", "1")]
            return whole(request)

        self.serve(reply)
        process = subprocess.Popen([str(KBENCH), *self.run_words("--parallel", "1", *self.resume)], cwd=self.folder,
                                   env={**os.environ, "HOME": str(self.folder), "KBENCH_CACHE": str(CACHE)},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        self.wait_until(enough.is_set, "so many are asked for", process, 600)
        process.kill()
        process.wait()
        self.resume = ("--resume",)

    def test_the_page_says_that_it_was_stopped_and_the_lines_give_the_effect(self):
        self.freeze(self.STATES)
        self.resume = ()
        self.assert_good(self.plan("--outcome", "correct", components=("error", "left=echo left")))
        self.stop_after(2)
        early = self.kbench("attribute", "report", "--html", "page.html")
        self.assert_fails(early, NOTHING_SELECTED, "the study is not complete: 2 of its 8 cells are there", "--resume")
        self.stop_after(4)
        report = self.kbench("attribute", "report", "--html", "page.html", "--lines", "cells.jsonl", "--json")
        self.assert_good(report)
        told = json.loads(report.stdout)
        (said,) = [alarm for alarm in told["alarms"] if "the study is not complete" in alarm]
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertIn("! " + said, page)
        self.assertLess(page.index(said), page.index("cannot tell"), "it stands above all results")
        for one in told["components"]:
            phi, states = self.phi(one["component"])
            self.assertAlmostEqual(one["mean"], phi, delta=1e-9)
            self.assertEqual(states, 1)


class NonsenseTest(StudyCase):
    """A model that is good for nothing, as planner and as coder."""
    STATES = {number: ("level1/019_relu", "wrong" if number % 2 else "not built") for number in range(6)}
    SAID = ("", "I am a tea pot.", "```", "```cpp\nint\n", "```cpp\nkbench_forward kbench_forward\n```\n",
            "```json\n{\"kernel\": null}\n```", "\u202e\u0007\x1b[31m\ufffd", "word " * 20_000,
            "```cpp\n#include \"nowhere.h\"\nextern \"C\" int kbench_forward();\n```\n```cpp\n```\n")

    def test_a_study_ends_and_says_that_nothing_was_ever_correct(self):
        self.freeze(self.STATES)
        asked = itertools.count()
        server = self.serve(lambda _: {"role": "assistant", "content": self.SAID[next(asked) % len(self.SAID)]})
        planned = self.plan("--mode", "plan", "--outcome", "correct", "--json", components=("error", "left=echo left"))
        self.assert_good(planned)
        done = self.run_study()
        self.assertEqual(done.returncode, GOOD, done.stderr)
        self.assertIn("24 of 24 cells", done.stderr)
        self.assertEqual(len(server.seen), json.loads(planned.stdout)["requests"])
        result = self.kbench("attribute", "report", "--html", "page.html")
        self.assert_good(result)
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        for line in ("! nothing was ever correct: it is 0 in all 24 cells, so that effects have a bound alone",
                     "error |φ| ≤ 0.46: all 6 trajectories had the same outcome everywhere: cannot tell"):
            self.assertIn(line + "\n", result.stdout)
            self.assertIn(line, page)
        self.assert_good(self.kbench("db", "check"))


class TransferTest(StudyCase):
    """The plans of a stronger model lift the weak one by a planted half in each state; alone it is always right."""
    STATES = {1: ("level1/019_relu", "wrong"), 2: ("level1/019_relu", "not built")}

    def model(self, request):
        strong, asked = request["model"] == "large", json.dumps(request["messages"])
        number = int(re.search(r"// state (\d+)", asked).group(1))
        if "Do not write the kernel yet" in request["messages"][-1]["content"]:
            return {"role": "assistant", "content": "A plan of large." if strong else "A plan of its own."}
        lent = "A plan of large." in asked
        if lent:
            self.reported.append(bool(re.search(r"error:\\n", asked)))
        right = strong or (lent and request["seed"] % 2 == number % 2)
        return {"role": "assistant", "content": f"```cpp\n{kernel(self.tasks[number], RUNGS[3 if right else 1])}```\n"}

    def test_the_gain_by_a_lent_plan_is_the_planted_one(self):
        self.reported = []
        self.freeze(self.STATES)
        weak = self.serve(self.model)
        url = self.url
        large = self.serve(self.model)
        strong_url, self.url = self.url, url
        planned = self.plan("--strong", "large", "--replicates", "2", "--outcome", "correct", "--json",
                            components=("error",))
        self.assert_good(planned)
        # Two coalitions and three arms; an arm has a planner.
        told = json.loads(planned.stdout)
        self.assertEqual((told["cells"], told["requests"]), (2 * 2 * 5, 2 * 2 * (2 + 3 * 2) + 3))
        done = self.run_study("--strong", strong_url)
        self.assertEqual(done.returncode, GOOD, done.stderr)
        models = collections.Counter(one["body"]["model"] for one in weak.seen)
        self.assertEqual(models, {"scripted": 2 * 2 * (2 + 2 + 1) + 3})
        models = collections.Counter(one["body"]["model"] for one in large.seen)
        self.assertEqual(models, {"large": 2 * 2 * 3}, "it is asked where it is")
        self.assertEqual(set(self.reported), {False}, "who gets the plan gets no report")
        [found] = self.report()["transfers"]
        self.assertAlmostEqual(found["gain"]["mean"], 0.5)
        self.assertAlmostEqual(found["gap"]["mean"], 1)


class PricesTest(StudyCase):
    def test_where_no_database_is_it_says_what_makes_one(self):
        self.assert_fails(self.plan(), USAGE, "no such database", "kbench agent run", "kbench trajectory freeze")
        self.assert_fails(self.kbench("attribute", "report"), USAGE, "no such database", "kbench attribute run")

    def test_what_is_planned_is_paid(self):
        self.freeze(SmallTest.STATES)
        refused = self.plan("--usd", "0.0001", "--price", "3,15")
        self.assert_fails(refused, USAGE, "one state under all of its coalitions once", "that takes US$")
        needed = re.search(r"--usd ([\d.]+)", refused.stderr).group(1)
        paid = self.plan("--usd", needed, "--price", "3,15", "--json")
        self.assert_good(paid)
        told = json.loads(paid.stdout)
        self.assertEqual(told["states"], 1)
        self.assertLessEqual(told["usd"], float(needed))
        self.assert_fails(self.plan("--usd", "5"), USAGE, "--usd needs --price")
        self.assert_fails(self.plan("--stratum", "correct"), NOTHING_SELECTED, "no state is there")
        self.assert_fails(self.plan("--arm", "P+RF"), USAGE, "P+RF takes reports of another task's state")


class PaidTest(StudyCase):
    """A model whose turns are stored: the plan says what the run then costs."""
    PRICE = (3, 15)

    def reply(self, request):
        turn = sum(one["role"] == "assistant" for one in request["messages"])
        right = turn > 0 or request["seed"] % 2 == 1
        message = {"role": "assistant",
                   "content": f"```cpp\n{kernel('level1/019_relu', RUNGS[3 if right else 1])}```\n"}
        self.tokens.append((len(json.dumps(request["messages"])) // 4, len(json.dumps(message)) // 4))
        return message

    def test_the_run_counts_what_the_plan_says(self):
        self.tokens = []
        self.begin_checked()
        self.serve(self.reply)
        result = self.kbench("agent", "run", "--endpoint", self.url, "--model", "scripted", "--task", "level1/019_relu",
                             "--device", "cpu", "--quick", "--suite", TINY, "--style", "refine", "--turns", "2",
                             KBENCH_CACHE=str(CACHE))
        self.assertEqual(result.returncode, GOOD, result.stderr)
        self.assert_good(self.kbench("trajectory", "freeze", "--run", "latest"))
        planned = self.plan("--replicates", "4", "--outcome", "correct", "--price", ",".join(map(str, self.PRICE)),
                            "--usd", "30", "--json", components=("error", "profiler"))
        self.assert_good(planned)
        told = json.loads(planned.stdout)
        self.assertEqual((told["turns"], told["states"]), (2, 2))
        self.tokens = []
        self.assert_good(self.run_study())
        # The profiler speaks of both states' kernels, so that these are timed, and their baselines.
        self.assertTrue(told["checks_only"])
        self.assertEqual([row["timed"] for row in self.rows()], [True] * 3)
        counted = [sum(column) for column in zip(*self.tokens)]
        self.assertEqual(len(self.tokens), told["requests"])
        usd = sum(tokens * price for tokens, price in zip(counted, self.PRICE)) / 1e6
        for said, true in ((told["tokens"]["in"], counted[0]), (told["tokens"]["out"], counted[1]), (told["usd"], usd)):
            self.assertLess(abs(said - true) / true, 0.05, (told, counted))
        print(f"planned {told['tokens']} and US$ {told['usd']:.4f}, counted {counted} and US$ {usd:.4f}")


class FaultCase(StudyCase):
    """A study that is planned, and kept as it is before it runs."""
    STATES = {1: ("level1/019_relu", "not built"), 2: ("level1/019_relu", "wrong")}
    REPLICATES, SPEAKERS = 5, ("error", "left=echo left")

    def setUp(self):
        super().setUp()
        self.freeze(self.STATES)
        self.assert_good(self.plan("--replicates", str(self.REPLICATES), "--outcome", "correct", "--outcome", "tokens",
                                   components=self.SPEAKERS))
        shutil.copy(self.folder / "kbench.sqlite", self.folder / "before.sqlite")


class FaultTest(FaultCase):
    """An endpoint that fails for one coalition."""

    def test_the_drops_of_one_coalition_stand_at_the_top(self):
        whole = model(lambda number: self.tasks[number])

        def fails(request):
            last = request["messages"][-1]["content"]
            if "error:\n" in last and "left:\n" in last and request["seed"] % 2 == 0:
                return 503, "overloaded", [("Retry-After", "0")]
            return whole(request)

        self.serve(fails)
        done = self.run_study()
        self.assertEqual(done.returncode, INFRASTRUCTURE, done.stderr)
        self.assertIn("40 of 40 cells, 6 without an outcome", done.stderr)
        result = self.kbench("attribute", "report", "--lines", "cells.jsonl")
        cells = [json.loads(line) for line in (self.folder / "cells.jsonl").read_text().splitlines()]
        self.assertEqual({tuple(cell["coalition"]) for cell in cells if cell["outcomes"] is None}, {("error", "left")})
        self.assert_good(result)
        self.assertRegex(result.stdout.splitlines()[0], r"^!.*6 × error\+left")


class KillCase(FaultCase):
    KILLS = 100
    maxDiff = None  # of two reports

    def varied(self, request):
        """The model's reply; each seed has kernels of its own, so that many are judged."""
        reply = model(lambda number: self.tasks[number])(request)
        return {**reply, "content": reply["content"].replace("```cpp\n", f"```cpp\n// {request['seed']}\n")}

    def check_killed(self):
        server = self.serve(self.varied, delay=0.05)
        self.assert_good(self.run_study())
        whole = self.report()
        asked = len(server.seen)
        shutil.copy(self.folder / "before.sqlite", self.folder / "kbench.sqlite")
        variables = {**os.environ, "HOME": str(self.folder), "KBENCH_CACHE": str(CACHE)}
        kills, resume = 0, ()
        while True:
            process = subprocess.Popen([str(KBENCH), *self.run_words(*resume)], cwd=self.folder, env=variables,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       text=True)
            if not resume:  # before there is a study nothing can be lost
                self.wait_until(self.has_study, "the study is begun", process, seconds=300)
                resume = ("--resume",)
            if kills < self.KILLS and self.lives_for_a_while(process, server):
                process.send_signal(signal.SIGKILL)
                process.communicate()
                kills += 1
                continue
            _, said = process.communicate(timeout=900)
            self.assertEqual(process.returncode, GOOD, said)
            break
        self.assertEqual(self.report(), whole)
        rows = collections.Counter((row["task"], row["variant"]) for row in self.evaluations())
        self.assertEqual(set(rows.values()), {1}, "a kernel was judged twice")
        self.assert_good(self.kbench("db", "check"))
        self.assertEqual(kills, self.KILLS, "the study was over before")
        print(f"{kills} kills, {len(server.seen) - asked} requests for {asked}, {len(rows)} kernels were judged")

    def has_study(self):
        return "no such study" not in self.kbench("attribute", "report").stderr


class ManyKillsTest(KillCase):
    """A hundred kills at random moments: of the start, between requests, and while kernels are judged. What is said
    of a kernel is the same in both studies: `error` would tell numbers of other inputs, in more or fewer tokens."""
    REPLICATES, SPEAKERS = 50, ("analyzer", "left=echo left")

    def test_killed_at_any_moment_nothing_is_lost_and_nothing_judged_twice(self):
        self.check_killed()

    def lives_for_a_while(self, process, server):
        asked = len(server.seen) + random.choice((0, 1, 2, 4, 5, 6, 7))
        self.wait_until(lambda: len(server.seen) >= asked or process.poll() is not None, "it asks", process,
                        seconds=300)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=random.uniform(0, 0.3))
        return process.poll() is None


class KillTest(KillCase):
    """A few kills, each while something is asked or judged, of a study whose components look at the kernels."""
    REPLICATES, KILLS, SPEAKERS = 1, 3, ("debugger", "analyzer")

    def test_components_spoke_once_and_nothing_is_lost(self):
        self.check_killed()
        with contextlib.closing(sqlite3.connect(self.folder / "kbench.sqlite")) as database:
            said = database.execute("SELECT component, status FROM report ORDER BY component, state").fetchall()
        self.assertEqual(said, [("analyzer", "answered"), ("analyzer", "answered"), ("debugger", "answered")])

    def lives_for_a_while(self, process, server):
        asked = len(server.seen) + 5  # three probes, and some of a cell's
        self.wait_until(lambda: len(server.seen) >= asked or process.poll() is not None, "it asks", process,
                        seconds=300)
        return process.poll() is None


class WholeCase(StudyCase):
    """Eight states of three strata, three tasks, all coalitions, ten replicates, in each of the modes."""
    STRATA = ("not built", "wrong", "correct", "not built", "wrong", "correct", "not built", "correct")
    STATES = {number: (tuple(BODIES)[number % 3], stratum) for number, stratum in enumerate(STRATA)}

    def check_indices_of_modes(self, *judged):
        self.freeze(self.STATES)
        server = self.serve(model(lambda number: self.tasks[number]))
        outcomes = [word for outcome in judged for word in ("--outcome", outcome)]
        states = [(number, answering(stratum)) for number, (_, stratum) in self.STATES.items()]
        for mode, requests in (("direct", 800), ("plan", 1600), ("both", 1600)):
            with self.subTest(mode=mode):
                begin = time.monotonic()
                planned = self.plan("--mode", mode, "--replicates", "10", *outcomes, "--json")
                self.assert_good(planned)
                self.assertEqual(json.loads(planned.stdout)["cells"], 800)
                before = len(server.seen)
                done = self.run_study("--parallel", "8")
                self.assertEqual(done.returncode, GOOD, done.stderr)
                self.assertEqual(len(server.seen) - before, requests + 3)
                rows = self.evaluations()
                self.assertLessEqual(len(rows), 12)
                self.check_times(rows)
                checked = self.check_indices(self.report("--lines", "cells.jsonl"), states, 10, outcomes=judged)
                self.check_cells(judged)
                print(f"{mode}: {checked} indices, {len(rows)} evaluations, {time.monotonic() - begin:.0f} s")

    def check_cells(self, outcomes):
        """Each cell has the planted outcomes: so has what all four components do together, which no table shows."""
        for line in (self.folder / "cells.jsonl").read_text(encoding="utf-8").splitlines():
            cell = json.loads(line)
            rung = planted(cell["generation"], cell["coalition"], cell["replicate"])
            self.assertEqual(cell["outcomes"], {outcome: VALUE[outcome](rung) for outcome in outcomes}, line)


class WholeCheckedTest(WholeCase):
    """Whether kernels are built and right. Only those of states are timed, for the profiler."""

    def test_every_index_is_the_planted_one(self):
        self.check_indices_of_modes("correct", "built")

    def check_times(self, rows):
        self.assertIn(False, {row["timed"] for row in rows})


class WholeTest(WholeCase):
    """How fast they are besides: each kernel lies on one side of the threshold, far from it."""

    def test_every_index_is_the_planted_one(self):
        self.check_indices_of_modes(*VALUE)

    def check_times(self, rows):
        """A machine that was busy tells no time: of a kernel that is right the interval leaves the threshold out."""
        self.assertEqual({row["timed"] for row in rows}, {True})
        for row in rows:
            speedup = row["speedup"]["eager"]
            if row["correct"] and (not speedup or speedup["low"] <= THRESHOLD < speedup["high"]):
                raise quiet.BusyMachine(f"{quiet.MARK} {self.id()}: {row['task']} took {speedup} of eager's time")


if __name__ == "__main__":
    cli_case.main()
