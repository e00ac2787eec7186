"""data/cluster/haproxy.cfg: four judges behind one address, asked as OpenRLHF asks."""

import collections
import concurrent.futures
import itertools
import re
import signal
import subprocess
import time
import urllib.error

import cluster_case
from cluster_case import ROOT, TASK, ClusterCase, ask, free_port, kernel, tool, with_libraries

HAPROXY = tool("haproxy")
JUDGES = 4
PATIENCE = 180  # of that client, in seconds
TRIES = 5


class ProxyCase(ClusterCase):
    def begin(self, **environment):
        with concurrent.futures.ThreadPoolExecutor(JUDGES) as pool:
            list(pool.map(lambda number: self.judge(f"judge{number}", **environment), range(1, JUDGES + 1)))
        self.judges.sort(key=lambda judge: judge.name)
        self.port = free_port()
        text = (ROOT / "data/cluster/haproxy.cfg").read_text(encoding="utf-8")
        text = text.replace("127.0.0.1:8377\n  option", f"127.0.0.1:{self.port}\n  option")
        for number, judge in enumerate(self.judges, 1):
            text, found = re.subn(rf"(server judge{number} 127\.0\.0\.1:)\d+", rf"\g<1>{judge.port}", text)
            self.assertEqual(found, 1)
        file = self.folder / "haproxy.cfg"
        file.write_text(text, encoding="utf-8")
        log = open(self.folder / "haproxy.log", "wb")
        self.addCleanup(log.close)
        proxy = subprocess.Popen([str(HAPROXY), "-db", "-f", str(file)], env=with_libraries(), stdin=subprocess.DEVNULL,
                                 stdout=log, stderr=log)
        self.addCleanup(proxy.wait)
        self.addCleanup(proxy.terminate)
        self.wait_until(self.is_up, "the proxy sees its judges", proxy)

    def is_up(self):
        try:
            return ask(self.port, "/health", timeout=5)[0] == 200
        except (urllib.error.URLError, OSError):
            return False

    def reward(self, number):
        """One sample, by the client's rule: whatever is wrong, again, five times, a second apart."""
        body = {"query": [f"<|user|>\nWrite a kernel.\n<|assistant|>\n```cpp\n{kernel(number)}```\n"],
                "prompts": ["<|user|>\nWrite a kernel.\n<|assistant|>\n"], "labels": [TASK]}
        for tries in range(1, TRIES + 1):
            try:
                status, answer = ask(self.port, "/get_reward", body, PATIENCE)
                if status == 200:
                    self.tries[tries] += 1
                    return answer["rewards"][0]
                self.statuses[status] += 1
            except TimeoutError:
                self.statuses["time-out"] += 1
            except (urllib.error.URLError, OSError) as error:
                self.statuses[str(error)] += 1
            time.sleep(1)
        raise AssertionError(f"no reward of {number} in five tries: {self.statuses}")

    def rewards(self, count, threads, meanwhile=None):
        self.tries, self.statuses = collections.Counter(), collections.Counter()
        answered = itertools.count(1)

        def one(number):
            value = self.reward(number)
            if meanwhile:
                meanwhile(next(answered))
            return value

        begun = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            values = list(pool.map(one, range(count)))
        print(f"{count} rewards in {time.monotonic() - begun:.1f} s; by tries {dict(self.tries)}; not answered "
              f"{dict(self.statuses)}; measured {len(self.measured_rows())}, {len(set(self.measured_rows()))} of them "
              f"different; by judge {[len(self.rows_of(judge)) for judge in self.judges]}")
        return values

    def rows_of(self, judge):
        return self.sql(judge.folder / "kbench.sqlite",
                        "SELECT key, state FROM evaluation WHERE labels NOT LIKE '%again%'")

    def assert_as_stored(self, values):
        """As many right and wrong ones as the judges' databases have, a key once."""
        stored = {}
        for judge in self.judges:
            for key, state in self.rows_of(judge):
                self.assertEqual(stored.setdefault(key, state), state)
        right = sum(state == "ok" for state in stored.values())
        self.assertEqual((len(stored), right), (len(values), sum(value > 0 for value in values)))


class FewTest(ProxyCase):
    def test_forty_rewards_by_one_address_each_measured_once(self):
        self.begin(KBENCH_SCRIPTED_MS="10")
        values = self.rewards(40, 8)
        self.assert_as_stored(values)
        self.assertEqual(len(self.measured_rows()), 40)
        self.assertEqual(self.statuses, {})
        self.assertGreater(min(len(self.rows_of(judge)) for judge in self.judges), 0, "every judge has its share")
        self.assertEqual(self.rewards(40, 8), values)
        self.assertEqual(len(self.measured_rows()), 40, "the same body finds its judge")


class KilledTest(ProxyCase):
    def test_four_hundred_rewards_while_a_judge_is_killed_and_comes_back(self):
        self.begin(KBENCH_SCRIPTED_MS="40")
        victim = self.judges[2]

        def kill(answered):
            if answered == 100:
                victim.end(signal.SIGKILL)
            elif answered == 250:
                victim.start()

        values = self.rewards(400, 32, kill)
        self.assert_as_stored(values)
        self.assertEqual(len(values), 400)
        self.assertNotIn("time-out", self.statuses)
        # Another judge measures what the dead one had in hand; the dead one's answers lie in the exchange.
        self.assertLessEqual(len(self.measured_rows()), 400 + 32)
        before = len(self.measured_rows())
        self.assertEqual(self.rewards(400, 32), values)
        self.assertEqual(len(self.measured_rows()), before, "each row lies there, whichever judge is asked")


if __name__ == "__main__":
    cluster_case.main()
