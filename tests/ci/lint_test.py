"""Files of data/ci fit the programs that they are handed to: GitHub's workflow by zizmor, units by systemd,
scripts by shellcheck, and the options in kbench.toml by kbench itself.

Python packages come from third_party/requirements-tests.txt; a program that a machine lacks skips its
test only.
"""

import configparser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    print("skipped: there is no PyYAML", file=sys.stderr)
    sys.exit(77)

KBENCH = os.environ["KBENCH"]
CI = pathlib.Path(__file__).resolve().parents[2] / "data/ci"
EXIT_USAGE = 2


def tool(name):
    """Beside this Python, where the requirements put it, or on the PATH."""
    beside = pathlib.Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=120, **options)


class LintTest(unittest.TestCase):
    def assert_clean(self, result, *, silent=False):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        if silent:
            self.assertEqual(result.stdout + result.stderr, "")

    def kbench_words(self, text):
        """Each `kbench …` of a script, lines joined."""
        joined = re.sub(r"\\\n\s*", "", text)
        return [match.group(1) for match in
                re.finditer(r"(?:^|[\s/])kbench\"? ((?:nightly|doctor)\b[^\n&|;]*)", joined)]

    def test_each_command_in_them_is_one_that_kbench_takes(self):
        seen = 0
        for file in sorted(CI.iterdir()):
            lines = [line for line in file.read_text("utf-8").splitlines()
                     if not line.lstrip().startswith("#") and "Description=" not in line
                     and not re.match(r"\s*(- )?name:", line)]
            for words in self.kbench_words("\n".join(lines)):
                seen += 1
                with self.subTest(file=file.name, words=words), \
                        tempfile.TemporaryDirectory() as folder:
                    words = words.replace('"', "").split()
                    self.assert_clean(run(KBENCH, *words, "--help", cwd=folder))
                    # --help forgives what stands beside it; `config` reads every word.
                    self.assert_clean(run(KBENCH, "config", *words, cwd=folder))
        self.assertGreaterEqual(seen, 7)

    def test_the_example_settings_are_all_known(self):
        for words in (("nightly",), ("nightly", "--preset", "cpu"), ("run",)):
            result = run(KBENCH, "config", "--config", CI / "kbench.toml", *words)
            self.assert_clean(result)
            self.assertIn("kbench.toml:", result.stdout)
        with tempfile.TemporaryDirectory() as folder:
            spoilt = pathlib.Path(folder, "kbench.toml")
            spoilt.write_text((CI / "kbench.toml").read_text("utf-8").replace("flag", "falg"), "utf-8")
            self.assertEqual(run(KBENCH, "nightly", "--config", spoilt).returncode, EXIT_USAGE)

    def test_workflow(self):
        zizmor = tool("zizmor")
        if not zizmor:
            self.skipTest("there is no zizmor")
        self.assert_clean(run(zizmor, "--offline", "--no-progress", CI / "github-nightly.yml"))
        with tempfile.TemporaryDirectory() as folder:
            spoilt = pathlib.Path(folder, "workflow.yml")
            spoilt.write_text((CI / "github-nightly.yml").read_text("utf-8").replace(
                'run: kbench doctor', 'run: echo "${{ github.event.head_commit.message }}"'), "utf-8")
            self.assertNotEqual(run(zizmor, "--offline", "--no-progress", spoilt).returncode, 0)

    def test_yaml(self):
        for name in ("github-nightly.yml", "gitlab-nightly.yml"):
            document = yaml.safe_load((CI / name).read_text("utf-8"))
            self.assertIsInstance(document, dict, name)
        job = document["kbench-nightly"]
        self.assertEqual(job["artifacts"]["reports"]["junit"], "kbench.xml")
        # GitLab splits no line; each is a command of its own.
        for line in job["script"]:
            self.assert_clean(run("bash", "-n", "-c", line), silent=True)

    def test_the_slurm_job_writes_no_database_below_the_home_directory(self):
        """Was: `--db $HOME/…`, which kbench refuses where that is a network file system."""
        with tempfile.TemporaryDirectory() as folder:
            home, programs = pathlib.Path(folder, "home"), pathlib.Path(folder, "bin")
            home.mkdir()
            programs.mkdir()
            # Each night is a line; the words are shown, and a regression is confirmed.
            (programs / "kbench").write_text('#!/bin/sh\necho "$@"\necho night >> "$3"\nexit 4\n', "utf-8")
            (programs / "kbench").chmod(0o755)
            for nights in (1, 2):
                result = run("bash", CI / "nightly.sbatch", cwd=folder, env={
                    "HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}"})
                self.assertEqual(result.returncode, 4, result.stderr)
                self.assertNotIn(str(home), result.stdout)
                kept = (home / "kbench-nightly.sqlite").read_text("utf-8")
                self.assertEqual(kept, "night\n" * nights)
            self.assertEqual([file.name for file in home.iterdir()], ["kbench-nightly.sqlite"])

    def test_units(self):
        for name, section in (("kbench-nightly.service", "Service"), ("kbench-nightly.timer", "Timer")):
            unit = configparser.ConfigParser(interpolation=None, strict=True)
            unit.optionxform = str
            unit.read_string((CI / name).read_text("utf-8"))
            self.assertIn(section, unit)
        if not shutil.which("systemd-analyze"):
            self.skipTest("there is no systemd-analyze")
        with tempfile.TemporaryDirectory() as runtime:
            # systemd-analyze complains of an unknown key, and exits with 0.
            self.assert_clean(run("systemd-analyze", "verify", "--user", CI / "kbench-nightly.service",
                                  CI / "kbench-nightly.timer",
                                  env={**os.environ, "XDG_RUNTIME_DIR": runtime}), silent=True)

    def test_calendar(self):
        timer = (CI / "kbench-nightly.timer").read_text("utf-8")
        when = re.search(r"^OnCalendar=(.+)$", timer, re.MULTILINE).group(1)
        if not shutil.which("systemd-analyze"):
            self.skipTest("there is no systemd-analyze")
        self.assert_clean(run("systemd-analyze", "calendar", when))

    def test_scripts(self):
        shellcheck = tool("shellcheck")
        script = CI / "nightly.sbatch"
        self.assert_clean(run("bash", "-n", script), silent=True)
        lines = script.read_text("utf-8").splitlines()
        directives = [i for i, line in enumerate(lines) if line.startswith("#SBATCH")]
        first = next(i for i, line in enumerate(lines) if line and not line.startswith("#"))
        self.assertTrue(directives and max(directives) < first, "Slurm reads no further than the first command")
        if not shellcheck:
            self.skipTest("there is no shellcheck")
        self.assert_clean(run(shellcheck, script), silent=True)

    def test_cron(self):
        lines = [line for line in (CI / "kbench.cron").read_text("utf-8").splitlines()
                 if line and not line.startswith("#") and not re.match(r"\w+=", line)]
        self.assertEqual(len(lines), 1)
        fields = lines[0].split(None, 5)
        for field, most in zip(fields[:5], (59, 23, 31, 12, 7)):
            self.assertRegex(field, r"^(\*|\d+)$")
            self.assertLessEqual(int(field) if field.isdigit() else 0, most)
        # Cron makes line breaks of it.
        self.assertNotIn("%", fields[5])
        self.assert_clean(run("sh", "-n", "-c", fields[5]), silent=True)


if __name__ == "__main__":
    unittest.main()
