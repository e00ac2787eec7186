"""Nights as a scheduler has them: the workflow's own `run:` steps, taken from its YAML and executed by
bash in a clean folder, on a submission that became slower; and both sides of a comparison measured
again. Everything is real but the hour: sandbox, oracle, clocks.

KBENCH names the program.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

try:
    import yaml
except ImportError:
    print("skipped: there is no PyYAML", file=sys.stderr)
    sys.exit(77)

KBENCH = pathlib.Path(os.environ["KBENCH"])
WORKFLOW = pathlib.Path(__file__).resolve().parents[2] / "data/ci/github-nightly.yml"
TASK = "level1/019_relu"
GOOD, REGRESSION = 0, 4
MOST_SUMMARY_BYTES = 1 << 20

# The work is done as often as TIMES says.
SUBMISSION = """
#include "task.h"
extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  for (int time = 0; time < TIMES; ++time) {
#pragma omp parallel for simd
    for (long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
    asm volatile("" ::: "memory");
  }
  return 0;
}
"""

# One cache for all tests: the compiled baseline takes a minute to build.
CACHE = os.environ.get("XDG_CACHE_HOME") or tempfile.mkdtemp(prefix="kbench-night-cache-")


def tearDownModule():
    if CACHE != os.environ.get("XDG_CACHE_HOME"):
        shutil.rmtree(CACHE, ignore_errors=True)


def steps_of(workflow):
    """The `run:` steps, in order, as the shell gets them."""
    (job,) = yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values()
    return [step["run"] for step in job["steps"] if "run" in step]


class NightCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kbench-night-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.work = self.folder / "checkout"
        self.work.mkdir()
        self.environment = {
            **{k: v for k, v in os.environ.items()
               if not k.startswith(("GITHUB_", "KBENCH_RUN", "KBENCH_DB"))},
            "HOME": str(self.folder), "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CACHE_HOME": CACHE,
            "PATH": f"{KBENCH.parent}:{os.environ['PATH']}",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER")
               for what in ("NAME", "EMAIL")}}

    def run_words(self, *words, **environment):
        return subprocess.run([str(word) for word in words], cwd=self.work, capture_output=True,
                              env={**self.environment, **environment}, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=900)

    def kbench(self, *words):
        return self.run_words(KBENCH, *words)

    def submit(self, times):
        file = self.work / "submissions/alice/level1/019_relu.cpp"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(SUBMISSION.replace("TIMES", str(times)), "utf-8")
        git = ("git", "-C", self.work)
        if not (self.work / ".git").exists():
            self.run_words(*git, "init", "-q")
        self.run_words(*git, "add", "submissions")
        self.assertEqual(self.run_words(*git, "commit", "-q", "-m", "x").returncode, 0)

    def settings(self, text=""):
        (self.work / "kbench.toml").write_text(
            f"[run]\ndevice = 'cpu'\nsize = 'small'\ntask = '{TASK}'\nquick = true\n{text}", "utf-8")


class WorkflowTest(NightCase):
    def night(self):
        """Runs the steps as GitHub's runner does: each step by bash -e, until one fails."""
        summary = self.folder / "summary.md"
        summary.unlink(missing_ok=True)
        for step in steps_of(WORKFLOW):
            result = self.run_words("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step,
                                    GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(self.work),
                                    GITHUB_STEP_SUMMARY=str(summary))
            if result.returncode != GOOD:
                break
        return result, summary

    def test_a_planted_regression_is_exit_code_4_at_its_source(self):
        self.settings()
        self.submit(1)
        result, _ = self.night()
        self.assertEqual(result.returncode, GOOD, result.stderr)
        self.assertNotIn("::error", result.stdout)
        self.assertIn("there is no good one yet", result.stderr)

        self.submit(3)
        result, summary = self.night()
        self.assertEqual(result.returncode, REGRESSION, result.stdout + result.stderr)
        (error,) = re.findall(r"^::error (.*)$", result.stdout, re.MULTILINE)
        properties, message = error.split("::", 1)
        properties = dict(one.split("=", 1) for one in properties.split(","))
        self.assertEqual(properties["file"], "submissions/alice/level1/019_relu.cpp")
        self.assertEqual(properties["title"], f"regression%3A {TASK} by alice")
        # The source of the night before came from git, the working tree having the new one.
        self.assertRegex(message, r"in [3-9] pairs with the source of [0-9a-f]{12}")
        self.assertIn("1 confirmed", result.stderr)

        text = summary.read_text("utf-8")
        self.assertLessEqual(len(text.encode()), MOST_SUMMARY_BYTES)
        self.assertIn("regression", text)
        suite = xml.etree.ElementTree.parse(self.work / "kbench.xml").getroot()
        self.assertEqual(suite.get("failures"), "1")
        self.assertEqual([one.get("type") for one in suite.iter("failure")], ["regression"])
        self.assertIn("<html", (self.work / "kbench.html").read_text("utf-8"))

        # Runs of measuring again are kept, and are not among the nights.
        runs = json.loads(self.kbench("runs", "--json", "--db",
                                      self.folder / "kbench/nightly.sqlite").stdout)["runs"]
        self.assertEqual(len(runs), 2)
        again = json.loads(self.kbench("runs", "--json", "--db",
                                       self.folder / "kbench/nightly-remeasured.sqlite").stdout)["runs"]
        self.assertGreaterEqual(len(again), 3)

    def test_a_submission_that_fails_now_is_tried_twice(self):
        self.settings()
        self.submit(1)
        self.assertEqual(self.night()[0].returncode, GOOD)
        self.submit(0)  # writes nothing
        result, _ = self.night()
        self.assertEqual(result.returncode, REGRESSION, result.stderr)
        self.assertIn("twice in a row", result.stdout)
        # As long as most of its last good runs were correct; then it is no news.
        self.assertEqual(self.night()[0].returncode, GOOD)


class RemeasureTest(NightCase):
    def test_both_sides_are_measured_again(self):
        self.settings()
        for times in (1, 3):
            self.submit(times)
            result = self.kbench("run", "--no-html")
            self.assertEqual(result.returncode, GOOD, result.stderr)
        result = self.kbench("compare", "--remeasure", "--json", "--fail-on", "slower:20%")
        self.assertEqual(result.returncode, REGRESSION, result.stderr)
        (row,) = json.loads(result.stdout)["rows"]
        self.assertEqual((row["change"], row["pairs"]), ("SLOWER", 3))
        self.assertLess(row["ratio"]["high"], 1)
        # Nothing to tell apart.
        self.assertEqual(self.kbench("run", "--no-html").returncode, GOOD)
        result = self.kbench("compare", "--remeasure", "--json")
        self.assertEqual(result.returncode, GOOD, result.stderr)
        self.assertIn("nothing was measured again", result.stdout)


if __name__ == "__main__":
    unittest.main()
