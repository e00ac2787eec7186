"""data/clients/kbench_ray.py on a real Ray of three nodes, by verl's signature; its judges measure nothing."""

import client_case

client_case.enter("ray")

import asyncio  # noqa: E402
import concurrent.futures  # noqa: E402
import contextlib  # noqa: E402
import ctypes  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import pathlib  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402
import types  # noqa: E402

sys.path.insert(0, str(client_case.ROOT / "tests/cluster"))

# Else Ray leaves a token in its user's home, and asks for it; and reports that it was used.
os.environ.update(RAY_AUTH_MODE="disabled", RAY_USAGE_STATS_ENABLED="0")
import ray  # noqa: E402
from client_case import fenced, hash_of  # noqa: E402
from cluster_case import SCRIPTED, TASK, TINY, ClusterCase, kernel, own_processes  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

THOUSAND = 1000
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20}


class RayCase(ClusterCase):
    def setUp(self):
        super().setUp()
        # A worker of Ray that lost its raylet ends once init is its parent, and this process is not.
        ctypes.CDLL(None).prctl(own_processes.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
        # The judges are processes of this machine, so what differs from node to node is their folder alone.
        variables = self.environment("nodes", KBENCH_SCRIPTED_MS="10", KBENCH_RAY_PROGRAM=str(SCRIPTED),
                                     KBENCH_RAY_SERVE=f"--exchange {self.pool} --suite {TINY}", KBENCH_PATIENCE="600")
        before = dict(os.environ)
        self.addCleanup(os.environ.update, before)
        self.addCleanup(os.environ.clear)
        os.environ.update(variables)
        self.cluster = self.started()
        self.addCleanup(self.end_cluster)
        sys.modules.pop("kbench_ray", None)  # it knows the actors of the last cluster
        import kbench_ray  # noqa: PLC0415
        self.kbench_ray = kbench_ray

    def started(self):
        """Ray gives itself 30 s to start, which a busy machine does not always keep."""
        for tries_left in (2, 1, 0):
            cluster = Cluster()
            try:
                cluster.add_node(include_dashboard=False, **NODE)
                ray.init(address=cluster.address, log_to_driver=False)
                return cluster
            except Exception as error:  # its own class for this is Exception
                ray.shutdown()
                cluster.shutdown()
                if tries_left == 0 or "timed out" not in str(error):
                    raise
        return None

    def end_cluster(self):
        ray.shutdown()
        self.cluster.shutdown()
        self.wait_until(lambda: not self.servers(), "no server is left")

    def servers(self):
        """Command lines that name the folder of this test."""
        found = []
        for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if str(self.folder) in words and "scripted_kbench" in words:
                    found.append(words)
        return found

    def add_judge(self):
        return self.cluster.add_node(resources={"kbench": 1}, **NODE)

    def judging(self):
        return ray.get(self.kbench_ray.pool().judges.remote())[0]

    def stored(self):
        """{SHA-256 of a source: its reward}, of the rows that count."""
        database = self.folder / "all.sqlite"
        self.assert_good(self.kbench("db", "merge", database, "--exchange", self.pool, "--group", "serve"))
        self.assert_good(self.kbench("db", "check", "--db", database))
        rewards = {}
        for (run,) in self.sql(database, "SELECT id FROM run"):
            report = self.kbench("report", "jsonl", "--db", database, "--run", run, "--reward", "milestone_sure")
            self.assert_good(report)
            for row in map(json.loads, report.stdout.splitlines()):
                if "again" in (row["labels"] or "").split():
                    continue
                [file] = [one for one in row["sources"]["files"] if one["path"].endswith(".cpp")]
                self.assertNotIn(file["hash"], rewards, "it counts twice")
                rewards[file["hash"]] = row["reward"]["value"]
        return rewards


class FewTest(RayCase):
    def test_every_kind_of_call_has_the_stored_reward(self):
        self.add_judge()
        codes = [kernel(number) for number in range(8)]
        answers = [fenced(code) for code in codes]
        one_by_one = [self.kbench_ray.compute_score("kernels", answer, TASK, {}) for answer in answers]
        stored = self.stored()
        self.assertEqual(one_by_one, [stored[hash_of(code)] for code in codes])
        self.assertEqual(len(set(one_by_one)), 2, "some are right and some are wrong")
        self.assertEqual(self.kbench_ray.compute_score(
            data_sources=["k"] * 8, solution_strs=answers, ground_truths=[TASK] * 8, extra_infos=[{}] * 8), one_by_one)
        samples = [types.SimpleNamespace(response=answer, label=TASK, metadata={}) for answer in answers]

        async def of_loops():
            return (await asyncio.gather(*(self.kbench_ray.compute_score_async("k", one, TASK) for one in answers)),
                    await self.kbench_ray.reward_func(None, samples))

        self.assertEqual(asyncio.run(of_loops()), (one_by_one, one_by_one))
        self.assertEqual(len(self.measured_rows()), 8)
        with self.assertRaisesRegex(self.kbench_ray.NoReward, "names no task"):
            self.kbench_ray.compute_score("k", answers[0], None)
        with self.assertRaisesRegex(self.kbench_ray.NoReward, "level1/000_none"):
            self.kbench_ray.compute_score("k", answers[0], "level1/000_none")


class KilledTest(RayCase):
    def test_a_thousand_rewards_are_as_stored_while_actors_and_a_raylet_are_killed(self):
        kept, lost = self.add_judge(), self.add_judge()
        answers = [fenced(kernel(number)) for number in range(THOUSAND)]
        hashes = [hash_of(kernel(number)) for number in range(THOUSAND)]
        asked = threading.Semaphore(0)

        def score(answer):
            reward = self.kbench_ray.compute_score("kernels", answer, TASK)
            asked.release()
            return reward

        def after(count):
            self.wait_until(lambda: sum(score.done() for score in scores) >= count, f"{count} are there", seconds=600)

        self.kbench_ray.pool()
        self.wait_until(lambda: len(self.judging()) == 2, "both judge", seconds=300)
        begun = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            scores = [pool.submit(score, answer) for answer in answers]
            after(200)
            killed = self.judging()[kept.node_id]
            os.kill(killed, signal.SIGKILL)
            after(400)
            self.wait_until(lambda: self.judging().get(kept.node_id, killed) != killed, "it judges again", seconds=300)
            os.kill(lost.all_processes["raylet"][0].process.pid, signal.SIGKILL)
            after(700)
            os.kill(ray.get(self.kbench_ray.pool().pid.remote()), signal.SIGKILL)
            scores = [score.result(600) for score in scores]
        seconds = time.monotonic() - begun
        self.wait_until(lambda: list(self.judging()) == [kept.node_id], "one is left", seconds=300)
        stored = self.stored()
        right = sum(score == stored.get(hashed) for hashed, score in zip(hashes, scores))
        print(f"{right} of {THOUSAND} as stored, {len(stored)} rows count, {len(self.measured_rows())} measured, "
              f"{seconds:.1f} s; {sum(score > 0 for score in scores)} right ones")
        self.assertEqual((right, len(stored)), (THOUSAND, THOUSAND))


if __name__ == "__main__":
    client_case.main()
