"""kbench serve: what is started once, however many requests come one after the other; and what was killed
meanwhile.

Nothing is timed: the submissions are wrong on the tiny task, whose oracle and player judge them all the same.
"""

import os
import signal

import cli_case
import own_processes
from cli_case import GOOD, TINY
from serve_case import ServeCase, TASK, WRONG, evaluation
from workspace_test import RELU

REQUESTS = 10
# A script in the place of nvcc: nothing here is for a GPU, so it is asked for its version and nothing else.
NVCC = """#!/bin/sh
echo "$@" >> {log}
echo release 13.0
"""


class SessionTest(ServeCase):
    def setUp(self):
        super().setUp()
        self.begin_checked()
        self.asked = self.folder / "nvcc.log"
        nvcc = self.folder / "nvcc"
        nvcc.write_text(NVCC.format(log=self.asked), encoding="ascii")
        nvcc.chmod(0o755)
        # No other measurement of this machine has a lock in there.
        self.locks = {"KBENCH_LOCKS": str(self.folder)}
        self.server = self.serve("--suite", str(TINY), "-vv", CUDACXX=str(nvcc), **self.locks)

    def judge(self, number):
        """The row of one more submission that is wrong."""
        status, answer = self.server.ask("POST", "/v1/evaluations",
                                         evaluation(f"{WRONG}\n// {number}\n", wait_s=300))
        self.assertEqual(status, 200, answer)
        return answer["row"]

    def fork_servers(self):
        """The processes that oracles and players are forked from, below this server: those without a parent of
        the same name."""
        table = own_processes.process_table()
        return {pid for pid, name in own_processes.descendants(self.server.process.pid).items()
                if name == "kbench-oracle" and table[table[pid].parent].name != name}

    def test_requests_share_what_a_session_starts(self):
        kept, rows = [], []
        for number in range(REQUESTS):
            rows.append(self.judge(number))
            self.assertEqual(rows[-1]["state"], "wrong_result")
            kept.append(self.fork_servers())
        # The oracle's, and the player's of the baselines.
        self.assertEqual(len(kept[0]), 2, self.log())
        self.assertEqual(kept, kept[:1] * REQUESTS, self.log())
        log = self.log()
        self.assertEqual({words: log.count(words) for words in
                          ("started an oracle", "tried the sandbox", "looked for compilers")},
                         {"started an oracle": 1, "tried the sandbox": 1, "looked for compilers": 1}, log)
        self.assertEqual(self.asked.read_text(encoding="ascii").splitlines(), ["--version"])

        # A kept session does not keep the device: this waits, since the last request may be told of its row a
        # moment before its run has given the device back.
        (self.folder / "right.cpp").write_text(RELU, encoding="ascii")
        self.assert_good(self.kbench("run", "right.cpp", "--task", TASK, "--suite", TINY, "--device", "cpu",
                                     "--checks-only", "--db", "other.sqlite",
                                     KBENCH_CACHE=str(cli_case.CACHE), **self.locks))
        self.assertEqual(self.fork_servers(), kept[0])

        # Processes that were killed between two requests are replaced.
        for process in kept[0]:
            os.kill(process, signal.SIGKILL)
        row = self.judge(REQUESTS)
        self.assertEqual(len(self.fork_servers() - kept[0]), 2, self.log())
        for field in ("state", "task", "eager_reason", "submission_reason", "sandbox_level"):
            self.assertEqual(row.get(field), rows[0].get(field))
        self.assertEqual(self.server.end(), GOOD, self.log())
        self.assert_nothing_left()


if __name__ == "__main__":
    cli_case.main()
