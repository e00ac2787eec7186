"""Faults of the machine and of files, on the built program: each has its exit code, a sentence that says
whose fault it is and what to do, and leaves what was stored as it was. Nothing is measured here.
"""

import json
import os
import shutil
import sqlite3
import subprocess

import cli_case
from cli_case import INFRASTRUCTURE, KBENCH, ROOT, USAGE

MAKE_STORE = os.environ["MAKE_STORE"]
RELU = ROOT / "suites" / "level1" / "019_relu.json"


class DatabaseFaults(cli_case.CliCase):
    """Both who write (run) and who read (report) meet the same database."""

    def setUp(self):
        super().setUp()
        self.database = self.folder / "kbench.sqlite"

    def make_store(self):
        subprocess.run([MAKE_STORE, str(self.database)], check=True, stdout=subprocess.DEVNULL)

    def change(self, *statements):
        store = sqlite3.connect(self.database)
        for statement in statements:
            store.execute(statement)
        store.commit()
        store.close()

    def assert_refused(self, codes, *parts):
        before = self.database.read_bytes() if self.database.is_file() else None
        for words in (("report", "json"), ("run", "--device", "cpu", "--task", "level1/019_relu")):
            result = self.kbench(*words, "--db", self.database, KBENCH_TORCH=str(self.folder))
            self.assertIn(result.returncode, codes, (words, result.stderr))
            for part in parts:
                self.assertIn(part, result.stderr, words)
            self.assert_no_report(result)
        if before is not None:
            self.assertEqual(self.database.read_bytes(), before)

    def test_not_a_database(self):
        self.database.write_text("This is a letter to somebody else.\n" * 100)
        self.assert_refused((USAGE,), "not a database", "--db")

    def test_of_another_program(self):
        self.change("PRAGMA application_id = 7", "CREATE TABLE recipes (name TEXT)")
        self.assert_refused((USAGE,), "kbench.sqlite", "--db")

    def test_of_a_later_version(self):
        self.make_store()
        self.change("PRAGMA user_version = 9999")
        self.assert_refused((USAGE,), "9999")

    def test_a_folder(self):
        self.database.mkdir()
        self.assert_refused((USAGE, INFRASTRUCTURE), "kbench.sqlite")

    def test_cut_off(self):
        self.make_store()
        whole = self.database.read_bytes()
        self.database.write_bytes(whole[:len(whole) // 2])
        result = self.kbench("report", "json", "--db", self.database)
        self.assertIn(result.returncode, (USAGE, INFRASTRUCTURE), result.stderr)
        self.assertIn("damaged", result.stderr)


class TaskFileFaults(cli_case.CliCase):
    """A malformed task file is named, is nobody else's problem, and never crashes the reader."""

    def suite_with(self, text):
        suite = self.folder / "suite"
        (suite / "level1").mkdir(parents=True)
        shutil.copy(RELU, suite / "level1")
        (suite / "level1" / "020_broken.json").write_bytes(text)
        return suite

    def assert_named(self, text, *parts):
        suite = self.suite_with(text)
        try:
            listed = self.kbench("tasks", "list", "--suite", suite, "--format", "json")
            self.assertIn("019_relu", listed.stdout)
            self.assert_good(self.kbench("tasks", "show", "level1/019_relu", "--suite", suite))
            shown = self.kbench("tasks", "show", "level1/020_broken", "--suite", suite)
            self.assert_fails(shown, USAGE, "020_broken.json", *parts)
            run = self.kbench("run", "--device", "cpu", "--suite", suite, KBENCH_TORCH=str(self.folder))
            self.assert_fails(run, USAGE, "020_broken.json")
            self.assertFalse((self.folder / "kbench.sqlite").exists())
        finally:
            shutil.rmtree(suite)

    def test_malformed_files(self):
        whole = RELU.read_text()
        changed = json.loads(whole)
        changed.update(number=20, name="broken", source="020_broken.py")

        def with_shape(shape):
            copy = json.loads(json.dumps(changed))
            copy["sizes"]["small"]["inputs"][0]["shape"] = shape
            return json.dumps(copy).encode()

        self.assert_named(b"")
        self.assert_named(whole[:len(whole) // 2].encode())
        self.assert_named(b'{"schema":' + b"[" * 100000)
        self.assert_named(json.dumps(changed).replace('"level": 1', '"level": 1, "level": 1').encode(),
                          "level")
        self.assert_named(json.dumps(changed).replace("-1.0", "NaN").encode())
        self.assert_named(with_shape([2 ** 63, 1]), "shape")
        self.assert_named(with_shape([2 ** 62, 2 ** 62]), "shape")
        self.assert_named(with_shape([0, 16]), "shape")
        self.assert_named(b"\xff\xfe{\x00}\x00")


class FullDisk(cli_case.CliCase):
    """/dev/full answers like a disk that is full; through a link, which is all that could be lost."""

    def test_a_report_that_cannot_be_written_is_named(self):
        database = self.folder / "kbench.sqlite"
        subprocess.run([MAKE_STORE, str(database), "a" * 32], check=True, stdout=subprocess.DEVNULL)
        page = self.folder / "page.html"
        page.symlink_to("/dev/full")
        result = self.kbench("report", "html", "--db", str(database), "--output", str(page))
        self.assert_fails(result, INFRASTRUCTURE, "page.html", "No space left")
        self.assertTrue(page.is_symlink())


if __name__ == "__main__":
    cli_case.main()
