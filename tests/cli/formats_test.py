"""Every format of a run whose names were chosen to break out of one: real parsers read what the
program writes, every name is there, and none of them does anything."""

import csv
import html
import html.parser
import io
import json
import os
import re
import subprocess
import unicodedata
import xml.etree.ElementTree as ElementTree

import cli_case

RUN = "3d" * 16
HOSTILE = [
    b"<img src=x onerror=alert(1)>",
    b"<script>document.title='owned'</script>",
    b'" onmouseover="alert(1)',
    b"javascript:alert(1)",
    b"&lt;b&gt;&amp;",
    b'=HYPERLINK("x")',
    b"+1+1",
    b"-2+3",
    b"@SUM(A1)",
    b"\t=1",
    b"\x1b[2J\x1b]0;owned\x07",
    b"\xc2\x9b31m",
    "\u202eevil\u2066".encode(),
    "\u200binvisible\ufeff".encode(),
    b"a" * 10_000,
    b"two\nlines|and|pipes",
    b"\n::error file=x::y",
    b"]]></failure><x/>",
    b"\xff\xfe\xc0\xaf",
    b"[x](http://y) `*_~ #1 @someone {{body}} %0A \\",
]
FORMULA = tuple("=+-@\t\r\n")


def shown(raw, newline="\\n", tab=" "):
    """The text as reports show it: what steers a reader is written in letters."""
    text = ""
    for c in raw.decode("utf-8", "surrogateescape"):
        if "\udc80" <= c <= "\udcff":
            text += f"\\x{ord(c) - 0xdc00:02x}"
        elif c in "\n\t":
            text += newline if c == "\n" else tab
        elif unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp"):
            text += f"\\x{ord(c):02x}" if ord(c) <= 0xff else f"\\u{ord(c):04x}"
        else:
            text += c
    return text


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data):
        self.text += data


class FormatsTest(cli_case.CliCase):
    def setUp(self):
        super().setUp()
        self.make_store("kbench.sqlite", HOSTILE)
        self.make_store("tame.sqlite", [f"agent{i}".encode() for i in range(len(HOSTILE))])

    def make_store(self, name, agents):
        subprocess.run([os.environ["MAKE_STORE"], str(self.folder / name), "--agents", RUN,
                        *(agent.hex() for agent in agents)], check=True)

    def report(self, form, database="kbench.sqlite"):
        result = self.kbench("report", "--out", f"{form}=out", "--db", database)
        self.assert_good(result)
        text = (self.folder / "out").read_bytes().decode("utf-8")  # valid, whatever went in
        for c in text:
            steers = unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")
            self.assertFalse(steers and c not in "\r\n", (form, c))
        return text

    def assert_all(self, found, expected):
        self.assertEqual(sorted(found), sorted(expected))

    def test_json(self):
        # Characters that JSON can hold are there unchanged; bytes that are not UTF-8 are written
        # in letters.
        names = [raw.decode("utf-8", "backslashreplace") for raw in HOSTILE]
        text = self.report("json")
        self.assertTrue(text.isascii())
        rows = json.loads(text)["results"]
        self.assert_all([row["agent"] for row in rows], names)
        self.assert_all([row["message"] for row in rows], names)
        lines = [json.loads(line) for line in self.report("jsonl").splitlines()]
        self.assert_all([line["agent"] for line in lines], names)
        self.assertEqual({line["run_id"] for line in lines}, {RUN})
        benchmarks = json.loads(self.report("google-benchmark"))["benchmarks"]
        self.assert_all([one["name"] for one in benchmarks],
                        [f"level1/019_relu/small/{name}" for name in names])

    def test_csv(self):
        text = self.report("csv")
        heading, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        self.assertEqual({len(row) for row in rows}, {len(heading)})
        agent = heading.index("agent")
        expected = []
        for raw in HOSTILE:
            text = shown(raw, newline="\n", tab="    ")
            expected.append("'" + text if raw.decode("latin-1").startswith(FORMULA) else text)
        self.assert_all([row[agent] for row in rows], expected)
        for row in rows:
            for cell in row:
                self.assertFalse(cell.startswith(FORMULA), cell)

    def test_junit(self):
        cases = ElementTree.fromstring(self.report("junit")).findall(".//testcase")
        self.assert_all([case.get("name") for case in cases],
                        [shown(raw + b"/level1/019_relu.cpp") for raw in HOSTILE])
        for case in cases:
            self.assertEqual([part.tag for part in case], ["failure", "system-out"])
        texts = [shown(raw, newline="\n", tab="    ") for raw in HOSTILE]
        self.assert_all([case.find("failure").text for case in cases],
                        [f"{text}\n{text}" for text in texts])

    def test_markdown(self):
        text = self.report("md")
        table = [line for line in text.splitlines() if line.startswith("|")]
        self.assertEqual(len(table), len(HOSTILE) + 2)
        self.assertEqual(len({line.count("|") for line in table}), 1)
        names = [re.fullmatch("<code>(.*)</code>", line.split(" | ")[1])[1] for line in table[2:]]
        self.assert_all(map(html.unescape, names), map(shown, HOSTILE))
        for name in names:
            without = re.sub("&#[0-9]+;", "", name)
            self.assertNotRegex(without, r"[`*~\\\[<>|{}#&]|://")
        self.assertLessEqual(set(Page(text).tags), {"code", "pre"})

    def test_html(self):
        text = self.report("html")
        page, tame = Page(text), Page(self.report("html", "tame.sqlite"))
        self.assertEqual(page.tags, tame.tags, "a name became an element")
        self.assertEqual(page.attributes, tame.attributes, "a name became an attribute")
        for raw in HOSTILE:
            self.assertIn(shown(raw), page.text)

    def test_github(self):
        lines = self.report("github").splitlines()
        errors = [line for line in lines if line.startswith("::error ")]
        self.assertEqual(len(errors), len(HOSTILE))
        titles = []
        for line in lines:
            command = re.fullmatch(r"::(error|warning|notice) ([^:]*?)::(.*)", line)
            self.assertIsNotNone(command, line)
            if command[1] == "error":
                properties = dict(one.split("=", 1) for one in command[2].split(","))
                self.assertEqual(set(properties), {"file", "title"})
                titles.append(self.unescape(properties["title"]))
        self.assert_all(titles, [f"crash: level1/019_relu by {shown(raw, chr(10), 4 * ' ')}"
                                 for raw in HOSTILE])

    @staticmethod
    def unescape(text):
        for code, c in [("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")]:
            text = text.replace(code, c)
        return text

    def test_table(self):
        text = self.report("table")
        for raw in HOSTILE:
            # Columns have a width; the message below is whole.
            self.assertIn(shown(raw)[:31], text)
            self.assertIn(f"→ {shown(raw)}\n", text)


if __name__ == "__main__":
    cli_case.main()
