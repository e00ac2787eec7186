"""kbench run --devices: rows that a lane measures, a process of its own beside the run that stores them.

Without a GPU there is one lane, that of the CPU: the real program, oracle, sandbox and workers behind it. What several
lanes do is the matter of unit.lane_round.
"""

import json
import os
import pathlib
import random
import signal
import subprocess

import cli_case
import own_processes
from cli_case import INTERRUPTED, TASK_FAILED, TINY, USAGE
from run_test import CALL_LIMIT, RunCase

TASK = ("--task", "level1/019_relu", "--suite", TINY, "--checks-only")
LANE = ("--devices", "cpu", *TASK)
# Fields that differ between runs of the same submissions.
OF_ITS_RUN = {"run_id", "started_at", "seed", "wall_seconds", "build_seconds"}


class DevicesCase(RunCase):
    def results(self, result):
        return json.loads(result.stdout)["results"]

    def states(self, result):
        return {row["agent"]: row["state"] for row in self.results(result)}

    def lane_of(self, process):
        """The process id of its lane, once there is one."""
        def found():
            for pid in own_processes.descendants(process.pid):
                try:
                    words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                except (FileNotFoundError, ProcessLookupError):
                    continue
                if words[1:2] == [b"lane"]:
                    return pid
            return None

        return self.wait_until(found, "a lane was started", process)


class RowsTest(DevicesCase):
    AGENTS = ("a-honest", "b-does_not_compile", "c-writes_nothing", "d-segfault", "e-returns_an_error", "f-deadlocks")

    def settled(self, row):
        return {name: value for name, value in row.items() if name not in OF_ITS_RUN}

    def test_a_lane_judges_like_the_run_itself(self):
        how = ("--submissions", self.submissions(*self.AGENTS), *CALL_LIMIT, "--seed", "7", "--format", "json")
        alone = self.run_kbench("--device", "cpu", *TASK, *how)
        laned = self.run_kbench(*LANE, *how)
        self.assertEqual((alone.returncode, laned.returncode), (TASK_FAILED, TASK_FAILED), laned.stderr)
        self.assertEqual([self.settled(row) for row in self.results(laned)],
                         [self.settled(row) for row in self.results(alone)])
        self.assertEqual(self.states(laned), {"a-honest": "ok", "b-does_not_compile": "compile_error",
                                              "c-writes_nothing": "wrong_result", "d-segfault": "crash",
                                              "e-returns_an_error": "submission_error", "f-deadlocks": "timeout"})
        self.assert_nothing_left()


class EndsTest(DevicesCase):
    STATES = {"a-honest": "ok", "b-deadlocks": "timeout", "c-honest": "ok"}

    def start_run(self):
        return self.start(*LANE, "--submissions", self.submissions(*self.STATES), *CALL_LIMIT)

    def assert_whole(self, result):
        self.assertEqual(result.returncode, TASK_FAILED, result.stderr)
        self.assertEqual(self.states(result), self.STATES)
        self.assertEqual(self.rows(), (3, 3))
        self.assert_nothing_left()

    def test_a_lane_that_is_killed_is_replaced_and_its_unit_tried_again(self):
        process = self.start_run()
        self.wait_for_rows(1, process)
        lane = self.lane_of(process)
        own_processes.wait_for("kbench-worker", lane)
        os.kill(lane, signal.SIGKILL)
        _, told = process.communicate(timeout=300)
        self.assertIn("the process that measures on cpu ended: it was killed by signal 9 (Killed); it is replaced",
                      told)
        self.assertEqual(process.returncode, TASK_FAILED, told)
        self.assertEqual(self.rows(), (3, 3))
        self.assert_nothing_left()

    def test_ctrl_c_finishes_the_evaluation_at_hand_and_the_rest_is_resumed_without_lanes(self):
        process = self.start_run()
        self.wait_for_rows(1, process)
        own_processes.wait_for("kbench-worker", process.pid)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=300)
        self.assertIn("again to abandon it", told)
        self.assertEqual(process.returncode, INTERRUPTED, told)
        self.assertGreaterEqual(self.rows()[0], 1)
        self.assert_nothing_left()
        self.assert_whole(self.run_kbench("--resume", "--format", "json"))

    def test_a_run_without_lanes_is_resumed_with_them(self):
        process = self.start("--device", "cpu", *TASK, "--submissions", self.submissions(*self.STATES), *CALL_LIMIT)
        self.wait_for_rows(1, process)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        self.assert_nothing_left()
        self.assert_whole(self.run_kbench("--resume", "--devices", "cpu", "--format", "json"))

    def test_killed_at_any_moment_it_leaves_nothing_and_loses_nothing(self):
        moments = random.Random(45)
        for kill in range(3):
            process = self.start_run() if kill == 0 else self.start("--resume", "--devices", "cpu")
            self.lane_of(process)
            try:
                process.wait(timeout=moments.uniform(0, 6))  # any moment will do
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            process.communicate(timeout=30)
            self.assert_nothing_left()
            if not self.has_run():
                return  # killed before there was one, which leaves nothing to go on with
        self.assert_whole(self.run_kbench("--resume", "--format", "json"))

    def has_run(self):
        return bool(json.loads(self.kbench("runs", "--json").stdout or '{"runs": []}')["runs"])


class WordsTest(DevicesCase):
    def test_a_cpu_is_one_device(self):
        for words in ("2", "cpu,cpu"):
            self.assert_fails(self.run_kbench("--devices", words, *TASK), USAGE,
                              f"--devices {words}: a run on a CPU has one device, the CPU")

    def test_words_that_are_no_devices(self):
        for words in ("every", "0", "cuda", "cuda:0,"):
            self.assert_fails(self.run_kbench("--devices", words, *TASK), USAGE, "not a list of GPUs")
        self.assert_fails(self.run_kbench("--devices", "all", "--device", "cpu", *TASK), USAGE, "--device")

    def test_a_dry_run_refuses_what_the_run_would(self):
        self.assert_fails(self.run_kbench("--devices", "cpu,cpu", "--dry-run", *TASK), USAGE, "has one device, the CPU")

    def test_it_can_stand_in_a_file(self):
        (self.folder / "kbench.toml").write_text('[run]\ndevices = "cpu,cpu"\n', encoding="utf-8")
        self.assert_fails(self.run_kbench(*TASK), USAGE, "--devices cpu,cpu")
        for table, words in (("selftest.timing", ("selftest", "timing")), ("calibrate", ("calibrate",))):
            (self.folder / "kbench.toml").write_text(f'[{table}]\ndevices = "cpu,cpu"\n', encoding="utf-8")
            self.assert_fails(self.kbench(*words), USAGE, "--devices cpu,cpu")

    def test_a_calibration_refuses_what_a_run_does(self):
        for words, why in (("cpu,cpu", "has one device, the CPU"), ("every", "not a list of GPUs")):
            self.assert_fails(self.kbench("selftest", "timing", "--devices", words), USAGE, why)
            self.assert_fails(self.kbench("calibrate", "--devices", words), USAGE, why)

    def test_a_synthesis_refuses_what_a_run_does(self):
        for words, why in (("cpu,cpu", "has one device, the CPU"), ("every", "not a list of GPUs")):
            self.assert_fails(self.kbench("synth", "--out", "out", "--devices", words), USAGE, why)
        self.assertFalse((self.folder / "out").exists())

    def test_the_process_of_a_lane_is_for_a_command_to_start(self):
        listed = self.kbench("--help").stdout.split()
        for word in ("lane", "synth-lane"):
            self.assert_fails(self.kbench(word), USAGE, "is started by a command on several devices")
            self.assertNotIn(word, listed)


if __name__ == "__main__":
    cli_case.main()
