"""kbench run with Python submissions on the CPU: each fault has its state, torch is observed, and what
cannot be played is skipped.

Skipped as a whole where kbench was built without a Python that has torch.
"""

import json
import re
import unittest

import cli_case
from cli_case import CACHE, GOOD, KBENCH, ROOT, TASK_FAILED, USAGE

FAULTS = ROOT / "tests" / "faults" / "python"
RELU = ("--task", "level1/019_relu", "--device", "cpu", "--quick")

EXPECTED = {
    "honest": "ok",
    "floods_its_output": "ok",
    "syntax_error": "import_error",
    "raises_while_imported": "import_error",
    "exits_while_imported": "import_error",
    "imports_what_is_not_there": "import_error",
    "imports_for_ever": "timeout",
    "defines_no_model": "missing_symbol",
    "raises_in_its_constructor": "submission_error",
    "raises_in_forward": "submission_error",
    "leaves_in_forward": "submission_error",
    "exits_in_forward": "crash",
    "returns_another_shape": "wrong_result",
    "returns_another_type": "wrong_result",
    "returns_no_tensor": "wrong_result",
    "returns_two": "wrong_result",
    "wrong_at_the_end": "wrong_result",
    "returns_a_sparse_tensor": "wrong_result",
    "returns_a_meta_tensor": "wrong_result",
    "returns_a_quantised_tensor": "wrong_result",
    "returns_a_tensor_without_storage": "wrong_result",
    "allocates_100_gib": "submission_error",
    "forks": "submission_error",
    "starts_a_program": "submission_error",
    "opens_a_socket": "submission_error",
    "fills_the_disk": "submission_error",
    "writes_to_its_input": "crash",
    "segfault": "crash",
    "never_returns": "timeout",
    "uses_triton": "skipped",
    "compiles_an_extension": "ok",
    "extension_does_not_compile": "compile_error",
    "extension_asks_for_a_plugin": "compile_error",
    "extension_in_cuda": "skipped",
}

RELU_MODEL = """import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
"""


def starts_of(result):
    """For which agents torch was started, in this order."""
    return re.findall(r"started torch for the Python submissions of (\S+)", result.stderr)


LINEAR_MODEL = """import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.{name} = nn.Linear(in_features, out_features, bias=False)
        self.bias = nn.Parameter(torch.randn({shape}))

    def forward(self, x):
        return torch.relu(self.{name}(x) + self.bias)
"""


@unittest.skipUnless((KBENCH.parent / "kbench-player.so").exists(), "built without a Python")
class PythonCase(cli_case.CliCase):
    def run_python(self, *words, **variables):
        return self.kbench("run", "-v", *words, "--format", "json", KBENCH_CACHE=str(CACHE),
                           timeout=900, **variables)

    def rows(self, result):
        return json.loads(result.stdout)["results"]

    def submit(self, agent, task, text):
        file = self.folder / "mine" / agent / f"{task}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def only_row(self, *words):
        result = self.run_python(*words, "--submissions", self.folder / "mine", "--device", "cpu",
                                 "--quick")
        (row,) = [row for row in self.rows(result) if row["agent"]]
        return result, row

    def summary(self):
        result = self.kbench("report", "table")
        self.assert_good(result)
        return result.stdout.splitlines()[-1]


class FaultsTest(PythonCase):
    def test_each_fault_has_its_state_and_the_run_goes_on(self):
        result = self.run_python(*RELU, "--submissions", FAULTS)
        self.assert_fails(result, TASK_FAILED)
        rows = {row["agent"]: row for row in self.rows(result)}
        self.assertEqual({agent: row["state"] for agent, row in rows.items()}, EXPECTED)
        for agent, row in rows.items():
            fine = EXPECTED[agent] in ("ok", "skipped")
            self.assertEqual(row["fault"], "none" if fine else "submission", agent)
            self.assertEqual(row["worker_kind"], "python")
            self.assertTrue(row["message"] or EXPECTED[agent] == "ok", agent)
        self.assertIn("no such day", rows["raises_while_imported"]["message"])
        self.assertIn("today", rows["raises_in_forward"]["message"])
        self.assertIn("Triton needs a GPU", rows["uses_triton"]["message"])
        self.assertIn("no_such_thing", rows["extension_does_not_compile"]["message"])
        self.assertIn("-fplugin", rows["extension_asks_for_a_plugin"]["message"])
        self.assertIn("CUDA", rows["extension_in_cuda"]["message"])
        self.assertIn("layout torch.sparse_coo", rows["returns_a_sparse_tensor"]["message"])
        self.assertIn("has no memory", rows["returns_a_meta_tensor"]["message"])
        self.assertIn("Promise", rows["returns_a_tensor_without_storage"]["message"])
        # Agents never share the process that has torch, and what is not built needs none.
        played = {agent for agent, state in EXPECTED.items()
                  if state not in ("skipped", "compile_error")}
        self.assertEqual(set(starts_of(result)), played)


class ParametersTest(PythonCase):
    TASK = "level2/076_gemm_add_relu"

    def test_they_are_bound_by_name(self):
        self.submit("me", self.TASK, LINEAR_MODEL.format(name="linear", shape="bias_shape"))
        result, row = self.only_row("--task", self.TASK)
        self.assertEqual(result.returncode, GOOD, row)
        self.assertEqual(row["state"], "ok")

    def test_what_is_missing_left_over_or_of_another_shape_is_listed(self):
        self.submit("me", self.TASK, LINEAR_MODEL.format(name="fc", shape="3"))
        _, row = self.only_row("--task", self.TASK)
        self.assertEqual(row["state"], "parameters_differ")
        for words in ("missing: linear.weight float32[1024, 1024]", "bias is float32[3], not float32[1024]",
                      "left over: fc.weight"):
            self.assertIn(words, row["message"])


class TorchTest(PythonCase):
    TASK = "level1/019_relu"

    def test_an_operator_that_computes_is_told_and_ranked_apart(self):
        self.submit("me", self.TASK, RELU_MODEL)
        _, row = self.only_row("--task", self.TASK)
        self.assertEqual(row["state"], "ok")
        self.assertRegex(row["torch_operators"], r"^aten::relu 1 \((\d+|under 1) %\)$")
        self.assertGreater(row["copy_ns"], 0)
        self.assertIn("uses_torch", row["labels"])
        self.assertIn("me (calls torch): 1/1 correct", self.summary())

    def test_all_ranks_it_with_the_others(self):
        self.submit("me", self.TASK, RELU_MODEL)
        _, row = self.only_row("--task", self.TASK, "--allow-torch", "all")
        self.assertEqual(row["state"], "ok")
        self.assertIn("me: 1/1 correct", self.summary())

    def test_a_run_is_resumed_and_compared_under_its_own_policy(self):
        self.submit("me", self.TASK, RELU_MODEL)
        self.only_row("--task", self.TASK, "--allow-torch", "all")
        result = self.kbench("run", "--resume", "latest", "--allow-torch", "none",
                             KBENCH_CACHE=str(CACHE), timeout=900)
        self.assert_fails(result, USAGE, "another allow_torch")
        self.only_row("--task", self.TASK)
        self.assert_fails(self.kbench("compare"), USAGE, "torch policy")

    def test_none_rejects_it(self):
        self.submit("me", self.TASK, RELU_MODEL)
        _, row = self.only_row("--task", self.TASK, "--allow-torch", "none")
        self.assertEqual(row["state"], "forbidden_library")
        self.assertIn("aten::relu", row["message"])


class BatchTest(PythonCase):
    """Torch is started once for all submissions of an agent, and what one of them leaves is gone."""

    TASK = "level1/019_relu"
    LEAVES = RELU_MODEL.replace("import torch\n", """import os

import torch

own = os.path.basename(__file__)
assert os.listdir(os.path.dirname(__file__)) == [own], own
for folder in ("/tmp", "/dev/shm"):
    try:
        found = {name for name in os.listdir(folder) if name.startswith("left-")}
        open(f"{folder}/left-by-{own}", "w").close()
    except OSError:
        continue  # nobody may write there
    assert found <= {f"left-by-{own}"}, found  # an earlier session's
""", 1)

    def batch(self, *agents):
        for agent in agents:
            for variant in ("", "@two", "@three"):
                self.submit(agent, self.TASK + variant, self.LEAVES)
        result = self.run_python("--task", self.TASK, "--device", "cpu", "--quick", "--submissions",
                                 self.folder / "mine")
        rows = [row for row in self.rows(result) if row["agent"]]
        self.assertEqual([row["state"] for row in rows], ["ok"] * 3 * len(agents),
                         [row["message"] for row in rows])
        layers = rows[0]["sandbox"].split("+")
        if not any(layer.startswith("landlock") for layer in layers) and \
                not {"uid", "bwrap"} <= set(layers):
            self.skipTest(f"a sandbox of {rows[0]['sandbox']} is not shared")
        return starts_of(result)

    def test_three_submissions_of_one_agent_start_it_once(self):
        self.assertEqual(self.batch("me"), ["me"])

    def test_of_two_agents_twice(self):
        self.assertEqual(sorted(self.batch("me", "you")), ["me", "you"])


FOLDER = {
    "submission.json": '{"schema": "kbench-submission/1", "kind": "python", "entry": "model_new.py"}',
    "model_new.py": "from parts import ModelNew\n",
    "parts.py": RELU_MODEL,
}


class LayoutTest(PythonCase):
    def submit_folder(self):
        folder = self.folder / "mine" / "me" / "level1" / "019_relu@split"
        folder.mkdir(parents=True)
        for name, text in FOLDER.items():
            (folder / name).write_text(text, encoding="utf-8")

    def test_a_folder_names_its_entry_and_imports_its_neighbours(self):
        self.submit_folder()
        _, row = self.only_row("--task", "level1/019_relu")
        self.assertEqual((row["state"], row["variant"]), ("ok", "split"), row)

    def test_its_files_are_kept_and_evaluate_the_same_again(self):
        self.submit_folder()
        _, row = self.only_row("--task", "level1/019_relu", "--allow-torch", "all")
        self.assertEqual([file["path"] for file in row["sources"]["files"]],
                         sorted(f"src/{name}" for name in FOLDER))
        words = ("latest", "--task", "level1/019_relu", "--agent", "me", "--variant", "split")
        self.assert_good(self.kbench("sources", *words, "--out", "again"))
        again = self.folder / "again" / "me" / "level1" / "019_relu@split"
        self.assertEqual({file.name: file.read_text("utf-8") for file in again.iterdir()}, FOLDER)
        result = self.kbench("reproduce", *words, "--into", "new.sqlite", KBENCH_CACHE=str(CACHE),
                             timeout=900)
        self.assert_good(result)
        self.assertIn("the same evaluation as in run", result.stderr)

    def test_without_a_python_they_are_skipped(self):
        self.submit("me", "level1/019_relu", RELU_MODEL)
        result = self.run_python(*RELU, "--submissions", self.folder / "mine",
                                 KBENCH_TORCH=str(self.folder))
        (row,) = self.rows(result)
        self.assertEqual(row["state"], "skipped")
        self.assertIn("needs a Python with torch", row["message"])
        self.assertEqual(result.returncode, GOOD)


if __name__ == "__main__":
    unittest.main()
