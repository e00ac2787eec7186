"""kbench run with Python submissions that have something compiled, and with folders as KernelBench and
CUDA Agent leave them, on the CPU.

Skipped as a whole where kbench was built without a Python that has torch.
"""

import json
import shutil
import unittest

from cli_case import CACHE, GOOD, REGRESSION, ROOT, TASK_FAILED, USAGE
from prepared import Prepared
from python_test import RELU_MODEL, PythonCase, starts_of

TASK = "level1/019_relu"
REQUESTS = ROOT / "tests/extensions/requests"
VENV = ROOT / ".venv"
CUDA_AGENT = ROOT / "tests/extensions/submissions/cuda_agent_cpu/level1/019_relu"

# Without torch's headers, which take half a minute.
MODULE = '''import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

CPP = r"""
#include <{header}>

#include <chrono>
#include <cstdint>

using Clock = std::chrono::steady_clock;  // what a reader of a row wants to know

static void relu(std::uintptr_t x, std::uintptr_t y, std::int64_t elements) {{
  const float* in = reinterpret_cast<const float*>(x);
  float* out = reinterpret_cast<float*>(y);
  for (std::int64_t i = 0; i < elements; ++i) out[i] = {expression};
}}

{binding}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernels = load_inline(name="relu", cpp_sources=[CPP], extra_cflags=["-O3 -fPIC", ""],
                                   no_implicit_headers=True)

    def forward(self, x):
        y = torch.empty_like(x)
        self.kernels.relu(x.data_ptr(), y.data_ptr(), x.numel())
        return y
'''
PYBIND11 = {"header": "pybind11/pybind11.h",
            "binding": 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("relu", &relu); }'}
# By Python's own interface: the other one's headers take a compiler five seconds.
PYTHONS = {"header": "Python.h", "binding": """static PyObject* call(PyObject*, PyObject* arguments) {
  unsigned long long x, y, elements;
  if (!PyArg_ParseTuple(arguments, "KKK", &x, &y, &elements)) return nullptr;
  relu(x, y, static_cast<std::int64_t>(elements));
  Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"relu", call, METH_VARARGS, nullptr}, {}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "relu", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_relu() { return PyModule_Create(&module); }"""}


def extension(expression, interface=None):
    """A submission with an extension that has this for each element."""
    return MODULE.format(expression=expression, **(interface or PYTHONS))


class BuildTest(Prepared, PythonCase):
    def prepare(self):
        self.submit("me", TASK, extension("in[i] < 0 ? 0 : in[i]"))
        self.submit("me", TASK + "@two", extension("0 > in[i] ? 0 : in[i]", PYBIND11))
        self.submit("me", TASK + "@without", RELU_MODEL)
        self.submit("me", TASK + "@broken", extension("no_such_thing"))
        self.result, rows = self.check_mine(TASK)
        self.by_variant = {row["variant"]: row for row in rows}

    def test_its_row_says_how_long_the_build_took(self):
        row = self.prepared.by_variant[""]
        self.assertEqual(row["state"], "ok", row)
        self.assertGreater(row["build_seconds"], 0)
        self.assertIn("clock", row["labels"])  # of the C++ in its text
        self.assertNotIn("uses_torch", row["labels"])

    def test_it_is_built_once(self):
        for variant in ("two", "without", "broken"):
            (self.folder / "mine" / "me" / f"{TASK}@{variant}.py").unlink()
        result, (again,) = self.check_mine(TASK)
        self.assert_good(result)
        self.assertEqual(again["state"], "ok", again)
        self.assertEqual(again["build_seconds"], self.prepared.by_variant[""]["build_seconds"])

    def test_two_of_one_agent_have_each_what_was_built_for_it(self):
        rows = {variant: self.prepared.by_variant[variant] for variant in ("", "two", "without")}
        self.assertEqual([row["state"] for row in rows.values()], ["ok"] * 3,
                         [row["message"] for row in rows.values()])
        self.assertIsNone(rows.pop("without")["build_seconds"])
        self.assertTrue(all(row["build_seconds"] > 0 for row in rows.values()))
        self.assertEqual(set(starts_of(self.prepared.result)), {"me"})

    def test_what_does_not_compile_says_so_in_the_compilers_words(self):
        self.assertEqual(self.prepared.result.returncode, TASK_FAILED)
        row = self.prepared.by_variant["broken"]
        self.assertEqual((row["state"], row["fault"]), ("compile_error", "submission"))
        self.assertIn("main.cpp", row["message"])
        self.assertIn("no_such_thing", row["message"])
        self.assertNotIn("/kbench-compile-", row["message"])


class RequestsTest(Prepared, PythonCase):
    """Requests of files to their build step and their sessions, each a variant named like its file."""

    EXPECTED = {
        "named_by_process": "ok",
        "falls_back": "ok",
        "falls_back_wrongly": "wrong_result",
        "raises_its_failure": "compile_error",
        "asks_for_others_in_a_session": "import_error",
        "asks_for_others_in_forward": "submission_error",
        "compiled_by_torch": "skipped",
        "compiled_decorator": "skipped",
        "compiled_by_a_method": "submission_error",
        "compiled_by_nothing": "ok",
        "imports_what_is_installed": "ok",
    }

    def prepare(self):
        for name in self.EXPECTED:
            self.submit("me", f"{TASK}@{name}", (REQUESTS / f"{name}.py").read_text("utf-8"))
        _, rows = self.check_mine(TASK)
        self.by_name = {row["variant"]: row for row in rows}

    def row(self, name):
        return self.prepared.by_name[name]

    def test_each_has_its_state(self):
        self.assertEqual({path.stem for path in REQUESTS.iterdir() if path.suffix == ".py"}, set(self.EXPECTED))
        for name, state in self.EXPECTED.items():
            with self.subTest(name=name):
                self.assertEqual(self.row(name)["state"], state, self.row(name)["message"])

    def test_what_is_measured_without_its_extension_says_so_with_the_first_error_first(self):
        row = self.row("falls_back")
        self.assertIn("fallback", row["labels"].split())
        self.assertIn("uses_torch", row["labels"].split())
        first, second, *_ = row["message"].splitlines()
        self.assertEqual(first, f"me/{TASK}@falls_back.py: its extension broken does not compile")
        self.assertRegex(second, "main.cpp:1:.*no_such_thing")
        self.assertIn("without that extension", row["hint"])
        self.assertIn("no_such_thing", self.row("falls_back_wrongly")["message"])
        self.assertIn("fallback", self.row("falls_back_wrongly")["labels"].split())

    def test_a_failure_that_is_raised_in_other_words_is_the_compilers(self):
        row = self.row("raises_its_failure")
        self.assertIn("no_such_thing", row["message"])
        self.assertEqual(row["fault"], "submission")

    def test_nothing_else_has_the_label(self):
        labelled = {name for name, row in self.prepared.by_name.items() if "fallback" in (row["labels"] or "")}
        self.assertEqual(labelled, {"falls_back", "falls_back_wrongly"})

    def test_what_was_not_built_fails_its_row_also_where_that_is_caught(self):
        for name in ("asks_for_others_in_a_session", "asks_for_others_in_forward"):
            with self.subTest(name=name):
                self.assertIn("the extension relu was not compiled in the build step", self.row(name)["message"])

    def test_torch_compile_is_named_where_it_is_not_offered(self):
        for name in ("compiled_by_torch", "compiled_decorator", "compiled_by_a_method"):
            with self.subTest(name=name):
                self.assertIn("torch.compile is not offered on a CPU", self.row(name)["message"])
        self.assertIn("compiled baseline", self.row("compiled_by_torch")["hint"])


@unittest.skipUnless(VENV.exists(), "no virtual environment to name by a link")
class LinkedPythonTest(PythonCase):
    def test_what_belongs_to_a_python_that_is_named_by_a_link_is_known(self):
        link = self.folder / "python"
        link.symlink_to(VENV)
        self.submit("me", TASK, (REQUESTS / "imports_what_is_installed.py").read_text("utf-8"))
        _, (row,) = self.check_mine(TASK, KBENCH_TORCH=str(link / "bin/python3"))
        self.assertEqual(row["state"], "ok", row["message"])


class WithoutNinjaTest(PythonCase):
    def test_it_is_skipped(self):
        self.submit("me", TASK, extension("in[i]"))
        _, (row,) = self.check_mine(TASK, PATH=str(self.folder))
        self.assertEqual(row["state"], "skipped")
        self.assertIn("ninja", row["message"])


class CudaAgentTest(PythonCase):
    def submit_folder(self):
        shutil.copytree(CUDA_AGENT, self.folder / "mine" / "me" / "level1" / "019_relu")

    def test_a_folder_is_known_by_what_is_in_it_and_kept_as_it_is(self):
        self.submit_folder()
        _, (row,) = self.check_mine(TASK)
        self.assertEqual((row["state"], row["submission"]), ("ok", "me/level1/019_relu"), row)
        words = ("latest", "--task", TASK, "--agent", "me")
        self.assert_good(self.kbench("sources", *words, "--out", "again"))
        again = self.folder / "again" / "me" / "level1" / "019_relu"
        for file in ("model_new.py", "binding.cpp", "binding_registry.h", "kernels/relu.cpp"):
            self.assertEqual((again / file).read_text("utf-8"), (CUDA_AGENT / file).read_text("utf-8"))

    def test_a_working_folder_is_named_with_its_layout_and_its_task(self):
        work = self.folder / "work"
        shutil.copytree(CUDA_AGENT, work)
        (work / "utils").mkdir()
        (work / "utils" / "compile.py").write_text("raise SystemExit\n", encoding="utf-8")
        (work / "model.py").write_text("class Model: pass\n", encoding="utf-8")
        (work / "cuda_extension.so").write_bytes(b"what its tools made")
        named = ("--submissions", work, "--layout", "cuda-agent", "--device", "cpu", "--checks-only")
        result = self.run_python(*named, "--task", TASK)
        (row,) = self.rows(result)
        self.assertEqual((row["state"], row["agent"]), ("ok", "work"), row)
        kept = {file["path"] for file in row["sources"]["files"]}
        self.assertNotIn("src/model.py", kept)
        self.assertFalse([path for path in kept if "utils" in path or path.endswith(".so")])
        self.assert_fails(self.run_python(*named, "--level", "1"), USAGE, "is for one task")
        plain = self.run_python("--submissions", work, "--device", "cpu", "--task", TASK)
        self.assert_fails(plain, USAGE, "--layout cuda-agent")


RUN = {
    "level_1_problem_19_sample_0_kernel.py": RELU_MODEL,
    "level_1_problem_19_sample_1_kernel.py": RELU_MODEL.replace("torch.relu(x)", "x.clone()"),
    "level_1_problem_19_sample_2_kernel.py": "raise ValueError('no such day')\n",
    "level_1_problem_999_sample_0_kernel.py": RELU_MODEL,
    "level_1_problem_19_sample_0_prompt.txt": "You write kernels.",
    "generation_config.yaml": "level: 1\n",
}


class KernelBenchCase(PythonCase):
    def write_run(self):
        self.run_folder = self.folder / "runs" / "my_model"
        self.run_folder.mkdir(parents=True)
        for name, text in RUN.items():
            (self.run_folder / name).write_text(text, encoding="utf-8")

    def run_samples(self, *words):
        return self.run_python("--submissions", self.run_folder, "--layout", "kernelbench", "--task", TASK,
                               "--device", "cpu", "--no-lint", *words)


class KernelBenchTest(Prepared, KernelBenchCase):
    """Timed, because KernelBench's form holds times; none of them is judged."""

    def prepare(self):
        self.write_run()
        self.result = self.run_samples("--quick", "--out", "kernelbench=eval_results.json")
        self.assertEqual(self.result.returncode, TASK_FAILED, self.result.stderr)
        self.report = json.loads(self.result.stdout)

    def test_samples_are_variants(self):
        rows = {row["variant"]: row for row in self.prepared.report["results"]}
        self.assertEqual({variant: row["state"] for variant, row in rows.items()},
                         {"sample_0": "ok", "sample_1": "wrong_result", "sample_2": "import_error"})
        self.assertEqual(rows["sample_0"]["agent"], "my_model")
        self.assertEqual(rows["sample_0"]["submission"], "my_model/level1/019_relu@sample_0.py")

    def test_other_files_are_accounted_for(self):
        ignored = {one["path"]: one["mistaken"] for one in self.prepared.report["files"]["ignored"]}
        self.assertEqual(ignored, {"generation_config.yaml": False,
                                   "level_1_problem_19_sample_0_prompt.txt": False,
                                   "level_1_problem_999_sample_0_kernel.py": True})

    def test_results_go_back_in_its_form(self):
        written = json.loads((self.folder / "eval_results.json").read_text("utf-8"))
        self.assertEqual(list(written), ["19"])
        samples = written["19"]
        self.assertEqual([one["sample_id"] for one in samples], [0, 1, 2])
        self.assertEqual([(one["compiled"], one["correctness"]) for one in samples],
                         [(True, True), (True, False), (False, False)])
        self.assertGreater(samples[0]["runtime"], 0)
        self.assertEqual([one["runtime"] for one in samples[1:]], [-1, -1])
        self.assertEqual(set(samples[0]["runtime_stats"]),
                         {"mean", "std", "min", "max", "num_trials", "hardware", "device"})
        self.assertIn("no such day", samples[2]["metadata"]["compilation_error"])


class KeptKernelBenchTest(KernelBenchCase):
    def test_what_is_kept_of_it_is_evaluated_again_without_it(self):
        self.write_run()
        run = self.run_samples("--checks-only")
        self.assertEqual(run.returncode, TASK_FAILED, run.stderr)
        self.run_folder.rename(self.run_folder.with_suffix(".away"))
        self.begin_checked("new.sqlite")
        result = self.kbench("reproduce", "latest", "--task", TASK, "--agent", "my_model", "--variant",
                             "sample_0", "--into", "new.sqlite", KBENCH_CACHE=str(CACHE), timeout=900)
        self.assert_good(result)
        self.assertIn("the same evaluation as in run", result.stderr)


class OneLayoutTest(KernelBenchCase):
    def test_nothing_is_taken_for_another_layout_unasked(self):
        self.write_run()
        plain = ("run", "--device", "cpu", "--task", TASK)
        self.assert_fails(self.kbench(*plain, "--submissions", self.run_folder), USAGE,
                          "--layout kernelbench")
        self.assert_fails(self.kbench(*plain, "--submissions", self.run_folder.parent), USAGE,
                          "--layout kernelbench")
        self.assert_fails(self.kbench(*plain, "--layout", "kernelbench"), USAGE, "--submissions DIR")

    def test_one_file_of_results_is_of_one_level(self):
        result = self.kbench("run", "--device", "cpu", "--level", "1,2", "--baselines-only", "--out",
                             "kernelbench=x.json")
        self.assert_fails(result, USAGE, "kernelbench is of one level")


class PairsTest(KernelBenchCase):
    def test_what_is_kept_of_two_runs_is_measured_again_in_pairs(self):
        self.write_run()
        self.run_samples()
        other = RELU_MODEL.replace("torch.relu(x)", "x.clamp(min=0)")
        (self.run_folder / "level_1_problem_19_sample_0_kernel.py").write_text(other, encoding="utf-8")
        self.run_samples()
        result = self.kbench("compare", "--remeasure", "--pairs", "3", KBENCH_CACHE=str(CACHE), timeout=900)
        self.assertIn("pair 1 of 3: 1 submission", result.stderr)
        # It is not the question here which of the two is slower.
        self.assertIn(result.returncode, (GOOD, REGRESSION), result.stderr)


if __name__ == "__main__":
    unittest.main()
