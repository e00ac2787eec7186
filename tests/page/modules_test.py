"""The modules of the page hold what the bundling asks of them (reports/page/assets/embed.cmake)."""

import pathlib
import re
import unittest

PAGE = pathlib.Path(__file__).parents[2] / "reports/page"
IMPORT = re.compile(r'^import \{ (.+) \} from "\./(\w+)\.js";$', re.MULTILINE)
TOP_LEVEL = re.compile(r"^(?:export )?(?:const|let|class|function) (\w+)", re.MULTILINE)
EXPORTED = re.compile(r"^export (?:const|class|function) (\w+)", re.MULTILINE)


def bundles():
    """The modules of each bundle, in their order: name and text."""
    listed = re.findall(r"set\((?:static_)?modules ([^)]+)\)", (PAGE / "CMakeLists.txt").read_text("utf-8"))
    return [{name: (PAGE / "assets/page" / f"{name}.js").read_text("utf-8") for name in names.split()}
            for names in listed]


def modules():
    return {name: text for bundle in bundles() for name, text in bundle.items()}


class ModulesTest(unittest.TestCase):
    def test_every_file_is_bundled(self):
        files = {file.stem for file in (PAGE / "assets/page").iterdir()}
        self.assertEqual(files, set(modules()))

    def test_a_module_stands_behind_what_it_imports(self):
        self.assertEqual(len(bundles()), 2)
        for bundle in bundles():
            self.check_order(bundle)

    def check_order(self, bundle):
        exported = {}
        for name, text in bundle.items():
            self.assertEqual(len(IMPORT.findall(text)), len(re.findall(r"^import", text, re.M)), name)
            for names, source in IMPORT.findall(text):
                self.assertIn(source, exported, f"{name} imports {source}")
                self.assertLessEqual(set(names.split(", ")), exported[source], name)
                for one in names.split(", "):
                    rest = IMPORT.sub("", text)
                    self.assertRegex(rest, rf"\b{one}\b", f"{name} does not use {one}")
            exported[name] = set(EXPORTED.findall(text))
            self.assertEqual(len(exported[name]), len(re.findall(r"^export", text, re.M)), name)

    def test_top_level_names_are_unique_in_the_bundle(self):
        seen = {}
        for name, text in modules().items():
            for one in TOP_LEVEL.findall(text):
                self.assertNotIn(one, seen, f"{name} and {seen.get(one)}")
                seen[one] = name

    def test_words_stand_in_one_place(self):
        # Text with a blank between two letters is a sentence, which belongs into words.js.
        for name, text in modules().items():
            if name == "words":
                continue
            code = re.sub(r"^\s*//.*$|//.*$", "", text, flags=re.MULTILINE)
            code = re.sub(r'(?:class|"class"|viewBox|kind)\b.*', "", code)
            found = re.findall(r'"[A-Z][a-z]+ [a-z]+[^"]*"', code)
            self.assertEqual(found, [], name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
