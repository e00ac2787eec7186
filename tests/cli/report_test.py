"""kbench report on databases that are missing, empty, foreign or damaged."""

import sqlite3

import cli_case
from cli_case import INFRASTRUCTURE, USAGE


class ReportTest(cli_case.CliCase):
    def assert_refused(self, *parts):
        for form in ("table", "json", "html"):
            with self.subTest(form=form):
                result = self.kbench("report", form, "--db", "results.sqlite")
                self.assertIn(result.returncode, (USAGE, INFRASTRUCTURE))
                self.assert_fails(result, result.returncode, "results.sqlite", *parts)
                self.assertEqual(result.stdout, "")

    def test_missing_database_is_named_and_not_created(self):
        self.assert_refused()
        self.assertEqual(self.kbench("report", "json").returncode, USAGE)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_file_of_another_kind(self):
        file = self.folder / "results.sqlite"
        file.write_bytes(b"this is no database, but long enough to be looked at " * 100)
        before = file.read_bytes()
        self.assert_refused()
        self.assertEqual(file.read_bytes(), before)

    def test_empty_file(self):
        (self.folder / "results.sqlite").touch()
        self.assert_refused()
        self.assertEqual((self.folder / "results.sqlite").stat().st_size, 0)

    def test_database_of_another_program(self):
        with sqlite3.connect(self.folder / "results.sqlite") as other:
            other.execute("CREATE TABLE runs (id TEXT)")
        other.close()
        self.assert_refused()

    def test_folder_in_place_of_a_database(self):
        (self.folder / "results.sqlite").mkdir()
        self.assert_refused()


if __name__ == "__main__":
    cli_case.main()
