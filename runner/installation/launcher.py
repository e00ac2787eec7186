"""The command `kbench` of a wheel, installed as the module kbench: becomes the program beside it.

The program must know in whose environment it lies, since it uses that one's torch; from the file
alone it could not tell, because an environment may be shared, layered or a plain folder.
"""

import os
import sys
from pathlib import Path


def main():
    program = Path(__file__).resolve().parent / "bin" / "kbench"
    os.environ["KBENCH_WHEEL_PYTHON"] = sys.executable
    os.execv(program, [str(program), *sys.argv[1:]])
