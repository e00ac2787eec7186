"""Common parts of every test of the command line: how to call the program, and what always holds.

The program under test is named by KBENCH, the checkout by KBENCH_ROOT; tests/cli/CMakeLists.txt sets
both.
"""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import own_processes
import quiet

KBENCH = pathlib.Path(os.environ["KBENCH"])
ROOT = pathlib.Path(os.environ["KBENCH_ROOT"])
sys.path.append(str(ROOT / "data/clients"))  # the scripted endpoint
TINY = ROOT / "tests" / "tiny"  # tasks of the shipped names whose arithmetic takes no time
CACHE = KBENCH.parent.parent / "test-cache"  # of the compiled baselines, which take long to build
# A database without runs, in which the ReLU of tests/tiny is known to be sound and to compute what its
# Python does. packages_test makes it, for this kbench; where it is missing kbench finds that out by itself.
# The key vouches for it: a record under another one is checked again, which takes a Python with torch.
CHECKED = CACHE / f"checked-{KBENCH.stat().st_mtime_ns}.sqlite"
CHECKED_KEY = CHECKED.with_suffix(".key")

GOOD, TASK_FAILED, USAGE, INFRASTRUCTURE, REGRESSION, NOTHING_SELECTED = range(6)
INTERRUPTED = 130

# Variables that would change the program's defaults; a test sets what it means to test.
FOREIGN = ("FORCE_COLOR", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "KBENCH_CACHE", "KBENCH_CONFIG", "KBENCH_DB",
           "KBENCH_PRESET", "NO_COLOR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")

own_processes.become_subreaper()  # what kbench leaves running stays below the test


class CliCase(unittest.TestCase):
    """One temporary folder for each test: working directory, home and cache."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kbench-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def kbench(self, *words, program=KBENCH, stdout=subprocess.PIPE, timeout=600, **environment):
        """The limit is for what hangs: beside two busy loops and a second checkout a timed request took more
        than 120 s, since a busy row is measured again."""
        variables = {k: v for k, v in os.environ.items() if k not in FOREIGN
                     and not k.startswith(("KBENCH_RUN_", "KBENCH_NIGHTLY_"))}
        variables.update({"HOME": str(self.folder), **environment})
        return subprocess.run([str(program), *map(str, words)], cwd=self.folder, env=variables,
                              stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                              text=True, timeout=timeout, check=False)

    def begin_checked(self, database="kbench.sqlite"):
        """Makes the database one in which the ReLU of tests/tiny is checked, where packages_test has left one."""
        with contextlib.suppress(FileNotFoundError):
            key = self.chain_key()
            key.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            shutil.copy(CHECKED_KEY, key)
            shutil.copy(CHECKED, self.folder / database)

    def chain_key(self):
        """The file of the key under which kbench seals what it stores."""
        return self.folder / ".local/state/kbench/chain.key"

    def assert_good(self, result):
        self.assertEqual(result.returncode, GOOD, result.stderr)

    def wait_until(self, condition, what, process=None, seconds=120):
        """The result of `condition()`, once that is true. It is asked once more where `process` has ended: then
        nothing will change any more. `what` says in a failure what was waited for."""
        deadline = time.monotonic() + seconds
        while True:
            over = process is not None and process.poll() is not None
            late = time.monotonic() > deadline
            value = condition()
            if value:
                return value
            self.assertFalse(over, f"the program ended before {what}")
            self.assertFalse(late, f"not within {seconds} s: {what}")
            time.sleep(0.02)

    def assert_nothing_left(self, seconds=20):
        """No process that this test has started is alive, nor any that those have started."""
        self.assertEqual(own_processes.wait_until_gone(seconds=seconds), {}, "processes were left")

    def assert_no_report(self, result):
        """Standard output has nothing, or the error where `report json` was asked for."""
        if result.stdout != "":
            self.assertEqual(set(json.loads(result.stdout)), {"schema_version", "error", "outcome", "exit_code"})

    def assert_fails(self, result, code, *parts):
        """The exit code, words in the message, and an outcome in the last line of stderr."""
        self.assertEqual(result.returncode, code, result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertTrue(result.stderr.endswith("\n"), result.stderr)
        self.assertRegex(result.stderr.splitlines()[-1], rf"^kbench: .*\(exit code {code}\)")


def main():
    """Runs the tests of the file. Its exit code tells CTest where one was skipped because of a busy machine."""
    result = unittest.main(verbosity=2, exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    if any(reason.startswith(quiet.MARK) for _, reason in result.skipped):
        sys.exit(quiet.SKIPPED)
