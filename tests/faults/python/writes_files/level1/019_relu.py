# Writes files in each of the ways that programs have, while it is imported and in each call.
import getpass
import os
import tempfile

import torch
from torch import nn


def write(path):
    with open(path, "w", encoding="ascii") as file:
        file.write("x")


assert os.listdir() == [".cache"], os.listdir()  # nothing of another session's
scratch = tempfile.mkdtemp()
write(os.path.join(scratch, "a"))
with tempfile.NamedTemporaryFile("w+") as file:
    write(file.name)
with tempfile.TemporaryFile() as file:
    file.write(b"x")
os.makedirs("my_build/deep", exist_ok=True)
write("x")
os.replace("x", "my_build/deep/y")
write(os.path.expanduser("~/.cache/mine"))
for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
    os.makedirs(os.path.join(os.environ[name], "mine"))
torch.save(torch.zeros(3), os.path.join(os.environ["TMPDIR"], "weights"))
assert getpass.getuser()


class ModelNew(nn.Module):
    def forward(self, x):
        write(os.path.join(scratch, "b"))
        assert os.path.exists("my_build/deep/y")
        return torch.relu(x)
