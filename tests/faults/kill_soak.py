#!/usr/bin/env python3
"""Kills kbench's processes at random moments and lets it go on: no row may be lost, doubled or changed,
and nothing may be left running.

    kill_soak.py [--kills N] [--seed N]

The program under test is named by KBENCH. A killed supervisor is followed by `kbench run --resume`; a
killed oracle or worker costs the evaluation at hand and nothing else.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import own_processes  # noqa: E402  (the folder is known only now)

KBENCH = pathlib.Path(os.environ["KBENCH"]).resolve()
SUBMISSIONS = pathlib.Path(__file__).resolve().parent / "submissions"
PROGRAMS = ("kbench", "kbench-oracle", "kbench-worker")
LONGEST_S = 900  # that a run may take between two kills of its supervisor
STARTS_WITHOUT_A_KILL = 5  # of the supervisor: the first, and after an oracle that was lost

EXPECTED = {"honest_1": "ok", "honest_2": "ok", "segfault": "crash", "writes_nothing": "wrong_result",
            "returns_an_error": "submission_error"}
# States that a row may have besides, when the process behind it was killed.
OF_A_KILL = {"kbench-oracle": "infrastructure_error", "kbench-worker": "crash"}


class Finding(Exception):
    """A fault of kbench: raised where something happened that must not."""


class Run:
    """One database, filled by one run that is killed and resumed until it is complete."""

    def __init__(self, folder):
        self.folder = folder
        self.database = folder / "kbench.sqlite"
        self.rows = {}
        self.starts = 0
        self.killed = {name: 0 for name in PROGRAMS}
        submissions = folder / "submissions"
        for agent in EXPECTED:
            source = SUBMISSIONS / agent.rstrip("_12")
            shutil.copytree(source, submissions / agent)
        self.command = [str(KBENCH), "run", "--device", "cpu", "--task", "level1/019_relu", "--quick",
                        "--no-html", "--submissions", str(submissions), "--db", str(self.database)]
        # A folder without Python: the compiled baseline takes long and is not what is tested.
        self.environment = {**os.environ, "HOME": str(folder), "KBENCH_TORCH": str(folder)}

    def has_run(self):
        try:
            with sqlite3.connect(self.database, timeout=10) as store:
                return store.execute("SELECT count(*) FROM run").fetchone()[0] > 0
        except sqlite3.OperationalError:
            return False

    def start(self):
        self.starts += 1
        resume = ["--resume"] if self.has_run() else []
        return subprocess.Popen(self.command + resume, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def check_rows(self):
        """Every row that was there still says the same, and there is one for each key."""
        if not self.database.exists():
            return
        with sqlite3.connect(self.database, timeout=10) as store:
            if store.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
                raise Finding("the database is damaged")
            if not store.execute("SELECT 1 FROM sqlite_schema WHERE name = 'evaluation'").fetchone():
                return
            rows = store.execute("SELECT key, agent, state, message FROM evaluation").fetchall()
        now = {row[0]: row[1:] for row in rows}
        if len(now) != len(rows):
            raise Finding("a row was doubled")
        for key, row in self.rows.items():
            if key not in now:
                raise Finding(f"the row of {row[0]} was lost")
            if now[key] != row:
                raise Finding(f"the row of {row[0]} was changed")
        self.rows = now

    def check_complete(self):
        agents = sorted(row[0] for row in self.rows.values())
        if agents != sorted(EXPECTED):
            raise Finding(f"a finished run has rows of {agents}")
        odd = [row for row in self.rows.values() if row[1] != EXPECTED[row[0]]]
        for agent, state, message in odd:
            if state not in OF_A_KILL.values():
                raise Finding(f"{agent} ended as {state}: {message}")
        if len(odd) > self.killed["kbench-oracle"] + self.killed["kbench-worker"]:
            raise Finding(f"{len(odd)} rows suffered from fewer kills: {odd}")

    def check_orphans(self):
        left = own_processes.wait_until_gone(seconds=20)
        if left:
            raise Finding(f"left running: {left}")


def kill_one(supervisor, rng):
    """Kills a random process of the run; returns its program, or None where there was none."""
    wanted = rng.choice(("kbench", "kbench", "kbench-oracle", "kbench-worker"))
    if wanted == "kbench":
        supervisor.kill()
        supervisor.wait()
        return wanted
    chosen = [pid for pid, name in own_processes.descendants().items() if name == wanted]
    if not chosen:
        return None
    try:
        os.kill(rng.choice(chosen), signal.SIGKILL)
    except ProcessLookupError:
        return None
    return wanted


def wait_for_end(process, seconds):
    """True if the process ended within so many seconds."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def soak_one_run(folder, rng, kills_left):
    """Fills one database; returns how many processes were killed on the way."""
    run = Run(folder)
    while run.starts <= sum(run.killed.values()) + STARTS_WITHOUT_A_KILL:
        supervisor = run.start()
        deadline = time.monotonic() + LONGEST_S
        while supervisor.poll() is None:
            if time.monotonic() > deadline:
                raise Finding(f"kbench run did not end within {LONGEST_S} s, with {len(run.rows)} rows")
            if sum(run.killed.values()) >= kills_left:
                wait_for_end(supervisor, 0.5)
                continue
            if not wait_for_end(supervisor, rng.uniform(0, 6) ** 2 / 6):  # more often early than late
                if (program := kill_one(supervisor, rng)) is not None:
                    run.killed[program] += 1
                run.check_rows()
        run.check_orphans()
        run.check_rows()
        if supervisor.returncode in (0, 1, 3) and len(run.rows) >= len(EXPECTED):
            run.check_complete()
            return sum(run.killed.values())
        if supervisor.returncode not in (-signal.SIGKILL, 3):
            raise Finding(f"kbench run ended with {supervisor.returncode} and {len(run.rows)} rows")
    raise Finding(f"after {run.starts} starts and {run.killed} kills there are {len(run.rows)} rows")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    own_processes.become_subreaper()
    rng = random.Random(arguments.seed)
    killed = runs = 0
    while killed < arguments.kills:
        with tempfile.TemporaryDirectory(prefix="kbench-soak-") as name:
            try:
                killed += soak_one_run(pathlib.Path(name), rng, arguments.kills - killed)
            except Finding as finding:
                print(f"kill_soak: seed {arguments.seed}, after {killed} kills: {finding}")
                return 1
        runs += 1
    print(f"{killed} kills over {runs} runs: no row lost, doubled or changed, nothing left running")
    return 0


if __name__ == "__main__":
    sys.exit(main())
