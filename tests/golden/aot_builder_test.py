"""What the package builder changes in Inductor leaves its choices as they are."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILDER = Path(__file__).resolve().parent.parent.parent / "baselines"
# Both answers come from one process, whose imports take longer than what is asked: first what Inductor
# finds, then, as if nothing had been asked yet, what it finds with the builder's changes. A builder sends
# what is printed to its standard error.
ASK = f"""
import json, subprocess, sys
from torch._inductor import cpu_vec_isa

def found():
    cpu_vec_isa.valid_vec_isa_list.cache_clear()
    cpu_vec_isa.VecISA._VecISA__bool__impl.cache_clear()
    return [str(isa) for isa in cpu_vec_isa.valid_vec_isa_list()]

def loads(library):
    program = cpu_vec_isa.VecISA._avx_py_load.replace("__lib_path__", library)
    return subprocess.run([sys.executable, "-c", program], stderr=subprocess.DEVNULL).returncode == 0

answers = {{"inductor": found(), "its_program": cpu_vec_isa.VecISA._avx_py_load}}
sys.path.insert(0, {str(BUILDER)!r})
import aot_builder
answers |= {{"builder": found(), "program": cpu_vec_isa.VecISA._avx_py_load, "nothing": loads("/no/such.so")}}
print(json.dumps(answers), file=sys.stderr, flush=True)
"""


class AotBuilderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": folder.name}

    def test_it_finds_the_vector_instructions_that_inductor_finds(self):
        ended = subprocess.run([sys.executable, "-B", "-c", ASK], env=self.environment, check=True,
                               capture_output=True, text=True)
        answers = json.loads(ended.stderr.splitlines()[-1])
        self.assertNotEqual(answers["program"], answers["its_program"])  # else both asked the same
        self.assertTrue(answers["builder"], "none: compiled baselines would be slow")
        self.assertEqual(answers["builder"], answers["inductor"])
        self.assertFalse(answers["nothing"], "a library that is not there is taken for one that loads")


if __name__ == "__main__":
    unittest.main()
