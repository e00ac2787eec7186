# One file without end; a file may not be as large as all of a session's.
import tempfile

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        with open(tempfile.gettempdir() + "/full", "ab") as file:
            while True:
                file.write(bytes(1 << 24))
