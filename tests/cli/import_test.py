"""kbench import: the files of tests/import, this project's own tasks, tables, hostile names."""

import json
import os
import pathlib
import shutil
import signal
import subprocess

import cli_case
import own_processes
from cli_case import GOOD, NOTHING_SELECTED, ROOT, TASK_FAILED, USAGE

FILES = ROOT / "tests" / "import" / "files"
MODULE = (FILES / "tuple_outputs.py").read_text(encoding="utf-8")
WRITES_NOTHING = (ROOT / "tests/faults/submissions/writes_nothing/level1/019_relu.cpp").read_text("utf-8")
# Steers a terminal, reorders text, is markup.
HOSTILE = "\x1b[31m\u202e<script>"


def expectations():
    """The table of tests/import/README.md: file name -> (expected, fault)."""
    rows = {}
    for line in (FILES.parent / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0].endswith(".py`"):
            rows[cells[0].strip("`")] = (cells[2], cells[3])
    return rows


class ImportCase(cli_case.CliCase):
    def bring_in(self, *words, **more):
        return self.kbench("import", *words, timeout=900, **more)

    def task(self, name, suite="suite"):
        (file,) = (self.folder / suite).glob(f"level*/*_{name}.json")
        return json.loads(file.read_text(encoding="utf-8"))

    def write(self, name, text=MODULE):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


class FilesTest(ImportCase):
    """All files of tests/import at once, as a user would bring them in."""

    def test_every_file_gives_its_task_or_its_line(self):
        table = expectations()
        self.assertEqual(set(table), {file.name for file in FILES.glob("*.py")})
        result = self.bring_in(FILES, "--out", "suite", "--timeout", 3, "--format", "json")
        self.assert_fails(result, TASK_FAILED, f"of {len(table)} imported into suite")
        report = json.loads(result.stdout)
        self.assertEqual(report["schema_version"], 1)
        outcomes = {pathlib.Path(r["source"]).name: r for r in report["results"]}
        self.assertEqual(set(outcomes), set(table))
        for file, (expected, fault) in table.items():
            with self.subTest(file):
                outcome = outcomes[file]
                if expected == "task":
                    self.assertEqual(outcome["state"], "imported", outcome["error"])
                    continue
                self.assertEqual(outcome["state"], "failed")
                error = outcome["error"]
                line = f":{error['line']}" if error["line"] else ""
                self.assertIn(expected, f"{file}{line}: {error['what']}")
                self.assertNotIn("\n", error["what"] + error["hint"])
                self.assertEqual(error["fault"], fault)
                self.assertTrue(error["hint"])
        self.assertEqual(own_processes.descendants(), {}, "processes outlived the import")
        self.assertEqual(list(self.folder.glob("suite/.*")), [])
        self.check_tasks()
        self.check_runs({file for file, (expected, _) in table.items() if expected == "task"})

    def check_tasks(self):
        """The property that makes each of them special has arrived in its task."""
        full = {file.stem.split("_", 1)[1]: json.loads(file.read_text(encoding="utf-8"))
                for file in self.folder.glob("suite/level1/*.json")}
        size = {name: task["sizes"]["full"] for name, task in full.items()}
        inputs = {name: {i["name"]: i for i in s["inputs"]} for name, s in size.items()}
        parameters = {name: {p["fqn"]: p for p in s["parameters"]} for name, s in size.items()}
        outputs = {name: [o["dtype"] for o in s["outputs"]] for name, s in size.items()}

        self.assertEqual([i["draw"]["kind"] for i in inputs["unusual_signature"].values()],
                         ["normal", "normal", "uniform"])
        self.assertEqual(list(inputs["keyword_arguments"]), ["x", "weight"])
        self.assertEqual(list(parameters["keyword_arguments"]), ["linear.weight"])
        self.assertEqual({fqn: p["draw"]["kind"] for fqn, p in parameters["buffers"].items()},
                         {"positions": "normal", "mask": "tril", "weights": "data"})
        self.assertIn("768 fixed values", full["buffers"]["note"])
        self.assertEqual(outputs["tuple_outputs"], ["float32", "float32", "int64"])
        self.assertEqual([i["draw"]["kind"] for i in inputs["integer_inputs"].values()],
                         ["integers", "integers", "bernoulli"])
        self.assertEqual((full["batch_norm"]["mode"], set(parameters["batch_norm"])),
                         ("batch-stats", {"conv.weight", "conv.bias", "norm.weight", "norm.bias"}))
        self.assertEqual(list(inputs["dict_output"]), ["x", "y"])
        self.assertEqual(len(outputs["dict_output"]), 2)
        self.assertEqual(size["mutates_its_input"]["nodes"][0]["op"], "aten::clone")
        self.assertEqual({i["draw"]["kind"] for i in inputs["probabilities"].values()}, {"uniform"})
        self.assertIn("input share", full["probabilities"]["note"])
        unit, normal = ({"kind": k, "a": 0.0, "b": 1.0} for k in ("uniform", "normal"))
        self.assertEqual([i["draw"] for i in inputs["random_factor"].values()],
                         [unit | {"times": unit}, normal | {"a": 1.0, "times": unit},
                          unit | {"times": normal}])
        self.assertEqual(full["random_factor"]["note"], "inputs x, y: each has a random factor of "
                         "its own, in get_inputs() they share one")
        self.assertIn("LINT_ACCEPTS and HARD_DRAWS_SKIP counts for nothing", full["privileges"]["note"])
        kinds = {name: {i: spec["draw"]["kind"] for i, spec in inputs[name].items()}
                 for name in ("ragged_lengths", "rotation", "fixed_inputs", "on_the_gpu")}
        self.assertEqual(kinds, {"ragged_lengths": {"values": "normal", "part": "data", "scale": "uniform"},
                                 "rotation": {"points": "uniform", "turn": "data"},
                                 "fixed_inputs": {"x": "data"},
                                 "on_the_gpu": {"x": "normal", "y": "uniform", "z": "uniform"}})
        part = inputs["ragged_lengths"]["part"]
        self.assertEqual(part["shape"], inputs["ragged_lengths"]["values"]["shape"])
        self.assertEqual(sorted(part["draw"]["data"]), part["draw"]["data"], "not drawn alike")
        self.assertIn("input part: always the values", full["ragged_lengths"]["note"])
        unranked = {name: json.loads(self.kbench("tasks", "show", name, "--suite", "suite", "--format",
                                                 "json").stdout)["unranked_reason"]
                    for name in ("ragged_lengths", "fixed_inputs")}
        self.assertIsNone(unranked["ragged_lengths"])
        self.assertIn("the same values in every call", unranked["fixed_inputs"])
        shown = self.kbench("tasks", "show", "random_factor", "--suite", "suite")
        self.assertIn("uniform [0, 1), all times one number that is normal, mean 0, sd 1",
                      shown.stdout)
        hostile = json.dumps(full["hostile_names"], ensure_ascii=False)
        for character in "\x1b\x07\u202e\u202c":
            self.assertNotIn(character, hostile)
            self.assertNotIn(json.dumps(character)[1:-1], hostile)
        for spec in size["hostile_names"]["inputs"] + size["hostile_names"]["parameters"]:
            self.assertRegex(spec["name"], r"\A[A-Za-z][A-Za-z0-9_]*\Z")

    def check_runs(self, files):
        """The executor takes them all, at the one size that they have: it gives what each task's outputs are
        compared with, and nobody writes these. One of them is timed as well."""
        for file in self.folder.glob("suite/level1/*.json"):
            submission = self.folder / "subs/nobody/level1" / f"{file.stem}.cpp"
            submission.parent.mkdir(parents=True, exist_ok=True)
            submission.write_text(WRITES_NOTHING, encoding="ascii")
        rows = self.run_all("--checks-only", "--submissions", "subs", code=TASK_FAILED)
        self.assertEqual(len(rows), len(files))
        for row in rows:
            self.assertEqual((row["state"], row["size"]), ("wrong_result", "full"), row)
        (row,) = self.run_all("--task", "batch_norm", "--baselines-only", "--quick", code=GOOD)
        self.assertEqual((row["state"], row["size"]), ("no_submission", "full"), row)
        self.assertGreater(row["time_ns"]["eager"], 0)

    def run_all(self, *words, code):
        result = self.kbench("run", "--suite", "suite", "--device", "cpu", *words, "--format", "json",
                             KBENCH_TORCH=str(self.folder), timeout=600)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn("size full: the only one", result.stderr)
        return json.loads(result.stdout)["results"]


class LargeTest(ImportCase):
    """No tensor is made only to learn how it is drawn."""

    def test_inputs_that_nobody_has_memory_for(self):
        # 14 GiB of address space are little for a Python with torch, and less than the inputs.
        self.assert_good(self.bring_in(FILES.parent / "large", "--out", "suite", "--memory", 14))
        rows = self.task("softmax_rows")
        self.assertIn("input p: drawn uniformly from", rows["note"])
        for spec in rows["sizes"]["full"]["inputs"]:
            # Each row has 2^15 values whose sum is one.
            self.assertEqual(spec["draw"]["kind"], "uniform")
            self.assertLess(spec["draw"]["a"] * 2**15, 1)
            self.assertGreater(spec["draw"]["b"] * 2**15, 1)
            self.assertLess(spec["draw"]["b"] * 2**15, 2)
        scaled = self.task("scaled")["sizes"]["full"]["inputs"]
        self.assertEqual(["times" in spec["draw"] for spec in scaled], [True, False, False])


class ThreadsTest(ImportCase):
    """A Python in which threads run before the first file is read."""

    def test_files_are_executed_all_the_same(self):
        for name in ("tuple_outputs", "crashes", "wrong_arguments", "integer_inputs"):
            self.write(f"source/{name}.py", (FILES / f"{name}.py").read_text("utf-8"))
        result = self.bring_in("source", "--out", "suite", "--jobs", 1,
                               PYTHONPATH=str(FILES.parent / "starts_a_thread"))
        self.assert_fails(result, TASK_FAILED, "2 of 4 imported")
        self.assertIn("it crashed PyTorch (SIGSEGV)", result.stdout)
        self.assertIn("takes 2 positional arguments but 3 were given", result.stdout)


class OwnTasksTest(ImportCase):
    """This project's tasks are in the format that is imported: what comes out must be the same."""

    def test_importing_our_own_tasks_gives_them_again(self):
        sources = sorted(ROOT.glob("suites/level*/[0-9]*.py"))
        chosen = sources if os.environ.get("KBENCH_IMPORT_ALL") else sources[:: len(sources) // 8]
        for source in chosen:
            self.write(f"source/{source.parent.name}/{source.name}", source.read_text("utf-8"))
        result = self.bring_in("source", "--out", "suite")
        self.assert_good(result)
        for source in chosen:
            with self.subTest(source.stem):
                place = f"{source.parent.name}/{source.stem}"
                ours = json.loads((ROOT / "suites" / f"{place}.json").read_text("utf-8"))
                theirs = json.loads((self.folder / "suite" / f"{place}.json").read_text("utf-8"))
                if ours["torch"] != theirs["torch"]:
                    continue
                for privilege in ("lint_accepts", "hard_draws_skip"):
                    if ours.pop(privilege, None):  # and a note says that it is left out
                        del theirs["note"]
                self.assertEqual(theirs, ours)

    def test_eval_mode_is_recorded(self):
        self.assert_good(self.bring_in(FILES / "batch_norm.py", "--out", "suite", "--mode", "eval"))
        task = self.task("batch_norm")
        self.assertEqual(task["mode"], "eval")
        names = [p["fqn"] for p in task["sizes"]["full"]["parameters"]]
        self.assertIn("norm.running_var", names)


class PlacesTest(ImportCase):
    def test_levels_numbers_and_importing_again(self):
        self.write("source/KernelBench/level2/7_First_Task.py")
        self.write("source/KernelBench/level2/12345_Far.py")
        self.write("source/KernelBench/level3/plain.py")
        self.write("source/scripts/tool.py", "raise SystemExit")
        self.write("source/KernelBench/level3/_private.py", "raise SystemExit")
        expected = {"level2/007_first_task", "level2/12345_far", "level3/001_plain"}

        def states():
            # The suite lies inside its source, and is not imported again.
            result = self.bring_in(".", "--out", "suite", "--format", "json")
            self.assert_good(result)
            results = json.loads(result.stdout)["results"]
            self.assertEqual(len(results), len(expected))
            self.assertEqual({r["task"] for r in results}, expected)
            return {r["task"]: r["state"] for r in results}

        self.assertEqual(set(states().values()), {"imported"})
        self.write("source/KernelBench/level3/plain.py", MODULE.replace("3, dim", "2, dim"))
        self.assertEqual(states(), dict.fromkeys(expected, "unchanged") | {"level3/001_plain": "replaced"})

        listing = self.kbench("tasks", "list", "--suite", "suite", "--format", "json")
        self.assert_good(listing)
        tasks = json.loads(listing.stdout)["tasks"]
        self.assertEqual({task["task"] for task in tasks}, expected)
        self.assertEqual({tuple(task["sizes"]) for task in tasks}, {("full",)})

    def test_what_fails_takes_no_number(self):
        """Was: the first task of such an import had number 2, for good."""
        self.write("source/a_bad.py", 'raise RuntimeError("one\\\\ntwo")\n')
        self.write("source/b_good.py")

        def bring_in():
            result = self.bring_in("source", "--out", "suite", "--format", "json")
            return {r["task"]: r["state"] for r in json.loads(result.stdout)["results"]}, result

        states, result = bring_in()
        self.assertEqual(states["level1/001_b_good"], "imported")
        self.assertTrue((self.folder / "suite/level1/001_b_good.py").exists())
        self.assert_good(self.kbench("tasks", "show", "b_good", "--suite", "suite"))
        what = json.loads(result.stdout)["results"][0]["error"]["what"]
        self.assertEqual(what, "RuntimeError: one two")
        self.write("source/a_bad.py")
        self.assertEqual(bring_in()[0], {"level1/002_a_bad": "imported",
                                         "level1/001_b_good": "unchanged"})

    def test_paths_that_are_wrong(self):
        self.write("notes.txt", "nothing")
        (self.folder / "empty").mkdir()
        for words, code, part in [
            (("nowhere.py",), USAGE, "nowhere.py: no such file or folder"),
            (("notes.txt",), USAGE, "notes.txt: nothing to import"),
            (("empty",), NOTHING_SELECTED, "nothing to import"),
        ]:
            with self.subTest(words):
                self.assert_fails(self.bring_in(*words, "--out", "suite"), code, part)

    def test_a_repository_is_told_folder_by_folder(self):
        for place in ("level_2/1_a.py", "level_2/2_b.py", "level1/conv/3_c.py", "reference/norm/d.py"):
            self.write(f"source/{place}")
        self.write("source/level1/1_taken.py")
        self.write("source/scripts/tool.py", "raise SystemExit")
        result = self.bring_in("source", "--out", "suite")
        self.assert_good(result)
        self.assertIn("1 of 1 imported", result.stderr)
        for words in ("files are taken from source/level1 (1)",
                      "source/level_2: 2 of 2 files look like tasks and were left out; "
                      "kbench import source/level_2 --level 2",
                      "source/level1/conv: 1 of 1 files look like tasks and was left out; "
                      "kbench import source/level1/conv --level 1",
                      "source/reference/norm: 1 of 1 files look like tasks and was left out; "
                      "kbench import source/reference/norm"):
            self.assertIn(words, result.stderr)
        self.assertNotIn("scripts", result.stderr)
        # The command that it names works.
        self.assert_good(self.bring_in("source/level_2", "--level", 2, "--out", "suite"))
        self.assertTrue((self.folder / "suite/level2/001_a.json").exists())

    def test_without_a_python_it_says_what_is_missing(self):
        self.write("one.py")
        result = self.bring_in("one.py", "--out", "suite", KBENCH_TORCH=str(self.folder))
        self.assert_fails(result, cli_case.INFRASTRUCTURE, "no Python", "hint: ")

    def test_hostile_names_of_files_and_rows(self):
        self.write(f"source/{HOSTILE}'; rm -rf ~.py")
        row = {"code": MODULE, "name": f"../../{HOSTILE}/\"etc\"", "level": 4}
        self.write("source/rows.jsonl", json.dumps(row) + "\n")
        self.write("source/broken\x1b[2J.py", "(")
        result = self.bring_in("source", "--out", "suite")
        self.assert_fails(result, TASK_FAILED, "2 of 3 imported")
        written = {str(path.relative_to(self.folder / "suite"))
                   for path in (self.folder / "suite").rglob("*") if path.is_file()}
        for path in written:
            self.assertRegex(path, r"\Alevel[14]/\d{3}_[a-z0-9_]+\.(py|json)\Z")
        self.assertEqual(len(written), 4)
        for text in (result.stdout, result.stderr):
            for character in "\x1b\u202e":
                self.assertNotIn(character, text)


class ReferenceTest(ImportCase):
    """run FILE --reference ref.py: KernelBench's main use in one command."""

    REFERENCE = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return []
"""
    KERNEL = """#include "task.h"

extern "C" int kbench_forward(const kb_inputs* in, const kb_params*, const kb_outputs* out,
                              kb_context*) {
  for (long i = 0; i < kb::y_elements; ++i) out->y[i] = in->x[i] < 0 ? 0 : 2 * in->x[i];
  return 0;
}
"""

    def against(self, kernel, reference="ref.py", *words):
        return self.kbench("run", kernel, "--reference", reference, "--checks-only", "--device", "cpu",
                           "--format", "json", *words, timeout=900)

    def test_one_command_and_whose_fault_it_is(self):
        self.write("ref.py", self.REFERENCE)
        self.write("v1.cpp", self.KERNEL)
        result = self.against("v1.cpp")
        self.assert_good(result)
        (row,) = json.loads(result.stdout)["results"]
        self.assertEqual((row["task"], row["state"], row["agent"]), ("level1/001_ref", "ok", "me"))
        self.assertIn("level1/001_ref", result.stderr)
        # Found again, under the same name, without another import.
        kept = {file: file.stat().st_mtime_ns for file in self.folder.rglob("001_ref.json")}
        self.assertEqual(len(kept), 1)
        self.write("v2.cpp", self.KERNEL.replace("2 *", "3 *"))
        result = self.against("v2.cpp")
        self.assert_fails(result, TASK_FAILED)
        (row,) = json.loads(result.stdout)["results"]
        self.assertEqual((row["task"], row["state"], row["fault"]),
                         ("level1/001_ref", "wrong_result", "submission"))
        self.assertIn("imported before", result.stderr)
        self.assertEqual({file: file.stat().st_mtime_ns for file in kept}, kept)
        # Somebody makes another task of it: it is imported anew.
        (task,) = kept
        task.write_text(task.read_text().replace("aten::relu", "aten::neg"))
        python = task.with_suffix(".py")
        python.write_text(python.read_text().replace("torch.relu(x)", "(-x)"))
        result = self.against("v1.cpp")
        self.assert_good(result)
        self.assertNotIn("imported before", result.stderr)
        # Errors of the reference are the reference's, and no row is made.
        self.write("bad.py", self.REFERENCE.replace("class Model", "class Model("))
        result = self.against("v1.cpp", "bad.py")
        self.assert_fails(result, USAGE, "the reference", "bad.py:", "the submission was not looked at")
        self.assertEqual(sorted(json.loads(result.stdout)), ["error", "exit_code", "outcome", "schema_version"])
        self.write("v3.cpp", self.KERNEL.replace("long i", "lang i"))
        result = self.against("v3.cpp")
        self.assert_fails(result, TASK_FAILED)
        self.assertEqual(json.loads(result.stdout)["results"][0]["state"], "compile_error")

    def test_ctrl_c_ends_an_import_as_it_ends_a_run(self):
        """Was: exit code 3."""
        self.write("ref.py", "import time\ntime.sleep(600)\n")
        self.write("v1.cpp", self.KERNEL)
        environment = {k: v for k, v in os.environ.items() if k not in cli_case.FOREIGN}
        process = subprocess.Popen(
            [str(cli_case.KBENCH), "run", "v1.cpp", "--reference", "ref.py", "--checks-only", "--device", "cpu"],
            cwd=self.folder, env={**environment, "HOME": str(self.folder)}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stderr.close()))
        self.wait_until(lambda: own_processes.descendants(process.pid), "something is asked of Python", process)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=300)
        self.assertEqual(process.returncode, cli_case.INTERRUPTED, told)
        self.assertIn("importing the reference was interrupted", told)

    def test_what_a_run_can_do_about_memory(self):
        """Was: --memory, which `kbench run` has not."""
        self.write("ref.py", "kept = [bytearray(1 << 30) for _ in range(10 ** 6)]\n")
        self.write("v1.cpp", self.KERNEL)
        self.assert_fails(self.against("v1.cpp"), cli_case.INFRASTRUCTURE, "memory",
                          "`kbench import REF.py --out SUITE` takes --memory")

    def test_words_that_make_no_sense(self):
        self.write("ref.py", self.REFERENCE)
        self.write("v1.cpp", self.KERNEL)
        self.assert_fails(self.against("v1.cpp", "ref.py", "--size", "small"), USAGE, "its own size only")
        (self.folder / "folder.py").mkdir()
        self.assert_fails(self.against("v1.cpp", "folder.py"), USAGE, "folder.py is no file")
        self.assert_fails(self.against("v1.cpp", "none.py"), USAGE, "the reference none.py is not there")
        self.assert_fails(self.against("v1.cpp", "v1.cpp"), USAGE, "no Python file")
        self.assert_fails(self.against("v1.cpp", "ref.py", "--task", "relu"), USAGE, "--reference")
        self.assert_fails(self.kbench("run", "--reference", "ref.py"), USAGE, "FILE")


class TablesTest(ImportCase):
    ROWS = [
        {"code": MODULE, "name": "19_ReLU", "level": 2, "problem_id": 19},
        {"code": MODULE, "ops": '["nn.Conv2d", "torch.relu"]', "data_source": "somebody"},
        {"code": "class Model(: pass"},
        {"text": MODULE},
    ]

    def test_rows_of_jsonl(self):
        lines = [json.dumps(row) for row in self.ROWS] + ["", "{no json"]
        self.write("rows.jsonl", "\n".join(lines))
        result = self.bring_in("rows.jsonl", "--out", "suite", "--level", 7, "--format", "json")
        self.assert_fails(result, TASK_FAILED, "2 of 5 imported")
        results = json.loads(result.stdout)["results"]
        self.assertEqual([(r["source"], r["state"]) for r in results],
                         [("rows.jsonl:1", "imported"), ("rows.jsonl:2", "imported"),
                          ("rows.jsonl:3", "failed"), ("rows.jsonl:4", "failed"),
                          ("rows.jsonl:6", "failed")])
        self.assertEqual([r["task"] for r in results[:2]],
                         ["level2/019_relu", "level7/002_conv2d_relu"])
        self.assertIn("SyntaxError", results[2]["error"]["what"])
        self.assertIn("no text in `code`", results[3]["error"]["what"])
        self.assertIn("no JSON object", results[4]["error"]["what"])

    def test_parquet_needs_pyarrow_and_says_so(self):
        shutil.copy(FILES.parent / "rows.parquet", self.folder)
        result = self.bring_in("rows.parquet", "--out", "suite", "--format", "json")
        if result.returncode == GOOD:
            results = json.loads(result.stdout)["results"]
            self.assertEqual([r["task"] for r in results], ["level2/019_relu"])
        else:
            self.assert_fails(result, cli_case.INFRASTRUCTURE, "needs pyarrow",
                              "-m pip install pyarrow")


    def test_a_folder_with_parquet_loses_nothing_in_silence(self):
        """Was: "1 of 1 imported", exit code 0."""
        self.write("source/one.py")
        shutil.copy(FILES.parent / "rows.parquet", self.folder / "source")
        result = self.bring_in("source", "--out", "suite")
        if result.returncode == GOOD:
            self.assertIn("2 of 2 imported", result.stderr)
        else:
            self.assert_fails(result, cli_case.INFRASTRUCTURE, "1 of 2 imported into suite; 1 failed")
            self.assertRegex(result.stdout, r"failed +source/rows\.parquet: reading Parquet needs pyarrow")
            self.assertIn("-m pip install pyarrow", result.stdout)


class LimitsTest(ImportCase):
    def test_a_file_is_named_once(self):
        """Was: "source/big.py: source/big.py: …"."""
        self.write("source/big.py", "#" * (1 << 20) + "\n")
        result = self.bring_in("source", "--out", "suite")
        self.assert_fails(result, TASK_FAILED, "0 of 1 imported")
        self.assertEqual(result.stdout.count("big.py"), 1, result.stdout)


if __name__ == "__main__":
    cli_case.main()
