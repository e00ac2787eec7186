"""kbench tasks list, show, header, prompt."""

import ast
import json
import os
import re
import shutil
import subprocess

import cli_case
from cli_case import NOTHING_SELECTED, ROOT, USAGE

SUITES = ROOT / "suites"


def shipped():
    return sorted(f"{file.parent.name}/{file.stem}" for file in SUITES.glob("level*/[0-9]*_*.json"))


class TasksListTest(cli_case.CliCase):
    def test_lists_every_shipped_task(self):
        result = self.kbench("tasks", "list")
        self.assert_good(result)
        heading, _, *lines = result.stdout.splitlines()
        self.assertEqual(heading.split(), ["Task", "Family", "Sizes", "Title"])
        listed = [line.split()[0] for line in lines]
        self.assertEqual(sorted(listed), shipped())
        self.assertRegex(result.stdout, r"\nlevel1/019_relu +activation +small,full +Rectifier")
        self.assertRegex(result.stderr, rf"^kbench: {len(listed)} tasks\n$")

    def test_json_is_pure_and_versioned(self):
        result = self.kbench("tasks", "list", "--format", "json")
        self.assert_good(result)
        listing = json.loads(result.stdout)
        self.assertEqual(listing["schema_version"], 1)
        self.assertEqual(sorted(task["task"] for task in listing["tasks"]), shipped())
        for task in listing["tasks"]:
            self.assertIsNone(task["problem"])
            self.assertNotEqual(task["title"], "")
            self.assertEqual(task["sizes"], ["small", "full"])

    def test_level_selects(self):
        result = self.kbench("tasks", "list", "--level", "2", "--format", "json")
        self.assertEqual(self.kbench("tasks", "list", "--level", "2", "--json").stdout, result.stdout)
        self.assert_good(result)
        tasks = json.loads(result.stdout)["tasks"]
        self.assertTrue(tasks)
        self.assertEqual({task["level"] for task in tasks}, {2})

    def test_level_without_tasks_selects_nothing(self):
        self.assert_fails(self.kbench("tasks", "list", "--level", "98"), NOTHING_SELECTED,
                          "no task matches: there is no level 98", "this suite has 1, 2, 3")

    def test_task_selects_as_for_a_run(self):
        result = self.kbench("tasks", "list", "--task", "softmax", "--task", "level1/01*", "--task", "level1/19",
                             "--columns", "task")
        self.assert_good(result)
        self.assertEqual(result.stdout.splitlines()[2:],
                         sorted({"level1/023_softmax", *(task for task in shipped() if task.startswith("level1/01"))}))
        listed = self.kbench("tasks", "list", "--level", "2", "--task", "*relu*", "--family", "matmul", "--json")
        self.assert_good(listed)
        for task in json.loads(listed.stdout)["tasks"]:
            self.assertEqual(task["level"], 2)
            self.assertIn("relu", task["name"])
            self.assertIn("matmul", task["tags"])

    def test_a_task_that_nobody_has_is_told_with_the_nearest(self):
        """The words are those of `kbench run --task`."""
        for pattern, words in (("sofmax", 'no task is called "sofmax"'), ("sofmax*", 'no task matches "sofmax*"')):
            for command in (("tasks", "list"), ("run", "--dry-run", "--device", "cpu")):
                self.assert_fails(self.kbench(*command, "--task", pattern), NOTHING_SELECTED, words,
                                  'did you mean "softmax"?')

    def test_columns_are_chosen_by_name(self):
        result = self.kbench("tasks", "list", "--task", "relu", "--columns", "family,task")
        self.assert_good(result)
        self.assertEqual([line.split() for line in result.stdout.splitlines()[::2]],
                         [["Family", "Task"], ["activation", "level1/019_relu"]])
        for word in ("famly", "task,famly"):
            self.assert_fails(self.kbench("tasks", "list", "--columns", word), USAGE,
                              '"famly" is not one of task, family, sizes, title; did you mean "family"?')
        in_json = self.kbench("tasks", "list", "--task", "relu", "--json").stdout
        self.assertEqual(self.kbench("tasks", "list", "--task", "relu", "--columns", "task", "--json").stdout, in_json)

    def test_missing_suite_is_named(self):
        self.assert_fails(self.kbench("tasks", "list", "--suite", "nowhere"), USAGE, "nowhere",
                          "hint: ")

    def test_one_bad_file_does_not_hide_the_others(self):
        (self.folder / "level1").mkdir()
        shutil.copy(SUITES / "level1/019_relu.json", self.folder / "level1")
        (self.folder / "level1/020_bad.json").write_text("{]", encoding="ascii")
        result = self.kbench("tasks", "list", "--suite", self.folder)
        self.assert_fails(result, USAGE, "1 of them unreadable")
        self.assertIn("level1/019_relu", result.stdout)
        self.assertRegex(result.stdout, "level1/020_bad .*  unreadable: ")

    def test_no_foreign_text_controls_the_terminal(self):
        """Was: a schema of another name went to the terminal as it stands in the file."""
        (self.folder / "level1").mkdir()
        steering = "\x1b[31m\u202e"
        for name, head in (("001_schema", {"schema": steering, "title": "t"}),
                           ("002_title", {"schema": "kbench-task/1", "title": steering}),
                           ("003_reason", {"schema": "kbench-task/1", "title": "t",
                                           "lint_accepts": {"zeros": steering}})):
            text = json.dumps({**head, "sizes": {}}, ensure_ascii=False)
            (self.folder / f"level1/{name}.json").write_text(text, encoding="utf-8")
        for format in "table", "json":
            shown = self.kbench("tasks", "list", "--suite", self.folder, "--format", format).stdout
            self.assertIn("002_title", shown)
            for character in steering[0], steering[-1]:
                self.assertNotIn(character, shown, format)

    def test_hostile_titles_cannot_steer_the_terminal(self):
        text = (SUITES / "level1/019_relu.json").read_text(encoding="utf-8")
        hostile = re.sub('"title": ".*?"', r'"title": "\\u001b[2Jowned\\u202e"', text, count=1)
        (self.folder / "level1").mkdir()
        (self.folder / "level1/019_relu.json").write_text(hostile, encoding="utf-8")
        result = self.kbench("tasks", "list", "--suite", self.folder)
        self.assert_good(result)
        self.assertIn("owned", result.stdout)
        self.assertNotIn("\x1b", result.stdout)
        self.assertNotIn("\u202e", result.stdout)


class TasksShowTest(cli_case.CliCase):
    def test_every_shipped_task_is_valid(self):
        for task in shipped():
            with self.subTest(task=task):
                self.assert_good(self.kbench("tasks", "show", task))

    def test_table_shows_tensors_and_values(self):
        result = self.kbench("tasks", "show", "level1/019_relu")
        self.assert_good(result)
        for part in ("size small", "size full", "inputs", "outputs", "float32", "uniform"):
            self.assertIn(part, result.stdout)

    def test_json_has_both_sizes(self):
        result = self.kbench("tasks", "show", "relu", "--format", "json")
        self.assert_good(result)
        task = json.loads(result.stdout)
        self.assertEqual(task["task"], "level1/019_relu")
        self.assertEqual([size["size"] for size in task["sizes"]], ["small", "full"])
        self.assertTrue(os.path.exists(task["source"]))
        self.assertRegex(task["hash"], "^[0-9a-f]{64}$")

    def test_one_size_when_asked(self):
        result = self.kbench("tasks", "show", "relu", "--size", "full", "--format", "json")
        self.assert_good(result)
        self.assertEqual([size["size"] for size in json.loads(result.stdout)["sizes"]], ["full"])

    def test_unknown_task_gets_a_suggestion(self):
        self.assert_fails(self.kbench("tasks", "show", "level1/019_rlu"), NOTHING_SELECTED,
                          'did you mean "level1/019_relu"?')

    def test_a_suite_without_tasks_is_named(self):
        """Was: `no task is called "relu"`, and nothing about the folder."""
        for words in (("tasks", "list"), ("tasks", "show", "relu"), ("tasks", "lint"),
                      ("run", "--task", "relu")):
            self.assert_fails(self.kbench(*words, "--suite", self.folder), USAGE,
                              f"{self.folder}: no task lies in it", "--suite", "kbench import")

    def test_pattern_for_several_tasks_is_refused(self):
        self.assert_fails(self.kbench("tasks", "show", "level1/*"), USAGE, "expected one",
                          "level1/001_square_matrix_multiplication", "and 95 more")

    def test_broken_task_names_file_and_field(self):
        task = json.loads((SUITES / "level1/019_relu.json").read_text(encoding="utf-8"))
        task["sizes"]["small"]["inputs"][0]["shape"][0] = 0
        (self.folder / "level1").mkdir()
        (self.folder / "level1/019_relu.json").write_text(json.dumps(task), encoding="utf-8")
        self.assert_fails(self.kbench("tasks", "show", "relu", "--suite", self.folder), USAGE,
                          "level1/019_relu.json", "sizes.small.inputs[0].shape[0]")


class TasksHeaderTest(cli_case.CliCase):
    def test_every_header_compiles(self):
        source = self.folder / "submission.cpp"
        source.write_text('#include "task.h"\n'
                          'extern "C" int kbench_forward(const kb_inputs*, const kb_params*,\n'
                          '                              const kb_outputs*, kb_context*) {\n'
                          "  return 0;\n}\n", encoding="ascii")
        for task in shipped():
            for size in ("small", "full"):
                with self.subTest(task=task, size=size):
                    result = self.kbench("tasks", "header", task, "--size", size)
                    self.assert_good(result)
                    (self.folder / "task.h").write_text(result.stdout, encoding="utf-8")
                    subprocess.run([os.environ["CXX"], "-std=c++17", "-Wall", "-Wextra", "-Werror",
                                    "-fsyntax-only", f"-I{self.folder}", f"-I{ROOT}/runner/abi",
                                    str(source)], check=True)

    def test_small_is_the_default(self):
        self.assertEqual(self.kbench("tasks", "header", "relu").stdout,
                         self.kbench("tasks", "header", "relu", "--size", "small").stdout)

    def test_out_writes_all_that_a_compiler_needs(self):
        source = self.folder / "submission.cpp"
        source.write_text('#include "task.h"\n', encoding="ascii")
        self.assert_good(self.kbench("tasks", "header", "relu", "--out", self.folder / "new" / "headers"))
        subprocess.run([os.environ["CXX"], "-std=c++17", "-fsyntax-only",
                        f"-I{self.folder}/new/headers", str(source)], check=True)
        self.assert_fails(self.kbench("tasks", "header", "relu", "--out", source), USAGE,
                          "cannot make the folder")


class TasksPromptTest(cli_case.CliCase):
    @staticmethod
    def block(text, heading):
        """The first block of code below a heading."""
        return re.search(rf"^## {heading}$.*?^```\w+\n(.*?)^```$", text, re.M | re.S).group(1)

    def test_gpus_are_asked_for_once(self):
        """Counted by what the loader looks for: starting NVML takes 0.1 s."""
        looked_for = self.folder / "libraries"
        result = self.kbench("tasks", "prompt", "level1/019_relu", LD_DEBUG="libs",
                             LD_DEBUG_OUTPUT=str(looked_for))
        self.assert_good(result)
        lines = "".join(file.read_text() for file in self.folder.glob("libraries.*")).splitlines()
        self.assertEqual(sum("find library=libnvidia-ml.so" in line for line in lines), 1)

    def test_it_holds_all_that_a_submission_needs(self):
        for task in ("level1/019_relu", "level3/039_gru"):
            result = self.kbench("tasks", "prompt", task, "--device", "cpu")
            self.assert_good(result)
            source = (SUITES / f"{task}.py").read_text(encoding="utf-8")
            self.assertEqual(self.block(result.stdout, "Reference"), source)
            self.assertEqual(self.block(result.stdout, "Interface"),
                             self.kbench("tasks", "header", task).stdout)
            for name, heading in (("task.h", "Interface"), ("submission.cpp", "Skeleton")):
                (self.folder / name).write_text(self.block(result.stdout, heading), "utf-8")
            subprocess.run([os.environ["CXX"], "-std=c++20", "-fsyntax-only", f"-I{self.folder}",
                            f"-I{ROOT}/runner/abi", str(self.folder / "submission.cpp")], check=True)

    def test_the_example_compiles_as_printed(self):
        for task, example in (("level1/019_relu", "level1/023_softmax"),
                              ("level1/023_softmax", "level1/019_relu")):
            prompt = self.kbench("tasks", "prompt", task, "--device", "cpu").stdout
            self.assert_good(self.kbench("tasks", "header", example, "--out", self.folder))
            source = self.folder / "example.cpp"
            source.write_text(self.block(prompt, "Example"), "utf-8")
            subprocess.run([os.environ["CXX"], "-std=c++20", "-fopenmp", "-march=native",
                            "-fsyntax-only", str(source)], check=True)
        prompt = self.kbench("tasks", "prompt", "level1/019_relu", "--device", "cuda:7").stdout
        self.assertEqual(re.findall(r'#include "(.*)"', self.block(prompt, "Example")), ["task.h"])

    def test_it_tells_of_the_context_and_the_hard_draws(self):
        prompt = self.kbench("tasks", "prompt", "level1/019_relu", "--device", "cpu").stdout
        self.assertIn("} kb_context;", prompt)
        self.assertIn("exact zeros and ones", prompt)

    def test_python_and_triton_show_an_interface_of_their_own(self):
        for language, device in (("python", "cpu"), ("python", "cuda:7"), ("triton", "cuda:7")):
            for task in ("level1/019_relu", "level2/076_gemm_add_relu", "level3/004_lenet5"):
                with self.subTest(language, device=device, task=task):
                    result = self.kbench("tasks", "prompt", task, "--device", device,
                                         "--language", language)
                    self.assert_good(result)
                    self.check_python(result.stdout, task, language)

    def check_python(self, prompt, task, language):
        size = "small" if "(size `small`)" in prompt else "full"
        lowered = json.loads((SUITES / f"{task}.json").read_text(encoding="utf-8"))["sizes"][size]
        for spec in lowered["inputs"] + lowered["outputs"]:
            self.assertIn(f"- `{spec['name']}`: {spec['dtype']} {spec['shape']}\n", prompt)
        for spec in lowered["parameters"]:
            if spec["fqn"]:
                self.assertIn(f"- `{spec['fqn']}`: {spec['dtype']} {spec['shape']}\n", prompt)
        for policy in ("data", "all", "none"):
            self.assertIn(f"--allow-torch {policy}", prompt)
        self.assertNotIn("kb_", prompt.split("## Interface")[1])
        example = self.block(prompt, "Example")
        for code in (self.block(prompt, "Skeleton"), example):
            tree = ast.parse(code)
            classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
            self.assertEqual(classes, ["ModelNew"])
            imported = {alias.name.partition(".")[0] for node in ast.walk(tree)
                        for alias in getattr(node, "names", []) if isinstance(node, ast.Import)}
            self.assertEqual("triton" in imported, language == "triton")
        self.assertNotIn(f"another task, {task},", prompt)
        self.assertIn("@triton.jit" if language == "triton" else "nn.Module", example)

    def test_a_language_brings_its_device_and_refuses_others(self):
        for language, size in (("cpp", "small"), ("cuda", "full"), ("triton", "full")):
            result = self.kbench("tasks", "prompt", "relu", "--language", language)
            self.assert_good(result)
            self.assertIn(f"(size `{size}`)", result.stdout)
        for language, device in (("triton", "cpu"), ("cuda", "cpu"), ("cpp", "cuda")):
            self.assert_fails(
                self.kbench("tasks", "prompt", "relu", "--language", language, "--device", device),
                USAGE, f"{language} does not run on --device {device}")

    def test_the_example_is_never_the_task_itself(self):
        for task, example in (("relu", "softmax"), ("softmax", "relu")):
            prompt = self.kbench("tasks", "prompt", f"level1/*_{task}", "--device", "cpu").stdout
            self.assertRegex(prompt, rf"A submission for another task, level1/\d+_{example},")

    def test_size_follows_the_device(self):
        for device, size in (("cpu", "small"), ("cuda:7", "full")):
            result = self.kbench("tasks", "prompt", "relu", "--device", device)
            self.assert_good(result)
            self.assertIn(f"(size `{size}`)", result.stdout)
        result = self.kbench("tasks", "prompt", "relu", "--device", "cpu", "--size", "full")
        self.assertIn("(size `full`)", result.stdout)

    def test_unknown_words(self):
        self.assert_fails(self.kbench("tasks", "prompt", "level1/019_rlu"), NOTHING_SELECTED,
                          "did you mean")
        self.assert_fails(self.kbench("tasks", "prompt", "relu", "--device", "tpu"), USAGE, "tpu")


if __name__ == "__main__":
    cli_case.main()
