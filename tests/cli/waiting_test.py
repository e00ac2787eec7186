"""Commands that wait for a device that somebody else has, and commands that do not: this test holds the locks as a run
would."""

import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import cli_case
from cli_case import INFRASTRUCTURE, KBENCH, ROOT, TASK_FAILED, TINY

RELU = ROOT / "tests/faults/submissions/honest/level1/019_relu.cpp"
HOW = ("--device", "cpu", "--suite", TINY, "--no-lint", "--no-html")
HOLDER = "4711\nrun 0123456789ab\n2026-11-21T13:00:00Z\n2026-11-21T13:20:00Z\n"


def lock_name(turn):
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"kbench-cpu-{boot}{'-turn' if turn else ''}.lock"


class WaitingTest(cli_case.CliCase):
    def setUp(self):
        super().setUp()
        self.locks = self.folder / "locks"
        self.locks.mkdir()
        self.bad = self.folder / "bad.cpp"
        self.bad.write_text(RELU.read_text(encoding="utf-8") + "\nint x = \n", encoding="utf-8")

    def hold(self, turn):
        """Holds the lock until it is closed, as a run does that measures."""
        descriptor = os.open(self.locks / lock_name(turn), os.O_RDWR | os.O_CREAT, 0o666)
        self.addCleanup(lambda: descriptor in self.held and os.close(descriptor))
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, HOLDER.encode())
        self.held.add(descriptor)
        return descriptor

    def release(self, descriptor, turn):
        (self.locks / lock_name(turn)).unlink()
        self.held.remove(descriptor)
        os.close(descriptor)

    held = set()

    def start(self, *words):
        environment = {k: v for k, v in os.environ.items() if k not in cli_case.FOREIGN}
        environment.update({"HOME": str(self.folder), "KBENCH_LOCKS": str(self.locks)})
        told = (self.folder / "told").open("w", encoding="utf-8")
        self.addCleanup(told.close)
        process = subprocess.Popen([str(KBENCH), *map(str, words)], cwd=self.folder, env=environment, stderr=told,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdout.close()))
        return process

    def told(self):
        return (self.folder / "told").read_text(encoding="utf-8")

    def run_here(self, *words, **environment):
        return self.kbench(*words, KBENCH_LOCKS=str(self.locks), **environment)

    def test_a_compile_error_waits_for_nobody(self):
        """Was: 39 minutes in the queue to be told of a missing semicolon."""
        self.hold(turn=False)
        self.hold(turn=True)
        result = self.run_here("run", self.bad, "--task", "level1/019_relu", *HOW)
        self.assertEqual(result.returncode, TASK_FAILED, result.stderr)
        self.assertIn("compile error", result.stdout + result.stderr)
        self.assertNotIn("waiting", result.stderr)

    def test_a_library_that_cannot_be_loaded_waits_for_nobody(self):
        self.hold(turn=False)
        self.hold(turn=True)
        for fault, state, words in (
                ("missing_symbol", "missing symbol", "the library has no kbench_forward"),
                ("undefined_function", "load error",
                 "the library does not load: undefined symbol: _Z15defined_nowherei")):
            file = ROOT / f"tests/faults/submissions/{fault}/level1/019_relu.cpp"
            result = self.run_here("run", file, "--task", "level1/019_relu", *HOW)
            self.assertEqual(result.returncode, TASK_FAILED, result.stderr)
            self.assertIn(state, result.stdout)
            self.assertIn(words, result.stdout)
            self.assertNotIn("waiting", result.stderr)

    def test_who_waits_is_told_before_of_what_does_not_compile_and_for_whom(self):
        self.hold(turn=False)
        subs = self.folder / "subs"
        for agent, file in (("ann", RELU), ("bob", self.bad)):
            (subs / agent / "level1").mkdir(parents=True)
            shutil.copy(file, subs / agent / "level1/019_relu.cpp")
        process = self.start("run", "--submissions", subs, *HOW)
        self.wait_until(lambda: "waiting" in self.told(), "it waits", process)
        self.assertRegex(self.told(), r"bob/level1/019_relu\.cpp does not compile\n"
                                      r"waiting for the device, held by process 4711 \(run 0123456789ab, "
                                      r"since 2026-11-21T13:00:00Z, probably until 2026-11-21T13:20:00Z\); --no-wait fails")
        self.assertNotIn("ann/level1", self.told())

    def test_ctrl_c_while_it_waits_has_a_last_line(self):
        """Was: not one word, although the manual promises a last line for every code but 0."""
        self.hold(turn=False)
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                process = self.start("run", RELU, "--task", "level1/019_relu", *HOW)
                self.wait_until(lambda: "waiting" in self.told(), "it waits", process)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), cli_case.INTERRUPTED, self.told())
                self.assertEqual(self.told().splitlines()[-1], "kbench: interrupted (exit code 130)")

    def test_without_waiting_it_is_an_error_as_before(self):
        self.hold(turn=False)
        result = self.run_here("run", RELU, "--task", "level1/019_relu", "--no-wait", *HOW)
        self.assert_fails(result, INFRASTRUCTURE, "another measurement has the device: process 4711")

    def test_compiling_in_a_workspace_waits_for_nobody(self):
        self.hold(turn=False)
        self.hold(turn=True)
        self.assert_good(self.run_here("workspace", "open", "level1/019_relu", "work", "--suite", TINY))
        shutil.copy(RELU, self.folder / "work/kernels/relu.cpp")
        result = self.run_here("workspace", "compile", "work", "--suite", TINY)
        self.assert_good(result)
        self.assertEqual(json.loads(result.stdout)["state"], "ok")
        self.assertNotIn("waiting", result.stderr)

    def test_a_check_takes_a_turn_of_the_run_that_measures(self):
        self.hold(turn=False)
        turn = self.hold(turn=True)
        process = self.start("run", RELU, "--task", "level1/019_relu", "--checks-only", *HOW)
        self.wait_until(lambda: "waiting" in self.told(), "it waits", process)
        self.assertIn("waiting for a turn between two evaluations of process 4711 (run 0123456789ab", self.told())
        self.release(turn, turn=True)  # the run holds the device as before
        self.assertEqual(process.wait(timeout=120), 0, self.told())
        self.assertIn("1 row, none failed", re.sub(r"\s+", " ", self.told()))

    def test_a_check_ends_while_another_run_measures(self):
        """The locks are those of a real run, which gives a turn between two evaluations and loses no row by it."""
        told = self.folder / "measuring"
        environment = {k: v for k, v in os.environ.items() if k not in cli_case.FOREIGN}
        environment.update({"HOME": str(self.folder), "KBENCH_LOCKS": str(self.locks),
                            "KBENCH_TORCH": str(self.folder)})  # no compiled baseline, which takes long to build
        with told.open("w", encoding="utf-8") as errors:
            run = subprocess.Popen([str(KBENCH), "run", "--level", "1", "--baselines-only", "--quick", *HOW],
                                   cwd=self.folder, env=environment, stderr=errors, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, text=True)
        self.addCleanup(lambda: (run.kill(), run.wait()))
        self.wait_until(lambda: re.search(r"evaluating:.*^\[1/", told.read_text("utf-8"), re.DOTALL | re.MULTILINE),
                        "it measures", run)
        check = self.run_here("run", RELU, "--task", "level1/019_relu", "--checks-only", "--db", "check.sqlite", *HOW)
        self.assert_good(check)
        self.assertIsNone(run.poll(), "the run had ended")
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=120), cli_case.INTERRUPTED, told.read_text("utf-8"))
        rows = json.loads(self.kbench("report", "json").stdout)["results"]
        self.assertEqual(len(rows), len(re.findall(r"^\[\d+/\d+\] ", told.read_text("utf-8").split("evaluating:")[1],
                                                   re.MULTILINE)))
        self.assertEqual({row["state"] for row in rows}, {"no_submission"})

    def test_a_run_that_times_waits_for_a_check(self):
        self.hold(turn=True)
        process = self.start("run", "--task", "level1/019_relu", "--baselines-only", "--quick", *HOW)
        self.wait_until(lambda: "waiting until a check ends, of process 4711" in self.told(), "it waits", process)


if __name__ == "__main__":
    cli_case.main()
