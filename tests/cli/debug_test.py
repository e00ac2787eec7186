"""kbench debug: one file under the sanitizers."""

import json
import pathlib
import unittest

import cli_case
from cli_case import GOOD, TASK_FAILED, USAGE

TASK = "level1/019_relu"
PLANTED = pathlib.Path(__file__).resolve().parents[1] / "debugger"


class DebugTest(cli_case.CliCase):
    def debug(self, file, *words):
        return self.kbench("debug", file, *words)

    def put(self, name, planted):
        text = (PLANTED / planted).read_text(encoding="utf-8")
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def test_a_fault_is_named_with_its_line(self):
        """Was: a folder made, a file copied, and one line of JSON, for a kernel that crashed."""
        result = self.debug(self.put("mine.cpp", "bounds_read_behind_input.cpp"), "--task", TASK)
        self.assertEqual(result.returncode, TASK_FAILED, result.stderr)
        self.assertIn("out of bounds: ", result.stdout)
        self.assertIn("behind the end of input x", result.stdout)
        self.assertRegex(result.stdout, r"at mine\.cpp:\d+ in kbench_forward")
        self.assertIn(f"mine.cpp, {TASK} at small on cpu: not clean (exit code 1)", result.stderr)

    def test_the_name_says_the_task_and_a_clean_kernel_is_not_accused(self):
        result = self.debug(self.put("019_relu.cpp", "clean_rectifier.cpp"), "--json")
        self.assertEqual(result.returncode, GOOD, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual({**answer, "text": ""},
                         {"schema_version": 1, "file": "019_relu.cpp", "task": TASK, "size": "small",
                          "device": "cpu", "clean": True, "status": "answered", "text": ""})
        self.assertIn("Nothing was found in two calls", answer["text"])
        self.assertFalse((self.folder / "kbench.sqlite").exists(), "nothing is stored")

    def test_what_does_not_compile_is_no_clean_kernel(self):
        (self.folder / "broken.cpp").write_text('#include "task.h"\nthis is no C++\n', encoding="utf-8")
        result = self.debug("broken.cpp", "--task", TASK)
        self.assertEqual(result.returncode, TASK_FAILED, result.stderr)
        self.assertIn("It does not compile for the sanitizers", result.stdout)
        self.assertIn("broken.cpp", result.stdout)

    def test_mistakes_are_told_with_what_to_type(self):
        mine = self.put("mine.cpp", "clean_rectifier.cpp")
        self.assert_fails(self.debug(mine), USAGE, "kbench debug FILE --task TASK")
        self.assert_fails(self.debug(mine, "--task", "019_rleu"), cli_case.NOTHING_SELECTED, "019_relu")
        self.assert_fails(self.debug("mien.cpp", "--task", TASK), USAGE, 'did you mean "mine.cpp"?')
        (self.folder / "model.py").write_text("class ModelNew:\n    pass\n", encoding="utf-8")
        self.assert_fails(self.debug("model.py", "--task", TASK, "--device", "cpu"), USAGE,
                          "model.py is written in Python, which no sanitizer runs")


if __name__ == "__main__":
    unittest.main()
