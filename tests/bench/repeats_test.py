"""Tasks that tests/bench/repeats.py asks for: those that a shipped example is for, and no others.

kbench is a script here that writes down how it was called: what is measured is not looked at.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
EXAMPLES = FOLDER.parents[1] / "data/submissions/example"


class RepeatsTest(unittest.TestCase):
    def asked(self, *words):
        """The tasks of one run, as the command line names them."""
        with tempfile.TemporaryDirectory() as scratch:
            called = pathlib.Path(scratch) / "called"
            program = pathlib.Path(scratch) / "kbench"
            program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {called}\n', encoding="ascii")
            program.chmod(0o755)
            # It ends where results are read, of which there are none.
            subprocess.run([sys.executable, "-B", FOLDER / "repeats.py", "--kbench", program, "--runs", "1",
                            "--db", pathlib.Path(scratch) / "none.sqlite", *words],
                           capture_output=True, check=False, timeout=60)
            said = called.read_text(encoding="utf-8").splitlines()
        return [said[at + 1] for at, word in enumerate(said) if word == "--task"]

    def test_without_a_task_it_is_those_that_have_an_example(self):
        """Was: all 250, of which most have a baseline and nothing beside it."""
        for device, ending in (("cpu", "cpp"), ("cuda", "cu")):
            tasks = self.asked("--device", device)
            self.assertGreaterEqual(len(tasks), 3)
            for task in tasks:
                self.assertTrue((EXAMPLES / f"{task}.{ending}").is_file(), task)

    def test_tasks_that_are_named_are_those(self):
        self.assertEqual(self.asked("--task", "level1/019_relu"), ["level1/019_relu"])


if __name__ == "__main__":
    unittest.main()
