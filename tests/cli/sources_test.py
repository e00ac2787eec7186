"""kbench sources, and what kbench reproduce refuses: on databases that the store wrote."""

import json
import sqlite3

import cli_case
from cli_case import NOTHING_SELECTED, USAGE
from compare_test import RELU, RunsCase, run_id

FILES = {"include/tile.hpp": "constexpr int kTile = 4;\n", "src/019_relu.cpp": "int relu;\n"}


class SourcesTest(RunsCase):
    def setUp(self):
        super().setUp()
        self.make([[{"agent": "alice", "files": FILES},
                    {"agent": "bob"},
                    {"agent": "carol", "files": {"src/../../../escaped.cpp": "int x;\n"}}]])

    def sources(self, agent, out="out", *words):
        return self.kbench("sources", "latest", "--task", RELU, "--agent", agent, "--out", out, *words)

    def test_they_are_written_as_a_folder_of_submissions(self):
        result = self.sources("alice")
        self.assert_good(result)
        out = self.folder / "out"
        found = {str(file.relative_to(out)): file.read_text("utf-8")
                 for file in out.rglob("*") if file.is_file()}
        self.assertEqual(found, {"alice/include/tile.hpp": FILES["include/tile.hpp"],
                                 f"alice/{RELU}.cpp": FILES["src/019_relu.cpp"]})
        self.assertIn(f"2 files written; kbench run --task {RELU} --submissions out", result.stderr)

    def test_a_run_of_one_file_gives_that_file_and_its_command(self):
        self.make([[{"agent": "my_relu", "submission": "my_relu.cpp",
                     "files": {"src/my_relu.cpp": "int relu;\n"}}]], "one.sqlite")
        result = self.sources("my_relu", "out", "--db", "one.sqlite")
        self.assert_good(result)
        self.assertEqual([str(f.relative_to(self.folder)) for f in self.folder.rglob("*.cpp")],
                         ["out/my_relu.cpp"])
        self.assertIn(f"1 file written; kbench run out/my_relu.cpp --task {RELU}", result.stderr)
        # Neither the run nor its only task and agent need a name. Nothing is left beside the database.
        self.assert_good(self.kbench("sources", "--out", "again", "--db", "one.sqlite"))
        self.assertTrue((self.folder / "again/my_relu.cpp").exists())
        self.assertEqual([file.name for file in self.folder.glob("one.sqlite*")], ["one.sqlite"])

    def test_nothing_is_written_over(self):
        self.assert_good(self.sources("alice"))
        self.assert_fails(self.sources("alice"), USAGE, "is no empty folder")
        (self.folder / "link").symlink_to(self.folder / "out")
        self.assert_fails(self.sources("alice", "link"), USAGE, "is no empty folder")
        (self.folder / "file").write_text("mine", encoding="ascii")
        self.assert_fails(self.sources("alice", "file"), USAGE, "is no empty folder")
        self.assertEqual((self.folder / "file").read_text("ascii"), "mine")

    def test_a_row_without_them_says_so(self):
        self.assert_fails(self.sources("bob"), NOTHING_SELECTED, "keeps no sources of this row")
        self.assert_fails(self.sources("dave"), NOTHING_SELECTED, 'no agent "dave"', "alice, bob")

    def test_a_path_that_leaves_the_folder_is_refused(self):
        self.assert_fails(self.sources("carol"), USAGE, "which no submission has")
        self.assertEqual([f for f in self.folder.rglob("*.cpp")], [])

    def test_changed_files_are_damage(self):
        store = sqlite3.connect(self.folder / "kbench.sqlite")
        with self.assertRaisesRegex(sqlite3.IntegrityError, "a blob is never changed"):
            store.execute("UPDATE blob SET content = x'00'")
        store.execute("DROP TRIGGER blob_stays")
        store.commit()
        self.assert_fails(self.sources("alice"), USAGE, 'it lacks the trigger "blob_stays"')
        store.execute("UPDATE blob SET content = x'00' WHERE bytes = 10")
        store.execute("CREATE TRIGGER blob_stays BEFORE UPDATE ON blob\n"
                      "BEGIN SELECT RAISE(ABORT, 'a blob is never changed'); END")
        store.commit()
        store.close()
        self.assert_fails(self.sources("alice"), USAGE, "damaged", "blob")

    def test_reports_name_them(self):
        report = self.kbench("report", "json")
        self.assert_good(report)
        rows = {row["agent"]: row["sources"] for row in json.loads(report.stdout)["results"]}
        self.assertIsNone(rows["bob"])
        self.assertEqual([file["path"] for file in rows["alice"]["files"]], list(FILES))
        self.assertEqual(len(rows["alice"]["tree"]), 64)
        line = json.loads(self.kbench("report", "jsonl").stdout.splitlines()[0])
        self.assertEqual(line["sources"], rows["alice"])

    def test_the_page_names_the_database_without_its_folder(self):
        page = self.kbench("report", "html", "--db", "./kbench.sqlite").stdout
        command = (f"kbench reproduce {run_id(1)[:12]} --db kbench.sqlite "
                   f"--task {RELU} --agent alice")
        self.assertIn(json.dumps(command), page)

    def reproduce(self, *words):
        return self.kbench("reproduce", "latest", "--task", RELU, *words, "--into", "new.sqlite")

    def test_what_cannot_be_reproduced_says_what_to_do(self):
        for words, code, parts in [
            (("--agent", "bob"), NOTHING_SELECTED,
             ("keeps no sources of this row", "where they were handed in")),
            (("--agent", "carol"), USAGE, ("which no submission has", "as kbench wrote it")),
            (("--agent", "alice", "--db", "gone.sqlite"), USAGE, ("no such database", "--db")),
            (("--agent", "alice", "--variant", "v9"), NOTHING_SELECTED, ('no variant "v9"',)),
            ((), NOTHING_SELECTED, ("no row without a submission", "--agent")),
        ]:
            with self.subTest(words=words):
                self.assert_fails(self.reproduce(*words), code, *parts)
        self.assertFalse((self.folder / "new.sqlite").exists())

    def test_a_task_that_selects_others_is_refused(self):
        self.make([[{"agent": "alice", "task": "level1/*", "files": FILES}]], "other.sqlite")
        result = self.kbench("reproduce", "latest", "--db", "other.sqlite", "--task", "level1/*",
                             "--agent", "alice", "--into", "new.sqlite")
        self.assert_fails(result, USAGE, "which no suite can have")

    def test_a_suite_that_is_gone_is_named(self):
        store = sqlite3.connect(self.folder / "kbench.sqlite")
        store.execute("UPDATE run SET configuration = ?", (json.dumps({"suite": "/no/such/suite"}),))
        store.commit()
        store.close()
        self.assert_fails(self.reproduce("--agent", "alice"), USAGE, "/no/such/suite", "--suite")


if __name__ == "__main__":
    cli_case.main()
