"""An installation that was moved needs neither its checkout nor its build, and stays as it is."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import page_links  # noqa: E402
import quiet  # noqa: E402

TORCH_PYTHON = os.environ["TORCH_PYTHON"]
GOOD, INFRASTRUCTURE = 0, 3


def contents(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


class Installed(unittest.TestCase):
    """One installation for each class, one empty working directory for each test."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="kbench-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.folder.chmod(0o755)  # the sandbox runs the worker as a user of its own
        first = cls.folder / "first"
        subprocess.run([os.environ["CMAKE"], "--install", os.environ["BUILD"], "--prefix", first],
                       check=True, stdout=subprocess.DEVNULL)
        cls.prefix = cls.folder / "moved" / "deeper"
        cls.prefix.parent.mkdir()
        first.rename(cls.prefix)

    def setUp(self):
        self.empty = pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def kbench(self, *words, timeout=300, **environment):
        variables = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder / "home"),
                     "KBENCH_LOCKS": str(self.folder / "locks"), "CXX": os.environ["CXX"], **environment}
        return subprocess.run([self.prefix / "bin/kbench", *words], cwd=self.empty, env=variables,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout, check=False)

    def findings(self, result):
        return {one["check"]: one for one in json.loads(result.stdout)["findings"]}

    def check_relu(self, result, before):
        """Returns the row of a run that has left the prefix as it was before."""
        self.assertEqual(result.returncode, GOOD, result.stderr)
        self.assertIn("shipped example", result.stderr)
        row = json.loads(result.stdout)["results"][0]
        self.assertEqual(row["state"], "ok", row)
        self.assertEqual(contents(self.prefix), before)
        self.assertTrue((self.folder / "home/.cache/kbench").is_dir())
        return row


class InstalledTest(Installed):
    def test_manual_and_completions_lie_where_they_are_looked_for(self):
        manual = self.prefix / "share/man/man1/kbench.1"
        self.assertTrue(manual.read_text(encoding="utf-8").startswith('.\\" Made by'))
        self.assertEqual(manual.read_text(encoding="utf-8"), self.kbench("man").stdout)
        for shell, file in [("bash", "bash-completion/completions/kbench"),
                            ("zsh", "zsh/site-functions/_kbench"),
                            ("fish", "fish/vendor_completions.d/kbench.fish")]:
            text = (self.prefix / "share" / file).read_text(encoding="utf-8")
            self.assertEqual(text, self.kbench("completions", shell).stdout)

    def test_every_link_of_the_manual_leads_somewhere(self):
        root = self.prefix / "share/kbench"
        self.assertGreater(len(page_links.pages(root)), 10)
        self.assertEqual(page_links.problems(root), [])
        page = self.kbench("help", "trust")
        self.assertEqual(page.returncode, GOOD, page.stderr)
        self.assertEqual(page.stdout, (root / "data/docs/trust.md").read_text(encoding="utf-8"))

    def test_lists_its_own_tasks(self):
        result = self.kbench("tasks", "list")
        self.assertEqual(result.returncode, GOOD, result.stderr)
        self.assertIn("level1/019_relu", result.stdout)

    def test_opens_a_workspace(self):
        result = self.kbench("workspace", "open", "level1/019_relu", "work", "--device", "cpu")
        self.assertEqual(result.returncode, GOOD, result.stderr)
        self.assertIn("kernels/", (self.empty / "work/SKILL.md").read_text(encoding="utf-8"))

    def test_doctor_finds_everything_in_the_prefix(self):
        result = self.kbench("doctor", "--format", "json", KBENCH_TORCH=TORCH_PYTHON)
        self.assertEqual(result.returncode, GOOD, result.stdout + result.stderr)
        findings = self.findings(result)
        self.assertEqual(findings["installation"]["text"], str(self.prefix / "share/kbench"))
        self.assertEqual(findings["python"]["health"], "PASS", findings["python"])
        for check in ("suites", "worker", "enter", "oracle"):
            self.assertIn(str(self.prefix), findings[check]["text"])

    def test_doctor_says_which_torch_is_wanted(self):
        other = self.folder / "other"
        (other / "lib").mkdir(parents=True)
        (other / "lib/libtorch_cpu.so").touch()
        (other / "build-version").write_text("1.13.1+cpu\n", encoding="ascii")
        result = self.kbench("doctor", "--format", "json", KBENCH_TORCH=str(other))
        self.assertEqual(result.returncode, INFRASTRUCTURE)
        finding = self.findings(result)["python"]
        self.assertEqual(finding["health"], "FAIL")
        self.assertIn("1.13.1", finding["text"])
        self.assertIn("built with", finding["text"])
        self.assertIn("pip install", finding["remedy"])
        run = self.kbench("run", "--task", "level1/019_relu", KBENCH_TORCH=str(other))
        self.assertEqual(run.returncode, INFRASTRUCTURE, run.stderr)
        self.assertIn("1.13.1", run.stderr)

    def run_path(self, program):
        dynamic = subprocess.run(["readelf", "-d", program], capture_output=True, text=True,
                                 check=True).stdout
        found = re.search(r"R(?:UN)?PATH.*\[(.*)\]", dynamic)
        return found[1].split(":") if found else []

    def test_programs_name_no_library_folder_of_the_build(self):
        for program in [self.prefix / "bin/kbench", *(self.prefix / "libexec/kbench").iterdir()]:
            self.assertFalse([one for one in self.run_path(program) if "torch" in one], program)

    def test_no_program_looks_for_libraries_in_the_working_directory(self):
        # An empty part of a run path means that folder.
        for program in (pathlib.Path(os.environ["BUILD"]) / "bin").iterdir():
            for part in self.run_path(program):
                self.assertTrue(part.startswith("/"), f"{program}: {part!r}")

    def test_runs_a_task_with_a_libtorch_and_leaves_the_prefix_alone(self):
        where = "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
        folder = subprocess.run([TORCH_PYTHON, "-c", where], capture_output=True, text=True,
                                check=True).stdout.strip()
        before = contents(self.prefix)
        result = self.kbench("run", "--task", "level1/019_relu", "--checks-only", "--device", "cpu",
                             "--format", "json", KBENCH_TORCH=folder)
        self.check_relu(result, before)


class CompiledTest(Installed):
    """Apart, because the first package takes a new cache most of a minute."""

    def test_builds_packages_and_leaves_the_prefix_alone(self):
        before = contents(self.prefix)
        result = quiet.measured_in_quiet(
            lambda: self.kbench("run", "--task", "level1/019_relu", "--quick", "--device", "cpu",
                                "--format", "json", KBENCH_TORCH=TORCH_PYTHON),
            lambda run: json.loads(run.stdout)["results"] if run.stdout else [], self.id())
        row = self.check_relu(result, before)
        for side in ("eager", "compiled", "submission"):
            self.assertGreater(row["time_ns"][side] or 0, 0, row["time_ns"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
