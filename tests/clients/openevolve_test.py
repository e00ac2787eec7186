"""Files that OpenEvolve's own code writes of an evolution, imported: every program, byte for byte, in any order of
files."""

import client_case

client_case.enter("openevolve")

import hashlib  # noqa: E402
import json  # noqa: E402
import pathlib  # noqa: E402
import random  # noqa: E402
import resource  # noqa: E402
import shutil  # noqa: E402
import sqlite3  # noqa: E402

import cli_case  # noqa: E402
from client_case import TASK  # noqa: E402
from openevolve.config import DatabaseConfig, PromptConfig  # noqa: E402
from openevolve.database import Program, ProgramDatabase  # noqa: E402
from openevolve.evolution_trace import EvolutionTracer  # noqa: E402
from openevolve.prompt.sampler import PromptSampler  # noqa: E402

PROGRAMS = 500
MOST_SECONDS = 5  # of processor time, which their import takes
DIFF = 3  # the program that a diff prompt made
SAID = "error: element {} is out of the bounds that it has"


class Evolution:
    """Programs as its controller records them: population 5, two islands, a checkpoint every ten iterations."""

    def __init__(self, folder):
        self.folder = folder
        self.random = random.Random(1)
        self.database = ProgramDatabase(DatabaseConfig(population_size=5, num_islands=2, log_prompts=True))
        self.tracer = EvolutionTracer(str(folder / "evolution_trace.jsonl"), include_code=True)
        self.sampler = PromptSampler(PromptConfig())
        self.programs = []
        self.artifacts = {}

    def step(self, at):
        parent = self.random.choice(self.programs[-6:]) if self.programs else None
        code = f'// kernel {at} é\t\\ "{"x" * self.random.randrange(2000)}"\nint k;\n'
        program = Program(id=f"{self.random.getrandbits(128):032x}", code=code, language="cpp",
                          parent_id=parent and parent.id, generation=parent.generation + 1 if parent else 0,
                          metrics={"combined_score": self.random.random(), "odd": float("nan")})
        self.artifacts[program.id] = {"message": SAID.format(at), "state": "wrong_result"}
        self.database.add(program, iteration=at)
        self.database.store_artifacts(program.id, self.artifacts[program.id])
        if parent:
            self.record(at, parent, program)
        self.programs.append(program)
        if at % 10 == 0:
            self.database.save(str(self.folder / f"checkpoints/checkpoint_{at}"), at)

    def record(self, at, parent, program):
        diff = at == DIFF
        prompt = self.sampler.build_prompt(
            current_program=parent.code, parent_program=parent.code, program_metrics=parent.metrics,
            previous_programs=[one.to_dict() for one in self.programs[-3:]],
            top_programs=[one.to_dict() for one in self.programs[:2]], inspirations=[], language="cpp",
            evolution_round=at, diff_based_evolution=diff, program_artifacts=self.artifacts[parent.id],
            feature_dimensions=[])
        assert SAID.split("{}", 1)[0] in prompt["user"], "its prompts hold what was said of the program"
        self.database.log_prompt(program.id, "diff_user" if diff else "full_rewrite_user", dict(prompt), ["reply"])
        self.tracer.log_trace(at, parent, program, llm_response="reply", artifacts=self.artifacts[program.id],
                              prompt={"system": prompt["system"], "user": prompt["user"]})


def spent():
    """Seconds of processor time of all programs that have ended: beside others the clock tells nothing."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class OpenEvolveTest(cli_case.CliCase):
    def imported(self, *paths):
        database = self.folder / f"{len(list(self.folder.iterdir()))}.sqlite"
        result = self.kbench("trajectory", "import", "openevolve", *map(str, paths), "--task", TASK, "--device", "cpu",
                             "--db", str(database))
        self.assertEqual(result.returncode, cli_case.GOOD, result.stderr)
        listed = self.kbench("trajectory", "list", "--json", "--db", str(database))
        return database, json.loads(listed.stdout)["nodes"]

    def test_five_hundred_programs_of_its_own_writer(self):
        folder = self.folder / "output"
        folder.mkdir()
        evolution = Evolution(folder)
        for at in range(PROGRAMS):
            evolution.step(at)
        evolution.tracer.close()
        kept = {file.stem for file in folder.glob("checkpoints/*/programs/*.json")}
        self.assertLess(len(kept), PROGRAMS, "checkpoints forget")
        before = spent()
        database, nodes = self.imported(folder)
        took = spent() - before
        print(f"{len(nodes)} nodes of {PROGRAMS} programs, {len(kept)} of them in checkpoints: {took:.1f} s")
        self.assertLessEqual(took, MOST_SECONDS)
        self.assertEqual({node["outcome"]["program"] for node in nodes}, {one.id for one in evolution.programs})
        self.assertEqual({node["outcome"]["stratum"] for node in nodes}, {"wrong"})
        with sqlite3.connect(database) as raw:
            kernels = {hash for hash, in raw.execute("SELECT hash FROM blob WHERE number IN (SELECT blob FROM tree)")}
        self.assertEqual(kernels, {hashlib.sha256(one.code.encode()).hexdigest() for one in evolution.programs})
        self.assertEqual(self.kbench("db", "check", "--db", str(database)).returncode, cli_case.GOOD)
        self.assertEqual({node["leaks"] for node in nodes}, {0}, "no context holds an artifact")
        self.check_diff(database, nodes, evolution.programs[DIFF])
        self.check_order(folder, {node["node"] for node in nodes})

    def check_diff(self, database, nodes, program):
        """A diff prompt is not asked again: its parent's context is fresh."""
        [child, *_] = [node for node in nodes if node["outcome"]["program"] == program.id]
        [parent] = child["parents"]
        shown = self.kbench("trajectory", "show", parent, "--json", "--db", str(database))
        self.assert_good(shown)
        node = json.loads(shown.stdout)
        self.assertEqual(node["outcome"]["program"], program.parent_id)
        said = json.dumps(node["context"])
        self.assertIn("kbench_forward", said, "the task's prompt")
        self.assertNotIn("# Current Program Information", said)

    def check_order(self, folder, ids):
        """The same files one by one, the trace first and the checkpoints from the last to the first."""
        files = sorted(folder.glob("checkpoints/*/programs/*.json"), reverse=True)
        _, nodes = self.imported(folder / "evolution_trace.jsonl", *files)
        self.assertEqual({node["node"] for node in nodes}, ids)
        shutil.rmtree(folder / "checkpoints")
        result = self.kbench("trajectory", "import", "openevolve", str(pathlib.Path(folder)), "--task", TASK,
                             "--device", "cpu", "--db", str(self.folder / "trace.sqlite"))
        self.assertEqual(result.returncode, cli_case.GOOD, result.stderr)


if __name__ == "__main__":
    cli_case.main()
