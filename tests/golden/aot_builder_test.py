"""What the package builder changes in Inductor leaves its choices as they are."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILDER = Path(__file__).resolve().parent.parent.parent / "baselines"
ASK = "import json; from torch._inductor import cpu_vec_isa; " \
      "print(json.dumps([str(isa) for isa in cpu_vec_isa.valid_vec_isa_list()]), flush=True)"


class AotBuilderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": folder.name}

    def ask(self, program, stream):
        ended = subprocess.run([sys.executable, "-B", "-c", program], env=self.environment, check=True,
                               capture_output=True, text=True)
        return json.loads(getattr(ended, stream).splitlines()[-1])

    def test_it_finds_the_vector_instructions_that_inductor_finds(self):
        # What a builder prints goes to its standard error.
        builders = self.ask(f"import sys; sys.path.insert(0, {str(BUILDER)!r}); import aot_builder; "
                            + ASK, "stderr")
        self.assertTrue(builders, "none: compiled baselines would be slow")
        self.assertEqual(builders, self.ask(ASK, "stdout"))


if __name__ == "__main__":
    unittest.main()
