"""kbench run --precision bf16 and fp16: kernels that add up in float32 and round at the end are right, those that
keep less are wrong, in C++ and in Python, and a task that eager cannot have in the type is skipped.

Checks only, on tests/tiny but for the skipped task.
"""

import json

import cli_case
from cli_case import GOOD, ROOT, TINY
from prepared import Prepared
from serve_case import ServeCase, evaluation
from workspace_test import WorkspaceCase

MATMUL, RELU, GEMM = "level1/001_square_matrix_multiplication", "level1/019_relu", "level2/076_gemm_add_relu"
UNFIT = "level1/046_average_pooling_3d"  # eager's avg_pool3d knows no 16 bits on a CPU

# The numbers of a C++ submission, which gets bits; HALF is the type of the class, and ROUNDED makes it.
NUMBERS = """#pragma once
#include "runner/backend/float16.hpp"
#include "task.h"

inline float value_of(uint16_t bits) { return kbench::to_float(HALF{bits}); }
"""
STORED = {
    "rounds_at_the_end": "inline uint16_t bits_of(float x) { return ROUNDED(x).bits; }\n",
    "rounds_to_8_bits": """#include <cmath>
inline uint16_t bits_of(float x) {
  int exponent = 0;
  const float significand = std::frexp(x, &exponent);
  return ROUNDED(std::ldexp(std::nearbyint(significand * 16), exponent - 4)).bits;
}
""",
}
KERNELS = {
    RELU: """#include "numbers.hpp"
extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out, kb_context*) {
  for (long i = 0; i < kb::y_elements; ++i) {
    const float x = value_of(in->x[i]);
    out->y[i] = bits_of(x < 0 ? 0 : x);
  }
  return 0;
}
""",
    MATMUL: """#include "numbers.hpp"
extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out, kb_context*) {
  for (long i = 0; i < kb::y_0; ++i) {
    float sums[kb::y_1] = {};
    for (long k = 0; k < kb::b_0; ++k)
      for (long j = 0; j < kb::y_1; ++j)
        sums[j] += value_of(in->a[i * kb::b_0 + k]) * value_of(in->b[k * kb::y_1 + j]);
    for (long j = 0; j < kb::y_1; ++j) out->y[i * kb::y_1 + j] = bits_of(sums[j]);
  }
  return 0;
}
""",
}
TYPES = {"bf16": ("kbench::BFloat16", "kbench::to_bfloat16", "bfloat16"),
         "fp16": ("kbench::Half", "kbench::to_half", "float16")}

PYTHON = {
    MATMUL: """import torch

class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        assert a.dtype == b.dtype == torch.TYPE
        return (a.float() @ b.float()).to(a.dtype)
""",
    GEMM: """import torch

class ModelNew(torch.nn.Module):
    def __init__(self, in_features, out_features, bias_shape):
        super().__init__()
        self.gemm = torch.nn.Linear(in_features, out_features, bias=False)
        self.bias = torch.nn.Parameter(torch.randn(bias_shape))

    def forward(self, x):
        assert self.gemm.weight.dtype == self.bias.dtype == torch.TYPE
        return torch.relu(self.gemm(x) + self.bias)
""",
    RELU: """import torch

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x.float().relu()  # in another type than the task's
""",
}


class HalfCase(cli_case.CliCase):
    def put(self, name, text):
        file = self.folder / "submissions" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_all(self, precision, *words, **environment):
        result = self.kbench("run", "--precision", precision, "--device", "cpu", "--size", "small", "--checks-only",
                             "--allow-torch", "all", "--submissions", "submissions", "--format", "json", *words,
                             KBENCH_LOCKS=str(self.folder / "locks"), **environment)
        return result, json.loads(result.stdout)["results"]


class RowsCase(Prepared, HalfCase):
    """One run; each test looks at its rows."""

    precision = ""

    def prepare(self):
        self.put_native()
        for task, text in PYTHON.items():
            self.put(f"python/{task}.py", text.replace("TYPE", TYPES[self.precision][2]))
        self.result, self.found = self.run_all(self.precision, "--suite", TINY)

    def put_native(self):
        half, rounded, _ = TYPES[self.precision]
        for agent, stored in STORED.items():
            headers = f"{agent}/include"
            self.put(f"{headers}/numbers.hpp", NUMBERS.replace("HALF", half) + stored.replace("ROUNDED", rounded))
            for header in ("float16.hpp", "portable.hpp"):
                self.put(f"{headers}/runner/backend/{header}", (ROOT / "runner/backend" / header).read_text())
            for task, kernel in KERNELS.items():
                self.put(f"{agent}/{task}.cpp", kernel)

    def rows_of(self, agent):
        rows = {row["task"]: row for row in self.prepared.found if row["agent"] == agent}
        self.assertTrue(rows, self.prepared.result.stderr)
        return rows

    def states_of(self, agent):
        return {task: row["state"] for task, row in self.rows_of(agent).items()}

    def test_float32_sums_that_are_rounded_at_the_end_are_right(self):
        self.assertEqual(self.states_of("rounds_at_the_end"), dict.fromkeys(KERNELS, "ok"),
                         [row["message"] for row in self.rows_of("rounds_at_the_end").values()])

    def test_8_bits_are_not_enough(self):
        self.assertEqual(self.states_of("rounds_to_8_bits"), dict.fromkeys(KERNELS, "wrong_result"))

    def test_python_gets_tensors_and_parameters_of_the_type_and_returns_such(self):
        rows = self.rows_of("python")
        self.assertEqual({task: row["state"] for task, row in rows.items()},
                         {MATMUL: "ok", GEMM: "ok", RELU: "wrong_result"}, [row["message"] for row in rows.values()])
        self.assertIn(f"returned float32[48, 1280] for y, not {TYPES[self.precision][2]}", rows[RELU]["message"])

    def test_rows_say_the_class(self):
        self.assertEqual({row["precision"] for row in self.prepared.found}, {self.precision})


class Bfloat16Test(RowsCase):
    precision = "bf16"


class Float16Test(RowsCase):
    precision = "fp16"


class UnfitTest(HalfCase):
    def test_what_eager_cannot_have_in_the_type_is_skipped(self):
        self.put(f"agent/{UNFIT}.cpp", """#include "task.h"
extern "C" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, kb_context*) { return 0; }
""")
        result, (row,) = self.run_all("bf16", KBENCH_TORCH=str(self.folder))
        self.assert_good(result)
        self.assertEqual(row["state"], "skipped")
        self.assertIn("is not to be had in bf16: eager in bfloat16", row["message"])
        self.assertIn("not implemented for 'BFloat16'", row["message"])


class ShownTest(HalfCase):
    """Words for an author before there is a run."""

    def test_the_header_and_the_prompt_are_of_the_class(self):
        header = self.kbench("tasks", "header", RELU, "--precision", "fp16")
        self.assert_good(header)
        self.assertIn("const uint16_t* x;  // float16 [", header.stdout)
        self.assertIn("--size small --precision fp16", header.stdout)
        prompt = self.kbench("tasks", "prompt", RELU, "--precision", "bf16", "--device", "cpu")
        self.assert_good(prompt)
        self.assertIn("Precision class `bf16`", prompt.stdout)
        self.assertIn("1 ulp of that type", prompt.stdout)
        self.assertIn("means\n  over each channel", prompt.stdout)
        self.assertNotIn("64 ulp", prompt.stdout)

    def test_the_shipped_examples_are_left_out(self):
        result = self.kbench("run", "--precision", "bf16", "--device", "cpu", "--task", RELU, "--dry-run")
        self.assert_good(result)
        self.assertIn("the shipped examples are not in bf16", result.stdout + result.stderr)


del RowsCase  # its tests are those of the two classes


# relu of the bits of either type
RELU_OF_BITS = KERNELS[RELU].replace('#include "numbers.hpp"', '#include "task.h"').replace(
    "const float x = value_of(in->x[i]);", "const uint16_t x = in->x[i];").replace(
    "bits_of(x < 0 ? 0 : x)", "x & 0x8000 ? 0 : x")


class WorkspaceTest(WorkspaceCase):
    def test_a_workspace_is_of_a_class(self):
        work = self.open(words=["--suite", TINY, "--precision", "bf16"])
        self.assertEqual(json.loads((work / "workspace.json").read_text())["precision"], "bf16")
        self.assertIn("uint16_t", (work / "task.h").read_text())
        self.assertIn("`bf16`", (work / "TASK.md").read_text())
        self.write("main.cpp", RELU_OF_BITS)
        self.assertEqual(self.ask("compile", "--suite", TINY)["state"], "ok")
        self.assertEqual(self.ask("verify", "--suite", TINY)["state"], "ok")


class ServeTest(ServeCase):
    def test_a_server_judges_in_a_class(self):
        self.begin_checked()
        server = self.serve("--suite", str(TINY), "--precision", "bf16")
        status, answer = server.ask("POST", "/v1/evaluations", evaluation(wait_s=300))
        self.assertEqual(status, 200, answer)
        self.assertEqual((answer["row"]["state"], answer["row"]["precision"]), ("wrong_result", "bf16"))
        self.assertEqual(server.end(), GOOD)

if __name__ == "__main__":
    cli_case.main()
