"""kbench report: on stored runs, and on databases that are missing, empty, foreign or damaged."""

import datetime
import fcntl
import json
import os
import pty
import re
import sqlite3
import struct
import subprocess
import termios

import cli_case
from cli_case import INFRASTRUCTURE, NOTHING_SELECTED, USAGE

OLDER = "0a" * 16
NEWER = "1b" * 16


class StoredRunsTest(cli_case.CliCase):
    def setUp(self):
        super().setUp()
        self.make_store("kbench.sqlite", OLDER, NEWER)

    def make_store(self, name, *runs):
        subprocess.run([os.environ["MAKE_STORE"], str(self.folder / name), *runs], check=True)

    def test_newest_run_is_the_default(self):
        result = self.kbench("report", "json")
        self.assert_good(result)
        report = json.loads(result.stdout)
        self.assertEqual(report["run_id"], NEWER)
        self.assertEqual([row["task"] for row in report["results"]], ["level1/019_relu"])
        self.assertEqual(report["results"][0]["state"], "no_submission")

    def test_the_last_line_names_every_run_of_the_page(self):
        """Was: the first one alone."""
        result = self.kbench("report", "html", "--run", OLDER, "--run", NEWER, "-o", "both.html")
        self.assert_good(result)
        self.assertIn(f"kbench: runs {OLDER[:12]}, {NEWER[:12]}, 2 rows, written to both.html", result.stderr)

    def test_run_is_found_by_the_start_of_its_id(self):
        self.assertEqual(self.kbench("report", "--json").stdout, self.kbench("report", "json").stdout)
        result = self.kbench("report", "json", "--run", OLDER[:6])
        self.assert_good(result)
        self.assertEqual(json.loads(result.stdout)["run_id"], OLDER)

    def test_a_run_that_is_not_there_selects_nothing(self):
        for name in ("ffff", "latest~999", "nobody"):
            self.assert_fails(self.kbench("report", "json", "--run", name), NOTHING_SELECTED, name)

    def test_table_and_page_show_the_task(self):
        for form in ("table", "html"):
            result = self.kbench("report", form)
            self.assert_good(result)
            self.assertIn("019_relu", result.stdout)

    def test_chosen_columns(self):
        """Was: a table as it is, or all of CSV's columns."""
        names = self.kbench("report", "csv").stdout.splitlines()[0].split(",")
        chosen = self.kbench("report", "csv", "--columns", "state,task,speedup.eager.low")
        self.assert_good(chosen)
        self.assertEqual(chosen.stdout.splitlines()[0], "state,task,speedup.eager.low")
        self.assertEqual(chosen.stdout.splitlines()[1], "no_submission,level1/019_relu,")
        whole = self.kbench("report", "csv", "--columns", "speedup.eager").stdout.splitlines()[0].split(",")
        self.assertEqual(whole, [name for name in names if name.startswith("speedup.eager.")])
        self.assertEqual(self.kbench("report", "csv", "--columns", ",".join(names)).stdout,
                         self.kbench("report", "csv").stdout)
        table = self.kbench("report", "--columns", "task,state,run_id,speedup.eager")
        self.assert_good(table)
        head, _, row = table.stdout.splitlines()
        self.assertEqual(head.split()[:2], ["Task", "State"])
        self.assertEqual(row.split()[:3], ["level1/019_relu", "no_submission", NEWER])

    def test_columns_that_there_are_not(self):
        self.assert_fails(self.kbench("report", "--columns", "task,stat"), USAGE,
                          'there is no column "stat"', 'did you mean "state"?')
        self.assert_fails(self.kbench("report", "--columns", "spedup"), USAGE, 'did you mean "speedup.eager"?')
        self.assert_fails(self.kbench("report", "csv", "--columns", "task,task"), USAGE, "named twice")
        self.assert_fails(self.kbench("report", "json", "--columns", "task"), USAGE, "neither is written")
        self.assert_fails(self.kbench("report", "--columns", ""), USAGE)

    def test_a_page_says_when_it_was_made_and_by_which_kbench(self):
        """Was: nowhere; the environment names the kbench that measured."""
        program = self.kbench("--version").stdout.strip()
        for epoch, at in (("1700000000", "2023-11-14T22:13:20Z"), ("", None), ("tomorrow", None),
                          ("99999999999999", None)):
            page = self.kbench("report", "html", SOURCE_DATE_EPOCH=epoch).stdout
            found = re.search(r'Made at</th><td>(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)</td>', page)
            self.assertIn(f"Made by</th><td>{program}</td>", page)
            if at:
                self.assertEqual(found[1], at)
                self.assertEqual(page, self.kbench("report", "html", SOURCE_DATE_EPOCH=epoch).stdout)
            else:
                made = datetime.datetime.fromisoformat(found[1].replace("Z", "+00:00"))
                self.assertLess(abs(datetime.datetime.now(datetime.timezone.utc) - made),
                                datetime.timedelta(hours=1))

    def test_the_index_of_a_site_alone_says_when_it_was_made(self):
        self.assert_good(self.kbench("report", "html", "--site", "site"))
        texts = {file.name: file.read_text("utf-8") for file in (self.folder / "site").rglob("*.html")}
        self.assertGreater(len(texts), 1)
        self.assertEqual([name for name, text in texts.items() if "Made at" in text], ["index.html"])

    def in_a_terminal(self, columns, *words):
        """Standard output of the program where that is a terminal of so many columns."""
        outer, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        try:
            self.assert_good(self.kbench(*words, "--color", "never", stdout=inner, TERM="xterm"))
        finally:
            os.close(inner)
        text = b""
        while True:
            try:
                part = os.read(outer, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        os.close(outer)
        return text.decode().replace("\r\n", "\n")

    def test_a_table_fits_the_terminal_unless_it_shall_be_wide(self):
        piped = self.kbench("report", "table").stdout
        narrow = self.in_a_terminal(90, "report", "table").splitlines()
        self.assertLessEqual(len(narrow[0]), 90)
        self.assertLess(len(narrow[0]), len(piped.splitlines()[0]))
        self.assertIn("State", narrow[0])
        self.assertEqual(self.in_a_terminal(90, "report", "table", "--wide"), piped)

    def test_the_rule_for_variants_is_kept_in_json(self):
        for words, rule in [((), "best"), (("--variants", "mean"), "mean")]:
            report = json.loads(self.kbench("report", "json", *words).stdout)
            self.assertEqual(report["variants"], rule)
        self.assert_fails(self.kbench("report", "json", "--variants", "frist"), USAGE,
                          'did you mean "first"?')

    def test_output_replaces_the_file_in_one_step(self):
        page = self.folder / "page.html"
        page.write_text("before", encoding="ascii")
        result = self.kbench("report", "html", "--output", "page.html", SOURCE_DATE_EPOCH="0")
        self.assert_good(result)
        self.assertEqual(result.stdout, "")
        self.assertEqual(page.read_text(encoding="utf-8"),
                         self.kbench("report", "html", SOURCE_DATE_EPOCH="0").stdout)
        self.assertEqual([one.name for one in self.folder.glob("page*")], ["page.html"])

    def test_output_that_cannot_be_written_is_named(self):
        self.assert_fails(self.kbench("report", "html", "--output", "nowhere/page.html"),
                          USAGE, "nowhere/page.html", "no folder nowhere")
        self.assert_fails(self.kbench("report", "html", "--output", "/dev/full"),
                          INFRASTRUCTURE, "/dev/full", "No space left")

    def test_database_without_runs_selects_nothing(self):
        self.make_store("empty.sqlite")
        self.assert_fails(self.kbench("report", "json", "--db", "empty.sqlite"), NOTHING_SELECTED,
                          "no runs")


class RefusingCase(cli_case.CliCase):
    def assert_refused(self, *parts):
        for form in ("table", "json", "html"):
            with self.subTest(form=form):
                result = self.kbench("report", form, "--db", "results.sqlite")
                self.assertIn(result.returncode, (USAGE, INFRASTRUCTURE))
                self.assert_fails(result, result.returncode, "results.sqlite", *parts)
                self.assert_no_report(result)


class BadDatabaseTest(RefusingCase):
    def test_missing_database_is_named_and_not_created(self):
        self.assert_refused()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_before_the_first_run_nothing_is_selected(self):
        """As the manual's table of exit codes has it: a database that nobody named is none that is wrong."""
        for words in (("report",), ("report", "json"), ("runs",), ("compare",), ("history", "relu")):
            self.assert_fails(self.kbench(*words), NOTHING_SELECTED, "no runs yet", "kbench run", "--db")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_database_in_the_place_of_a_format(self):
        (self.folder / "old.sqlite").touch()
        self.assert_fails(self.kbench("report", "old.sqlite"), USAGE, "is not one of table, json",
                          'did you mean "--db old.sqlite"?')

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
        self.assert_refused("a folder")

    def test_pipe_in_place_of_a_database(self):
        os.mkfifo(self.folder / "results.sqlite")
        self.assert_refused("a pipe")


class ActingDatabaseTest(RefusingCase):
    """Files of kbench's own to which somebody added a program."""

    ENDLESS = """
        DROP TABLE lint;
        CREATE VIEW lint AS
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
          SELECT 'a' AS task_hash, 'small' AS size, 'cpu' AS device, 't' AS task,
                 'passed' AS state, 1 AS mutants, 1 AS rejected, '[]' AS findings, '' AS version,
                 '' AS checked_at, '' AS chain_key, '' AS chain_seal FROM n"""

    def make_acting(self, program):
        file = self.folder / "results.sqlite"
        subprocess.run([os.environ["MAKE_STORE"], str(file), NEWER], check=True)
        database = sqlite3.connect(file)
        database.executescript(program)
        database.close()

    def test_endless_view(self):
        self.make_acting(self.ENDLESS)
        self.assert_refused('the view "lint"')

    def test_view_that_praises_a_task(self):
        self.make_acting(self.ENDLESS.replace("i + 1 FROM n", "i + 1 FROM n WHERE i < 3"))
        self.assert_refused('the view "lint"')
        # Without the refusal, the view's values would be taken for a record.
        without = self.kbench("report", "json", "--db", "results.sqlite",
                              program=os.environ["WEAKENED"], KBENCH_WITHOUT="passive_database")
        self.assert_good(without)

    def test_trigger_that_mends_states(self):
        self.make_acting("CREATE TRIGGER mend AFTER INSERT ON evaluation BEGIN UPDATE evaluation "
                         "SET state = 'ok', correct = 1 WHERE number = new.number; END")
        self.assert_refused('the trigger "mend"')
        run = self.kbench("run", "--task", "level1/019_relu", "--device", "cpu", "--db",
                          "results.sqlite")
        self.assert_fails(run, USAGE, 'the trigger "mend"')


if __name__ == "__main__":
    cli_case.main()
