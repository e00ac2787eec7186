"""graph_soak with the operators of the torch that runs this: graph_soak.py PROGRAM OPTION…"""

import os
import pathlib
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    schemas = pathlib.Path(folder) / "schemas.tsv"
    lister = pathlib.Path(__file__).with_name("all_schemas.py")
    schemas.write_bytes(subprocess.run([sys.executable, "-B", lister], check=True, stdout=subprocess.PIPE).stdout)
    os.chdir(folder)
    sys.exit(subprocess.run([*sys.argv[1:], "--schemas", schemas], check=False).returncode)
