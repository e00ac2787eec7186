"""kbench run on the CPU: faults, resuming after a kill, Ctrl-C, and what the output promises.

Times are looked at in OutputTest and NothingHandedInTest: the other tests run beside whatever else the machine
does. Most evaluate tasks of tests/tiny, since nothing here depends on how much there is to compute. The
compiled baseline takes long to build and is the matter of packages_test: here KBENCH_TORCH names a folder, as
with an unpacked libtorch, so there is no Python and the rows say so.
"""

import json
import os
import shutil
import signal
import sqlite3
import subprocess

import cli_case
import own_processes
from cli_case import (GOOD, INFRASTRUCTURE, INTERRUPTED, KBENCH, NOTHING_SELECTED, ROOT, TASK_FAILED, TINY,
                      USAGE)
from prepared import Prepared

FAULTS = ROOT / "tests" / "faults" / "submissions"
SOFTMAX = "level1/023_softmax"
GEMM = "level2/076_gemm_add_relu"
RELU = ("--task", "level1/019_relu", "--device", "cpu")
TINY_RELU = (*RELU, "--suite", TINY)
CHECKED = (*TINY_RELU, "--checks-only")
# Limit for a call that never ends: enough for an honest one of microseconds on a busy machine.
CALL_LIMIT = ("--call-limit", "5")
EAGER, SUBMISSION = 0, 2  # as the store's schema numbers the sides

EXPECTED = {
    "honest": "ok",
    "floods_its_output": "ok",
    "aborts": "crash",
    "closes_all_descriptors": "crash",
    "illegal_instruction": "crash",
    "overflows_the_stack": "crash",
    "runs_out_of_memory": "crash",
    "speaks_nonsense": "crash",
    "throws": "crash",
    "deadlocks": "timeout",
    "stops_itself": "timeout",
    "includes_a_secret": "compile_error",
    "asks_for_a_huge_workspace": "load_error",
    "undefined_function": "load_error",
    "starts_processes_without_end": "submission_error",
    "starts_threads_without_end": "submission_error",
    "wrong_at_the_end": "wrong_result",
    "writes_nothing": "wrong_result",
    "writes_past_the_end": "redzone_violation",
    "segfault": "crash",
    "exits": "crash",
    "endless_loop": "timeout",
    "does_not_compile": "compile_error",
    "blames_the_machine": "compile_error",
    "missing_symbol": "missing_symbol",
    "returns_an_error": "submission_error",
    "writes_to_its_input": "submission_error",
}


def stored_samples(database):
    """How many samples of each side stand in blocks, how many in none, and the seeds of the evaluations."""
    with sqlite3.connect(database) as store:
        in_blocks, alone = (dict(store.execute(f"SELECT side, count(*) FROM sample WHERE {which} GROUP BY side"))
                            for which in ("block >= 0", "block < 0"))
        return in_blocks, alone, [seed for (seed,) in store.execute("SELECT seed FROM evaluation")]


class RunCase(cli_case.CliCase):
    def run_kbench(self, *words, timeout=400, **environment):
        return self.kbench("run", *words, timeout=timeout, KBENCH_TORCH=str(self.folder),
                           KBENCH_LOCKS=str(self.folder / "locks"), **environment)

    def environment(self):
        variables = {k: v for k, v in os.environ.items() if k not in cli_case.FOREIGN}
        variables.update(HOME=str(self.folder), KBENCH_TORCH=str(self.folder),
                         KBENCH_LOCKS=str(self.folder / "locks"))
        return variables

    def start(self, *words, errors=subprocess.PIPE, **environment):
        return subprocess.Popen([str(KBENCH), "run", *map(str, words)], cwd=self.folder,
                                env={**self.environment(), **environment}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=errors, text=True)

    def rows(self, where="1"):
        with sqlite3.connect(self.folder / "kbench.sqlite", timeout=10) as store:
            return store.execute(f"SELECT count(*), count(DISTINCT key) FROM evaluation "
                                 f"WHERE {where}").fetchone()

    def wait_for_rows(self, wanted, process):
        def there():
            try:
                return self.rows()[0] >= wanted
            except sqlite3.OperationalError:
                return False  # not created yet

        self.wait_until(there, f"{wanted} rows were stored", process)

    def submissions(self, *agents):
        """A folder with these: "b-honest" is the fault `honest` under a name that comes second."""
        folder = self.folder / "faults"
        for agent in agents:
            shutil.copytree(FAULTS / agent.partition("-")[2], folder / agent)
        return folder


class OneAtATimeTest(RunCase):
    """Two runs on one device never measure beside each other, whatever databases they write to
    and whose home they have."""

    HONEST = ("--submissions", FAULTS, "--agent", "honest")

    def start_first(self, *how):
        """A run that has the device, and stands still: it has it until it is continued or killed."""
        first = self.start(*TINY_RELU, *self.HONEST, *how, "--db", "first.sqlite")
        self.addCleanup(first.communicate)
        self.addCleanup(first.kill)
        locks = self.folder / "locks"
        self.wait_until(lambda: locks.is_dir() and any(locks.iterdir()), "the run had the device", first)
        first.send_signal(signal.SIGSTOP)
        return first

    def end_first(self, first):
        first.send_signal(signal.SIGCONT)
        _, told = first.communicate(timeout=120)
        self.assertEqual(first.returncode, GOOD, told)

    def test_the_second_says_for_whom_it_waits_and_measures_afterwards(self):
        first = self.start_first("--checks-only")
        told = self.folder / "second.stderr"
        with open(told, "wb") as errors:
            second = self.start(*CHECKED, *self.HONEST, "--db", "second.sqlite",
                                errors=errors, HOME=str(self.folder / "another"))
            self.wait_until(lambda: "waiting for a turn" in told.read_text("utf-8"),
                            "the second run said that it waits", second)
            self.end_first(first)
            second.communicate(timeout=120)
        self.assertEqual(second.returncode, GOOD, told.read_text("utf-8"))
        self.assertRegex(told.read_text("utf-8"),
                         rf"evaluations of process {first.pid} \(run [0-9a-f]{{12}}, since 20")
        times = []
        for name in ("first", "second"):
            with sqlite3.connect(self.folder / f"{name}.sqlite") as store:
                times += store.execute("SELECT started_at, finished_at FROM run").fetchall()
        self.assertLessEqual(times[0][1], times[1][0], "the second began before the first ended")

    def test_who_does_not_wait_exits_with_3_and_says_who_has_it(self):
        first = self.start_first("--quick")
        second = self.run_kbench(*TINY_RELU, *self.HONEST, "--quick", "--db", "second.sqlite", "--no-wait")
        self.assert_fails(second, INFRASTRUCTURE, f"process {first.pid} (run ")

    def test_a_killed_run_keeps_nobody_waiting(self):
        first = self.start_first("--quick")
        first.kill()
        first.communicate()
        self.assert_good(self.run_kbench(*CHECKED, *self.HONEST, "--db", "second.sqlite", "--no-wait"))


class ShardsTest(RunCase):
    def test_shards_are_runs_of_their_own_and_one_report(self):
        tasks = (*CHECKED, "--task", SOFTMAX, "--task", GEMM, "--submissions", FAULTS, "--agent", "honest")
        for shard in ("1/2", "2/2"):
            self.assert_good(self.run_kbench(*tasks, "--shard", shard, "--group", "nightly-12",
                                             "--db", f"{shard[0]}.sqlite"))
        self.assert_good(self.kbench("db", "merge", "all.sqlite", "1.sqlite", "2.sqlite"))
        result = self.kbench("report", "json", "--db", "all.sqlite")
        self.assert_good(result)
        report = json.loads(result.stdout)
        self.assertEqual([row["task"] for row in report["results"]],
                         ["level1/019_relu", SOFTMAX, GEMM])
        self.assertEqual(report["group"]["missing"], [])
        self.assertEqual(len(report["group"]["runs"]), 2)
        self.assertEqual(report["chain"]["state"], "holds")
        rows = {len(json.loads(self.kbench("report", "json", "--db", f"{n}.sqlite").stdout)
                    ["results"]) for n in (1, 2)}
        self.assertEqual(rows, {1, 2})
        self.assertIn("1/2 of nightly-12", self.kbench("runs", "--db", "all.sqlite").stdout)

    def test_a_group_is_asked_for_its_rows_and_compared_as_a_whole(self):
        relu = (ROOT / FAULTS / "honest" / "level1" / "019_relu.cpp").read_text(encoding="utf-8")
        for name in ("019_relu", "023_softmax"):  # of the second the result is wrong: a row as well
            file = self.folder / "subs" / "mine" / "level1" / f"{name}.cpp"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(relu, encoding="utf-8")
        tasks = (*CHECKED, "--task", SOFTMAX, "--submissions", "subs", "--db", "both.sqlite")
        for shard in ("1/2", "2/2"):
            self.run_kbench(*tasks, "--shard", shard, "--group", "nightly-12")
        for task in ("level1/019_relu", SOFTMAX):
            out = f"sources-{task[-4:]}"
            self.assert_good(self.kbench("sources", "nightly-12", "--task", task, "--agent", "mine",
                                         "--out", out, "--db", "both.sqlite"))
            written = self.folder / out / "mine" / f"{task}.cpp"
            self.assertEqual(written.read_text(encoding="utf-8"), relu)
        again = self.kbench("reproduce", "nightly-12", "--task", "level1/019_relu", "--agent", "mine",
                            "--into", "again.sqlite", "--db", "both.sqlite", timeout=300)
        self.assertIn("the same evaluation as in run", again.stderr)
        shards = json.loads(self.kbench("runs", "--json", "--db", "both.sqlite").stdout)
        first, second = (run["id"] for run in shards["runs"])
        self.assert_fails(self.kbench("compare", first, second, "--db", "both.sqlite"), USAGE,
                          'both names are shards of "nightly-12", which is compared as a whole')


class FaultsTest(RunCase):
    def test_each_fault_has_its_state_and_the_run_goes_on(self):
        result = self.run_kbench(*CHECKED, *CALL_LIMIT, "--submissions", FAULTS, "--format", "json")
        self.assert_fails(result, TASK_FAILED)
        report = json.loads(result.stdout)
        states = {row["agent"]: row["state"] for row in report["results"]}
        self.assertEqual(states, EXPECTED)
        for row in report["results"]:
            fine = EXPECTED[row["agent"]] == "ok"
            self.assertEqual(row["fault"], "none" if fine else "submission")
            if not fine:
                self.assertTrue(row["message"], row)
        honest = next(row for row in report["results"] if row["agent"] == "honest")
        self.assertIs(honest["correct"], True)
        past = next(row for row in report["results"] if row["agent"] == "writes_past_the_end")
        self.assertEqual(past["message"],
                         "4 bytes outside of the outputs were written to, the first of them behind y")
        self.assertEqual(self.rows(), (len(EXPECTED), len(EXPECTED)))
        self.assert_nothing_left()

    def test_an_oracle_that_cannot_start_ends_the_run_at_once(self):
        """Was: said when the last of all submissions had been compiled."""
        programs = self.folder / "bin"
        shutil.copytree(KBENCH.parent, programs)
        # It ends a moment after it was started, when the first submission is being compiled.
        (programs / "kbench-oracle").write_text(
            "#!/bin/sh\ni=0\nwhile [ $i -lt 100000 ]; do i=$((i + 1)); done\nexit 1\n", encoding="ascii")
        honest = (FAULTS / "honest/level1/019_relu.cpp").read_text(encoding="utf-8")
        agents = 12
        for agent in range(agents):
            file = self.folder / f"subs/agent{agent}/level1/019_relu.cpp"
            file.parent.mkdir(parents=True)
            file.write_text(f"{honest}// {agent}\n", encoding="utf-8")
        cache = self.folder / "cache"
        result = subprocess.run(
            [programs / "kbench", "run", *CHECKED, "--submissions", "subs", "--jobs", "1"],
            cwd=self.folder, env={**self.environment(), "KBENCH_CACHE": str(cache)},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=400, check=False)
        self.assert_fails(result, INFRASTRUCTURE)
        self.assertLess(sum(1 for _ in cache.glob("submissions/*")), agents)

class NightTest(RunCase):
    def test_a_night_has_one_outcome(self):
        """Was: that of its run as well, in front of its own."""
        self.begin_checked()
        night = self.kbench("nightly", *TINY_RELU, "--quick", "--submissions",
                            self.submissions("a-honest"), timeout=400, KBENCH_TORCH=str(self.folder),
                            KBENCH_LOCKS=str(self.folder / "locks"))
        self.assertEqual(self.rows(), (1, 1))
        outcomes = [line for line in night.stderr.splitlines() if line.startswith("kbench: ")]
        self.assertEqual(len(outcomes), 1, night.stderr)

    def test_ctrl_c_while_a_night_measures_again_is_no_fault_of_ours(self):
        folder = self.submissions("a-honest")
        self.begin_checked()
        words = (str(KBENCH), "nightly", *map(str, TINY_RELU), "--quick", *CALL_LIMIT,
                 "--submissions", str(folder))
        first = self.kbench(*words[1:], timeout=400, KBENCH_TORCH=str(self.folder),
                            KBENCH_LOCKS=str(self.folder / "locks"))
        self.assert_good(first)
        # A submission that passed and fails now is tried once more, and this takes as long as a call may.
        shutil.copy(FAULTS / "deadlocks/level1/019_relu.cpp", folder / "a-honest/level1/019_relu.cpp")
        told = self.folder / "night.txt"
        with open(told, "w", encoding="utf-8") as errors, subprocess.Popen(
                words, cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=errors) as night:
            self.addCleanup(night.kill)
            self.wait_until(lambda: "measuring 1 of 1 suspected again" in told.read_text(encoding="utf-8"),
                            "a row was measured again", night)
            night.send_signal(signal.SIGINT)
            night.wait(timeout=60)
        self.assertEqual(night.returncode, INTERRUPTED, told.read_text(encoding="utf-8"))
        self.assertIn("interrupted while measuring again", told.read_text(encoding="utf-8"))


class OutputTest(Prepared, RunCase):
    """One timed run: what it prints, and what it stores. That a whole one stores every sample is seen by serve_test,
    which needs one."""

    def prepare(self):
        self.begin_checked()
        self.result = self.run_kbench(*TINY_RELU, "--quick", "--submissions", FAULTS, "--agent", "honest",
                                      "--format", "json")
        self.assert_good(self.result)

    def test_json_is_pure_and_complete(self):
        report = json.loads(self.prepared.result.stdout)
        self.assertEqual(report["schema_version"], 2)
        for field in ("run_id", "device", "environment"):
            self.assertIn(field, report)
        (row,) = report["results"]
        self.assertEqual((row["task"], row["level"], row["size"], row["agent"], row["state"],
                          row["fault"], row["correct"]),
                         ("level1/019_relu", 1, "small", "honest", "ok", "none", True))
        self.assertGreater(row["time_ns"]["eager"], 0)
        self.assertGreater(row["time_ns"]["submission"], 0)
        self.assertIsNone(row["time_ns"]["compiled"])
        self.assertIn("Python", row["time_ns"]["reason"]["compiled"])
        speedup = row["speedup"]["eager"]
        self.assertLessEqual(speedup["low"], speedup["estimate"])
        self.assertLessEqual(speedup["estimate"], speedup["high"])
        self.assertEqual((speedup["verdict"], speedup["calibrated"]), ("NO VERDICT", False))
        self.assertLessEqual(row["max_error"], row["tolerance"])

    def test_every_sample_is_stored(self):
        sides, alone, seeds = stored_samples(self.folder / "kbench.sqlite")
        self.assertEqual(set(sides), {EAGER, SUBMISSION})
        self.assertEqual(set(alone), {EAGER}, "timed while there was no worker")
        self.assertEqual(sides[EAGER], sides[SUBMISSION])
        self.assertGreaterEqual(sides[SUBMISSION], 8)
        self.assertRegex(seeds[0], "^[0-9a-f]{64}$")


class NothingHandedInTest(RunCase):
    def test_a_task_without_submission_is_no_failure(self):
        other = self.folder / "subs/alice/level1/023_softmax.cpp"
        other.parent.mkdir(parents=True)
        other.write_text("int not_selected;\n", encoding="ascii")
        self.begin_checked()
        result = self.run_kbench(*TINY_RELU, "--quick", "--submissions", "subs", "--format", "json",
                                 "--html", "page.html")
        self.assert_good(result)
        (row,) = json.loads(result.stdout)["results"]
        self.assertEqual(row["state"], "no_submission")
        self.assertIsNone(row["correct"])
        self.assertIn("level1/019_relu", (self.folder / "page.html").read_text())


class SelectionTest(RunCase):
    def test_nothing_selected(self):
        self.assert_fails(self.run_kbench("--task", "level9/*"), NOTHING_SELECTED, "`kbench tasks list`")

    def test_unknown_task_gets_a_hint(self):
        self.assert_fails(self.run_kbench("--task", "level1/019_rel"), NOTHING_SELECTED, "019_relu")

    def test_unknown_device(self):
        self.assert_fails(self.run_kbench("--device", "tpu"), USAGE, "tpu")

    def test_a_number_is_a_task(self):
        self.assert_fails(self.run_kbench("--task", "19", "--level", "9"), NOTHING_SELECTED)


class OneFileTest(RunCase):
    def setUp(self):
        super().setUp()
        for name in ("my_relu.cpp", "019_relu@mine.cpp", "my_relu.txt", "my_relu.cu"):
            shutil.copy(FAULTS / "honest" / "level1" / "019_relu.cpp", self.folder / name)

    def test_what_it_cannot_be(self):
        for words, part in (
                (("my_relu.cpp", "--device", "cpu"), "--task level1/019_relu"),
                (("my_relu.cpp", "--task", "level1/01*"), "a file is for one task, and these options select"),
                (("nowhere.cpp", *RELU), "nowhere.cpp: no such file"),
                ((".", *RELU), "--submissions ."),
                (("my_relu.txt", *RELU), "ends in .cu (CUDA), .cpp (CPU) or .py (Python)"),
                (("my_relu.cu", *RELU), "use --device cuda"),
                (("my_relu.cpp", *RELU, "--name", "a/b"), '"a/b" is not allowed for an agent'),
                (("--submissions", FAULTS, *RELU, "--name", "me"), "--name is of a single file"),
                (("my_relu.cpp", *RELU, "--agent", "me"), "--agent")):
            with self.subTest(words):
                self.assert_fails(self.run_kbench(*words), USAGE, part)

    def test_a_file_of_an_agent_s_folder_is_the_agent_s(self):
        """Was: of an agent called like the file, and with a header nobody could get its sources back."""
        place = self.folder / "subs" / "alice" / "level1"
        place.mkdir(parents=True)
        text = (self.folder / "my_relu.cpp").read_text(encoding="utf-8")
        (place / "019_relu.cpp").write_text('#include "mine.hpp"\n' + text, encoding="utf-8")
        (place.parent / "include").mkdir()
        (place.parent / "include" / "mine.hpp").write_text("// mine\n", encoding="utf-8")
        result = self.run_kbench(place / "019_relu.cpp", "--device", "cpu", "--checks-only", "--suite", TINY,
                                 "--format", "json")
        self.assert_good(result)
        (row,) = json.loads(result.stdout)["results"]
        self.assertEqual((row["agent"], row["submission"], row["state"]),
                         ("alice", "alice/level1/019_relu.cpp", "ok"))
        again = self.kbench("reproduce", "latest", "--task", "level1/019_relu", "--agent", "alice", "--into",
                            "again.sqlite", KBENCH_TORCH=str(self.folder), timeout=300)
        self.assert_good(again)
        self.assertIn("the same evaluation as in run", again.stderr)


class TriesTest(RunCase):
    def test_two_files_are_two_tries_of_one_agent(self):
        """Was: "GONE v1, NEW v2", since each file was an agent of its own."""
        right = (FAULTS / "honest" / "level1" / "019_relu.cpp").read_text(encoding="utf-8")
        (self.folder / "v1.cpp").write_text(right.replace(";", "", 1), encoding="utf-8")
        (self.folder / "v2.cpp").write_text(right, encoding="utf-8")
        self.begin_checked()
        first = self.run_kbench("v1.cpp", *TINY_RELU, "--quick")
        self.assert_fails(first, TASK_FAILED, "1 of 1 row failed")
        self.assertIn("✗ compile error", first.stdout)
        second = self.run_kbench("v2.cpp", *TINY_RELU, "--quick")
        self.assert_good(second)
        self.assertIn("✓ correct", second.stdout.splitlines()[0])
        result = self.kbench("compare", "--format", "json")
        self.assert_good(result)
        (row,) = json.loads(result.stdout)["rows"]
        self.assertEqual((row["task"], row["agent"], row["change"]), ("level1/019_relu", "me", "NOW PASSES"))


class CensusTest(RunCase):
    """Every file below --submissions is accounted for."""

    def submit(self, *paths):
        for path in paths:
            file = self.folder / "subs" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(FAULTS / "honest" / "level1" / "019_relu.cpp", file)

    def test_a_folder_without_any_submission(self):
        """Was: the baselines alone, and exit code 0."""
        (self.folder / "subs").mkdir()
        words = (*RELU, "--submissions", "subs")
        self.assert_fails(self.run_kbench(*words), USAGE, "nothing below subs can be evaluated",
                          "--baselines-only")
        self.submit("README")  # in the folder itself, and meant as nothing
        (self.folder / "subs" / "README").rename(self.folder / "subs" / "README.md")
        self.assert_fails(self.run_kbench(*words), USAGE, "nothing below subs can be evaluated")
        self.assertFalse((self.folder / "kbench.sqlite").exists())

    def test_what_cannot_be_evaluated_at_all_ends_before_the_run(self):
        for path, folder, words in (
                ("alice/level1/019_relu.cpp", "subs/alice", "Give the folder above"),
                ("bob/level1/019_rellu.cpp", "subs", "did you mean level1/019_relu?"),
                ("carl/level11/019_relu.cpp", "subs", "there is no task level11/019_relu"),
                ("dora/019_relu.cpp", "subs", "lies in AGENT/levelN/"),
                ("erin/level1/019_relu", "subs", "ends in .cu (CUDA), .cpp (CPU) or .py (Python)"),
                ("019_relu.cpp", "subs", "not at the top")):
            with self.subTest(path):
                self.submit(path)
                self.assert_fails(self.run_kbench(*RELU, "--submissions", folder), USAGE, words)
                shutil.rmtree(self.folder / "subs")

    def test_what_is_ignored_is_said_and_fails(self):
        self.submit("alice/level1/019_relu.cpp", "alice/level1/023_softmax.cpp",
                    "alice/level1/020_tanh.cpp", "alice/level1/019_relu", "alice/README.md")
        result = self.run_kbench(*CHECKED, "--submissions", "subs", "--format", "json")
        self.assert_fails(result, TASK_FAILED, "files: evaluated 1, not selected 1, ignored 3",
                          "ignored alice/level1/020_tanh.cpp: there is no task level1/020_tanh",
                          "kbench: 1 row, none failed; ", "; 2 files that look like a submission ignored (exit code 1)")
        files = json.loads(result.stdout)["files"]
        self.assertEqual((files["evaluated"], files["other_device"], files["not_selected"]), (1, 0, 1))
        self.assertEqual({(file["path"], file["mistaken"]) for file in files["ignored"]},
                         {("alice/README.md", False), ("alice/level1/019_relu", True),
                          ("alice/level1/020_tanh.cpp", True)})


class KilledTest(RunCase):
    """Runs that one submission keeps waiting for as long as a call may take."""

    def start_run(self, states):
        return self.start(*CHECKED, *CALL_LIMIT, "--submissions", self.submissions(*states))

    def assert_resumed(self, expected):
        resumed = self.run_kbench("--resume", "--format", "json")  # with the options of its run
        self.assert_fails(resumed, TASK_FAILED)
        states = {row["agent"]: row["state"] for row in json.loads(resumed.stdout)["results"]}
        self.assertEqual(states, expected)
        self.assertEqual(self.rows(), (len(expected), len(expected)))

    def test_kill_and_resume_loses_and_doubles_nothing(self):
        states = {"a-honest": "ok", "b-segfault": "crash", "c-deadlocks": "timeout", "d-honest": "ok"}
        process = self.start_run(states)
        self.wait_for_rows(2, process)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        self.assert_nothing_left()
        self.assertEqual(self.rows(), (2, 2))
        self.assert_resumed(states)

    def test_ctrl_c_saves_the_evaluation_at_hand(self):
        states = {"a-deadlocks": "timeout", "b-honest": "ok", "c-segfault": "crash"}
        process = self.start_run(states)
        own_processes.wait_for("kbench-worker", process.pid)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=120)
        self.assertIn("again to abandon it", told)
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertEqual(self.rows(), (1, 1))
        self.assertEqual(self.rows("state = 'timeout'"), (1, 1))
        self.assert_resumed(states)


if __name__ == "__main__":
    cli_case.main()
