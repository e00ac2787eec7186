"""`kbench attribute analyze --html`: where its page goes, and where it does not."""

import os
import sqlite3

import cli_case
from cli_case import ROOT, USAGE

EXAMPLE = ROOT / "data/attribution/example.jsonl"


class PageTest(cli_case.CliCase):
    def setUp(self):
        super().setUp()
        self.cells = self.folder / "cells.jsonl"
        self.cells.write_bytes(EXAMPLE.read_bytes())

    def analyze(self, *words):
        return self.kbench("attribute", "analyze", "cells.jsonl", *words)

    def test_a_page_is_written_beside_what_is_printed(self):
        alone, both = self.analyze(), self.analyze("--html", "page.html")
        self.assert_good(both)
        self.assertEqual(both.stdout, alone.stdout)
        self.assertIn("written to page.html", both.stderr)
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertIn("<title>kbench attribution · cells.jsonl</title>", page)
        self.assertNotIn(str(self.folder), page)
        self.assert_good(self.analyze("--json", "--html", "again.html"))
        self.assertEqual((self.folder / "again.html").read_text(encoding="utf-8"), page)

    def test_nothing_but_a_page_is_written_over(self):
        (self.folder / "dir").mkdir()
        (self.folder / "link.html").symlink_to("cells.jsonl")
        os.mkfifo(self.folder / "pipe")
        with sqlite3.connect(self.folder / "rows.html") as rows:
            rows.execute("CREATE TABLE rows(number)")
        for name, why in (("cells.jsonl", "is read"), ("link.html", "is read"), ("dir", "is a folder"),
                          ("rows.html", "is a database"), ("no/page.html", "no folder"), ("pipe", "is a pipe"),
                          ("-", "--html names a file")):
            with self.subTest(name=name):
                self.assert_fails(self.analyze("--html", name), USAGE, why)
        self.assertEqual(self.cells.read_bytes(), EXAMPLE.read_bytes())
        self.assertFalse((self.folder / "-").exists())


if __name__ == "__main__":
    cli_case.main()
