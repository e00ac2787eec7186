"""kbench build: what it compiles, a run finds, by the same keys; here and on another machine of the pool."""

import json
import shutil

import cli_case
from cli_case import INFRASTRUCTURE, NOTHING_SELECTED, TASK_FAILED, TINY, USAGE

# A compiler whose version, by which a run knows it, stays what it was, and that compiles while it may.
COMPILER = """#!/bin/sh
case "$*" in --version | -print-file-name=*) ;; *) [ -e "${0%/*}/works" ] || exit 1 ;; esac
exec /usr/bin/c++ "$@"
"""

RIGHT = """#include "kbench.h"
#include "task.h"
extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out, kb_context*) {
  for (long i = 0; i < kb::y_elements; ++i) out->y[i] = in->x[i] > 0 ? in->x[i] : 0;
  return 0;
}
"""
KERNEL = """#include "task.h"
__global__ void nothing() {}
extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, kb_context*) {
  nothing<<<1, 1>>>();
  return 42;
}
"""


class BuildCase(cli_case.CliCase):
    def setUp(self):
        super().setUp()
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        self.compiler = self.tools / "c++"
        self.compiler.write_text(COMPILER, encoding="ascii")
        self.compiler.chmod(0o755)
        self.works = self.tools / "works"
        self.works.touch()

    def hand_in(self, agent, text, name="019_relu.cpp"):
        file = self.folder / f"answers/{agent}/level1/{name}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def build(self, *words, **environment):
        return self.kbench("build", "--submissions", "answers", "--suite", TINY, *words, CXX=self.compiler,
                           **environment)

    def states(self, *words, code=cli_case.GOOD, **environment):
        built = self.build("--json", *words, **environment)
        self.assertEqual(built.returncode, code, built.stderr)
        return {row["agent"]: row["state"] for row in json.loads(built.stdout)["submissions"]}

    def run_rows(self, *words, **environment):
        """States of a run's rows, where nothing can be compiled any more."""
        self.works.unlink()
        ran = self.kbench("run", "--submissions", "answers", "--suite", TINY, "--device", "cpu", "--checks-only",
                          "--json", *words, CXX=self.compiler, **environment)
        self.works.touch()
        self.assertIn(ran.returncode, (cli_case.GOOD, TASK_FAILED, INFRASTRUCTURE), ran.stderr)
        return {row["agent"]: row["state"] for row in json.loads(ran.stdout)["results"]}


class CpuTest(BuildCase):
    def test_a_run_starts_no_compiler_for_what_was_built(self):
        self.hand_in("anna", RIGHT)
        self.hand_in("bert", "this does not compile;\n")
        first = self.build("--device", "cpu")
        self.assert_fails(first, TASK_FAILED, "1 submission built for cpu, 1 does not compile or load")
        self.assertRegex(first.stdout, r"built +level1/019_relu +anna/level1/019_relu\.cpp +\d+\.\d s")
        self.assertRegex(first.stdout, r"failed +level1/019_relu +bert/level1/019_relu\.cpp\n +bert.* does not compile")
        self.assertEqual(self.states("--device", "cpu", code=TASK_FAILED), {"anna": "there", "bert": "failed"})
        self.assertEqual(self.run_rows("--agent", "anna"), {"anna": "ok"})
        # The proof holds: what was not built cannot be compiled.
        self.hand_in("anna", "// another one\n" + RIGHT)
        self.assertNotEqual(self.run_rows("--agent", "anna"), {"anna": "ok"})

    def test_another_machine_of_the_pool_takes_it_from_the_exchange(self):
        self.assert_good(self.kbench("exchange", "init", "pool"))
        self.hand_in("anna", RIGHT)
        self.assertEqual(self.states("--device", "cpu"), {"anna": "built"})
        self.assertEqual(list((self.folder / "pool/cache/submissions").iterdir()), [])
        # It is there already, and is given all the same.
        self.assertEqual(self.states("--device", "cpu", "--exchange", "pool"), {"anna": "there"})
        (entry,) = (self.folder / "pool/cache/submissions").iterdir()
        self.assert_good(self.kbench("exchange", "check", "pool"))
        there = self.folder / "there"
        shutil.copytree(self.folder / ".local/state/kbench", there / ".local/state/kbench")
        words = ["--exchange", self.folder / "pool", "--shard", "1/1", "--group"]
        self.assertEqual(self.run_rows(*words, "one", HOME=there), {"anna": "ok"})
        # Somebody without the key can only withhold.
        shutil.rmtree(there / ".cache")
        entry.write_bytes(entry.read_bytes()[:-1])
        self.assertNotEqual(self.run_rows(*words, "two", HOME=there), {"anna": "ok"})
        # The next build puts it there anew.
        self.assertEqual(self.states("--device", "cpu", "--exchange", "pool"), {"anna": "there"})
        self.assertEqual(self.run_rows(*words, "three", HOME=there), {"anna": "ok"})

    def test_shards_are_those_of_a_run(self):
        for name in ("019_relu", "023_softmax"):
            self.hand_in("anna", RIGHT, f"{name}.cpp")
        shown = self.kbench("run", "--submissions", "answers", "--suite", TINY, "--device", "cpu", "--dry-run", "--json",
                            "--shard", "2/2", "--group", "g")
        (row,) = json.loads(shown.stdout)["rows"]
        built = self.build("--device", "cpu", "--shard", "2/2", "--json")
        (one,) = json.loads(built.stdout)["submissions"]
        self.assertEqual(one["task"], row["task"])
        listed = self.folder / "tasks.txt"
        listed.write_text("level1/019_relu\n", encoding="ascii")
        built = self.build("--device", "cpu", "--input-file", listed, "--json")
        (one,) = json.loads(built.stdout)["submissions"]
        self.assertEqual(one["task"], "level1/019_relu")

    def test_a_machine_that_cannot_compile_is_at_fault_itself(self):
        self.hand_in("anna", RIGHT)
        self.works.unlink()
        self.assert_fails(self.build("--device", "cpu"), INFRASTRUCTURE, "1 could not be tried")

    def test_what_makes_no_sense_is_refused(self):
        self.hand_in("anna", RIGHT)
        self.assert_fails(self.build("--device", "cpu", "--arch", "90a"), USAGE, "--arch names a GPU's architecture")
        self.assert_fails(self.build("--arch", "90"), USAGE, "did you mean \"90a\"?")
        self.assert_fails(self.build("--arch", "hopper"), USAGE, "90a for 9.0")
        self.assert_fails(self.build("--device", "cpu", "--agent", "nobody"), NOTHING_SELECTED, "nobody")
        self.assert_good(self.kbench("exchange", "init", "pool"))
        self.assert_fails(self.build("--device", "cpu", "--exchange", "nowhere"), USAGE, "nowhere")


class CudaTest(BuildCase):
    """Where there is nvcc; the GPU is a name."""

    def setUp(self):
        super().setUp()
        if not shutil.which("nvcc") and not shutil.which("/usr/local/cuda/bin/nvcc"):
            self.skipTest("no nvcc here")

    def test_kernels_are_compiled_without_their_gpu(self):
        self.hand_in("anna", KERNEL, "019_relu.cu")
        self.hand_in("bert", RIGHT)
        self.hand_in("carl", "class ModelNew: pass\n", "019_relu.py")
        first = self.build("--arch", "90a", "--device", "cuda")
        self.assert_good(first)
        self.assertIn("1 submission built for cuda, architecture 90a, 2 left to the run", first.stderr)
        self.assertIn("it is for cpu, this run is on cuda", first.stdout)
        self.assertEqual(self.states("--arch", "90a"), {"anna": "there", "bert": "left", "carl": "left"})
        self.assertEqual(self.states("--arch", "80")["anna"], "built")
        (made, other) = (self.folder / ".cache/kbench/submissions").glob("*/*.so")
        self.assertNotEqual(made.read_bytes(), other.read_bytes())


if __name__ == "__main__":
    cli_case.main()
