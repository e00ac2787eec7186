"""The folders of runner/CMakeLists.txt stand in the order of dependence: each behind all that its sources include."""

import pathlib
import re
import tempfile
import unittest

RUNNER = pathlib.Path(__file__).resolve().parents[2] / "runner"
ENDINGS = {".cpp", ".cu", ".cuh", ".h", ".hpp", ".inc"}


def listed(runner):
    text = (runner / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.findall(r"^add_subdirectory\((\w+)\)", text, re.MULTILINE)


def included(folder):
    """Folders of runner that the sources of one include."""
    names = set()
    for path in folder.rglob("*"):
        if path.suffix in ENDINGS:
            names |= set(re.findall(r'^\s*#\s*include "runner/(\w+)/', path.read_text(encoding="utf-8"), re.MULTILINE))
    return names - {folder.name}


def misplaced(runner):
    """Folders that stand above one that they include, as (folder, the other)."""
    order = listed(runner)
    place = {name: position for position, name in enumerate(order)}
    return [(name, other) for name in order for other in sorted(included(runner / name))
            if place.get(other, -1) > place[name]]


class OrderTest(unittest.TestCase):
    def test_each_folder_stands_behind_those_that_it_includes(self):
        self.assertGreater(len(listed(RUNNER)), 30, "the scan saw almost nothing")
        self.assertEqual(misplaced(RUNNER), [])

    def test_each_folder_with_sources_is_listed(self):
        folders = {path.parent.name for path in RUNNER.glob("*/CMakeLists.txt")}
        self.assertEqual(folders - set(listed(RUNNER)), set())

    def test_a_folder_above_what_it_includes_is_found(self):
        with tempfile.TemporaryDirectory() as scratch:
            runner = pathlib.Path(scratch)
            (runner / "CMakeLists.txt").write_text("".join(f"add_subdirectory({name})\n" for name in ("core", "run", "os")))
            for name, text in (("core", ""), ("run", '#include "runner/os/x.hpp"\n#include "runner/abi/x.hpp"\n'),
                               ("os", '#include "runner/core/x.hpp"\n#include "runner/os/x.hpp"\n')):
                (runner / name).mkdir()
                (runner / name / "x.cpp").write_text(text)
            self.assertEqual(misplaced(runner), [("run", "os")])


if __name__ == "__main__":
    unittest.main()
