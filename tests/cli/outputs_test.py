"""Where reports go: --out and its short forms, and what must not be written over."""

import json
import os
import subprocess

import cli_case
from cli_case import INFRASTRUCTURE, USAGE

RUN = "2c" * 16
RELU = ("--task", "level1/019_relu", "--device", "cpu")


class OutputsCase(cli_case.CliCase):
    def setUp(self):
        super().setUp()
        self.database = self.folder / "kbench.sqlite"
        subprocess.run([os.environ["MAKE_STORE"], str(self.database), RUN], check=True)

    def contents(self):
        return {file.name: file.read_bytes() for file in self.folder.iterdir()
                if file.is_file() and not file.name.endswith("-shm")}


class AskedForTest(OutputsCase):
    def test_several_at_once(self):
        result = self.kbench("report", "--out", "x.csv", "--out", "junit=x", "--out=json=-")
        self.assert_good(result)
        self.assertEqual(json.loads(result.stdout)["run_id"], RUN)
        self.assertTrue((self.folder / "x.csv").read_text().startswith("run_id,"))
        self.assertTrue((self.folder / "x").read_text().startswith("<?xml "))
        self.assertIn("written to x.csv, x\n", result.stderr)

    def test_a_dash_is_standard_output(self):
        """Was: a file of that name."""
        for words in [("json", "-o", "-"), ("json", "--output=-"), ("--out", "json=-")]:
            result = self.kbench("report", *words)
            self.assert_good(result)
            self.assertEqual(result.stdout, self.kbench("report", "json").stdout)
        self.assertFalse((self.folder / "-").exists())

    def test_github_gets_commands_and_a_summary(self):
        summary = self.folder / "summary"
        result = self.kbench("report", "github", GITHUB_STEP_SUMMARY=str(summary))
        self.assert_good(result)
        for line in result.stdout.splitlines():
            self.assertRegex(line, "^::(error|warning|notice) ")
        self.assertEqual(summary.read_text(encoding="utf-8"), self.kbench("report", "md").stdout)

    def test_a_file_replaces_the_old_one_whole(self):
        (self.folder / "x.csv").write_text("before")
        self.assert_good(self.kbench("report", "--out", "x.csv"))
        self.assertEqual((self.folder / "x.csv").read_bytes().decode(),
                         self.kbench("report", "csv", "-o", "/dev/stdout").stdout.replace(
                             "\n", "\r\n"))
        self.assertEqual([one.name for one in self.folder.glob("x*")], ["x.csv"])


class RefusedTest(OutputsCase):
    def assert_refused(self, words, *parts):
        before = self.contents()
        result = self.kbench(*words)
        self.assert_fails(result, USAGE, "error: ", "hint: ", *parts)
        self.assert_no_report(result)
        after = self.contents()
        self.assertEqual({name: after.get(name) for name in before}, before, "data was lost")
        self.assertEqual(set(after) - set(before), set())

    def test_the_database_is_not_written_over(self):
        """Was: `report -o` onto its own database left JSON in its place."""
        for words in [
            ("report", "json", "-o", "kbench.sqlite"),
            ("report", "html", "--db", "./kbench.sqlite", "--output", "kbench.sqlite"),
            ("report", "--out", "csv=kbench.sqlite"),
            ("report", "--out", f"csv={self.database}"),
            ("report", "--out", "csv=kbench.sqlite-wal"),
            ("report", "--out", "csv=kbench.sqlite-shm"),
            ("report", "--out", "csv=kbench.sqlite-journal"),
            ("run", *RELU, "--out", "json=kbench.sqlite"),
            ("run", *RELU, "--db", "kbench.sqlite", "--html", "kbench.sqlite"),
        ]:
            with self.subTest(words=words):
                self.assert_refused(words, "the database", "would be written over it",
                                    "name another file")

    def test_nor_under_another_name(self):
        os.link(self.database, self.folder / "same.csv")
        self.assert_refused(("report", "--out", "same.csv"), "is the database")
        os.unlink(self.folder / "same.csv")
        (self.folder / "link.csv").symlink_to("kbench.sqlite")
        self.assert_refused(("report", "--out", "link.csv"), "is the database")

    def test_nor_by_the_page_that_nobody_asked_for(self):
        """Was: `--db x.html` put its page, x.html, in the place of the rows."""
        os.rename(self.database, self.folder / "x.html")
        self.assert_refused(("run", *RELU, "--db", "x.html"), "x.html is the database", "--no-html")
        self.assert_refused(("run", *RELU, "--db", "new.html"), "new.html is the database")

    def test_the_page_that_nobody_asked_for_follows_no_link(self):
        """Was: whoever left a link there had a file elsewhere written over."""
        kept = self.folder / "kept"
        kept.write_text("kept", encoding="utf-8")
        (self.folder / "kbench.html").symlink_to("kept")
        self.assert_refused(("run", *RELU), "kbench.html is a link", "--no-html")
        self.assertEqual(kept.read_text(encoding="utf-8"), "kept")

    def test_an_empty_name_is_no_database(self):
        """Was: SQLite's own temporary database, gone at the end with all rows."""
        for command in ("run", "report"):
            words = (command, *RELU) if command == "run" else (command, "json")
            self.assert_refused((*words, "--db", ""), "--db: is given an empty value")

    def test_a_folder_is_no_database(self):
        (self.folder / "dir").mkdir()
        for words in [("run", *RELU), ("report", "json")]:
            for name in ("dir", "dir/"):
                self.assert_refused((*words, "--db", name), "dir", "a folder, not a database")

    def test_folders_and_missing_folders(self):
        (self.folder / "dir").mkdir()
        self.assert_refused(("report", "--out", "csv=dir"), "dir is a folder", "dir/")
        self.assert_refused(("run", *RELU, "--html", "dir/"), "dir/ is a folder")
        self.assert_refused(("run", *RELU, "--out", "no/x.csv"), "there is no folder no", "make it")

    def test_the_hint_names_the_option_that_was_given(self):
        """Was: --html, whatever named the page, also for `report`, which has no such option."""
        os.link(self.database, self.folder / "a.sqlite")
        for words, option in [(("report", "html", "-o", "a.sqlite"), "with -o;"),
                              (("report", "--out", "html=a.sqlite"), "with --out;"),
                              (("run", *RELU, "--html", "a.sqlite"), "with --html, or write no page")]:
            self.assert_refused(words, option)
        self.assertNotIn("--html", self.kbench("report", "html", "-o", "a.sqlite").stderr)
        self.assert_refused(("run", *RELU, "--db", "no/x.sqlite"), "there is no folder no", "--db")

    def test_a_pipe_is_not_waited_for(self):
        """Was: opened, which waits until somebody reads there."""
        os.mkfifo(self.folder / "pipe")
        self.assert_refused(("report", "json", "-o", "pipe"), "pipe is a pipe (FIFO)", "--out FORMAT=-")
        self.assert_refused(("run", *RELU, "--out", "csv=pipe"), "pipe is a pipe (FIFO)")
        for place in ("/dev/null", "/dev/stdout", "/dev/fd/1"):
            self.assert_good(self.kbench("report", "json", "-o", place))

    def test_twice_the_same_place(self):
        self.assert_refused(("report", "--out", "csv=x", "--out", "json=./x"), "named twice")
        self.assert_refused(("run", *RELU, "--out", "csv=kbench.html", "--html", "kbench.html"),
                            "named twice")
        self.assert_refused(("report", "json", "--out", "csv=-"), "two reports", "--out csv=FILE")

    def test_the_input(self):
        (self.folder / "relu.cpp").write_text("source")
        self.assert_refused(("run", "relu.cpp", *RELU, "--out", "csv=relu.cpp"),
                            "relu.cpp is read")

    def test_words_that_say_too_little(self):
        for word, *parts in [("", "empty value"), ("csv=", "names no file"),
                             ("csv", "names no file"), ("x.tsv", "in which format"),
                             ("-", "in which format"), ("cvs=x", 'did you mean "csv"?')]:
            with self.subTest(word=word):
                self.assert_refused(("report", "--out", word), *parts)

    def test_a_full_disk_is_said_as_such(self):
        for words in [("--out", "csv=/dev/full"), ("csv", "-o", "/dev/full")]:
            self.assert_fails(self.kbench("report", *words), INFRASTRUCTURE, "/dev/full",
                              "No space left")
        with open("/dev/full", "w", encoding="ascii") as full:
            result = self.kbench("report", "json", stdout=full)
        self.assert_fails(result, INFRASTRUCTURE, "standard output cannot be written: No space")
        self.assertNotIn("1 row", result.stderr)


if __name__ == "__main__":
    cli_case.main()
