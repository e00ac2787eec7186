"""The modules of suites/synthesis import each other in one direction, wherever in a file that stands."""

import ast
import pathlib
import tempfile
import unittest

SYNTHESIS = pathlib.Path(__file__).resolve().parents[2] / "suites" / "synthesis"


def neighbours(text):
    """Names of the modules beside this one that it imports."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names |= {node.module} if node.module else {alias.name for alias in node.names}
    return names


def circle(folder):
    """Modules that are part of a circle, or import from one."""
    left = {path.stem: neighbours(path.read_text(encoding="utf-8")) for path in folder.glob("*.py")}
    while free := [name for name, imports in left.items() if not imports & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


class CircleCase(unittest.TestCase):
    def test_synthesis_has_none(self):
        self.assertGreater(len(list(SYNTHESIS.glob("*.py"))), 8, "the scan saw almost nothing")
        self.assertEqual(circle(SYNTHESIS), [])

    def test_one_within_a_function_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "a.py").write_text("from .b import x\n", encoding="utf-8")
            (folder / "b.py").write_text("def x():\n    from . import a\n", encoding="utf-8")
            (folder / "c.py").write_text("import b\n", encoding="utf-8")
            self.assertEqual(circle(folder), ["a", "b"])


if __name__ == "__main__":
    unittest.main()
