"""Findings of leftovers.Watch: things of processes that its own process started, and nobody else's."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import leftovers
import own_processes

FREEZER = own_processes.CGROUPS / "freezer"


class WatchTest(unittest.TestCase):
    def setUp(self):
        self.watch = leftovers.Watch()

    def ended_process(self):
        """The id of a process that was started by this one and has ended."""
        process = subprocess.Popen(["true"])
        process.wait()
        return process.pid

    def make_group(self, process):
        if not os.access(FREEZER, os.W_OK):
            self.skipTest("control groups cannot be made here")
        group = FREEZER / f"kbench-{process}-0"
        group.mkdir()
        self.addCleanup(group.rmdir)
        return group

    def make_file(self, process):
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        number, name = tempfile.mkstemp(prefix="leftovers-", dir="/tmp")
        os.close(number)
        self.addCleanup(os.unlink, name)
        user = own_processes.FIRST_USER + process * own_processes.USERS_OF_A_PROCESS + 7
        os.chown(name, user, user)
        return name

    def test_nothing_is_found_where_nothing_is_left(self):
        subprocess.run(["sh", "-c", "true & wait"], check=True)
        self.assertEqual(self.watch.findings(), [])

    def test_a_process_that_detached_itself(self):
        subprocess.run(["sh", "-c", "setsid sleep 600 &"], check=True)
        found = self.watch.findings()
        self.assertRegex(found[0], r"^process \d+ \((sh|setsid|sleep)\)$")
        os.kill(int(found[0].split()[1]), 9)
        self.assertEqual(len(found), 1)
        self.assertEqual(own_processes.wait_until_gone({int(found[0].split()[1])}), {})

    def test_a_control_group_of_our_own_and_none_of_somebody_else(self):
        own = self.make_group(self.ended_process())
        self.make_group(os.getppid())
        self.assertEqual(self.watch.findings(), [f"control group {own}"])

    def test_a_file_of_our_own_and_none_of_somebody_else(self):
        own = self.make_file(self.ended_process())
        self.make_file(os.getppid())
        self.assertEqual(self.watch.findings(), [f"file {own} of a user that kbench gave to a submission"])

    def test_what_was_there_before(self):
        process = self.ended_process()
        self.make_group(process)
        self.make_file(process)
        self.assertEqual(leftovers.Watch().findings(), [])

    def test_a_process_id_that_somebody_else_has_now(self):
        own = self.ended_process()
        own_processes._started.add(os.getppid())
        self.addCleanup(own_processes._started.discard, os.getppid())
        self.assertTrue(own_processes.is_own(own))
        self.assertFalse(own_processes.is_own(os.getppid()))


class ProcessTableTest(unittest.TestCase):
    def test_a_process_that_has_ended_is_no_descendant(self):
        process = subprocess.Popen(["true"])
        self.assertEqual(own_processes.wait_until_gone({process.pid}), {})
        self.assertTrue(pathlib.Path(f"/proc/{process.pid}").exists(), "nobody has waited for it")
        process.wait()

    def test_waiting_has_an_end(self):
        process = subprocess.Popen(["sleep", "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(own_processes.wait_until_gone({process.pid}, seconds=0).keys(), {process.pid})
        with self.assertRaisesRegex(TimeoutError, "no process nobody within 0 s"):
            own_processes.wait_for("nobody", seconds=0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
