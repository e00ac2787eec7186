"""A type that other files can see has a name of its own: two of one name in one program are undefined behaviour
(the one-definition rule), and neither the compiler nor the linker says so where no file sees both."""

import collections
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["baselines", "reports", "runner"]

# At the left edge, hence of a namespace; a file's own types stand in a namespace without a name.
TYPE = re.compile(r"(?:template <.*>\s*)?(?:struct|class|enum class|enum|union) (?:\[\[\w+\]\] )?(\w+)\b(?!::)[^;]*$")


def types_of(text):
    hidden = False
    for line in text.splitlines():
        if line == "namespace {":
            hidden = True
        elif line == "}  // namespace":
            hidden = False
        elif not hidden and (found := TYPE.match(line)):
            yield found[1]


def twice(folders):
    places = collections.defaultdict(set)
    for folder in folders:
        for path in sorted(folder.rglob("*.[ch]pp")):
            for name in types_of(path.read_text(encoding="utf-8")):
                places[name].add(path.name)
    assert places, "the scan saw no type"
    return {name: sorted(files) for name, files in places.items() if len(files) > 1}


class NamesTest(unittest.TestCase):
    def test_no_two_types_share_a_name(self):
        self.assertEqual(twice([ROOT / folder for folder in FOLDERS]), {})

    def test_two_of_one_name_are_found(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "a.hpp").write_text("struct Outcome {\n};\nclass Early;\n", encoding="utf-8")
            (folder / "b.hpp").write_text("class Outcome : public Base {\n};\n", encoding="utf-8")
            (folder / "c.cpp").write_text("namespace {\nstruct Outcome {};\n}  // namespace\nclass Early;\n",
                                          encoding="utf-8")
            self.assertEqual(twice([folder]), {"Outcome": ["a.hpp", "b.hpp"]})


if __name__ == "__main__":
    unittest.main()
