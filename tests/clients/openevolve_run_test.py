"""OpenEvolve itself, thirty iterations with kbench as the judge: a kernel that hangs, a server that is away for half a
minute. Each fitness is the stored reward, and all that was evaluated becomes states. It measures."""

import client_case

client_case.enter("openevolve")

import contextlib  # noqa: E402
import hashlib  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import random  # noqa: E402
import re  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import subprocess  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402

import cli_case  # noqa: E402
import scripted_endpoint  # noqa: E402
from cli_case import ROOT, TINY  # noqa: E402
from client_case import CLIENTS, TASK, ClientCase  # noqa: E402
from serve_case import ANN  # noqa: E402

ITERATIONS = 30
KILLED_AT = 12  # of the model's replies
OUTAGE = 30  # seconds
RIGHT = scripted_endpoint.RIGHT
HANGS = RIGHT.replace("  return 0;", "  for (volatile int on = 1; on;) {}\n  return 0;")
# By the reply's number. A right one is timed, which takes long where others are at work.
KINDS = (scripted_endpoint.WRONG, RIGHT.replace("return 0;", "return 0"), scripted_endpoint.WRONG, RIGHT,
         RIGHT.replace("in->x[i] < 0 ?", "i % 1000 == 7 ?"), RIGHT.replace("kbench_forward", "forward"))
UNFENCED = 9  # this reply is words alone, and OpenEvolve makes a program of them
HANGING = 5


class Model:
    """Each reply is another program."""

    def __init__(self):
        self.lock = threading.Lock()
        self.replies = 0

    def __call__(self, _request):
        with self.lock:
            self.replies += 1
            number = self.replies
        kernel = HANGS if number == HANGING else KINDS[number % len(KINDS)]
        text = f"```cpp\n// {number}\n{kernel}```\n"
        if number == UNFENCED:
            text = "I have no kernel for you."
        return {"role": "assistant", "content": text}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


class OpenEvolveRunTest(ClientCase):
    def setUp(self):
        super().setUp()
        self.begin_checked()
        self.port = free_port()
        self.serve("--suite", str(TINY), port=self.port)
        self.model = Model()
        endpoint = scripted_endpoint.make_server(reply=self.model)
        threading.Thread(target=endpoint.serve_forever, daemon=True).start()
        self.addCleanup(endpoint.server_close)
        self.addCleanup(endpoint.shutdown)
        self.url = f"http://127.0.0.1:{endpoint.server_address[1]}/v1"

    def settings(self):
        """The shipped ones, with a small population that forgets."""
        text = (ROOT / "data/clients/openevolve.yaml").read_text(encoding="utf-8")
        for name, value in (("api_base", self.url), ("primary_model", "scripted"), ("population_size", 5),
                            ("max_iterations", ITERATIONS)):
            text, found = re.subn(rf"(?m)^( *{name}:) \S+", rf"\1 {value}", text)
            self.assertEqual(found, 1, name)
        self.assertIn("checkpoint_interval: 10", text)
        (self.folder / "openevolve.yaml").write_text(text, encoding="utf-8")

    def evolve(self):
        (self.folder / "first.cpp").write_text(RIGHT.replace("return 0;", "return 0"), encoding="utf-8")
        self.settings()
        variables = {**os.environ, "HOME": str(self.folder), "OPENAI_API_KEY": "none", "KBENCH_TASK": TASK,
                     "KBENCH_URL": f"http://127.0.0.1:{self.port}", "KBENCH_TOKEN": ANN, "KBENCH_FILE": "main.cpp"}
        with open(self.folder / "evolution.log", "wb") as log:
            process = subprocess.Popen(
                [CLIENTS / "openevolve/bin/openevolve-run", "first.cpp", ROOT / "data/clients/openevolve_evaluator.py",
                 "--config", "openevolve.yaml", "--output", "evolved"],
                cwd=self.folder, env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)
        self.addCleanup(self.end, process)
        self.wait_until(lambda: self.model.replies >= KILLED_AT, "half of the programs are asked for", process, 900)
        self.servers[-1].end(signal.SIGKILL)
        time.sleep(OUTAGE)  # this is what is tested
        self.assertIsNone(process.poll(), self.said())
        self.serve("--suite", str(TINY), port=self.port)
        self.assertEqual(process.wait(1500), 0, self.said())

    @staticmethod
    def end(process):
        """With the processes that it evaluates in."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def said(self):
        return (self.folder / "evolution.log").read_text(encoding="utf-8")[-4000:]

    def programs(self):
        """The files' knowledge of each program: {id: (code, metrics)}, copies apart."""
        programs = {}
        for file in self.folder.glob("evolved/checkpoints/*/programs/*.json"):
            one = json.loads(file.read_text(encoding="utf-8"))
            if not one["metadata"].get("migrant"):
                programs[one["id"]] = (one["code"], one["metrics"])
        self.kept = len(programs)
        steps = []
        for line in (self.folder / "evolved/evolution_trace.jsonl").read_text(encoding="utf-8").splitlines():
            steps.append(json.loads(line))
            programs[steps[-1]["child_id"]] = (steps[-1]["child_code"], steps[-1]["child_metrics"])
        for step in steps:  # the first program is nobody's child, and may be forgotten
            if step.get("parent_code", "") not in ("", *(code for code, _ in programs.values())):
                programs[step["parent_id"]] = (step["parent_code"], step["parent_metrics"])
        return programs

    def imported(self, *paths):
        database = f"states-{len(list(self.folder.glob('states-*')))}.sqlite"
        self.assert_good(self.kbench("trajectory", "import", "openevolve", *paths, "--task", TASK, "--device", "cpu",
                                     "--size", "small", "--suite", TINY, "--db", database))
        listed = self.kbench("trajectory", "list", "--json", "--db", database)
        self.assert_good(listed)
        return database, json.loads(listed.stdout)["nodes"]

    def check_fitness(self, programs):
        rows = {row["sources"]["files"][0]["hash"]: row for row in self.stored_rows("milestone_sure")}
        self.assertLessEqual(set(rows), {hash_of(code) for code, _ in programs.values()}, "an evaluated one is lost")
        states = {}
        for code, metrics in programs.values():
            self.assertIn("combined_score", metrics, code)
            row = rows.get(hash_of(code))
            if row is None:  # refused: it defines no kernel
                self.assertEqual((metrics["combined_score"], "kbench_forward" in code), (-1, False))
                continue
            self.assertEqual(metrics["combined_score"], row["reward"]["value"], row)
            if metrics["combined_score"] == 0:
                self.assertNotEqual(row["state"], "ok")
            states.setdefault(row["state"], set()).add(metrics["combined_score"])
        return states

    def check_contexts(self, database, nodes):
        artifacts = {}
        for line in (self.folder / "evolved/evolution_trace.jsonl").read_text(encoding="utf-8").splitlines():
            step = json.loads(line)
            artifacts[step["child_id"]] = [text for name, text in (step["artifacts"] or {}).items()
                                           if name != "state" and len(text) >= 20]
        checked = 0
        for node in nodes:
            shown = self.kbench("trajectory", "show", node["node"], "--json", "--db", database)
            said = "\n".join(one["content"] + "\n" + (one.get("after") or "")
                             for one in json.loads(shown.stdout)["context"]["messages"])
            self.assertNotIn("Last Execution Output", said)
            for text in artifacts.get(node["outcome"]["program"], []):
                self.assertNotIn(text, said)
                checked += 1
        self.assertEqual({node["leaks"] for node in nodes}, {0})
        return checked

    def test_thirty_iterations(self):
        begin = time.monotonic()
        self.evolve()
        programs = self.programs()
        self.assertEqual(len(programs), 1 + ITERATIONS, self.said())
        self.assertLess(self.kept, len(programs), "checkpoints forget")
        states = self.check_fitness(programs)
        self.assertIn("timeout", states, "the kernel that hangs")
        database, nodes = self.imported("evolved")
        self.assertEqual({node["outcome"]["program"] for node in nodes}, set(programs))
        for node in nodes:
            self.assertEqual(node["outcome"]["metrics"], programs[node["outcome"]["program"]][1])
        files = [*self.folder.glob("evolved/checkpoints/*/programs/*.json"),
                 self.folder / "evolved/evolution_trace.jsonl"]
        for seed in range(3):
            random.Random(seed).shuffle(files)
            _, again = self.imported(*files)
            self.assertEqual({node["node"] for node in again}, {node["node"] for node in nodes})
        artifacts = self.check_contexts(database, nodes)
        print(f"{len(programs)} programs, {self.kept} of them in checkpoints, {len(nodes)} nodes; "
              f"fitness by state {states}; {artifacts} artifacts in no context; {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    cli_case.main()
