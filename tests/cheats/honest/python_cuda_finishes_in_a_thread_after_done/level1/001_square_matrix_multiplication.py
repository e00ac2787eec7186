# A thread launches the work, on the stream of the call, and is waited for.
import threading

import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        out = []
        stream = torch.cuda.current_stream()

        def work():
            with torch.no_grad(), torch.cuda.stream(stream):
                out.append(torch.matmul(a, b))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return out[0]
