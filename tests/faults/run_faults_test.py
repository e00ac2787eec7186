"""Faults around a whole `kbench run`: a disk that fills up, two runs on one database, a terminated
process group, names that mean harm. Uses the helpers of tests/cli.

Nothing here depends on times or on how much there is to compute: what is evaluated is of tests/tiny and,
where no page is looked at, checked only.
"""

import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import cli_case  # noqa: E402  (the folder is known only now)
import own_processes  # noqa: E402
from cli_case import GOOD, INFRASTRUCTURE, INTERRUPTED, KBENCH, ROOT, TASK_FAILED, TINY  # noqa: E402

SUBMISSIONS = ROOT / "tests" / "faults" / "submissions"
RELU = ("--task", "level1/019_relu", "--device", "cpu", "--suite", str(TINY))
CHECKED = (*RELU, "--checks-only")
# Long enough to see its worker and to send a signal; its evaluation goes on by itself.
SLOW_TO_LOAD = "\n#include <unistd.h>\nstatic const unsigned left = sleep(3);\n"


class FaultCase(cli_case.CliCase):
    def copy_agents(self, *agents):
        folder = self.folder / "submissions"
        for agent in agents:
            shutil.copytree(SUBMISSIONS / agent.partition("-")[0], folder / agent)
        return folder

    def run_kbench(self, *words, timeout=280):
        # A folder without Python: the compiled baseline takes long and is not what is tested.
        return self.kbench("run", *CHECKED, *words, KBENCH_TORCH=str(self.folder), timeout=timeout)

    def start(self, *words):
        environment = {**os.environ, "HOME": str(self.folder), "KBENCH_TORCH": str(self.folder)}
        return subprocess.Popen([str(KBENCH), "run", *CHECKED, *map(str, words)], cwd=self.folder,
                                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def states(self, database):
        with sqlite3.connect(database, timeout=10) as store:
            names = [name for (_, name, *_) in store.execute("PRAGMA table_info(evaluation)")]
            self.assertIn("state", names)
            return store.execute("SELECT run_id, agent, state FROM evaluation ORDER BY number").fetchall()


class DiskFull(FaultCase):
    AGENTS = [f"segfault-{i}" for i in range(12)]  # a row each

    def resize(self, disk, size):
        subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)

    def test_what_was_stored_stays_and_the_run_goes_on_later(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(disk)],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("mounting a small disk needs root")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)], check=False)
        database = disk / "kbench.sqlite"
        agents = self.copy_agents(*self.AGENTS)
        one = self.run_kbench("--submissions", agents, "--agent", self.AGENTS[0], "--db", database)
        self.assert_fails(one, TASK_FAILED)
        room = os.statvfs(disk)
        used = (room.f_blocks - room.f_bfree) * room.f_frsize
        self.resize(disk, used + (64 << 10))

        result = self.run_kbench("--submissions", agents, "--db", database)
        self.assert_fails(result, INFRASTRUCTURE, "kbench.sqlite", "full")
        self.resize(disk, 64 << 20)
        stored = self.rows_of_newest_run(database)
        self.assertGreater(len(stored), 0)
        self.assertLess(len(stored), len(self.AGENTS))
        result = self.run_kbench("--submissions", agents, "--db", database, "--resume")
        self.assert_fails(result, TASK_FAILED)
        self.assertEqual(self.rows_of_newest_run(database),
                         {agent: "crash" for agent in self.AGENTS})

    def rows_of_newest_run(self, database):
        rows = self.states(database)
        return {agent: state for run, agent, state in rows if run == rows[-1][0]}


class TwoRunners(FaultCase):
    def test_both_finish_and_keep_their_rows_apart(self):
        agents = self.copy_agents("honest", "writes_nothing", "segfault")
        database = self.folder / "shared.sqlite"
        both = [self.start("--submissions", agents, "--db", database) for _ in range(2)]
        for runner in both:
            _, words = runner.communicate(timeout=280)
            self.assertEqual(runner.returncode, TASK_FAILED, words)
        runs = {}
        for run, agent, state in self.states(database):
            runs.setdefault(run, {})[agent] = state
        self.assertEqual(list(runs.values()),
                         [{"honest": "ok", "writes_nothing": "wrong_result", "segfault": "crash"}] * 2)


class Terminated(FaultCase):
    def test_a_signal_to_the_process_group_finishes_the_evaluation_at_hand(self):
        agents = self.copy_agents("honest-0", "honest-1")
        with open(agents / "honest-0/level1/019_relu.cpp", "a", encoding="utf-8") as source:
            source.write(SLOW_TO_LOAD)
        database = self.folder / "kbench.sqlite"
        process = self.start("--submissions", agents, "--db", database)
        own_processes.wait_for("kbench-worker", process.pid)
        os.killpg(process.pid, signal.SIGTERM)
        _, words = process.communicate(timeout=120)
        self.assertEqual(process.returncode, INTERRUPTED, words)
        self.assertEqual([row[1:] for row in self.states(database)], [("honest-0", "ok")])
        resumed = self.run_kbench("--submissions", agents, "--db", database, "--resume")
        self.assert_good(resumed)
        self.assertEqual([row[1:] for row in self.states(database)],
                         [("honest-0", "ok"), ("honest-1", "ok")])


class HostileNames(FaultCase):
    """Names of folders reach neither terminal, page nor shell as they are."""

    AGENTS = ["<script>", "'; DROP TABLE run; --", '"quoted"', '=HYPERLINK("x")', "\x1b[2Jescape",
              "\u202eright", "a\nb", "x" * 200, "$(touch owned)"]

    def test_each_is_named_and_the_others_go_on(self):
        folder = self.copy_agents("honest")
        for agent in self.AGENTS:
            shutil.copytree(SUBMISSIONS / "honest", folder / agent)
        (folder / "linked").symlink_to("/etc")
        page = self.folder / "page.html"
        result = self.kbench("run", *RELU, "--quick", "--submissions", folder, "--format", "json", "--html",
                             page, KBENCH_TORCH=str(self.folder), timeout=280)
        self.assertIn(result.returncode, (GOOD, TASK_FAILED), result.stderr)
        rows = json.loads(result.stdout)["results"]
        self.assertEqual([row["state"] for row in rows if row["agent"] == "honest"], ["ok"])
        for row in rows:
            if row["agent"] != "honest":
                self.assertNotEqual(row["state"], "ok")
                self.assertEqual(row["fault"], "submission", row)
        for text in (result.stderr, result.stdout, page.read_text()):
            self.assertNotIn("\x1b[2J", text)
            self.assertNotIn("\u202e", text)
        self.assertNotIn("<script>'", page.read_text())
        self.assertEqual(list(self.folder.rglob("owned")), [])


class TooMuch(FaultCase):
    """One agent hands in more than anybody may; it is refused, and the others go on."""

    def run_beside_honest(self, folder):
        result = self.run_kbench("--submissions", folder, "--format", "json")
        self.assertEqual(result.returncode, TASK_FAILED, result.stderr)
        return [(row["agent"], row["state"]) for row in json.loads(result.stdout)["results"]]

    def test_a_hundred_thousand_files(self):
        folder = self.copy_agents("honest")
        crowd = folder / "crowd" / "level1"
        crowd.mkdir(parents=True)
        for i in range(100_001):
            os.mknod(crowd / f"{i}.txt")
        self.assertEqual(sorted(self.run_beside_honest(folder)),
                         [("crowd", "refused"), ("honest", "ok")])

    def test_a_thousand_submissions_for_one_task(self):
        folder = self.copy_agents("honest")
        crowd = folder / "crowd" / "level1"
        crowd.mkdir(parents=True)
        for i in range(1000):
            (crowd / f"019_relu@{i}.cpp").write_text("#error one of many")
        self.assertEqual(sorted(self.run_beside_honest(folder)),
                         [("crowd", "refused"), ("honest", "ok")])


if __name__ == "__main__":
    cli_case.main()
