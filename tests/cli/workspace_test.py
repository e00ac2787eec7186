"""kbench workspace: the folder of an agent, what it may ask for, and what it may not get."""

import json
import os
import shutil
import unittest

import cli_case
from cli_case import GOOD, NOTHING_SELECTED, TASK_FAILED, USAGE

RELU = """#include "task.h"
extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  for (long i = 0; i < kb::x_elements; ++i) out->y[i] = in->x[i] < 0 ? 0 : in->x[i];
  return 0;
}
"""
SPILLING = """#include "task.h"
__global__ void __launch_bounds__(1024, 2) many(const float* x, float* y) {
  float v[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) v[i] = x[i * 1024 + threadIdx.x];
#pragma unroll
  for (int i = 0; i < 64; ++i) y[i * 1024 + threadIdx.x] = v[63 - i] * v[i] + v[(i * 7) % 64];
}
extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context* context) {
  many<<<1, 1024, 0, (cudaStream_t)context->stream>>>(in->x, out->y);
  return 0;
}
"""


class WorkspaceCase(cli_case.CliCase):
    def open(self, task="level1/019_relu", device="cpu", size="small", words=()):
        result = self.kbench("workspace", "open", task, "work", "--device", device, "--size", size, *words)
        self.assert_good(result)
        self.work = self.folder / "work"
        return self.work

    def write(self, name, text=RELU):
        file = self.work / "kernels" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def ask(self, what, *words, code=GOOD, **environment):
        """The one line that a request answers."""
        result = self.kbench("workspace", what, "work", *words, **environment)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout.count("\n"), 1, result.stdout)
        self.assertLessEqual(len(result.stdout), 16 << 10)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["request"], what)
        return answer

    def assert_refused(self, *parts, what="compile", code=TASK_FAILED):
        answer = self.ask(what, code=code)
        for part in parts:
            self.assertIn(part, answer["error"]["message"])
        self.assertNotIn("state", answer)


class OpenTest(WorkspaceCase):
    def test_all_that_an_agent_needs_lies_there(self):
        work = self.open()
        self.assertEqual(sorted(file.name for file in work.iterdir()),
                         ["SKILL.md", "TASK.md", "kbench.h", "kernels", "reference.py", "task.h",
                          "workspace.json"])
        prompt = self.kbench("tasks", "prompt", "level1/019_relu", "--device", "cpu")
        self.assertEqual((work / "TASK.md").read_text(encoding="utf-8"), prompt.stdout)
        header = self.kbench("tasks", "header", "level1/019_relu", "--size", "small")
        self.assertEqual((work / "task.h").read_text(encoding="utf-8"), header.stdout)
        self.assertIn("class Model", (work / "reference.py").read_text(encoding="utf-8"))
        self.assertEqual(list((work / "kernels").iterdir()), [])

    def test_advice_is_for_the_device(self):
        """Was: a workspace for a CPU told of warps and shared memory."""
        skill = (self.open() / "SKILL.md").read_text(encoding="utf-8")
        for word in ("warp", "shared memory", "CUDA", ".cu", "tensor cores", "registers and spills"):
            self.assertNotIn(word, skill)
        for word in ("false sharing", "main.cpp", "vector units", "## What usually pays"):
            self.assertIn(word, skill)

    def test_somebodys_work_is_not_written_over(self):
        self.open()
        self.assert_fails(self.kbench("workspace", "open", "level1/019_relu", "work"), USAGE,
                          "is there already")

    def test_an_unknown_task_makes_no_folder(self):
        self.assert_fails(self.kbench("workspace", "open", "level1/019_rleu", "work"),
                          NOTHING_SELECTED)
        self.assertFalse((self.folder / "work").exists())

    def test_a_folder_that_is_no_workspace_is_said_so(self):
        (self.folder / "work").mkdir()
        self.assert_refused("is no workspace", code=USAGE)


class CompileTest(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.open()

    def test_what_compiles_is_ok(self):
        self.write("main.cpp")
        answer = self.ask("compile")
        self.assertEqual((answer["state"], answer["fault"], answer["cached"]),
                         ("ok", "none", False))
        self.assertEqual((answer["task"], answer["size"], answer["device"]),
                         ("level1/019_relu", "small", "cpu"))
        self.assertIsNone(answer["kernels"])
        again = self.ask("compile")
        self.assertTrue(again["cached"])
        self.assertEqual(again["tree"], answer["tree"])
        self.write("main.cpp", RELU + "// another tree\n")
        self.assertNotEqual(self.ask("compile")["tree"], answer["tree"])

    def test_files_beside_it_and_in_folders_are_found(self):
        self.write("main.cpp", '#include "tile.hpp"\n#include "parts/part.hpp"\n' + RELU)
        self.write("tile.hpp", "#pragma once\n")
        self.write("parts/part.hpp", "#pragma once\n")
        self.assertEqual(self.ask("compile")["state"], "ok")

    def test_what_does_not_compile_says_where(self):
        self.write("main.cpp", RELU + "int nothing = unknown;\n")
        answer = self.ask("compile", code=TASK_FAILED)
        self.assertEqual((answer["state"], answer["fault"]), ("compile_error", "submission"))
        self.assertIn("main.cpp:7", answer["message"])
        self.assertIn("unknown", answer["message"])

    def test_a_library_without_its_entry_point_is_no_answer(self):
        self.write("main.cpp", RELU.replace("kbench_forward", "kbench_foward"))
        answer = self.ask("compile", code=TASK_FAILED)
        self.assertEqual((answer["state"], answer["fault"]), ("missing_symbol", "submission"))
        self.assertEqual(answer["message"], "the library has no kbench_forward")

    def test_a_flood_of_warnings_is_cut(self):
        lines = "\n".join(f"#warning {i} {'w' * 200}" for i in range(300))
        self.write("main.cpp", lines + "\n" + RELU)
        answer = self.ask("compile")
        self.assertEqual(answer["state"], "ok")
        self.assertIn("bytes are left out", answer["warnings"])

    def test_a_kernel_for_another_device_is_no_answer(self):
        self.write("main.cu", SPILLING)
        answer = self.ask("compile", code=TASK_FAILED)
        self.assertEqual(answer["state"], "compile_error")
        self.assertIn("this workspace is for cpu", answer["message"])

    def test_an_empty_folder_is_no_answer(self):
        self.assert_refused("no .cu and no .cpp file")

    def test_links_and_too_much_are_refused(self):
        self.write("main.cpp")
        link = self.work / "kernels/link.hpp"
        link.symlink_to("/etc/passwd")
        self.assert_refused("link.hpp is a link")
        link.unlink()
        for i in range(64):
            self.write(f"more{i}.hpp", "")
        self.assert_refused("more than 64 files")
        shutil.rmtree(self.work / "kernels")
        self.write("main.cpp", " " * (1 << 20) + RELU)
        self.assert_refused("more than 1024 KiB")
        shutil.rmtree(self.work / "kernels")
        (self.work / "kernels").symlink_to("/etc")
        self.assert_refused("kernels", code=USAGE)

    def test_a_manifest_leaves_no_folder(self):
        self.write("main.cpp")
        self.write("submission.json", json.dumps({"schema": "kbench-submission/1",
                                                  "sources": ["../TASK.md"]}))
        answer = self.ask("compile", code=TASK_FAILED)
        self.assertEqual(answer["state"], "compile_error")
        self.assertIn("sources", answer["message"])

    def test_the_record_may_not_be_bent(self):
        self.write("main.cpp")
        record = json.loads((self.work / "workspace.json").read_text(encoding="ascii"))
        record["task"] = "../../level1/019_relu"
        (self.work / "workspace.json").write_text(json.dumps(record), encoding="ascii")
        self.assert_refused("is not what kbench wrote", code=USAGE)


@unittest.skipUnless(shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc"),
                     "no nvcc here")
class CudaCompileTest(WorkspaceCase):
    def test_registers_and_spills_are_told_without_a_gpu(self):
        # The prompt of a device that is not there is made all the same.
        self.open(device="cuda")
        self.write("main.cu", SPILLING)
        answer = self.ask("compile")
        self.assertEqual(answer["state"], "ok")
        (kernel,) = answer["kernels"]
        self.assertEqual(kernel["name"], "many(float const*, float*)")
        self.assertLessEqual(kernel["registers"], 32, "two blocks of 1,024 threads leave no more")
        self.assertGreater(kernel["spill_store_bytes"], 0)
        self.assertGreater(kernel["spill_load_bytes"], 0)
        self.assertTrue(answer["architecture"])


class SubmitTest(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.open()
        self.write("main.cpp")

    def test_a_database_that_its_agent_writes_to_is_refused(self):
        answer = self.ask("submit", "--db", "work/results.sqlite", code=USAGE)
        self.assertIn("lies in the workspace", answer["error"]["message"])
        self.assertFalse((self.work / "results.sqlite").exists())
        answer = self.ask("submit", "--db", "elsewhere/../work/kernels/../r.sqlite", code=USAGE)
        self.assertIn("lies in the workspace", answer["error"]["message"])

    def test_an_unknown_reward_is_refused(self):
        self.assert_fails(self.kbench("workspace", "submit", "work", "--reward", "much"), USAGE,
                          "much")


if __name__ == "__main__":
    cli_case.main()
