"""The scripts of data/cluster for Slurm, started as Slurm starts them but without it: what each does with the exit codes
of kbench. Nothing is measured (tests/fakes/scripted_kbench.cpp)."""

import os
import pathlib
import re
import subprocess

import cluster_case
from cluster_case import KBENCH, ROOT, SCRIPTED, TINY, ClusterCase, ask

RIGHT = """#include "kbench.h"
#include "task.h"
extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out, kb_context*) {
  return 0;
}
"""

# The bench of tests/fakes where something would be measured, else the built program.
STAND_IN = f"""#!/bin/bash
words=()
for word; do [ "$word" = --no-html ] || words+=("$word"); done
[ "$1" = run ] || [ "$1" = serve ] || exec {KBENCH} "$@"
export KBENCH={KBENCH}
exec {SCRIPTED} "${{words[@]}}"
"""


class ScriptsTest(ClusterCase):
    def setUp(self):
        super().setUp()
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        self.program("kbench", STAND_IN)
        self.program("scontrol", f"#!/bin/sh\necho \"$@\" >> {self.folder}/scontrol\n")
        self.program("sleep", "#!/bin/sh\n")  # until Slurm ends the copy
        self.hand_in("anna", RIGHT)
        self.hand_in("bert", "this does not compile;\n")

    def program(self, name, text):
        (self.programs / name).write_text(text, encoding="utf-8")
        (self.programs / name).chmod(0o755)

    def hand_in(self, agent, text):
        file = self.folder / f"answers/{agent}/level1/019_relu.cpp"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def begin(self, name, *words, **more):
        self.temporary = self.folder / "node"
        self.temporary.mkdir(exist_ok=True)
        variables = self.environment("one", SLURM_ARRAY_TASK_ID="1", SLURM_ARRAY_TASK_COUNT="1", SLURM_JOB_ID="7",
                                     TMPDIR=str(self.temporary), PATH=f"{self.programs}:{os.environ['PATH']}", **more)
        return subprocess.Popen(["bash", str(ROOT / "data/cluster" / name), *map(str, words)], cwd=self.folder,
                                env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def script(self, name, *words, **more):
        return self.end(self.begin(name, *words, **more))

    def end(self, begun):
        said, errors = begun.communicate(timeout=300)
        self.left = sorted(path.name for path in self.temporary.iterdir())
        return subprocess.CompletedProcess(begun.args, begun.returncode, said, errors)

    def build(self, *words, **more):
        return self.script("build.sbatch", self.pool, "--submissions", "answers", "--suite", TINY, "--device", "cpu",
                           *words, **more)

    def entries(self):
        return list((self.pool / "cache/submissions").iterdir())

    def requeued(self):
        file = self.folder / "scontrol"
        return file.read_text(encoding="ascii").splitlines() if file.exists() else []

    def test_a_build_leaves_its_libraries_in_the_exchange(self):
        built = self.build()
        self.assertEqual(built.returncode, 0, "what does not compile is the run's matter\n" + built.stderr)
        self.assertIn("1 submission built for cpu, 1 does not compile", built.stderr)
        self.assertEqual(len(self.entries()), 1)

    def test_a_build_that_fails_by_the_machine_is_started_again_three_times_at_most(self):
        broken = self.folder / "c++"
        broken.write_text("#!/bin/sh\n[ \"$1\" = --version ] && exec /usr/bin/c++ --version\nexit 1\n", encoding="ascii")
        broken.chmod(0o755)
        for restarts in range(4):
            ended = self.build(CXX=str(broken), SLURM_RESTART_COUNT=str(restarts))
            self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertEqual(self.requeued(), ["requeue 7"] * 3)
        self.assertEqual(self.build("--arch", "hopper").returncode, 2)
        self.assertEqual(self.requeued(), ["requeue 7"] * 3)

    def test_rows_come_together_beside_their_page(self):
        shard = self.script("shard.sbatch", self.pool, "night", "--submissions", "answers", "--suite", TINY)
        self.assertEqual(shard.returncode, 0, shard.stderr)
        self.assertEqual(self.left, [], "of a shard that has published all nothing stays on the node")
        merged = self.script("merge.sbatch", self.pool, "night", "results")
        self.assertEqual(merged.returncode, 0, merged.stderr)
        results = self.folder / "results"
        self.assertEqual(sorted(path.name for path in results.iterdir()), ["night.html", "night.sqlite"])
        self.assertEqual(len(self.sql(results / "night.sqlite", "SELECT * FROM evaluation")), 2)
        self.assertIn("anna", (results / "night.html").read_text(encoding="utf-8"))
        self.assertEqual(self.left, [])
        # A file that is no run is named, and what was there is brought all the same.
        (self.pool / "night/runs" / ("0" * 32 + ".sqlite")).write_bytes(b"none")
        before = (results / "night.html").stat().st_mtime_ns
        again = self.script("merge.sbatch", self.pool, "night", "results")
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertGreater((results / "night.html").stat().st_mtime_ns, before)

    def test_a_group_that_is_not_there_is_an_error_and_leaves_nothing(self):
        self.assertEqual(self.script("merge.sbatch", self.pool, "typo", "results").returncode, 5)
        self.assertEqual(list(pathlib.Path(self.folder / "results").iterdir()), [])

    def test_a_judge_tells_the_proxy_where_it_is_and_finishes_at_a_signal(self):
        begun = self.begin("judge.sbatch", self.pool, self.folder / "tokens", "--suite", TINY, SLURMD_NODENAME="n7")
        tunnel, server = (self.folder / "judges" / name for name in ("1.tunnel", "1.server"))
        self.wait_until(lambda: tunnel.exists() and tunnel.read_text(), "the judge tells where it is", begun)
        port, node = re.fullmatch(r"ssh -N -L 8401:127\.0\.0\.1:(\d+) (\w+)\n", tunnel.read_text()).groups()
        self.assertEqual(node, "n7")
        self.assertIn(server.read_text(), (ROOT / "data/cluster/haproxy.cfg").read_text(encoding="utf-8"))
        self.assertEqual(ask(int(port), "/health")[0], 200)
        begun.terminate()
        ended = self.end(begun)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(list((self.folder / "judges").iterdir()), [])
        self.assertEqual(self.left, [])

    def test_a_reader_never_sees_half_a_line_of_a_judge(self):
        (self.folder / "judges").mkdir()
        tunnel = self.folder / "judges/1.tunnel"
        left = "ssh of a judge whose node died\n"
        tunnel.write_text(left, encoding="ascii")
        with open(tunnel, encoding="ascii") as reader:
            begun = self.begin("judge.sbatch", self.pool, self.folder / "tokens", "--suite", TINY, SLURMD_NODENAME="n7")
            self.wait_until(lambda: tunnel.read_text() != left, "the judge tells", begun)
            self.assertTrue(tunnel.read_text().endswith(" n7\n"))
            self.assertEqual(reader.read(), left, "replaced, not written over")
        begun.terminate()
        self.assertEqual(self.end(begun).returncode, 0)

    def test_a_judge_takes_no_folder_of_somebody_else(self):
        place = self.folder / f"node/kbench-judge-{os.getuid()}-7-n7"
        place.parent.mkdir()
        place.symlink_to(self.pool)
        ended = self.script("judge.sbatch", self.pool, self.folder / "tokens", SLURMD_NODENAME="n7")
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn("is not yours: set TMPDIR", ended.stderr)
        self.assertFalse((self.pool / "judge.lock").exists())

    def test_a_judge_that_cannot_begin_ends_with_its_code(self):
        ended = self.script("judge.sbatch", self.pool, self.folder / "nothing/tokens", "--suite", TINY, "--device", "gpu")
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn("kbench ended with code 2", ended.stderr)
        self.assertEqual(list((self.folder / "judges").iterdir()), [])
        self.assertEqual(self.requeued(), [])


if __name__ == "__main__":
    cluster_case.main()
