"""kbench workspace: an episode from an empty folder to a stored row with its reward. It measures.

The task is of tests/tiny: it is the one whose package and checks packages_test has left.
"""

import json

import cli_case
from cli_case import TASK_FAILED
from workspace_test import RELU, WorkspaceCase

WRONG = RELU.replace("in->x[i] < 0 ? 0", "i % 1000 == 7 ? 1")


class MeasuringCase(WorkspaceCase):
    SUITE = ("--suite", cli_case.TINY)

    def open(self):
        return super().open(words=self.SUITE)

    def ask(self, what, *words, **options):
        return super().ask(what, *self.SUITE, *words, KBENCH_CACHE=str(cli_case.CACHE), **options)


class EpisodeTest(MeasuringCase):
    """As somebody who solves a task goes about it."""

    def test_open_compile_verify_submit(self):
        self.open()
        self.write("main.cpp", WRONG)
        self.assertEqual(self.ask("compile")["state"], "ok")

        wrong = self.ask("verify", code=TASK_FAILED)
        self.assertEqual((wrong["state"], wrong["correct"]), ("wrong_result", False))
        self.assertIn("elements of y are wrong", wrong["message"])
        self.assertEqual(wrong["checks"][-1]["passed"], False)
        self.assertGreater(wrong["checks"][-1]["wrong_elements"], 0)
        self.assertGreater(wrong["checks"][-1]["max_error"], wrong["checks"][-1]["tolerance"])

        self.write("main.cpp")
        right = self.ask("verify")
        self.assertEqual((right["state"], right["correct"]), ("ok", True))
        self.assertGreaterEqual({check["distribution"] for check in right["checks"]}, {"task"})
        self.assertGreater(len({check["distribution"] for check in right["checks"]}), 1)
        self.assertNotEqual(right["tree"], wrong["tree"])
        for answer in (wrong, right):
            self.assertNotIn("seed", json.dumps(answer))
        # On a CPU only the share of the limit is known: one line says so, and one thing is to be done.
        profiled = self.ask("profile")
        self.assertEqual((profiled["state"], profiled["tree"]), ("ok", right["tree"]))
        self.assertTrue(profiled["profile"]["to_do"])
        self.assertIn("not there: the activities", profiled["profile"]["text"])
        self.assertLessEqual(len(json.dumps(profiled["profile"])), 4096)
        analyzed = self.ask("analyze")
        self.assertEqual((analyzed["state"], analyzed["tree"]), ("ok", right["tree"]))
        self.assertIn("reads or writes", analyzed["report"]["text"])
        self.assertEqual(list(self.folder.glob("*.sqlite")), [], "nothing but submissions is kept")

        self.begin_checked("results.sqlite")
        submitted = self.ask("submit", "--agent", "ann", "--db", "results.sqlite")
        self.assertEqual(submitted["tree"], right["tree"])
        row = submitted["row"]
        self.assertEqual((row["state"], row["correct"], row["agent"], row["task"]),
                         ("ok", True, "ann", "level1/019_relu"))
        self.assertGreater(row["speedup"]["eager"]["estimate"], 0)
        reward = row["reward"]
        self.assertEqual(reward["name"], "milestone_sure")
        self.assertIn(reward["value"], (1, 2, 3))

        # The row is stored, and worth the same whenever it is looked at.
        report = self.kbench("report", "json", "--db", "results.sqlite", "--reward",
                             "milestone_sure")
        self.assert_good(report)
        stored = json.loads(report.stdout)
        self.assertEqual(stored["run_id"], submitted["run_id"])
        self.assertEqual(stored["results"], [row])


class WrongTest(MeasuringCase):
    """No row of it is timed, so it may run beside other tests."""

    def test_a_fault_is_named_with_its_tensor_and_line(self):
        self.open()
        self.write("main.cpp", RELU.replace("in->x[i] < 0 ? 0", "in->x[i] < 0 ? in->x[kb::x_elements]"))
        debugged = self.ask("debug")
        self.assertEqual((debugged["state"], debugged["report"]["status"]), ("ok", "answered"))
        self.assertIn("0 bytes behind the end of input x", debugged["report"]["text"])
        self.assertIn("at main.cpp:", debugged["report"]["text"])
        self.write("main.cpp")
        self.assertIn("Nothing was found in two calls", self.ask("debug")["report"]["text"])

    def test_what_is_wrong_is_stored_and_costs(self):
        self.begin_checked()
        self.open()
        self.write("main.cpp", WRONG)
        submitted = self.ask("submit", "--reward", "kernrl", code=TASK_FAILED)
        self.assertEqual(submitted["row"]["state"], "wrong_result")
        self.assertEqual(submitted["row"]["agent"], "work")
        self.assertEqual(submitted["row"]["reward"],
                         {"name": "kernrl", "value": -.25, "capped": False, "reason": None})


if __name__ == "__main__":
    cli_case.main()
