"""Stored rows: those that were changed after the fact, and those that count in no score.

WEAKENED is the same program with defences that KBENCH_WITHOUT switches off: with it, a test shows
what the defence that it is about keeps from happening.
"""

import json
import os
import pathlib
import sqlite3

import cli_case
from cli_case import ROOT, USAGE
from prepared import Prepared
from quiet import measured_in_quiet
from run_test import CHECKED, TINY_RELU, RunCase

WEAKENED = pathlib.Path(os.environ["WEAKENED"])
HONEST = ROOT / "tests" / "faults" / "submissions"

# It dawdles: what is below the floor of the device, or ten times faster than eager, is suspect.
ZEROS = """#include <chrono>
#include "task.h"
extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::microseconds(%(dawdle_us)d);
  for (long i = 0; i < kb::%(output)s_elements; ++i) out->%(output)s[i] = 0;
  while (clock::now() < end) {
  }
  return 0;
}
"""


class ChangedRunTest(Prepared, RunCase):
    """One honest run, timed, so that there are samples to change. Each test changes a copy of its file and
    tries to go on from that."""

    WORDS = (*TINY_RELU, "--quick", "--submissions", HONEST, "--agent", "honest")

    def prepare(self):
        self.assert_good(self.run_kbench(*self.WORDS))

    def tamper(self, script):
        store = sqlite3.connect(self.folder / "kbench.sqlite")
        store.executescript(script)
        store.close()

    def report(self, program=cli_case.KBENCH, **environment):
        result = self.kbench("report", "json", program=program, **environment)
        self.assert_good(result)
        return json.loads(result.stdout)

    def assert_refused(self, *parts):
        self.assert_fails(self.run_kbench(*self.WORDS, "--resume"), USAGE, "cannot be continued",
                          *parts)
        self.assertEqual(self.rows()[0], self.left)

    left = 1

    def test_as_it_was_stored_it_goes_on(self):
        self.assertEqual(self.report()["chain"]["state"], "holds")
        self.assert_good(self.run_kbench(*self.WORDS, "--resume"))
        self.assertEqual(self.report()["chain"]["state"], "holds")
        key = self.folder / ".local/state/kbench/chain.key"
        self.assertEqual(key.stat().st_mode & 0o777, 0o600)

    def test_a_changed_sample(self):
        self.tamper("UPDATE sample SET time_ns = time_ns / 4 WHERE side = 2")
        chain = self.report()["chain"]
        self.assertEqual(chain["state"], "changed")
        self.assertIn("row 1 (level1/019_relu of honest)", chain["message"])
        table = self.kbench("report", "table")
        self.assertIn("Rows changed: row 1", table.stdout)
        for form in ("table", "csv", "junit"):
            first = self.kbench("report", form).stderr.splitlines()[0]
            self.assertRegex(first, "^warning: the rows of run .* none of them counts: row 1 ", form)
        self.assertIn("These rows were changed", self.kbench("report", "html").stdout)
        self.assert_refused("row 1 (level1/019_relu of honest)")
        without = self.report(WEAKENED, KBENCH_WITHOUT="chained_rows")
        self.assertEqual(without["chain"]["state"], "holds")

    def test_a_removed_row(self):
        self.tamper("DELETE FROM sample; DELETE FROM check_draw; DELETE FROM evaluation")
        self.left = 0
        self.assert_refused("row 1 and what followed it are gone")

    def test_a_chain_that_was_taken_away(self):
        self.tamper("UPDATE run SET chain_key = ''; UPDATE evaluation SET state = 'ok', chain = ''")
        self.assertEqual(self.report()["chain"]["state"], "unchained")
        self.assert_refused("not chained")

    def test_prune_and_merge_know_the_key(self):
        words = ("db", "prune", "--keep", "0d", "--keep-good", "--dry-run")
        self.assertRegex(self.kbench(*words).stdout, r"(?m)^stays .* good$")
        self.assertRegex(self.kbench("db", "check").stdout, r"(?m) holds +sound$")
        merged = self.kbench("db", "merge", "all.sqlite", "kbench.sqlite")
        self.assertRegex(merged.stdout, r"(?m)^added .* holds$")
        self.tamper("UPDATE sample SET time_ns = time_ns / 4 WHERE side = 2")
        self.assertRegex(self.kbench(*words).stdout, r"(?m)^goes .* old, and not good: its chain is changed$")
        self.assertRegex(self.kbench("db", "check").stdout, r"(?m) changed +")

    def test_the_key_of_another_machine(self):
        (self.folder / ".local/state/kbench/chain.key").unlink()
        self.assertEqual(self.report()["chain"]["state"], "unchecked")
        self.assert_refused("cannot be checked here")

    def test_where_no_key_can_be_kept_runs_go_on_and_say_so(self):
        state = self.folder / "elsewhere"
        state.write_text("a file where a folder should be", encoding="ascii")
        words = (*CHECKED, "--submissions", HONEST, "--agent", "honest", "--db", "other.sqlite")
        kept = {"XDG_STATE_HOME": str(state), "KBENCH_TORCH": str(self.folder)}
        result = self.kbench("run", *words, **kept)
        self.assert_good(result)
        self.assertIn("unchained", result.stderr)
        self.assertIn("Rows unchained", result.stdout)
        self.assert_good(self.kbench("run", *words, "--resume", **kept))


class ZeroWritersTest(RunCase):
    """Two tasks whose operators make 0 of any input: zeros are right there, and worth nothing."""

    TIMED = "level2/080_gemm_max_subtract_gelu"
    CHECKED = "level2/083_conv3d_groupnorm_min_clamp_dropout"

    def write_submission(self, task, dawdle_us):
        shown = self.kbench("tasks", "show", task, "--format", "json")
        self.assert_good(shown)
        (output,) = json.loads(shown.stdout)["sizes"][0]["outputs"]
        file = self.folder / "submissions" / "zeros" / f"{task}.cpp"
        file.parent.mkdir(parents=True, exist_ok=True)
        source = ZEROS % {"output": output["name"], "dawdle_us": dawdle_us}
        file.write_text(source, encoding="ascii")

    def row_of(self, task, how):
        result = self.run_kbench("--task", task, "--device", "cpu", how, "--submissions",
                                 self.folder / "submissions", "--format", "json")
        self.assert_good(result)
        (row,) = json.loads(result.stdout)["results"]
        return row

    def test_they_pass(self):
        self.write_submission(self.CHECKED, dawdle_us=0)
        row = self.row_of(self.CHECKED, "--checks-only")
        self.assertEqual((row["state"], row["correct"]), ("ok", True))

    def test_they_count_in_no_score(self):
        self.write_submission(self.TIMED, dawdle_us=5000)  # eager takes somewhat more on two slow cores
        row = measured_in_quiet(lambda: self.row_of(self.TIMED, "--quick"), lambda row: [row], self.id())
        self.assertEqual((row["state"], row["correct"]), ("ok", True))
        self.assertIs(row["ranked"], False)
        self.assertIn("computes nothing passes", row["unranked_reason"])
        table = self.kbench("report", "md").stdout
        self.assertIn("1 not ranked", table)
        self.assertIn("zeros: 0/0 correct", table)
        self.assertNotIn("geometric mean", table)
        self.assertIn("Not ranked: this task counts in no score",
                      self.kbench("report", "html").stdout)
        without = self.kbench("report", "md", "--trust-estimates", program=WEAKENED,
                              KBENCH_WITHOUT="telling_tasks")
        self.assertIn("zeros: 1/1 correct, geometric mean", without.stdout)

    def test_tasks_and_prompt_say_so(self):
        listed = self.kbench("tasks", "list", "--format", "json")
        self.assert_good(listed)
        unranked = {task["task"] for task in json.loads(listed.stdout)["tasks"]
                    if not task["ranked"]}
        self.assertEqual(unranked, {self.TIMED, self.CHECKED})
        for task in (self.TIMED, self.CHECKED):
            self.assertIn("ranked   no: ", self.kbench("tasks", "show", task).stdout)
            prompt = self.kbench("tasks", "prompt", task, "--device", "cpu")
            self.assertIn("This task counts in no score", prompt.stdout)


if __name__ == "__main__":
    cli_case.main()
