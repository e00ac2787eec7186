"""Requests to torch's load_inline and load, as the text by which build step and sessions know them.

PYTHON runs this; it has torch. KBENCH_ROOT is the checkout.
"""

import json
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["KBENCH_ROOT"])
sys.path.insert(0, str(ROOT / "runner" / "player"))

import kbench_extensions  # noqa: E402
from torch.utils import cpp_extension  # noqa: E402

ASKED = []


def find(name, text):
    ASKED.append({"asked": name, **json.loads(text)})
    raise LookupError


class RequestsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.own = cpp_extension.load_inline
        cls.folder = tempfile.TemporaryDirectory()
        kbench_extensions.replace_compilers(cls.folder.name, find)

    def asked(self, function, *args, **kwargs):
        with self.assertRaises(LookupError):
            function(*args, **kwargs)
        return ASKED.pop()

    def test_texts_and_flags_are_taken_as_torch_takes_them(self):
        asked = self.asked(cpp_extension.load_inline, "mine", "int f();", functions="f",
                           extra_cflags=["-O3 -march=native", ""], extra_ldflags=[""], verbose=True)
        self.assertEqual(asked["asked"], "mine")
        self.assertNotIn("name", asked)
        self.assertEqual(asked["cpp"], ["int f();"])
        self.assertEqual(asked["functions"], ["f"])
        self.assertEqual(asked["cflags"], ["-O3", "-march=native"])
        self.assertEqual(asked["ldflags"], [])
        self.assertTrue(asked["implicit_headers"])

    def test_the_same_is_asked_for_however_it_is_written(self):
        one = self.asked(cpp_extension.load_inline, "mine", ["int f();"], ["__global__ void g();"],
                         functions=["f"])
        other = self.asked(cpp_extension.load_inline, functions=["f"], cuda_sources="__global__ void g();",
                           cpp_sources="int f();", name="mine", build_directory="/elsewhere")
        self.assertEqual(one, other)
        third = self.asked(cpp_extension.load_inline, "mine", ["int f() ;"], ["__global__ void g();"],
                           functions=["f"])
        self.assertNotEqual(one, third)

    def test_files_of_its_own_are_named_and_others_handed_over(self):
        folder = pathlib.Path(self.folder.name)
        (folder / "kernels").mkdir(exist_ok=True)
        (folder / "kernels" / "a.cpp").write_text("int a;", encoding="utf-8")
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as made:
            made.write("int b;")
            made.flush()
            asked = self.asked(cpp_extension.load, name="mine", extra_include_paths=["kernels", "/usr/include"],
                               sources=[str(folder / "kernels" / "a.cpp"), "kernels/a.cpp", made.name])
        self.assertEqual(asked["sources"], [{"file": "kernels/a.cpp"}, {"file": "kernels/a.cpp"},
                                            {"name": os.path.basename(made.name), "text": "int b;"}])
        self.assertEqual(asked["includes"], ["kernels", "/usr/include"])

    def test_what_is_not_offered_is_said_at_once(self):
        for more in ({"with_sycl": True}, {"sycl_sources": "x"}):
            with self.assertRaises(RuntimeError):
                cpp_extension.load_inline("mine", "int f();", **more)
        with self.assertRaises(RuntimeError):
            cpp_extension.load("mine", ["a.cpp"], is_standalone=True)
        with self.assertRaisesRegex(RuntimeError, "1 MiB"):
            cpp_extension.load_inline("mine", "x" * (kbench_extensions.MOST_BYTES + 1))
        with self.assertRaisesRegex(RuntimeError, "/nowhere/a.cpp of an extension cannot be read"):
            cpp_extension.load("mine", ["/nowhere/a.cpp"])
        said = [words for words, _ in kbench_extensions.refusals]
        self.assertEqual(len(said), 5)
        self.assertIn("the extension mine asks for SYCL", said[0])

    def test_of_the_same_sources_each_name_gets_its_own_library_in_their_order(self):
        key = kbench_extensions.key_of("{}")
        built = [{"key": key, "name": name, "path": f"{name}.so", "failure": ""} for name in ("a_1", "b", "c_1")]
        built.insert(1, {"key": "another", "name": "c_2", "path": "other.so", "failure": ""})

        def found(*names):
            answers = kbench_extensions.Answers(built, "/f", "")
            return [answers.find(name, "{}")[0] for name in names]

        self.assertEqual(found("a_2", "b", "c_2", "a_2"), ["a_1", "b", "c_1", "a_1"])
        self.assertEqual(found("b", "a_2", "c_2"), ["b", "a_1", "c_1"])
        self.assertEqual(found("c_1", "b", "a_1"), ["c_1", "b", "a_1"])
        self.assertEqual(len(set(found("x", "y", "z"))), 3)
        self.assertIn(found("x", "y", "z", "more")[3], ("a_1", "b", "c_1"))
        with self.assertRaises(TypeError):
            cpp_extension.load_inline("mine")
        self.assertEqual(ASKED, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
