"""Changes of the package builder to Inductor leave its choices as they are."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILDER = Path(__file__).resolve().parent.parent.parent / "baselines"
# All answers come from one process, whose imports take longer than what is asked: first which instructions
# Inductor would take, which are the first that work; then, as if nothing had been asked yet, what it takes with
# the builder's changes, as it is asked while a package is built. A builder sends what is printed to its standard
# error.
ASK = f"""
import json, os, subprocess, sys
import torch
from torch._inductor import config, cpu_vec_isa

def forget():
    cpu_vec_isa.valid_vec_isa_list.cache_clear()
    cpu_vec_isa.VecISA._VecISA__bool__impl.cache_clear()
    for kind in (cpu_vec_isa.VecAVX512, cpu_vec_isa.VecAVX512VNNI, cpu_vec_isa.VecAMX):
        kind.__bool__.cache_clear()

def loads(library):
    program = cpu_vec_isa.VecISA._avx_py_load.replace("__lib_path__", library)
    return subprocess.run([sys.executable, "-c", program], stderr=subprocess.DEVNULL).returncode == 0

def first_that_works():
    for isa in list(cpu_vec_isa.supported_vec_isa_list):
        cpu_vec_isa.supported_vec_isa_list = [isa]
        cpu_vec_isa.valid_vec_isa_list.cache_clear()
        if found := cpu_vec_isa.valid_vec_isa_list():
            return str(found[0])

candidates = cpu_vec_isa.supported_vec_isa_list
answers = {{"inductor": first_that_works(), "its_program": cpu_vec_isa.VecISA._avx_py_load}}
cpu_vec_isa.supported_vec_isa_list = candidates
forget()
os.environ["TORCHINDUCTOR_CACHE_DIR"] += "/builder"  # what Inductor compiled to find out is linked otherwise
sys.path.insert(0, {str(BUILDER)!r})
import aot_builder
with config.patch(aot_builder.inductor_options(torch.device("cpu"))):
    answers |= {{"builder": str(cpu_vec_isa.pick_vec_isa()), "program": cpu_vec_isa.VecISA._avx_py_load}}
answers |= {{"nothing": loads("/no/such.so"), "left": cpu_vec_isa.supported_vec_isa_list == candidates}}
print(json.dumps(answers), file=sys.stderr, flush=True)
"""


class AotBuilderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": folder.name}

    def test_it_takes_the_vector_instructions_that_inductor_takes(self):
        ended = subprocess.run([sys.executable, "-B", "-c", ASK], env=self.environment, check=True,
                               capture_output=True, text=True)
        answers = json.loads(ended.stderr.splitlines()[-1])
        self.assertNotEqual(answers["program"], answers["its_program"])  # else both asked the same
        self.assertIn("avx" if os.uname().machine == "x86_64" else "", answers["builder"],
                      "none: compiled baselines would be slow")
        self.assertEqual(answers["builder"], answers["inductor"])
        self.assertFalse(answers["nothing"], "a library that is not there is taken for one that loads")
        self.assertTrue(answers["left"], "the list of candidates is not as it was")


if __name__ == "__main__":
    unittest.main()
