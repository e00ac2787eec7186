"""Parts that make a wheel of an installation: the torch that it asks for, its version, its
command."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "third_party"))
import wheel_torch  # noqa: E402


class WheelTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kbench-wheel-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text, mode=0o644):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="ascii")
        file.chmod(mode)
        return file

    def wanted(self, torch):
        with mock.patch.dict(os.environ, KBENCH_TORCH=str(torch)):
            return wheel_torch.dynamic_metadata({}, {})

    def test_asks_for_the_minor_version_that_it_is_linked_with(self):
        self.write("libtorch/build-version", "2.10.1+cpu\n")
        self.assertEqual(self.wanted(self.folder / "libtorch"),
                         {"dependencies": ["torch==2.10.*"]})
        self.write("torch/version.py", "import os\n\n__version__ = '2.11.0+cu130'\n")
        python = self.write("python3", f"#!/bin/sh\necho {self.folder}/torch\n", 0o755)
        self.assertEqual(self.wanted(python), {"dependencies": ["torch==2.11.*"]})

    def test_a_python_without_torch_says_what_to_do(self):
        python = self.write("python3", "#!/bin/sh\nexit 1\n", 0o755)
        with self.assertRaisesRegex(SystemExit, "KBENCH_TORCH"):
            self.wanted(python)
        with self.assertRaisesRegex(SystemExit, "version"):
            self.wanted(self.folder)

    def test_the_version_is_that_of_cmake(self):
        pattern = re.search(r"^regex = '(.*)'$", (ROOT / "pyproject.toml").read_text(), re.M)[1]
        self.assertRegex((ROOT / "CMakeLists.txt").read_text(), pattern)

    def test_the_command_becomes_the_program_and_tells_its_python(self):
        self.write("kbench/bin/kbench",
                   '#!/bin/sh\necho "$KBENCH_WHEEL_PYTHON" "$@"\nexit 5\n', 0o755)
        shutil.copytree(ROOT / "data/clients/kbench", self.folder / "kbench", dirs_exist_ok=True)
        for words in (["-c", "import kbench; kbench.main()"], ["-m", "kbench"]):
            result = subprocess.run([sys.executable, "-B", *words, "run", "--level", "1,2"],
                                    cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(result.stdout, f"{sys.executable} run --level 1,2\n", result.stderr)
            self.assertEqual(result.returncode, 5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
