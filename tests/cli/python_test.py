"""kbench run with Python submissions on the CPU: each fault has its state, torch is observed, and what
cannot be played is skipped.

Each class runs kbench once where it can: what takes long is to start a Python with torch, for each agent of
each run. Nothing is timed but in RankedTorchTest, which asks for no time, so the tasks are of tests/tiny.
Skipped as a whole where kbench was built without a Python that has torch.
"""

import json
import re
import shutil
import sys
import unittest

import cli_case
import without_layers
from cli_case import CACHE, GOOD, KBENCH, ROOT, TASK_FAILED, TINY, USAGE
from prepared import Prepared

FAULTS = ROOT / "tests" / "faults" / "python"
LAYERS = without_layers.__file__
RELU = "level1/019_relu"

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
    "writes_files": "ok",
    "writes_and_compiles": "ok",
    "writes_to_tmp": "import_error",
    "writes_too_much_while_built": "compile_error",
    "writes_too_much": "over_budget",
    "writes_too_many_files": "over_budget",
    "writes_without_a_name": "over_budget",
    "writes_in_a_call_without_end": "over_budget",
    "writes_and_closes_its_folder": "wrong_result",
    "writes_code_and_loads_it": "forbidden_library",
    "writes_code_and_maps_it": "forbidden_library",
}

# Submissions that are not played, so that they need no torch.
NOT_PLAYED = {fault for fault, state in EXPECTED.items() if state in ("skipped", "compile_error")}
ENDLESS = {fault for fault, state in EXPECTED.items() if state == "timeout"}
WRITING = {fault for fault in EXPECTED if fault.startswith("writes_") and fault != "writes_to_its_input"}

RELU_MODEL = """import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
"""


def starts_of(result):
    """Agents for which torch was started, in this order."""
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
        return self.kbench("run", "-v", *words, "--suite", TINY, "--format", "json",
                           KBENCH_CACHE=str(CACHE), timeout=900, **variables)

    def rows(self, result):
        return json.loads(result.stdout)["results"]

    def submit(self, agent, task, text):
        file = self.folder / "mine" / agent / f"{task}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def submit_fault(self, agent, fault):
        text = (FAULTS / fault / "level1" / "019_relu.py").read_text(encoding="utf-8")
        self.submit(agent, f"{RELU}@{fault}", text)

    def assert_expected(self, by_fault, faults):
        self.assertEqual({fault: row["state"] for fault, row in by_fault.items()},
                         {fault: EXPECTED[fault] for fault in faults})
        for fault, row in by_fault.items():
            fine = EXPECTED[fault] in ("ok", "skipped")
            self.assertEqual(row["fault"], "none" if fine else "submission", fault)
            self.assertEqual(row["worker_kind"], "python")
            self.assertTrue(row["message"] or EXPECTED[fault] == "ok", fault)

    def run_mine(self, task, *words, **variables):
        """Runs what submit() wrote: the result, and the rows of those who submitted."""
        result = self.run_python("--task", task, "--device", "cpu", "--submissions", self.folder / "mine",
                                 *words, **variables)
        return result, [row for row in self.rows(result) if row["agent"]]

    def check_mine(self, task, *words, **variables):
        return self.run_mine(task, "--checks-only", *words, **variables)


class FaultsTest(Prepared, PythonCase):
    """The faults are variants of one agent, so that torch is started once: nothing that a fault leaves behind
    changes the state of those after it. BatchTest has agents that must not share the process with torch."""

    def prepare(self):
        for fault in EXPECTED.keys() - ENDLESS - WRITING:
            self.submit_fault("unplayed" if fault in NOT_PLAYED else "played", fault)
        self.result, rows = self.check_mine(RELU)
        self.by_fault = {row["variant"]: row for row in rows}

    def test_each_fault_has_its_state_and_the_run_goes_on(self):
        self.assertEqual({path.name for path in FAULTS.iterdir()}, set(EXPECTED))
        self.assert_fails(self.prepared.result, TASK_FAILED)
        self.assert_expected(self.prepared.by_fault, EXPECTED.keys() - ENDLESS - WRITING)

    def test_its_message_says_what_happened(self):
        for fault, words in {
                "raises_while_imported": "no such day",
                "raises_in_forward": "today",
                "uses_triton": "Triton needs a GPU",
                "extension_does_not_compile": "no_such_thing",
                "extension_asks_for_a_plugin": "-fplugin",
                "extension_in_cuda": "CUDA",
                "returns_a_sparse_tensor": "layout torch.sparse_coo",
                "returns_a_meta_tensor": "has no memory",
                "returns_a_tensor_without_storage": "Promise"}.items():
            with self.subTest(fault=fault):
                self.assertIn(words, self.prepared.by_fault[fault]["message"])

    def test_what_is_not_built_needs_no_torch(self):
        self.assertEqual(set(starts_of(self.prepared.result)), {"played"})


class EndlessFaultsTest(PythonCase):
    """They wait for limits: twenty seconds of a call, and thirty of an import."""

    def test_they_are_ended_and_the_run_goes_on(self):
        for fault in ENDLESS:
            self.submit_fault("played", fault)
        self.submit("played", f"{RELU}@then_honest", RELU_MODEL)
        result, rows = self.check_mine(RELU)
        self.assert_fails(result, TASK_FAILED)
        states = {row["variant"]: row for row in rows}
        self.assertEqual(states.pop("then_honest")["state"], "ok")
        self.assert_expected(states, ENDLESS)


# A model that packs its weight before the task's parameters are set, and computes with that.
PACKED_MODEL = LINEAR_MODEL.format(name="fc", shape="bias_shape").replace("""
    def forward(self, x):
        return torch.relu(self.fc(x) + self.bias)
""", """        self.packed = self.fc.weight.detach().t().contiguous()

    def forward(self, x):
        return torch.relu(x @ self.packed + self.bias)
""")


# A factor that was put into the parameters before the task's were set.
SCALED_MODEL = LINEAR_MODEL.format(name="fc", shape="bias_shape").replace("""
    def forward(self, x):
        return torch.relu(self.fc(x) + self.bias)
""", """        with torch.no_grad():
            self.fc.weight.mul_(0.5)

    def forward(self, x):
        return torch.relu(2 * self.fc(x) + self.bias)
""")


# A bias before the norm, which subtracts it: the shipped task has none.
KERNELBENCH_MODEL = """import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, divide_by):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.instance_norm = nn.InstanceNorm2d(out_channels)
        self.divide_by = divide_by

    def forward(self, x):
        return self.instance_norm(self.conv(x)) / self.divide_by
"""


class FilesCase(Prepared, PythonCase):
    """Each session has a folder to write to, whatever the sandbox consists of."""

    WITHOUT = ""  # layers that this machine is made to lack
    LACKS = ()  # so in the level's name
    FAULTS = {"writes_files"}

    def prepare(self):
        if self.WITHOUT and not without_layers.WORKS_HERE:
            self.skipTest("layers are taken away on x86-64 alone")
        for fault in self.FAULTS:
            self.submit_fault("me", fault)
        # The same again, as another submission of this agent's and of another one.
        text = (FAULTS / "writes_files" / "level1" / "019_relu.py").read_text(encoding="utf-8")
        for agent in ("me", "you"):
            self.submit(agent, f"{RELU}@writes_files_again", text)
        # A task's file may want to write as well, when it is asked what its Model is made with. Its
        # text is new, so that no answer of an earlier class is there.
        suite = self.folder / "suite/level1"
        suite.mkdir(parents=True)
        for kind in ("json", "py"):
            shutil.copy(TINY / f"{RELU}.{kind}", suite)
        reference = suite / "019_relu.py"
        reference.write_text(reference.read_text(encoding="utf-8")
                             + f"\n\nimport tempfile\n\ntempfile.TemporaryFile().close()  # {self.folder.name}\n",
                             encoding="utf-8")
        program = sys.executable if self.WITHOUT else KBENCH
        words = (LAYERS, self.WITHOUT, KBENCH) if self.WITHOUT else ()
        result = self.kbench(*words, "run", "-v", "--suite", suite.parent, "--format", "json", "--task",
                             RELU, "--device", "cpu", "--submissions", self.folder / "mine",
                             "--checks-only", program=program, timeout=900, KBENCH_CACHE=str(CACHE))
        rows = [row for row in self.rows(result) if row["agent"]]
        if any("Permission denied" in row["message"] for row in rows if row["state"] == "infrastructure_error"):
            self.skipTest("without bubblewrap the user nobody cannot reach the Python that has torch")
        self.level = rows[0]["sandbox"]
        self.again = [row for row in rows if row["variant"] == "writes_files_again"]
        self.by_fault = {row["variant"]: row for row in rows if row not in self.again}

    def test_the_sandbox_lacks_what_it_should(self):
        layers = self.prepared.level.split("+")
        for name in self.LACKS:
            self.assertFalse([layer for layer in layers if layer.startswith(name)], layers)

    def test_what_writes_files_ends_as_it_should(self):
        by_fault = self.prepared.by_fault
        self.assertEqual({fault: row["state"] for fault, row in by_fault.items()},
                         {fault: EXPECTED[fault] for fault in self.FAULTS},
                         {fault: row["message"] for fault, row in by_fault.items()})
        for fault, row in by_fault.items():
            self.assertEqual(row["fault"], "none" if EXPECTED[fault] == "ok" else "submission", fault)

    def test_no_other_submission_finds_what_it_left(self):
        self.assertEqual([row["state"] for row in self.prepared.again], ["ok"] * 2,
                         [row["message"] for row in self.prepared.again])


class FilesTest(FilesCase):
    FAULTS = WRITING


class FilesInAContainerTest(FilesCase):
    WITHOUT = "namespaces"
    LACKS = ("bwrap", "pidns", "netns")


class FilesOfAPlainUserTest(FilesCase):
    WITHOUT = "namespaces,uid"
    LACKS = ("uid", "bwrap", "pidns", "netns")
    FAULTS = WRITING

    def test_messages_say_where_to_write_and_what_was_too_much(self):
        for fault, words in {
                "writes_to_tmp": "/tmp/kbench-fault-writes-here is closed to a submission: it writes below TMPDIR",
                "writes_too_much": "wrote more than 2 GiB to its folder",
                "writes_too_much_while_built": "its build step wrote more than 2 GiB to its folder",
                "writes_without_a_name": "wrote more than 2 GiB to its folder",
                "writes_too_many_files": "made more than 10000 files in its folder"}.items():
            with self.subTest(fault=fault):
                self.assertIn(words, self.prepared.by_fault[fault]["message"])


class FilesWithoutLandlockTest(FilesCase):
    WITHOUT = "landlock"
    LACKS = ("landlock",)


class FilesInAnOldContainerTest(FilesCase):
    WITHOUT = "landlock,namespaces,uid"
    LACKS = ("landlock", "uid", "bwrap", "pidns", "netns")


class ParametersTest(Prepared, PythonCase):
    TASK = "level2/076_gemm_add_relu"

    def prepare(self):
        self.submit("me", self.TASK, LINEAR_MODEL.format(name="linear", shape="bias_shape"))
        self.submit("me", self.TASK + "@others", LINEAR_MODEL.format(name="fc", shape="3"))
        self.submit("me", self.TASK + "@renamed", LINEAR_MODEL.format(name="fc", shape="bias_shape"))
        self.submit("me", self.TASK + "@stale", PACKED_MODEL)
        self.submit("me", self.TASK + "@scaled", SCALED_MODEL)
        _, rows = self.check_mine(self.TASK)
        self.by_variant = {row["variant"]: row for row in rows}
        self.submit("me", self.TASK + "@shifted", PACKED_MODEL.replace(
            "        self.fc", "        torch.rand(1)\n        self.fc", 1))
        _, rows = self.check_mine(self.TASK, "--profile", "kernelbench")
        self.of_kernelbench = {row["variant"]: row for row in rows}

    def test_they_are_bound_by_name(self):
        row = self.prepared.by_variant[""]
        self.assertEqual(row["state"], "ok", row)
        self.assertNotIn("parameters_by_order", row["labels"])

    def test_under_other_names_they_are_bound_by_order_and_the_row_says_so(self):
        row = self.prepared.by_variant["renamed"]
        self.assertEqual(row["state"], "ok", row)
        self.assertIn("parameters_by_order", row["labels"])

    def test_what_init_packed_of_them_is_named_where_the_result_is_wrong(self):
        row = self.prepared.by_variant["stale"]
        self.assertEqual(row["state"], "wrong_result", row)
        for words in ("matched by their order (parameters_by_order)", "__init__ made packed",
                      "kbench_prepare(self)"):
            self.assertIn(words, row["message"])

    def test_what_is_right_by_what_init_drew_is_told_so(self):
        for variant in ("stale", "scaled"):
            row = self.prepared.by_variant[variant]
            self.assertEqual(row["state"], "wrong_result", row)
            self.assertIn("right under the parameters that its own __init__ draws", row["message"])

    def test_in_the_profile_kernelbench_they_are_what_init_drew(self):
        row = self.prepared.of_kernelbench["stale"]
        self.assertEqual(row["state"], "ok", row)
        self.assertNotIn("parameters_by_order", row["labels"])

    def test_there_whoever_draws_others_than_the_tasks_model_is_wrong(self):
        row = self.prepared.of_kernelbench["shifted"]
        self.assertEqual(row["state"], "wrong_result", row)

    def test_what_is_missing_left_over_or_of_another_shape_is_listed(self):
        row = self.prepared.by_variant["others"]
        self.assertEqual(row["state"], "parameters_differ")
        for words in ("missing: linear.weight float32[160, 256]", "bias is float32[3], not float32[160]",
                      "left over: fc.weight",
                      "by order, number 1 is bias float32[3]; the task has bias float32[160]"):
            self.assertIn(words, row["message"])


class TorchTest(PythonCase):
    def setUp(self):
        super().setUp()
        self.submit("me", RELU, RELU_MODEL)

    def test_an_operator_that_computes_is_told(self):
        _, (row,) = self.check_mine(RELU)
        self.assertEqual(row["state"], "ok")
        self.assertRegex(row["torch_operators"], r"^aten::relu 1 \((\d+|under 1) %\)$")
        self.assertIsNone(row["copy_ns"])
        self.assertNotIn("outputs_copied", row["labels"])
        self.assertIn("uses_torch", row["labels"])

    def test_none_rejects_it(self):
        _, (row,) = self.check_mine(RELU, "--allow-torch", "none")
        self.assertEqual(row["state"], "forbidden_library")
        self.assertIn("aten::relu", row["message"])


class RankedTorchTest(Prepared, PythonCase):
    """Only what was timed is ranked and compared."""

    def prepare(self):
        self.begin_checked()
        self.submit("me", RELU, RELU_MODEL)
        self.summaries = {}
        for policy, words in (("data", ()), ("all", ("--allow-torch", "all"))):
            result, (row,) = self.run_mine(RELU, "--quick", *words)
            self.assertEqual(row["state"], "ok", result.stderr)
            if cli_case.CHECKED.exists():
                self.assertNotIn("checking tasks", result.stderr)
            self.summaries[policy] = self.kbench("report", "md").stdout

    def test_an_operator_that_computes_is_ranked_apart(self):
        self.assertIn("me (calls libraries): 1/1 correct", self.prepared.summaries["data"])

    def test_a_pasted_reference_is_worth_what_a_failure_is(self):
        failures = {"milestone": -1, "milestone_sure": -1, "speedup": 0, "log": -1, "kernelgym": 0,
                    "kernelgym_speedup": 0, "kernelgym_ladder": -1, "kernrl": -.25, "kevin": 0,
                    "fast_p:0.5": 0}
        for name, failure in failures.items():
            for words in ((), ("--trust-estimates",)):
                report = self.kbench("report", "jsonl", "--run", "latest~1", "--reward", name, *words)
                row = json.loads(report.stdout)
                self.assertEqual((row["pay"], row["reward"]["value"]), ("failure", failure), name)
                self.assertIn("aten::relu", row["reward"]["reason"])

    def test_all_ranks_it_with_the_others(self):
        self.assertIn("me: 1/1 correct", self.prepared.summaries["all"])

    def test_a_run_is_resumed_and_compared_under_its_own_policy(self):
        result = self.kbench("run", "--resume", "latest", "--allow-torch", "none",
                             KBENCH_CACHE=str(CACHE), timeout=900)
        self.assert_fails(result, USAGE, "another allow_torch")
        self.assert_fails(self.kbench("compare"), USAGE, "torch policy")


class BatchTest(Prepared, PythonCase):
    """Torch is started once for all submissions of an agent, and what one of them leaves is gone."""

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

    def prepare(self):
        for agent, variant in (("me", ""), ("me", "@two"), ("me", "@three"), ("you", "@four"),
                               ("you", "@five")):
            self.submit(agent, RELU + variant, self.LEAVES)
        self.result, self.rows_of_both = self.check_mine(RELU)

    def test_none_finds_what_another_left(self):
        rows = self.prepared.rows_of_both
        self.assertEqual([row["state"] for row in rows], ["ok"] * 5, [row["message"] for row in rows])

    def test_each_agents_submissions_start_it_once(self):
        sandbox = self.prepared.rows_of_both[0]["sandbox"]
        layers = sandbox.split("+")
        if not any(layer.startswith("landlock") for layer in layers) and \
                not {"uid", "bwrap"} <= set(layers):
            self.skipTest(f"a sandbox of {sandbox} is not shared")
        self.assertEqual(sorted(starts_of(self.prepared.result)), ["me", "you"])


FOLDER = {
    "submission.json": '{"schema": "kbench-submission/1", "kind": "python", "entry": "model_new.py"}',
    "model_new.py": "from parts import ModelNew\n",
    "parts.py": RELU_MODEL,
}


class LayoutTest(Prepared, PythonCase):
    def prepare(self):
        folder = self.folder / "mine" / "me" / "level1" / "019_relu@split"
        folder.mkdir(parents=True)
        for name, text in FOLDER.items():
            (folder / name).write_text(text, encoding="utf-8")
        _, (self.row,) = self.check_mine(RELU, "--allow-torch", "all")

    def test_a_folder_names_its_entry_and_imports_its_neighbours(self):
        row = self.prepared.row
        self.assertEqual((row["state"], row["variant"]), ("ok", "split"), row)

    def test_its_files_are_kept_and_evaluate_the_same_again(self):
        self.assertEqual([file["path"] for file in self.prepared.row["sources"]["files"]],
                         sorted(f"src/{name}" for name in FOLDER))
        words = ("latest", "--task", RELU, "--agent", "me", "--variant", "split")
        self.assert_good(self.kbench("sources", *words, "--out", "again"))
        again = self.folder / "again" / "me" / "level1" / "019_relu@split"
        self.assertEqual({file.name: file.read_text("utf-8") for file in again.iterdir()}, FOLDER)
        result = self.kbench("reproduce", *words, "--into", "new.sqlite", KBENCH_CACHE=str(CACHE),
                             timeout=900)
        self.assert_good(result)
        self.assertIn("the same evaluation as in run", result.stderr)


class KernelBenchNamesTest(PythonCase):
    """A run folder of KernelBench on the shipped suite, whose parameters it calls otherwise."""

    def test_its_names_are_taken_and_its_dead_parameters_kept(self):
        runs = self.folder / "runs" / "model"
        runs.mkdir(parents=True)
        for number, text in ((76, LINEAR_MODEL.format(name="gemm", shape="bias_shape")),
                             (17, KERNELBENCH_MODEL)):
            (runs / f"level_2_problem_{number}_sample_0_kernel.py").write_text(text, encoding="utf-8")
        result = self.kbench("run", "--submissions", runs, "--layout", "kernelbench", "--device", "cpu",
                             "--checks-only", "--task", "level2/076_gemm_add_relu", "--task",
                             "level2/017_conv2d_instancenorm_divide", "--format", "json",
                             KBENCH_CACHE=str(CACHE), timeout=900)
        rows = [row for row in self.rows(result) if row["agent"]]
        self.assertEqual([row["state"] for row in rows], ["ok", "ok"], rows)
        for row in rows:
            self.assertNotIn("parameters_by_order", row["labels"])


class KeptArgumentsTest(PythonCase):
    """The arguments of a task's Model are asked for once: the second run reads the kept answer."""

    def run_kept(self):
        _, (row,) = self.check_mine(RELU, XDG_CACHE_HOME=str(self.folder / "cache"))
        return row["state"]

    def run_python(self, *words, **variables):
        return self.kbench("run", *words, "--suite", TINY, "--format", "json", timeout=900, **variables)

    def test_a_kept_answer_is_read_and_a_damaged_one_asked_for_again(self):
        self.submit("me", RELU, RELU_MODEL)
        self.assertEqual(self.run_kept(), "ok")
        (kept,) = (self.folder / "cache").rglob("arguments/*.json")
        answer = kept.read_text(encoding="utf-8")
        forged = json.loads(answer) | {"init": "([1, 2, 3], {}, [])"}
        kept.write_text(json.dumps(forged), encoding="utf-8")
        self.assertEqual(self.run_kept(), "submission_error", "the answer was asked for anew")
        kept.write_text(answer[:-9], encoding="utf-8")
        self.assertEqual(self.run_kept(), "ok")
        self.assertEqual(kept.read_text(encoding="utf-8"), answer)


class WithoutPythonTest(PythonCase):
    def test_they_are_skipped(self):
        self.submit("me", RELU, RELU_MODEL)
        result, (row,) = self.check_mine(RELU, KBENCH_TORCH=str(self.folder))
        self.assertEqual(row["state"], "skipped")
        self.assertIn("needs a Python with torch", row["message"])
        self.assertEqual(result.returncode, GOOD)


if __name__ == "__main__":
    unittest.main()
