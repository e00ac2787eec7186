"""Each unit test is built: its name stands in a list of tests/unit/CMakeLists.txt."""

import pathlib
import re
import tempfile
import unittest

UNIT = pathlib.Path(__file__).resolve().parents[1] / "unit"


def unlisted(folder):
    """The tests of a folder that no list of its CMakeLists.txt names, without their "_test"."""
    listed = set(re.findall(r"\w+", (folder / "CMakeLists.txt").read_text(encoding="utf-8")))
    names = sorted(path.name.removesuffix("_test.cpp") for path in folder.glob("*_test.cpp"))
    return [name for name in names if name not in listed]


class ListedTest(unittest.TestCase):
    def test_each_unit_test_is_listed(self):
        self.assertEqual(unlisted(UNIT), [], "tests/unit/CMakeLists.txt does not build these")

    def test_what_is_not_listed_is_found(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "CMakeLists.txt").write_text("kbench_unit_tests(some_tests TESTS known ALONE other)")
            for name in ("known", "other", "nobody"):
                (folder / f"{name}_test.cpp").touch()
            self.assertEqual(unlisted(folder), ["nobody"])


if __name__ == "__main__":
    unittest.main()
