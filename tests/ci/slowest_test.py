"""The lines that .ci/run adds behind CTest's own summary, and its exit code.

CTEST names the program that writes results.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CI = ROOT / ".ci"
CTEST = os.environ["CTEST"]
sys.path.insert(0, str(CI))
import slowest  # noqa: E402

# Tests as CTest has them in a build folder. The one that passes in part prints much before its reason.
TESTS = r"""
add_test(passed sh -c "seq 500")
add_test(failed sh -c "echo wrong; exit 3")
add_test(partly sh -c "seq 500; echo \"test_b (t.B) ... skipped 'busy machine: 3 of 3 rows'\"")
add_test(busy sh -c "echo 'busy machine: load 4.2'; exit 77")
add_test(toolless sh -c "echo 'skipped: no Chromium here'; exit 77")
set_tests_properties(busy toolless PROPERTIES SKIP_RETURN_CODE 77)
add_test(suite sh -c "echo '[  SKIPPED ] S.a'; echo '[  FAILED  ] S.b'; exit 1")
set_tests_properties(suite PROPERTIES SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
"""


def case(name, seconds):
    return f'<testcase name="{name}" classname="{name}" time="{seconds}" status="run"/>'


def results(*cases):
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="Linux">{"".join(cases)}</testsuite>'


class FolderCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_in_folder(self, *words):
        return subprocess.run([str(word) for word in words], cwd=self.folder, check=False, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=120)


class ListTest(FolderCase):
    def listed(self, *cases, others=0):
        (self.folder / "results.xml").write_text(results(*cases), encoding="utf-8")
        return self.run_in_folder(sys.executable, "-B", CI / "slowest.py", "results.xml", "--others", others)

    def test_the_twenty_slowest(self):
        told = self.listed(*(case(f"t{number}", number) for number in range(30)))
        lines = told.stdout.strip().splitlines()
        self.assertEqual(told.returncode, 0, told.stdout)
        self.assertEqual(lines[0], "The 20 slowest of 30 tests:")
        self.assertEqual([line.split()[-1] for line in lines[1:]], [f"t{n}" for n in range(29, 9, -1)])

    def test_what_is_above_the_limit_is_named(self):
        told = self.listed(case("short", 60.0), case("long", 60.1), case("slow_machine", 120.0))
        self.assertEqual(told.returncode, 0, told.stdout)
        self.assertEqual(told.stdout, textwrap.dedent("""
            The 3 slowest of 3 tests:
                120.0 s  slow_machine
                 60.1 s  long
                 60.0 s  short

            Above 60 s without the label slow; make them shorter, or set LABELS slow where they are
            added in CMakeLists.txt and let a shorter test prove here what most changes could break:
                120.0 s  slow_machine
                 60.1 s  long
            None fails for that: none took 120 s more than the 0 s of processor time that other programs used.
            """))

    def test_twice_the_limit_fails(self):
        told = self.listed(case("short", 1), case("long", 61), case("endless", 120.1))
        self.assertEqual(told.returncode, 1, told.stdout)
        self.assertEqual(told.stdout.split("FAILED: ")[1].splitlines()[1:], ["    120.1 s  endless"])

    def test_a_busy_host_makes_nothing_fail(self):
        told = self.listed(case("endless", 370), others=250)
        self.assertEqual(told.returncode, 0, told.stdout)
        self.assertIn("    370.0 s  endless\nNone fails", told.stdout)
        self.assertEqual(self.listed(case("endless", 370.1), others=250).returncode, 1)


class RealResultsTest(FolderCase):
    """Results that the real CTest writes with the words of the preset."""

    def setUp(self):
        super().setUp()
        (self.folder / "CTestTestfile.cmake").write_text(TESTS, encoding="utf-8")
        presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["testPresets"]
        output = next(preset for preset in presets if preset["name"] == "ci")["output"]
        self.assertEqual(output["outputJUnitFile"], "${sourceDir}/build/release/ci-results.xml")
        self.run_in_folder(CTEST, "--output-junit", "results.xml", "--test-output-size-passed",
                           output["maxPassedTestOutputSize"])

    def test_skipped_tests_have_their_reason(self):
        told = self.run_in_folder(sys.executable, "-B", CI / "slowest.py", "results.xml", "--others", 0)
        self.assertIn("nothing is known of these, run them again:\n"
                      "  partly: 3 of 3 rows\n"
                      "  busy: load 4.2\n", told.stdout)
        self.assertIn("Skipped for what is missing here:\n"
                      "  toolless: skipped: no Chromium here\n", told.stdout)

    def test_a_failure_beside_a_skipped_test_of_one_program_is_seen(self):
        told = self.run_in_folder(sys.executable, "-B", CI / "slowest.py", "results.xml", "--others", 0)
        self.assertEqual(told.returncode, 1)
        self.assertTrue(told.stdout.endswith("was:\n  suite\n"), told.stdout)


class OthersTest(unittest.TestCase):
    def test_what_nobody_waited_for_is_of_others(self):
        at_start = "cpu  100 0 100 7 7 0 0 0 0 0"
        now = "cpu  300 100 200 900 900 50 50 100 0 0"  # 600 ticks more, idle ones apart
        second = os.sysconf("SC_CLK_TCK")
        self.assertAlmostEqual(slowest.seconds_of_others(at_start, now, 200 / second), 400 / second)
        self.assertEqual(slowest.seconds_of_others(at_start, now, 700 / second), 0)

    def test_children_that_ended_are_counted(self):
        before = slowest.seconds_of_children(os.getpid())
        work = "import time\nwhile time.process_time() < 0.5: pass"
        subprocess.run([sys.executable, "-c", work], check=True)
        self.assertGreater(slowest.seconds_of_children(os.getpid()), before + 0.4)


class RunTest(FolderCase):
    """.ci/run in a tree whose set-up runs nothing but writes results."""

    def setUp(self):
        super().setUp()
        shutil.copytree(CI, self.folder / ".ci")
        for name in ("third_party", "build/release", ".venv/bin"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / ".venv/bin/python3").symlink_to(sys.executable)
        (self.folder / "build/release/ci-results.xml").write_text(results(case("old", 1)), encoding="utf-8")

    def ci(self, status, *cases):
        written = f"cat >build/release/ci-results.xml <<'END'\n{results(*cases)}\nEND\n" if cases else ""
        setup = self.folder / "third_party/setup"
        setup.write_text(f'#!/bin/sh\necho "called with $*"\n{written}exit {status}\n', encoding="utf-8")
        setup.chmod(0o755)
        return self.run_in_folder(self.folder / ".ci/run")

    def test_it_calls_the_readmes_command_and_closes_with_the_list(self):
        told = self.ci(0, case("one", 3))
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        self.assertEqual(told.stdout, "called with -- ctest --preset ci\n\n"
                                      "The 1 slowest of 1 tests:\n      3.0 s  one\n")
        self.assertIn("third_party/setup -- ctest --preset ci",
                      (ROOT / "README.md").read_text(encoding="utf-8"))

    def test_ctests_exit_code_stays(self):
        told = self.ci(8, case("one", 1e6))
        self.assertEqual(told.returncode, 8)
        self.assertIn("FAILED: above 120 s", told.stdout)

    def test_a_test_that_takes_too_long_fails_it(self):
        self.assertEqual(self.ci(0, case("one", 1e6)).returncode, 1)

    def test_old_results_are_not_read(self):
        for status, expected in ((3, 3), (0, 1)):
            told = self.ci(status)
            self.assertEqual((told.returncode, told.stdout), (expected, "called with -- ctest --preset ci\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
