"""tests/profile/run.py with a kbench that is a script: what it keeps, and whom it accuses."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent

# Says of each submission what answers.json has for the name of its file's folder and itself.
KBENCH = """#!{python}
import json, pathlib, sys
file = pathlib.Path(sys.argv[sys.argv.index("--submission") + 1])
answer = json.loads(pathlib.Path("{answers}").read_text()).get(file.parent.name + "/" + file.stem)
if answer is None:
    sys.exit("the submission crashed")
print(json.dumps(answer))
"""


def told(verdict, missing=(), **facts):
    return {"verdict": verdict, "evidence": "", "missing": list(missing), "facts": facts}


class RunTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name) / "profile"
        shutil.copytree(FOLDER, self.folder)

    def call(self, answers, *words):
        file, program = self.folder / "answers.json", self.folder / "kbench"
        file.write_text(json.dumps(answers), encoding="ascii")
        program.write_text(KBENCH.format(python=sys.executable, answers=file), encoding="ascii")
        program.chmod(0o755)
        return subprocess.run([sys.executable, "-B", self.folder / "run.py", "--kbench", program, *words],
                              capture_output=True, text=True, check=False, timeout=60)

    def test_one_kernel_that_is_told_two_things_is_not_alike(self):
        relu = self.folder / "kbench_of_luck"
        relu.write_text(f"""#!{sys.executable}
import json, pathlib
calls = pathlib.Path("{self.folder / "calls"}")
number = len(calls.read_text()) if calls.exists() else 0
calls.write_text("x" * (number + 1))
advice = ["leave it: at most %d us are left" % number, "split the work"][number == 4]
print(json.dumps({{"verdict": ["near_limit", "spills"][number % 2 == 0], "evidence": "", "missing": [],
                  "suggestions": [{{"suggestion": advice}}]}}))
""", encoding="ascii")
        relu.chmod(0o755)
        done = subprocess.run([sys.executable, "-B", self.folder / "run.py", "--kbench", relu, "--only", "spills",
                               "--repeat", "4"], capture_output=True, text=True, check=False, timeout=60)
        self.assertIn("bad/spills           NOT alike: 3 of 4 spills; spills 1", done.stdout)
        self.assertIn("good/spills          alike: 4 of 4 near_limit", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_no_round_is_begun_when_the_time_is_over(self):
        done = self.call({"bad/spills": told("memory_spills"), "good/spills": told("near_limit")}, "--only", "spills",
                         "--repeat", "9", "--seconds", "0")
        self.assertIn("1 of 9 rounds", done.stdout)
        self.assertIn("alike: 1 of 1 memory_spills", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_newcomer_is_not_told_which_fault_a_kernel_has(self):
        names = [one["name"] for one in json.loads((self.folder / "kernels.json").read_text())["kernels"]]
        program, out, answers = self.folder / "kbench_of_words", self.folder / "six", self.folder / "answers_of_six.json"
        program.write_text(f"#!{sys.executable}\nprint('verdict')\n", encoding="ascii")
        program.chmod(0o755)
        done = subprocess.run([sys.executable, "-B", self.folder / "newcomer.py", "--kbench", program, "--out", out,
                               "--answers", answers, "--seed", "1"],
                              capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        files = sorted(str(file.relative_to(out)) for file in out.rglob("*") if file.is_file())
        self.assertEqual(files, sorted(f"{n}/{name}" for n in range(1, 7) for name in ("kernel.cu", "profile.txt")))
        drawn = json.loads(answers.read_text())
        self.assertEqual(len({one["kernel"] for one in drawn.values()}), 6)
        self.assertTrue({one["kernel"] for one in drawn.values()} <= set(names))
        self.assertTrue(all(one["mending"] for one in drawn.values()))
        for source in out.rglob("kernel.cu"):
            self.assertNotIn("//", source.read_text())
        self.assertNotIn(drawn["1"]["verdict"], done.stdout)

    def recorded(self):
        return (self.folder / "recorded.json").read_text(encoding="utf-8")

    def test_what_was_profiled_is_kept_and_nothing_else_moves(self):
        before = json.loads(self.recorded())
        done = self.call({"bad/spills": told("memory_spills", spill_bytes=7), "good/spills": told("near_limit")},
                         "--only", "spills", "--record")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        after = json.loads(self.recorded())
        self.assertEqual(len(after["kernels"]), len(before["kernels"]))
        changed = [new for old, new in zip(before["kernels"], after["kernels"]) if old != new]
        self.assertEqual({(one["name"], one["kind"]) for one in changed}, {("spills", "bad"), ("spills", "good")})
        self.assertEqual(changed[0]["facts"], {"spill_bytes": 7})

    def test_a_kernel_that_failed_leaves_what_was_kept(self):
        before = self.recorded()
        self.assertEqual(self.call({}, "--only", "spills", "--record").returncode, 1)
        self.assertEqual(self.recorded(), before)

    def test_a_hostile_submission_costs_its_own_profile_alone(self):
        honest = {"good/launches": told("near_limit")}
        many = told("launch_bound", ["9934464 activities: there were more than there is room for"])
        self.assertEqual(self.call({**honest, "hostile/ten_million": many}, "--hostile").returncode, 0)
        forged = {**honest, "hostile/forged": told("near_limit")}
        self.assertIn("NOT AS IT SHOULD BE", self.call(forged, "--hostile").stdout)
        self.assertEqual(self.call(forged, "--hostile").returncode, 1)
        self.assertIn("THE NEXT IS NOT MADE", self.call({}, "--hostile").stdout)


if __name__ == "__main__":
    unittest.main()
