"""The workflows of tests and releases: zizmor finds nothing, their scripts are clean, and what a release does to files
is tried here.

PyYAML, zizmor and shellcheck come from third_party/requirements-tests.txt.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from lint_test import run, tool

try:
    import yaml
except ImportError:
    print("skipped: there is no PyYAML", file=sys.stderr)
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]


class WorkflowCase:
    """Tests of each workflow, whatever it does."""

    FILE: pathlib.Path
    MAY_WRITE: list[str] = []  # jobs

    def setUp(self):
        self.workflow = yaml.safe_load(self.FILE.read_text("utf-8"))
        self.jobs = self.workflow["jobs"]

    def steps(self):
        return [step for job in self.jobs.values() for step in job["steps"]]

    def test_it_has_the_shape_of_a_workflow(self):
        self.assertEqual(set(self.workflow), {"name", True, "permissions", "concurrency", "jobs"})  # on: is true
        self.assertEqual(self.workflow["permissions"], {})
        for name, job in self.jobs.items():
            self.assertLessEqual(set(job), {"name", "if", "needs", "runs-on", "timeout-minutes", "permissions",
                                            "container", "defaults", "steps"}, name)
            self.assertIn(job.get("needs", next(iter(self.jobs))), self.jobs)
            for step in job["steps"]:
                self.assertLessEqual(set(step), {"name", "uses", "with", "run", "env", "if"}, step["name"])
                self.assertEqual(("uses" in step) + ("run" in step), 1, step["name"])
                self.assertRegex(step.get("uses", "a@" + "0" * 40), r"^[\w/-]+@[0-9a-f]{40}$")
        self.assertEqual([job for job in self.jobs if self.jobs[job]["permissions"].get("contents") == "write"],
                         self.MAY_WRITE)

    def test_linters_find_nothing(self):
        zizmor, shellcheck = tool("zizmor"), tool("shellcheck")
        if not zizmor or not shellcheck:
            self.skipTest("there is no zizmor or no shellcheck")
        found = run(zizmor, "--offline", "--no-progress", self.FILE)
        self.assertEqual(found.returncode, 0, found.stdout)
        for step in self.steps():
            if "run" not in step:
                continue
            self.assertNotIn("${{", step["run"], "what an expression holds would be code")
            with tempfile.TemporaryDirectory() as folder:
                script = pathlib.Path(folder, "step.sh")
                script.write_text("#!/bin/bash\nset -e\n" + step["run"], "utf-8")
                found = run(shellcheck, script)
                self.assertEqual(found.returncode, 0, step["name"] + found.stdout)

    def test_what_it_calls_is_there(self):
        called = re.findall(r"(?:\.\./)*((?:third_party|tests|\.ci)/[\w./-]+)", self.FILE.read_text("utf-8"))
        self.assertGreaterEqual(len(called), 3)
        for file in called:
            self.assertTrue((ROOT / file).exists(), file)


class TestTest(WorkflowCase, unittest.TestCase):
    FILE = ROOT / ".github/workflows/test.yml"

    def test_its_presets_are_there(self):
        presets = (ROOT / "CMakePresets.json").read_text("utf-8")
        called = re.findall(r"--workflow --preset (\w+)", self.FILE.read_text("utf-8"))
        self.assertEqual(called, ["asan", "tsan"])
        for preset in called:
            self.assertIn(f'"name": "{preset}"', presets[presets.index("workflowPresets"):])


class ReleaseTest(WorkflowCase, unittest.TestCase):
    FILE = ROOT / ".github/workflows/release.yml"
    MAY_WRITE = ["publish"]

    def script(self, name):
        (step,) = [step for step in self.steps() if step["name"] == name]
        return step["run"]

    def test_a_tag_must_be_the_version(self):
        script = self.script("The tag is the version")
        version = re.search(r"project\(kbench VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text("utf-8"))[1]
        for tag, code in ((f"v{version}", 0), ("v99.0.0", 1), (f"v{version}.1", 1), ("v" + version[:-1], 1)):
            result = run("bash", "-c", script, cwd=ROOT, env={**os.environ, "TAG": tag})
            self.assertEqual(result.returncode, code, tag)

    def test_only_what_has_its_sum_is_published(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            packages = work / "build/release/packages"
            packages.mkdir(parents=True)
            names = ["kbench-1-Linux.tar.zst", "kbench_1_amd64.deb", "kbench-1-py3-none-linux.whl"]
            for name in names:
                (packages / name).write_text(name, "ascii")
            summed = run("bash", "-e", "-c", self.script("Sums"), cwd=work)
            self.assertEqual(summed.returncode, 0, summed.stderr)
            sums = (packages / "SHA256SUMS").read_text("ascii")
            self.assertEqual(sorted(line.split()[1] for line in sums.splitlines()), sorted(names))
            self.assertIn(hashlib.sha256(names[0].encode()).hexdigest(), sums)
            (work / "bin").mkdir()
            (work / "bin/gh").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', "ascii")
            (work / "bin/gh").chmod(0o755)
            environment = {**os.environ, "PATH": f"{work}/bin:{os.environ['PATH']}", "TAG": "v1.2.3",
                           "REPOSITORY": "a/b"}
            publish = self.script("Publish")
            published = run("bash", "-e", "-c", publish, cwd=packages, env=environment)
            self.assertEqual(published.returncode, 0, published.stderr)
            words = published.stdout.splitlines()
            self.assertLessEqual({"v1.2.3", "--verify-tag", "SHA256SUMS", *names}, set(words))
            (packages / names[1]).write_text("something else", "ascii")
            published = run("bash", "-e", "-c", publish, cwd=packages, env=environment)
            self.assertNotEqual(published.returncode, 0)
            self.assertNotIn("create", published.stdout)


if __name__ == "__main__":
    unittest.main()
