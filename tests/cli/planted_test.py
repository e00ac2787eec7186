"""Nothing that lies in the working directory is executed as whoever types the command: Python modules,
programs, libraries and settings that somebody else may have put there.

Each planted thing leaves a file when it runs.
"""

import json
import os
import pathlib
import subprocess
import unittest

import cli_case
from cli_case import CACHE, GOOD, KBENCH, NOTHING_SELECTED, ROOT, TASK_FAILED, TINY, USAGE

MODULES = """abc argparse ast asyncio base64 bisect codecs collections contextlib copy csv ctypes dataclasses
datetime decimal dis encodings enum fcntl fnmatch functools gc genericpath glob hashlib heapq importlib inspect
io itertools json keyword locale logging math multiprocessing numbers numpy operator os pathlib pickle platform
posixpath queue random re selectors shutil signal site sitecustomize socket stat string struct subprocess
sysconfig tempfile threading token tokenize torch traceback types typing usercustomize warnings weakref
lowering importer triton""".split()
PROGRAMS = ("python3", "python", "git", "g++", "c++", "gcc", "nvcc", "bwrap", "tar", "env", "ninja", "ldd")
# Programs that kbench starts load these, and kbench itself does not: an operator's own search path is looked
# at by the loader before kbench can say anything.
LIBRARIES = ("libtorch.so", "libtorch_cpu.so", "libc10.so", "libexpat.so.1", "libpcre2-8.so.0", "libmpc.so.3",
             "libmpfr.so.6", "libgmp.so.10")

RELU = """import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
"""
MODEL = (ROOT / "tests/import/files/tuple_outputs.py").read_text(encoding="utf-8")
WEAKENED = pathlib.Path(os.environ["WEAKENED"])
VENV = ROOT / ".venv/bin/python3"
HAS_PYTHON = (KBENCH.parent / "kbench-player.so").exists()


class PlantedCase(cli_case.CliCase):
    """A working directory full of other people's files."""

    def setUp(self):
        super().setUp()
        self.here = self.folder / "here"
        self.here.mkdir()
        self.ran = self.folder / "ran"
        self.ran.mkdir()
        self.ran.chmod(0o777)
        for name in MODULES:
            (self.here / f"{name}.py").write_text(f"open({str(self.ran / name)!r}, 'w').close()\n", "ascii")
        for name in PROGRAMS:
            program = self.here / name
            program.write_text(f"#!/bin/sh\n: > {self.ran / name}\n", "ascii")
            program.chmod(0o755)
        for name in LIBRARIES:  # loading one that is none ends a program
            (self.here / name).write_text("not a library", "ascii")

    def in_folder(self, *words, **environment):
        """kbench with its paths as careless people have them: empty and relative entries in front."""
        careless = {"PYTHONPATH": f":.:{environment.pop('modules', '')}", "PATH": f".::{os.environ['PATH']}",
                    "KBENCH_CACHE": str(CACHE)}
        home = self.folder
        self.folder = self.here
        try:
            return self.kbench(*words, timeout=600, HOME=str(home), **{**careless, **environment})
        finally:
            self.folder = home

    def assert_none_ran(self, what):
        self.assertEqual(sorted(file.name for file in self.ran.iterdir()), [], what)


class SubmittedCase(PlantedCase):
    def submit(self):
        native = self.here / "mine/cpp/level1/019_relu.cpp"
        native.parent.mkdir(parents=True)
        source = ROOT / "tests/faults/submissions/honest/level1/019_relu.cpp"
        native.write_text(source.read_text("utf-8"), "utf-8")
        played = self.here / "mine/py/level1/019_relu.py"
        played.parent.mkdir(parents=True)
        played.write_text(RELU, "utf-8")

    def assert_nothing_runs(self, commands):
        for words in commands:
            with self.subTest(words[:2]):
                result = self.in_folder(*words)
                self.assertIn(result.returncode, (GOOD, TASK_FAILED, NOTHING_SELECTED), result.stderr)
                self.assert_none_ran(words)


class CommandsTest(SubmittedCase):
    def test_of_no_command_anything_runs(self):
        self.submit()
        run = ("run", "--task", "level1/019_relu", "--suite", TINY, "--device", "cpu", "--submissions",
               "mine")
        # Untimed rows are evaluated again by the second run.
        commands = [(*run, "--quick", "--agent", "cpp"), ("report", "table"), ("runs",),
                    ("history", "level1/019_relu"), (*run, "--checks-only"),
                    ("reproduce", "latest", "--task", "level1/019_relu", "--agent", "cpp", "--into",
                     "again.sqlite"), ("doctor",),
                    ("tasks", "list"), ("tasks", "prompt", "level1/019_relu", "--device", "cpu"),
                    ("workspace", "open", "level1/019_relu", "work", "--device", "cpu"),
                    ("workspace", "compile", "work"), ("config", "run"), ("db", "check")]
        self.assert_nothing_runs(commands)


class MakersTest(SubmittedCase):
    @unittest.skipUnless(HAS_PYTHON, "nothing is made without a Python")
    def test_nor_where_tasks_are_made(self):
        (self.folder / "model.py").write_text(MODEL, "utf-8")
        self.assert_nothing_runs([("import", self.folder / "model.py", "--out", "suite"),
                                  ("synth", "--count", "2", "--no-run", "--out", "made", "--device", "cpu")])

    @unittest.skipUnless(HAS_PYTHON, "doctor starts no Python")
    def test_a_python_that_is_not_isolated_runs_them(self):
        """The other tests do not pass by luck: the same command without the defence executes what lies
        there."""
        self.in_folder("doctor", program=WEAKENED, KBENCH_WITHOUT="trusted_python")
        self.assertNotEqual([file.name for file in self.ran.iterdir()], [])

    def test_nor_a_library(self):
        """Programs that kbench starts get no search path of libraries that means the working directory."""
        self.submit()
        for words in (("doctor",), ("run", "--task", "level1/019_relu", "--suite", TINY, "--device", "cpu",
                                    "--checks-only", "--submissions", "mine", "--agent", "cpp")):
            result = self.in_folder(*words, LD_LIBRARY_PATH=":/nowhere:.")
            self.assertEqual(result.returncode, GOOD, result.stderr)


@unittest.skipUnless(HAS_PYTHON and VENV.exists(), "no virtual environment whose Python has no torch itself")
class TorchElsewhereTest(PlantedCase):
    """Where torch is found by PYTHONPATH or in the user's site alone, it still is found."""

    def setUp(self):
        super().setUp()
        self.python = pathlib.Path(os.path.realpath(VENV))
        where = "import importlib.util as u; s = u.find_spec('torch'); print(s.origin if s else '')"
        if self.ask(self.python, where):
            self.skipTest(f"{self.python} has a torch of its own")
        self.site = pathlib.Path(self.ask(VENV, where)).parents[1]

    def ask(self, python, question):
        return subprocess.run([str(python), "-I", "-c", question], check=True, capture_output=True,
                              text=True).stdout.strip()

    def assert_found(self, **environment):
        (self.folder / "model.py").write_text(MODEL, "utf-8")
        found = self.in_folder("doctor", KBENCH_TORCH=str(self.python), **environment)
        self.assertRegex(found.stdout, rf"torch 2\.\S+ in {self.python} ")
        result = self.in_folder("import", self.folder / "model.py", "--out", "suite",
                                KBENCH_TORCH=str(self.python), **environment)
        self.assert_good(result)
        self.assert_none_ran("import")

    def test_a_cluster_has_it_on_its_python_path(self):
        self.assert_found(modules=str(self.site))

    def test_somebody_has_it_in_the_users_site(self):
        version = self.ask(self.python, "import sys; print('%d.%d' % sys.version_info[:2])")
        user = self.folder / f".local/lib/python{version}"
        user.mkdir(parents=True)
        (user / "site-packages").symlink_to(self.site)
        self.assert_found()


class SettingsTest(PlantedCase):
    """A kbench.toml of the working directory names outputs below itself only, and is told of."""

    def write(self, text):
        (self.here / "kbench.toml").write_text(text, "utf-8")

    def test_it_writes_nowhere_else(self):
        victim = self.folder / "victim"
        victim.write_text("precious", "ascii")
        (self.here / "link").symlink_to(self.folder)
        for place in (str(victim), "../victim", "link/victim"):
            for table, command in ((f'[report]\nout = ["csv={place}"]\n', ("report", "table")),
                                   (f'[run]\nhtml = "{place}"\n', ("run", "--device", "cpu")),
                                   (f'[attribute.report]\nlines = "{place}"\n', ("attribute", "report")),
                                   (f'db = "{place}"\n', ("runs",))):
                self.write(table)
                self.assert_fails(self.in_folder(*command), USAGE, "kbench.toml:", "does not lie below")
        self.assertEqual(victim.read_text("ascii"), "precious")

    def test_a_file_that_may_name_anything_overwrites_others(self):
        victim = self.folder / "victim"
        victim.write_text("precious", "ascii")
        self.write(f'[report]\nout = ["csv={victim}"]\n')
        script = json.dumps([{"id": "a" * 32, "rows": [{"task": "level1/019_relu"}]}])
        subprocess.run([os.environ["MAKE_RUNS"], str(self.here / "kbench.sqlite")], input=script, text=True,
                       check=True)
        self.assert_fails(self.in_folder("report"), USAGE, "does not lie below")
        self.assertEqual(victim.read_text("utf-8"), "precious")
        self.assert_good(self.in_folder("report", program=WEAKENED, KBENCH_WITHOUT="folder_settings"))
        self.assertNotEqual(victim.read_text("utf-8"), "precious")

    def test_it_says_not_whom_kbench_talks_to(self):
        self.write('[agent.run]\nendpoint = "http://127.0.0.1:9/v1"\n')
        self.assert_fails(self.in_folder("agent", "run", "--model", "m", "--task", "level1/019_relu"), USAGE,
                          "agent.run.endpoint")
        (self.here / "plan.json").write_text("{}", "utf-8")
        for name in ("endpoint", "key-env", "key-file", "strong", "strong-key-env"):
            self.write(f'[attribute.run]\n{name} = "HOME"\n')
            self.assert_fails(self.in_folder("attribute", "run", "plan.json"), USAGE,
                              f"kbench.toml:2: attribute.run.{name} is not for a file of the working directory")

    def test_it_is_told_of(self):
        self.write("[tasks.list]\nlevel = [1]\n")
        result = self.in_folder("tasks", "list")
        self.assert_good(result)
        self.assertEqual(result.stderr.splitlines()[0], "kbench.toml sets level")

    def test_one_that_is_named_is_the_operators_own(self):
        (self.folder / "mine.toml").write_text(f'db = "{self.folder / "mine.sqlite"}"\n', "utf-8")
        result = self.in_folder("--config", self.folder / "mine.toml", "runs")
        self.assertNotIn("does not lie below", result.stderr)

    def test_in_a_workspace_none_is_read(self):
        self.assert_good(self.in_folder("workspace", "open", "level1/019_relu", "work", "--device", "cpu"))
        (self.here / "work" / "kbench.toml").write_text("no settings at all [", "utf-8")
        home, self.here = self.here, self.here / "work"
        self.assert_good(self.in_folder("tasks", "list"))
        self.here = home / "work" / "kernels"
        (self.here / "kbench.toml").write_text("no settings at all [", "utf-8")
        self.assert_good(self.in_folder("tasks", "list"))


if __name__ == "__main__":
    cli_case.main()
