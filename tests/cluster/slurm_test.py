"""The page's commands on a real Slurm of two nodes: one agent by 250 tasks; 50 agents, while a node dies midway."""

import collections
import os
import re
import shutil
import subprocess
import time

import cluster_case
from cluster_case import KBENCH, ROOT, SCRIPTED, TASK, ask, kernel, tool
from slurm_case import COMMANDS, NODES, SlurmCase

TASKS = 250
PAGE = ROOT / "data/docs/cluster.md"

# The bench of tests/fakes where something would be measured, else the built program.
STAND_IN = f"""#!/bin/bash
words=()
for word; do [ "$word" = --no-html ] || words+=("$word"); done
[ "$1" = build ] && {{ echo "$SLURM_ARRAY_TASK_ID" >> "$KBENCH_SCRIPTED_LOG.built"; exit; }}  # its kernels are none
[ "$1" = run ] || [ "$1" = serve ] || exec {KBENCH} "$@"
export KBENCH={KBENCH} HOME="$HOME/$SLURMD_NODENAME" KBENCH_LOCKS="$HOME/$SLURMD_NODENAME/locks"
exec {SCRIPTED} "${{words[@]}}"
"""


class TypedCase(SlurmCase):
    AGENTS = 1
    SHARDS = 6  # Slurm takes a second for each, and again for its builds

    def setUp(self):
        super().setUp()
        shutil.rmtree(self.pool)  # the page makes it
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "kbench").write_text(STAND_IN, encoding="utf-8")
        (programs / "kbench").chmod(0o755)
        for node in NODES:
            self.environment(node)  # its home, with the pool's key
        for agent in range(self.AGENTS):
            for file in sorted((ROOT / "suites").glob("level*/*.json")):
                kernel = self.folder / f"answers/agent{agent:02}" / file.parent.name / f"{file.stem}.cpp"
                kernel.parent.mkdir(parents=True, exist_ok=True)
                kernel.write_text(f"// {agent} {file.stem}\nint nothing;\n", encoding="ascii")
        self.variables = self.slurm_variables(programs)

    def slurm_variables(self, programs):
        kept = {k: v for k, v in os.environ.items() if k not in cluster_case.cli_case.FOREIGN}
        return {**kept, "HOME": str(self.folder), "data": str(ROOT / "data"),
                "PATH": f"{programs}:{COMMANDS}:{os.environ['PATH']}", "SBATCH_GRES": "none",
                "KBENCH_SCRIPTED_LOG": str(self.measured), "TMPDIR": str(self.folder)}

    def block(self, kind):
        """The commands that the page tells a reader to type on a cluster."""
        [block] = re.findall(rf"^```sh {kind}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        return block

    def commands(self):
        """Those of a run, in so many shards."""
        block = self.block("slurm")
        self.assertEqual(block.count("--array=1-50 "), 2)
        return block.replace("--array=1-50 ", f"--array=1-{self.SHARDS} ")

    def type_commands(self, meanwhile=lambda typed: None):
        """Types the page's commands, which end well."""
        self.begin_slurm()
        begun = time.monotonic()
        with open(self.folder / "typed", "wb") as said:
            typed = subprocess.Popen(["bash", "-eu", "-o", "pipefail", "-c", self.commands()], cwd=self.folder,
                                     env=self.slurm_environment(**self.variables), stdin=subprocess.DEVNULL,
                                     stdout=said, stderr=said)
            meanwhile(typed)
            code = typed.wait(3000)
        self.seconds = time.monotonic() - begun
        self.assertEqual(code, 0, (self.folder / "typed").read_text(encoding="utf-8"))

    def assert_each_row_counts_once(self):
        built = self.measured.with_suffix(".built").read_text(encoding="ascii").split()
        self.assertEqual(set(built), {str(number) for number in range(1, self.SHARDS + 1)}, "each shard waited for its builds")
        rows = self.sql(self.folder / "all.sqlite", "SELECT submission, count(*) FROM evaluation "
                        "WHERE labels NOT LIKE '%again%' GROUP BY submission")
        self.assertEqual(len(rows), self.AGENTS * TASKS)
        self.assertEqual({count for _, count in rows}, {1})
        page = (self.folder / "all.html").read_text(encoding="utf-8")
        self.assertIn(f"agent{self.AGENTS - 1:02}", page)
        measured = collections.Counter(self.measured_rows())
        print(f"{len(rows)} rows in {self.seconds:.0f} s; measured {sum(measured.values())} times, "
              f"{sum(count > 1 for count in measured.values())} rows more than once; page {len(page) >> 20} MiB")


class ArrayTest(TypedCase):
    def test_an_array_is_one_database_and_one_page(self):
        self.type_commands()
        self.assert_each_row_counts_once()


class JudgesTest(TypedCase):
    AGENTS = 0

    def test_judges_answer_where_they_say_until_they_are_cancelled(self):
        self.begin_slurm()
        environment = self.slurm_environment(**self.variables)
        subprocess.run([KBENCH, "exchange", "init", "pool"], cwd=self.folder, env=environment, check=True)
        start, *_, end = self.block("judges").splitlines()
        self.type_in(start, environment)
        judges = self.folder / "judges"
        self.wait_until(lambda: len(list(judges.glob("*.tunnel"))) == 2, "both judges tell where they are",
                        self.daemons["slurmctld"])
        ports = [int(re.search(r":(\d+) ", file.read_text()).group(1)) for file in sorted(judges.glob("*.tunnel"))]
        body = {"query": [f"```cpp\n{kernel(1)}```"], "prompts": [""], "labels": [TASK]}
        answers = [ask(port, "/get_reward", body) for port in ports]
        self.assertEqual([status for status, _ in answers], [200, 200])
        self.assertEqual(answers[0][1]["rewards"], answers[1][1]["rewards"])
        self.assertEqual(len(self.measured_rows()), 1, "the second judge has found the row of the first")
        self.type_in(end, environment)
        self.wait_until(lambda: not list(judges.iterdir()), "both have ended", self.daemons["slurmctld"])
        self.wait_until(lambda: not self.slurm_says("squeue", "-h"), "Slurm knows", self.daemons["slurmctld"])
        for log in self.folder.glob("kbench-judge-*.log"):
            self.assertNotIn("ended with code", log.read_text(encoding="utf-8"))

    def test_a_judge_that_is_started_again_goes_on_with_its_queue(self):
        self.begin_slurm()
        environment = self.slurm_environment(**self.variables, KBENCH_SCRIPTED_MS="1500")
        subprocess.run([KBENCH, "exchange", "init", "pool"], cwd=self.folder, env=environment, check=True)
        self.type_in(self.block("judges").splitlines()[0], environment)
        # The other judge keeps the other node, so Slurm has this one's alone to start it again on.
        tunnels = [self.folder / f"judges/{number}.tunnel" for number in (1, 2)]
        self.wait_until(lambda: all(file.exists() and file.read_text() for file in tunnels), "both judges answer",
                        self.daemons["slurmctld"])
        port, node = self.place_of(tunnels[0])
        orders = [{"task": TASK, "files": {"kernel.cpp": kernel(number)}} for number in range(12)]
        asked = [ask(port, "/v1/evaluations", order) for order in orders]
        self.assertEqual({status for status, _ in asked}, {202})
        [job] = [line.split()[0] for line in self.slurm_says("squeue", "-h", "-r", "-o", "%i %N").splitlines()
                 if line.split()[0].endswith("_1")]
        self.slurm_says("scontrol", "requeue", job)
        self.wait_until(lambda: tunnels[0].exists() and tunnels[0].read_text()
                        and self.place_of(tunnels[0])[0] != port, "Slurm has started it again",
                        self.daemons["slurmctld"])
        again, node_then = self.place_of(tunnels[0])
        self.assertEqual(node_then, node)
        status, answer = ask(again, f"/v1/evaluations/{asked[-1][1]['id']}?wait_s=120")
        self.assertEqual(status, 200, answer)
        self.assertIn("row", answer)

    def place_of(self, tunnel):
        port, node = re.search(r":(\d+) (\w+)$", tunnel.read_text()).groups()
        return int(port), node

    def type_in(self, line, environment):
        subprocess.run(["bash", "-eu", "-c", line], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, check=True)


class KilledNodeTest(TypedCase):
    AGENTS = int(os.environ.get("SLURM_AGENTS", "50"))
    SHARDS = 50

    def test_an_array_whose_node_dies_is_one_database_and_one_page(self):
        self.type_commands(self.kill_midway)
        self.assertIn("restart", self.restarts(), "Slurm has started an element again")
        self.assert_each_row_counts_once()

    def kill_midway(self, typed):
        self.wait_until(lambda: len(self.measured_rows()) > self.AGENTS * TASKS // 3, "a third is measured", typed, 3000)
        self.assertTrue(self.processes_of("node1"))
        self.kill_node("node1")
        print(f"node1 killed at {len(self.measured_rows())} rows")

    def restarts(self):
        log = (self.slurm / "slurmctld.log").read_text(encoding="utf-8")
        return "restart" if re.search(r"requeu", log, re.IGNORECASE) else log[-2000:]


if __name__ == "__main__":
    tool("sbatch")
    cluster_case.main()
