"""kbench serve --exchange: judges of several machines measure a request once, and differ in nothing that matters."""

import cluster_case
from cluster_case import TASK, ClusterCase, kernel

OTHER_COMPILER = """#!/bin/sh
[ "$1" = --version ] && { echo "another compiler 1.0"; exit; }
exec c++ "$@"
"""


class JudgesTest(ClusterCase):
    def evaluate(self, judge, number=1):
        return judge.ask("/v1/evaluations", {"task": TASK, "files": {"a.cpp": kernel(number)}, "wait_s": 100})

    def test_what_one_judge_has_measured_another_one_answers(self):
        first, second = self.judge("one"), self.judge("two")
        status, answer = self.evaluate(first)
        self.assertEqual(status, 200, answer)
        self.assertEqual(self.evaluate(second), (200, answer), "it is that row, of that run")
        self.assertEqual(len(self.measured_rows()), 1)
        # It lies in the second one's own database, which holds if the first one and the folder are gone.
        first.end()
        self.pool.rename(self.folder / "away")
        self.assertEqual(self.evaluate(second), (200, answer))
        for machine in ("one", "two"):
            self.assert_good(self.kbench("db", "check", "--db", self.folder / machine / "kbench.sqlite",
                                         HOME=str(self.folder / machine)))

    def test_a_judge_whose_compiler_differs_answers_nothing_and_says_so(self):
        first = self.judge("one")
        self.assertEqual(first.ask("/health"), (200, {"status": "healthy"}))
        other = self.folder / "c++"
        other.write_text(OTHER_COMPILER, encoding="ascii")
        other.chmod(0o755)
        second = self.judge("two", CXX=str(other))
        # Its gate listens before it has heard of that.
        self.wait_until(lambda: second.ask("/health")[0] == 503, "it says so", second.process)
        status, health = second.ask("/health")
        self.assertEqual((status, health["status"]), (503, "unfit"))
        self.assertRegex(health["reason"], r"host_compiler is .+ there and another compiler 1\.0 here")
        self.assertIn(f"answers nothing: {health['reason']}", second.log())
        status, refused = self.evaluate(second)
        self.assertEqual((status, refused["error"]["fault"]), (503, "infrastructure"))
        self.assertIn("another compiler 1.0", refused["error"]["message"])
        self.assertEqual(self.measured_rows(), [])
        # In a group of its own it is as good as any.
        third = self.judge("three", "--group", "others", CXX=str(other))
        self.assertEqual(third.ask("/health")[0], 200)


if __name__ == "__main__":
    cluster_case.main()
