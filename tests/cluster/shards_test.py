"""Shards that a scheduler started twice, and a merger that is killed: each key counts once, and nothing is lost."""

import collections
import json
import os
import random
import signal
import subprocess
import time

import cluster_case
from cluster_case import KBENCH, SCRIPTED, TINY, ClusterCase, kernel

AGENTS = 40
SEED = 20


class ShardsTest(ClusterCase):
    def setUp(self):
        super().setUp()
        for agent in range(AGENTS):
            file = self.folder / f"answers/agent{agent:02}/level1/019_relu.cpp"
            file.parent.mkdir(parents=True)
            file.write_text(kernel(agent), encoding="ascii")

    def shard(self, machine, **environment):
        log = open(self.machine(machine) / "run.stderr", "wb")
        self.addCleanup(log.close)
        process = subprocess.Popen(
            [str(SCRIPTED), "run", "--suite", str(TINY), "--submissions", str(self.folder / "answers"), "--shard",
             "1/1", "--group", "night", "--exchange", str(self.pool), "--db", "shard.sqlite"],
            cwd=self.machine(machine), env=self.environment(machine, **environment),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def merge(self, *words):
        return subprocess.Popen(
            [str(KBENCH), "db", "merge", "all.sqlite", "--exchange", str(self.pool), "--group", "night", *words],
            cwd=self.folder, env={**os.environ, "HOME": str(self.folder)}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def counts(self, labels):
        """How often each agent has a row that has this label, or has not."""
        rows = self.sql(self.folder / "all.sqlite",
                        f"SELECT agent FROM evaluation WHERE labels {labels} LIKE '%again%'")
        return collections.Counter(agent for (agent,) in rows)

    def assert_each_once(self):
        self.assertEqual(self.counts("NOT"), {f"agent{number:02}": 1 for number in range(AGENTS)})
        self.assert_good(self.kbench("db", "check", "--db", "all.sqlite"))

    def test_a_shard_that_was_started_again_while_its_first_copy_runs(self):
        first = self.shard("node1", KBENCH_SCRIPTED_MS="60")
        self.wait_until(lambda: len(self.measured_rows()) > 5, "the first copy measures", first)
        # The same units in the same order, but for what lies there already: both are at one row at a time.
        second = self.shard("node2", KBENCH_SCRIPTED_MS="45")
        self.assertEqual({first.wait(120), second.wait(120)} - {0, 1}, set())
        merged = self.merge()
        said = merged.communicate(timeout=60)[1]
        self.assertEqual(merged.returncode, 0, said)
        self.assert_each_once()
        again = sum(self.counts("").values())
        self.assertGreater(again, 0, "both measured something at one time")
        self.assertEqual(len(self.measured_rows()), AGENTS + again)
        self.assertIn(f"{again} of them again", said)
        report = self.kbench("report", "json", "--db", "all.sqlite", "--run", "night")
        self.assert_good(report)
        shown = [row for row in json.loads(report.stdout)["results"] if "again" in (row["labels"] or "")]
        print(f"{AGENTS} rows, {len(self.measured_rows())} measured, {again} again, shown as such: {len(shown)}")
        self.assertEqual(len(shown), again)

    def test_a_merger_that_is_killed_at_fifty_moments(self):
        moments = random.Random(SEED)
        runs = [self.shard(f"node{number}", KBENCH_SCRIPTED_MS="150") for number in (1, 2)]
        killed = 0
        for _ in range(50):
            merger = self.merge("--watch")
            time.sleep(moments.uniform(0.0, 0.6))
            merger.send_signal(signal.SIGKILL)
            merger.communicate(timeout=60)
            killed += merger.returncode == -signal.SIGKILL
        self.assertEqual(killed, 50)
        for run in runs:
            self.assertIn(run.wait(300), (0, 1))
        last = self.merge()
        self.assertEqual(last.communicate(timeout=60)[1].count("left out"), 0)
        self.assertEqual(last.returncode, 0)
        self.assert_each_once()
        rows = sum(self.counts("NOT").values()) + sum(self.counts("").values())
        print(f"killed {killed} times; {rows} rows of {len(self.measured_rows())} measured")
        self.assertEqual(rows, len(self.measured_rows()), "no row is lost, and none is there twice")


if __name__ == "__main__":
    cluster_case.main()
