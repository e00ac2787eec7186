"""kbench db: what a database needs that lives for years. The store itself makes the databases."""

import json
import os
import pathlib
import sqlite3
import subprocess

import cli_case
from cli_case import NOTHING_SELECTED, TASK_FAILED, USAGE

MAKE_RUNS = pathlib.Path(os.environ["MAKE_RUNS"])
OLD, NEW = "2020-01-01T03:00:00Z", "2020-02-01T03:00:00Z"


SOURCE = "int a_source_of_aa11;"  # short enough to lie in the file as it is


def a_run_with_a_source():
    run = a_run("aa11")
    run["rows"][1]["files"] = {"src/001_some.cpp": SOURCE}
    return run


def a_run(run_id, started_at=OLD, rows=2):
    return {"id": run_id, "started_at": started_at,
            "rows": [{"task": f"level1/{n:03}_some", "agent": "alice"} for n in range(rows)]}


class DbTest(cli_case.CliCase):
    def make(self, name, *runs):
        subprocess.run([str(MAKE_RUNS), str(self.folder / name)], input=json.dumps(runs), text=True,
                       check=True)

    def ids(self, name="kbench.sqlite"):
        result = self.kbench("runs", "--db", name, "--json")
        if result.returncode == NOTHING_SELECTED:
            return []
        self.assert_good(result)
        return [run["id"] for run in json.loads(result.stdout)["runs"]]

    def damage(self, name, at, data):
        with open(self.folder / name, "r+b") as file:
            file.seek(at)
            file.write(data)

    def flip_a_bit_of_the_source(self, name):
        at = (self.folder / name).read_bytes().index(SOURCE.encode())
        self.damage(name, at, bytes([SOURCE.encode()[0] ^ 1]))

    def change(self, name, sql):
        database = sqlite3.connect(self.folder / name)
        with database:
            database.execute(sql)
        database.close()

    # --- check ---

    def test_check_of_a_sound_database_has_a_line_for_each_run(self):
        self.make("kbench.sqlite", a_run("aa11"), a_run("bb22", NEW))
        result = self.kbench("db", "check")
        self.assert_good(result)
        self.assertRegex(result.stdout, r"(?m)^aa11 .* 2 +unchained +sound$")
        self.assertRegex(result.stdout, r"(?m)^bb22 .* 2 +unchained +sound$")
        self.assertIn("kbench.sqlite is sound, with 2 runs; nobody can tell here whether the rows of 2 runs "
                      "were changed", result.stderr)

    def test_check_as_json(self):
        self.make("kbench.sqlite", a_run("aa11"))
        report = json.loads(self.kbench("db", "check", "--json").stdout)
        self.assertEqual(report["sound"], True)
        self.assertEqual(report["schema"], report["newest_schema"])
        self.assertEqual(report["runs"], [
            {"id": "aa11", "started_at": OLD, "rows": 2, "episodes": 0, "states": 0, "chain": "unchained",
             "wrong": [], "chain_message": report["runs"][0]["chain_message"]}])

    def test_check_of_a_damaged_one_says_where_and_exits_with_1(self):
        self.make("kbench.sqlite", a_run("aa11", rows=40))
        size = (self.folder / "kbench.sqlite").stat().st_size
        self.damage("kbench.sqlite", size - 4096, bytes(4096))
        result = self.kbench("db", "check")
        self.assert_fails(result, TASK_FAILED, "is not sound", "exit code 1", "kbench db salvage")
        self.assertIn("WRONG: ", result.stdout)

    def test_a_flipped_bit_of_a_source_is_found_and_costs_no_row(self):
        self.make("kbench.sqlite", a_run_with_a_source(), a_run("bb22", NEW))
        self.assert_good(self.kbench("db", "check"))
        self.flip_a_bit_of_the_source("kbench.sqlite")
        result = self.kbench("db", "check")
        self.assert_fails(result, TASK_FAILED, "1 finding in the file, 1 of 2 runs")
        self.assertRegex(result.stdout, r"(?m)^WRONG: blob [0-9a-f]{12} holds something else")
        self.assertRegex(result.stdout,
                         r"(?m)^aa11: src/001_some.cpp of level1/001_some is damaged: blob ")
        self.assert_fails(self.kbench("db", "backup", "copy.sqlite"), TASK_FAILED,
                          "damaged, and so would be its copy: blob ")
        self.assertFalse((self.folder / "copy.sqlite").exists())
        for form in ("csv", "json", "table", "html"):
            with self.subTest(form=form):
                self.assert_good(self.kbench("report", "--run", "aa11", "--out", f"{form}={form}"))
        page = (self.folder / "html").read_text(encoding="utf-8")
        self.assertIn("This file is damaged in ", page)
        self.assertIn("level1/001_some", page)

    def test_a_damaged_source_is_merged_and_salvaged_with_its_row_and_named(self):
        self.make("kbench.sqlite", a_run_with_a_source(), a_run("bb22", NEW))
        self.flip_a_bit_of_the_source("kbench.sqlite")
        told = "src/001_some.cpp of level1/001_some is damaged: blob "
        merged = self.kbench("db", "merge", "all.sqlite", "kbench.sqlite")
        self.assert_fails(merged, TASK_FAILED, "2 runs added", "1 source damaged (exit code 1)")
        self.assertIn("damaged: " + told, merged.stdout)
        saved = self.kbench("db", "salvage", "kbench.sqlite", "saved.sqlite")
        self.assert_fails(saved, TASK_FAILED, "2 runs saved in saved.sqlite, 0 lost (exit code 1)")
        self.assertIn("lost: run aa11: " + told, saved.stdout)
        for name in ("all.sqlite", "saved.sqlite"):
            self.assertEqual(self.ids(name), ["bb22", "aa11"])

    def test_a_file_cut_by_one_byte_is_not_sound_and_is_left_alone(self):
        self.make("kbench.sqlite", a_run("aa11"))
        file = self.folder / "kbench.sqlite"
        os.truncate(file, file.stat().st_size - 1)
        before = file.read_bytes()
        result = self.kbench("db", "check")
        self.assertEqual(result.returncode, TASK_FAILED)
        self.assertRegex(result.stdout, "(?m)^WRONG: .*its end is cut off")
        for words in [("backup", "copy.sqlite"), ("vacuum",)]:
            with self.subTest(words=words):
                self.assert_fails(self.kbench("db", *words), TASK_FAILED, "its end is cut off",
                                  "salvage")
        self.assertEqual(file.read_bytes(), before)
        self.assertFalse((self.folder / "copy.sqlite").exists())

    def test_planted_tags_are_wrong_and_cannot_steer_a_terminal(self):
        self.make("kbench.sqlite", a_run("aa11"))
        for name in ("'latest'", "'abcdef12'", "char(27) || '[31m'"):
            self.change("kbench.sqlite", f"INSERT INTO tag VALUES ({name}, 'aa11', '')")
        result = self.kbench("db", "check")
        self.assert_fails(result, TASK_FAILED, "3 findings in the file")
        self.assertIn('WRONG: the tag of run aa11: "latest" cannot be a tag', result.stdout)
        self.assertIn('"abcdef12" cannot be a tag', result.stdout)
        self.assertNotIn("\x1b", result.stdout)

    def test_an_empty_file_stays_empty(self):
        file = self.folder / "kbench.sqlite"
        file.touch()
        self.assert_fails(self.kbench("db", "vacuum"), USAGE, "an empty database")
        self.assertEqual(file.stat().st_size, 0)

    def test_no_database_is_a_usage_error(self):
        for words in [("check",), ("prune", "--keep", "1d"), ("vacuum",), ("backup", "copy")]:
            with self.subTest(words=words):
                self.assert_fails(self.kbench("db", *words), USAGE, "no such database")
        self.assertEqual(list(self.folder.iterdir()), [])

    # --- backup ---

    def test_a_backup_is_sound_and_is_never_overwritten(self):
        self.make("kbench.sqlite", a_run("aa11"))
        self.assert_good(self.kbench("db", "backup", "copy.sqlite"))
        self.assert_good(self.kbench("db", "check", "--db", "copy.sqlite"))
        self.assertEqual(self.ids("copy.sqlite"), ["aa11"])
        self.assert_fails(self.kbench("db", "backup", "copy.sqlite"), USAGE, "exists already")
        self.assert_fails(self.kbench("db", "backup", "kbench.sqlite"), USAGE, "exists already")

    # --- prune and vacuum ---

    def test_prune_says_what_would_go_and_then_removes_it(self):
        self.make("kbench.sqlite", a_run("aa11"), a_run("bb22", NEW), a_run("cc33", NEW))
        self.assert_good(self.kbench("tag", "bb22", "release-1"))
        dry = self.kbench("db", "prune", "--keep", "90d", "--dry-run")
        self.assert_good(dry)
        self.assertRegex(dry.stdout, r"(?m)^goes +aa11 .* [kM]B +old$")
        self.assertRegex(dry.stdout, r"(?m)^stays +bb22 .* tagged release-1$")
        self.assertIn("2 of 3 runs would go, about ", dry.stderr)
        self.assertIn("nothing was removed", dry.stderr)
        self.assertEqual(self.ids(), ["cc33", "bb22", "aa11"])
        done = self.kbench("db", "prune", "--keep", "90d", "--keep-tagged")
        self.assert_good(done)
        self.assertIn("2 of 3 runs removed", done.stderr)
        self.assertEqual(self.ids(), ["bb22"])
        self.assert_good(self.kbench("db", "vacuum"))
        self.assert_good(self.kbench("db", "check"))

    def test_prune_keeps_what_is_young_enough(self):
        self.make("kbench.sqlite", a_run("aa11"))
        result = self.kbench("db", "prune", "--keep", "5000w")
        self.assert_good(result)
        self.assertIn("0 of 1 run removed", result.stderr)
        self.assertNotIn("would", result.stderr)
        self.assertEqual(self.ids(), ["aa11"])

    def test_prune_as_json(self):
        self.make("kbench.sqlite", a_run("aa11"))
        report = json.loads(
            self.kbench("db", "prune", "--keep", "0d", "--dry-run", "--json").stdout)
        self.assertEqual(report["dry_run"], True)
        run = report["runs"][0]
        self.assertEqual((run["id"], run["goes"], run["rows"]), ("aa11", True, 2))
        self.assertGreater(run["bytes"], 0)

    def test_a_time_that_is_none_is_a_usage_error(self):
        for word in ("90", "d", "-1d", "90m", "9999999999d", ""):
            with self.subTest(word=word):
                self.assert_fails(self.kbench("db", "prune", f"--keep={word}"), USAGE, "--keep")
        self.assert_fails(self.kbench("db", "prune"), USAGE, "--keep")

    # --- salvage ---

    def test_salvage_saves_what_is_whole_and_names_what_is_not(self):
        self.make("kbench.sqlite", *[a_run(f"ff{n}{n}", rows=30) for n in range(5)])
        self.damage("kbench.sqlite", 0, bytes(100))
        self.assert_fails(self.kbench("db", "check"), TASK_FAILED, "is not sound")
        result = self.kbench("db", "salvage", "kbench.sqlite", "saved.sqlite")
        self.assert_good(result)
        self.assertIn("mended: its header was lost", result.stdout)
        self.assertEqual(len(self.ids("saved.sqlite")), 5)
        self.assert_good(self.kbench("db", "check", "--db", "saved.sqlite"))
        size = (self.folder / "kbench.sqlite").stat().st_size
        self.damage("kbench.sqlite", size - 4096, bytes(4096))
        result = self.kbench("db", "salvage", "kbench.sqlite", "rest.sqlite")
        self.assert_fails(result, TASK_FAILED, "4 runs saved in rest.sqlite, 1 lost")
        self.assertRegex(result.stdout, r"(?m)^lost +ff44 ")
        self.assertEqual(len(self.ids("rest.sqlite")), 4)

    def test_salvage_that_loses_every_run_names_them_and_exits_with_1(self):
        self.make("kbench.sqlite", a_run("aa11"), a_run("bb22", NEW))
        self.change("kbench.sqlite", "DELETE FROM sample WHERE position = 1")
        result = self.kbench("db", "salvage", "kbench.sqlite", "saved.sqlite")
        self.assert_fails(result, TASK_FAILED, "no run in it is whole, 2 lost", "exit code 1")
        self.assertRegex(result.stdout, r"(?m)^lost +aa11 ")
        self.assertRegex(result.stdout, r"(?m)^lost +bb22 ")
        self.assertFalse((self.folder / "saved.sqlite").exists())

    def test_salvage_of_anything_else_makes_nothing(self):
        (self.folder / "letter.txt").write_text("Dear reader,\n" * 1000)
        self.assert_fails(self.kbench("db", "salvage", "letter.txt", "saved.sqlite"), USAGE,
                          "letter.txt")
        self.assertFalse((self.folder / "saved.sqlite").exists())

    # --- merge ---

    def test_merge_unites_by_id_and_refuses_by_name(self):
        self.make("one.sqlite", a_run("aa11"), a_run("bb22"))
        self.make("two.sqlite", a_run("aa11"), a_run("cc33", NEW))
        result = self.kbench("db", "merge", "all.sqlite", "one.sqlite", "two.sqlite")
        self.assert_good(result)
        self.assertEqual(sorted(self.ids("all.sqlite")), ["aa11", "bb22", "cc33"])
        self.assertIn("3 runs added to all.sqlite, 1 there already", result.stderr)
        self.make("other.sqlite", a_run("bb22", rows=3))
        result = self.kbench("db", "merge", "all.sqlite", "other.sqlite")
        self.assert_fails(result, TASK_FAILED, "1 refused")
        self.assertRegex(result.stdout, r"REFUSED +bb22 .*one has 2 rows, the other 3")

    def test_one_cannot_be_merged_with_itself(self):
        self.make("one.sqlite", a_run("aa11"))
        self.assert_fails(self.kbench("db", "merge", "one.sqlite", "./one.sqlite"), USAGE, "itself")


if __name__ == "__main__":
    cli_case.main()
