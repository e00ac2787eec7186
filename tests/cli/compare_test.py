"""kbench runs, tag, compare and history: on databases whose speed-ups are known exactly."""

import contextlib
import fcntl
import json
import os
import pty
import shutil
import sqlite3
import struct
import subprocess
import termios
import unicodedata

import cli_case
from cli_case import GOOD, INFRASTRUCTURE, KBENCH, NOTHING_SELECTED, REGRESSION, USAGE

RELU = "level1/019_relu"


def run_id(number):
    return f"{number:x}a" * 16


class RunsCase(cli_case.CliCase):
    def make(self, runs, name="kbench.sqlite"):
        """Runs of consecutive days, oldest first; each a list of rows, or a dictionary with more."""
        script = []
        for number, run in enumerate(runs, 1):
            run = run if isinstance(run, dict) else {"rows": run}
            script.append({"id": run_id(number), "started_at": f"2026-11-{number:02}T03:00:00Z",
                           **run})
        subprocess.run([os.environ["MAKE_RUNS"], str(self.folder / name)], check=True, text=True,
                       input=json.dumps(script))

    def change(self, program, *values):
        """Changes the file as somebody else's program might."""
        with contextlib.closing(sqlite3.connect(self.folder / "kbench.sqlite")) as store, store:
            *before, last = program.split("; ")
            for statement in before:
                store.execute(statement)
            store.execute(last, values)

    def json_of(self, *words, code=GOOD):
        result = self.kbench(*words, "--json")
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads(result.stdout)


class RunsAndTagsTest(RunsCase):
    def setUp(self):
        super().setUp()
        self.make([[{}], [{}, {"agent": "bob", "state": "crash"}],
                   {"rows": [{}], "device": "Other CPU", "commit": "0123456789abcdef" * 2 + "01234567"}])

    def test_runs_are_listed_newest_first(self):
        result = self.kbench("runs")
        self.assert_good(result)
        lines = result.stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines[2:]],
                         [run_id(n)[:12] for n in (3, 2, 1)])
        self.assertIn("1 ok · 1 crash", result.stdout)
        self.assertIn("0123456789ab+changes", result.stdout)
        runs = self.json_of("runs")["runs"]
        self.assertEqual(runs[1]["states"], {"ok": 1, "crash": 1})
        self.assertEqual(runs[1]["rows"], 2)
        self.assertEqual(runs[0]["device"]["name"], "Other CPU")

    def test_columns_of_the_list_are_chosen_by_name(self):
        result = self.kbench("runs", "--columns", "states,run")
        self.assert_good(result)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["States", "Run"])
        self.assertEqual(lines[3].split(), ["1", "ok", "·", "1", "crash", run_id(2)[:12]])
        self.assert_fails(self.kbench("runs", "--columns", "sates"), USAGE,
                          "is not one of run, tag, shard, task, submission, date, device, commit, rows, states",
                          'did you mean "states"?')
        self.assertEqual(self.json_of("runs", "--columns", "run"), self.json_of("runs"))

    def test_runs_of_a_device(self):
        self.assertEqual([run["id"] for run in self.json_of("runs", "--device", "example")["runs"]],
                         [run_id(2), run_id(1)])
        self.assert_fails(self.kbench("runs", "--device", "h200"), NOTHING_SELECTED, "h200")

    def test_a_tag_names_a_run_everywhere(self):
        self.assert_good(self.kbench("tag", run_id(1)[:4], "nightly-1"))
        for words in (("report", "json", "--run", "nightly-1"), ("report", "json", "--run", "latest~2")):
            result = self.kbench(*words)
            self.assert_good(result)
            self.assertEqual(json.loads(result.stdout)["run_id"], run_id(1))
        self.assertEqual(self.json_of("runs")["runs"][2]["tags"], ["nightly-1"])
        self.assert_fails(self.kbench("report", "json", "--run", "nigthly-1"), NOTHING_SELECTED,
                          'did you mean "nightly-1"?')
        self.assert_fails(self.kbench("tag", "latest", "nightly-1"), USAGE, "another run's already")
        self.assert_fails(self.kbench("tag", "--remove", "nightly-2"), NOTHING_SELECTED,
                          "nightly-1")
        self.assert_good(self.kbench("tag", "--remove", "nightly-1"))
        self.assertEqual(self.json_of("runs")["runs"][2]["tags"], [])

    def test_names_that_read_as_something_else_are_refused(self):
        for name in ("beef", "latest", "a b", "x" * 65, "a/b", ".", ".."):
            with self.subTest(name=name):
                self.assert_fails(self.kbench("tag", "latest", name), USAGE, "cannot be a tag")

    def test_naming_makes_no_database(self):
        self.assert_fails(self.kbench("tag", "latest", "good", "--db", "none.sqlite"), USAGE,
                          "none.sqlite")
        self.assertFalse((self.folder / "none.sqlite").exists())


    def test_a_tag_is_in_the_one_file(self):
        """Was: in the write-ahead log beside it, and lost to whoever copied the database."""
        self.assert_good(self.kbench("tag", "latest", "release-1.2"))
        shutil.copy(self.folder / "kbench.sqlite", self.folder / "copy.sqlite")
        self.assertEqual(self.json_of("runs", "--db", "copy.sqlite")["runs"][0]["tags"],
                         ["release-1.2"])
        self.assertFalse((self.folder / "kbench.sqlite-wal").exists())

    def test_also_where_somebody_else_has_the_file_open(self):
        with contextlib.closing(sqlite3.connect(self.folder / "kbench.sqlite")) as reader:
            reader.execute("SELECT count(*) FROM run").fetchall()
            self.assert_good(self.kbench("tag", "latest", "release-1.2"))
            shutil.copy(self.folder / "kbench.sqlite", self.folder / "copy.sqlite")
        self.assertEqual(self.json_of("runs", "--db", "copy.sqlite")["runs"][0]["tags"],
                         ["release-1.2"])

    def test_tags_that_nobody_could_tell_apart(self):
        self.assert_good(self.kbench("tag", "latest", "Release"))
        self.assert_fails(self.kbench("tag", "latest~1", "release"), USAGE, "capital letters", "Release")
        self.assert_good(self.kbench("tag", "latest", "Release"))

    def test_several_tags_of_a_run(self):
        for name in ("one-tag", "two-tag"):
            self.assert_good(self.kbench("tag", "latest~1", name))
        self.assertIn("  one-tag, two-tag  ", self.kbench("compare", "latest~1", "one-tag").stdout)

    def test_a_tag_whose_run_was_removed(self):
        self.assert_good(self.kbench("tag", "latest", "release-1.2"))
        self.change("PRAGMA foreign_keys = OFF; DELETE FROM run WHERE id = ?", run_id(3))
        self.assert_fails(self.kbench("report", "json", "--run", "release-1.2"), NOTHING_SELECTED,
                          "not there any more", "kbench tag --remove release-1.2")
        self.assert_good(self.kbench("tag", "--remove", "release-1.2"))

    def test_an_id_comes_before_a_tag_of_that_name(self):
        """A writer of the file may write a tag into it that kbench would refuse."""
        self.change("INSERT INTO tag VALUES (?, ?, 'now')", run_id(1), run_id(2))
        self.change("INSERT INTO tag VALUES (?, ?, 'now')", run_id(1)[:3], run_id(2))
        for name in (run_id(1), run_id(1)[:4], run_id(1)[:3]):
            result = self.kbench("report", "json", "--run", name)
            self.assert_good(result)
            self.assertEqual(json.loads(result.stdout)["run_id"], run_id(1), name)

    def test_a_damaged_file_is_not_written_to(self):
        self.change("UPDATE evaluation SET state = 'splendid' WHERE run_id = ?", run_id(3))
        self.assert_refused_unwritten("splendid", "tag", "latest", "release-1.2")
        file = self.folder / "kbench.sqlite"
        data = bytearray(file.read_bytes())
        for page in range(3, len(data) // 4096, 2):
            data[page * 4096:page * 4096 + 64] = b"\xff" * 64
        file.write_bytes(data)
        self.assert_refused_unwritten("kbench.sqlite", "tag", "latest~1", "release-1.2")

    def assert_refused_unwritten(self, part, *words):
        before = (self.folder / "kbench.sqlite").read_bytes()
        result = self.kbench(*words)
        self.assertIn(result.returncode, (USAGE, INFRASTRUCTURE), result.stderr)
        self.assertIn(part, result.stderr)
        self.assertEqual((self.folder / "kbench.sqlite").read_bytes(), before)

    def test_one_run_that_is_damaged_does_not_hide_the_others(self):
        self.change("UPDATE evaluation SET state = 'splendid' WHERE run_id = ?", run_id(3))
        result = self.kbench("runs")
        self.assert_good(result)
        self.assertIn("1 damaged", result.stdout)
        self.assertEqual([(run["rows"], run["damaged"]) for run in self.json_of("runs")["runs"]],
                         [(1, 1), (2, 0), (1, 0)])
        self.assert_fails(self.kbench("report", "table"), USAGE, "splendid")

    def test_a_row_that_is_ok_and_wrong_is_damage(self):
        self.change("UPDATE evaluation SET correct = 0 WHERE run_id = ?", run_id(3))
        self.assert_fails(self.kbench("report", "table"), USAGE, "correct is no, of a row that is ok")

    def test_what_names_a_run_steers_no_terminal(self):
        evil = "\x1b]0;owned\x07\x1b[2J"
        for words in (("report", "json", "--run", evil), ("runs", "--device", evil),
                      ("tag", "latest", evil), ("tag", "--remove", evil), ("history", evil),
                      ("history", RELU, "--agent", evil), ("compare", evil, evil),
                      ("report", "csv", "--db", evil), ("report", "csv", "-o", f"no/{evil}"),
                      (evil,), ("runs", evil), ("runs", f"--{evil}"), ("runs", "--color", evil)):
            with self.subTest(words=words):
                result = self.kbench(*words)
                self.assertNotEqual(result.returncode, GOOD)
                self.assertNotIn("\x1b", result.stderr)
                self.assertNotIn("\x07", result.stderr)
        self.change("UPDATE run SET id = ? WHERE id = ?", evil, run_id(3))
        for words in (("runs",), ("report", "table"), ("compare",), ("tag", "latest", "good")):
            with self.subTest(words=words):
                result = self.kbench(*words)
                self.assert_fails(result, USAGE, "id is no run's id")
                self.assertNotIn("\x1b", result.stdout + result.stderr)


class CompareTest(RunsCase):
    def assert_changes(self, report, expected):
        self.assertEqual({(row["agent"], row["change"]) for row in report["rows"]}, expected)

    def test_the_newest_two_runs_of_the_device_are_the_default(self):
        self.make([[{"submission_ns": 2_000_000}], [{"submission_ns": 1_000_000}],
                   {"rows": [{}], "device": "Other CPU"}, [{"submission_ns": 1_200_000}]])
        report = self.json_of("compare")
        self.assertEqual((report["before"]["id"], report["after"]["id"]), (run_id(2), run_id(4)))
        self.assert_changes(report, {("alice", "SLOWER")})
        report = self.json_of("compare", "latest~2", "latest")
        self.assertEqual(report["before"]["id"], run_id(1), "counted among the device's runs")
        self.assert_fails(self.kbench("compare", run_id(1)[:3], "latest~1"), USAGE, "device")

    def test_a_file_is_compared_with_its_own_last_try(self):
        """Between v1.cpp and v2.cpp another file was tried, and a folder: neither is a try of it."""
        tries = [{"choices": {"file": f"/{name}.cpp", "tasks": [task]},
                  "rows": [{"agent": "me", "task": task, "submission": f"{name}.cpp", "submission_ns": time}]}
                 for name, task, time in (("v1", RELU, 1_000_000), ("softmax", "level1/023_softmax", 900_000),
                                          ("v2", RELU, 700_000))]
        self.make([*tries[:2], [{}], tries[2]])
        report = self.json_of("compare", "--fail-on", "fails")
        self.assertEqual(report["before"]["id"], run_id(1))
        self.assert_changes(report, {("me", "FASTER")})
        result = self.kbench("compare", run_id(2)[:4], run_id(4)[:4])
        self.assert_fails(result, NOTHING_SELECTED, "have no submission in common")

    def test_three_tries_wrong_slower_faster(self):
        """A newcomer types v1.cpp, v2.cpp, v3.cpp, and compare after each."""
        tries = [{"choices": {"file": f"/{name}.cpp", "tasks": [RELU]},
                  "rows": [{"agent": "me", "submission": f"{name}.cpp", "source": name, **row}]}
                 for name, row in (("v1", {"state": "wrong_result"}), ("v2", {"submission_ns": 9_000_000}),
                                   ("v3", {"submission_ns": 700_000}))]
        for count, before, after, told in ((2, 1, 2, "1 submission: 1 NOW PASSES"),
                                           (3, 2, 3, "1 submission: 1 FASTER")):
            with self.subTest(told):
                self.make(tries[:count], f"{count}.sqlite")
                result = self.kbench("compare", "--fail-on", "slower:5%,fails", "--db", f"{count}.sqlite")
                self.assert_good(result)
                self.assertEqual(result.stdout.splitlines()[-1], told)
                self.assertEqual(result.stderr.splitlines()[-1],
                                 f"kbench: compared {run_id(after)[:12]} with {run_id(before)[:12]}")
        backwards = self.kbench("compare", run_id(3)[:4], run_id(2)[:4], "--fail-on", "slower:5%", "--db", "3.sqlite")
        self.assert_fails(backwards, REGRESSION, "of me takes 1185.7 % longer")

    def test_what_a_rerun_of_failures_did_not_take_is_not_gone(self):
        self.make([[{}, {"variant": "v2"}, {"agent": "bob", "state": "crash"}],
                   {"choices": {"rerun": {"run": run_id(1), "states": ["failed"]}}, "rows": [{"agent": "bob"}]}])
        report = self.json_of("compare", run_id(1)[:4], run_id(2)[:4], "--fail-on", "fails")
        self.assert_changes(report, {("bob", "NOW PASSES")})
        self.assertEqual(report["left_out"]["before"], 2)

    def test_a_regression_is_exit_code_4_when_asked_for(self):
        self.make([[{"submission_ns": 1_000_000}], [{"submission_ns": 1_100_000}]])
        self.assert_good(self.kbench("compare"))
        self.assert_good(self.kbench("compare", "--fail-on", "slower:15%,fails"))
        result = self.kbench("compare", "--fail-on", "slower:5%")
        self.assert_fails(result, REGRESSION, "level1/019_relu of alice takes 10.0 % longer",
                          "exit code 4")
        self.assertIn("▼ SLOWER", result.stdout)
        self.json_of("compare", "--fail-on", "slower:5%", code=REGRESSION)

    def test_what_nobody_could_judge_fails_where_that_is_asked_for(self):
        """On a device that is not calibrated a job would stay green whatever happens."""
        self.make([[{"source": source, "submission_ns": time}]
                   for source, time in (("a", 1_000_000), ("a", 1_100_000), ("b", 3_000_000))])
        self.change("UPDATE evaluation SET between_sessions = NULL, between_runs = NULL, calibrated_at = NULL")
        self.assert_good(self.kbench("compare", "--fail-on", "slower:5%,fails"))
        result = self.kbench("compare", "--fail-on", "slower:5%,undecided")
        self.assert_fails(result, REGRESSION, "level1/019_relu of alice is UNDECIDED")
        self.assertNotIn("does not fail", result.stderr)
        self.assert_good(self.kbench("compare", run_id(1)[:4], run_id(2)[:4], "--fail-on", "undecided"))
        self.assert_fails(self.kbench("compare", "--fail-on", "undecide"), USAGE, "is nothing to fail on")

    def test_exit_zero_leaves_the_regression_in_words(self):
        self.make([[{"submission_ns": 1_000_000}], [{"submission_ns": 1_100_000}]])
        result = self.kbench("compare", "--fail-on", "slower:5%", "--exit-zero")
        self.assert_good(result)
        self.assertIn("level1/019_relu of alice takes 10.0 % longer", result.stderr.splitlines()[-1])
        self.assertNotIn("exit code", result.stderr)
        self.assert_fails(self.kbench("compare", "nosuch", "--exit-zero"), NOTHING_SELECTED, "nosuch")

    def test_what_fails_now_or_is_gone(self):
        self.make([[{}, {"agent": "bob"}, {"agent": "carol", "state": "crash"}],
                   [{"state": "wrong_result"}, {"agent": "carol"}, {"agent": "dora"}]])
        result = self.kbench("compare", "--fail-on", "fails")
        self.assert_fails(result, REGRESSION, "now fails", "and 1 more")
        self.assert_changes(self.json_of("compare"), {
            ("alice", "NOW FAILS"), ("bob", "GONE"), ("carol", "NOW PASSES"), ("dora", "NEW")})
        order = [line.split()[1] for line in result.stdout.splitlines() if RELU in line]
        self.assertEqual(order, ["NOW", "GONE", "NEW", "NOW"], "worst first")
        self.assert_good(self.kbench("compare", "--fail-on", "slower:0%"))

    def test_what_differs_is_refused_with_the_list_unless_forced(self):
        self.make([[{}], {"rows": [{}], "threads": 64, "quick": True}])
        words = ("compare", run_id(1)[:4], "latest")
        self.assert_fails(self.kbench(*words), USAGE, "Example CPU, 2 threads", "64 threads",
                          "without --quick → --quick", "--force")
        forced = self.kbench(*words, "--force")
        self.assert_good(forced)
        self.assertIn("Compared although these differ", forced.stdout)
        self.assertEqual([one["what"] for one in self.json_of(*words, "--force")["incomparable"]],
                         ["device", "timing"])

    def test_rows_that_nobody_vouches_for_are_cautioned_about(self):
        """As `report` does; history said nothing either."""
        self.make([[{}], [{}]])
        words = "nobody can tell whether they were changed"
        for command in (("compare",), ("history", RELU)):
            text = self.kbench(*command).stdout
            self.assertIn(words, text)
            self.assertLess(text.index(words), text.index("alice"), "before the table")
            self.assertIn(words, " ".join(self.json_of(*command)["cautions"]))
        self.assertIn("not chained", self.json_of("history", RELU)["cautions"][0])

    def test_no_reason_is_cut(self):
        """In the table an undecided row names no reason, which stands below it in full."""
        self.make([[{}], [{}]])
        self.change("UPDATE evaluation SET between_sessions = NULL, between_runs = NULL, calibrated_at = NULL")
        text = self.kbench("compare").stdout
        self.assertNotIn("…", text)
        (row,) = self.json_of("compare")["rows"]
        self.assertGreater(len(row["reason"]), 40)
        self.assertIn(row["reason"], text[text.index("Undecided because"):])
        self.assertTrue(any(line.rstrip().endswith("reason below") for line in text.splitlines()), text)

    def test_a_run_is_not_compared_with_itself(self):
        self.make([[{}], [{}]])
        for before, after in (("latest", "latest"), (run_id(2)[:4], "latest"), ("latest~0", run_id(2))):
            self.assert_fails(self.kbench("compare", before, after), USAGE, "no different from itself")
        self.assert_fails(self.kbench("compare", "latest", "latest", "--force"), USAGE)

    def test_what_changed_around_the_kernels_comes_first(self):
        self.make([[{}], {"rows": [{"submission_ns": 3_000_000, "source": "new"}],
                          "torch": "2.12.0"}])
        text = self.kbench("compare").stdout
        self.assertIn("torch: 2.11.0 → 2.12.0", text)
        self.assertLess(text.index("torch:"), text.index("SLOWER"))
        self.assertIs(self.json_of("compare")["rows"][0]["source_changed"], True)

    def test_nothing_to_compare(self):
        self.make([[{}]])
        self.assert_fails(self.kbench("compare"), NOTHING_SELECTED, "no run before")
        self.make([], "empty.sqlite")
        for words in (("compare",), ("runs",), ("history", "19")):
            self.assert_fails(self.kbench(*words, "--db", "empty.sqlite"), NOTHING_SELECTED, "no runs")
            self.assert_fails(self.kbench(*words, "--db", "none.sqlite"), USAGE, "none.sqlite")
        self.make([[], []], "bare.sqlite")
        self.assert_fails(self.kbench("compare", "--db", "bare.sqlite"), NOTHING_SELECTED,
                          "no run \"latest\" with times")

    def test_a_table_fits_the_terminal(self):
        self.make([[{"submission_ns": 1_000_000, "agent": "a" * 40}],
                   [{"submission_ns": 1_400_000, "agent": "a" * 40}]])
        for columns in (60, 80, 132):
            text = self.on_a_terminal(columns, "compare", "--color", "never")
            table = [line for line in text.splitlines() if "SLOWER " in line or "Change" in line]
            self.assertTrue(table)
            for line in table:
                self.assertLessEqual(len(line), columns, line)
                self.assertFalse(any(unicodedata.combining(c) for c in line))

    def on_a_terminal(self, columns, *words):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        child = subprocess.Popen([str(KBENCH), *words], cwd=self.folder, stdout=theirs,
                                 stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                 env={**os.environ, "HOME": str(self.folder), "TERM": "xterm"})
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:
            pass  # the other end is closed
        os.close(ours)
        self.assertEqual(child.wait(timeout=60), 0)
        return text.decode()


class HistoryTest(RunsCase):
    def setUp(self):
        super().setUp()
        runs = [[{"submission_ns": 1_000_000 if day < 6 else 1_300_000},
                 {"agent": "bob", "submission_ns": 700_000},
                 {"agent": "bob", "submission_ns": 600_000, "variant": "v2"}]
                for day in range(1, 9)]
        runs[7].append({"task": "level2/019_other"})
        self.make(runs)
        self.assert_good(self.kbench("tag", run_id(6)[:4], "suspect-one"))

    def test_a_change_is_dated_to_the_run_that_brought_it(self):
        report = self.json_of("history", "relu")
        by_agent = {agent["agent"]: agent for agent in report["agents"]}
        (change,) = by_agent["alice"]["changes"]
        self.assertEqual(change["run_id"], run_id(6))
        self.assertAlmostEqual(change["before"], 2, 6)
        self.assertEqual(by_agent["bob"]["changes"], [])
        self.assertEqual({point["variant"] for point in by_agent["bob"]["points"]}, {"v2"})
        text = self.kbench("history", RELU, "--agent", "alice")
        self.assert_good(text)
        self.assertIn(f"since {run_id(6)[:12]} (2026-11-06 03:00): 2.00× → 1.54×", text.stdout)
        self.assertIn("suspect-one", text.stdout)
        self.assertNotIn("bob", text.stdout)

    def test_a_task_is_named_as_elsewhere(self):
        for name in (RELU, "019_relu", "level1/0*", "*_relu"):
            self.assertEqual(self.json_of("history", name)["task"], RELU)
        self.assert_fails(self.kbench("history", "19"), USAGE, "matches 2 tasks", RELU)
        self.assert_fails(self.kbench("history", "rleu"), NOTHING_SELECTED,
                          'did you mean "relu"?')
        self.assert_fails(self.kbench("history", "level7/*"), NOTHING_SELECTED,
                          "no stored task")

    def test_runs_are_counted_and_what_is_left_out_is_said(self):
        """Was: "over 1 run" of two, the longest series of any agent."""
        self.make([[{}], [{"agent": "bob"}], {"rows": [{}], "device": "Other CPU"},
                   {"rows": [{}], "quick": True}, [{"task": "level2/019_other"}]], "some.sqlite")
        result = self.kbench("history", RELU, "--db", "some.sqlite", "--device", "example")
        self.assert_good(result)
        self.assertTrue(result.stderr.endswith(
            "over 2 of 5 runs; left out: 1 measured otherwise, 1 of another device, 1 without a "
            "submission for it\n"), result.stderr)
        report = self.json_of("history", RELU, "--db", "some.sqlite", "--device", "example")
        self.assertEqual([report[name] for name in
                          ("runs", "left_out", "other_device", "not_submitted")], [2, 1, 1, 1])
        self.assertTrue(self.kbench("history", RELU).stderr.endswith("over 8 runs\n"))

    def test_nobody_of_that_name(self):
        self.assert_fails(self.kbench("history", RELU, "--agent", "alcie"), NOTHING_SELECTED,
                          'did you mean "alice"?')
        self.assert_fails(self.kbench("history", RELU, "--device", "h200"), NOTHING_SELECTED)


if __name__ == "__main__":
    cli_case.main()
