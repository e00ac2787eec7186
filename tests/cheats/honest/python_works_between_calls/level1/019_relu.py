# A thread that waits for its turn, which comes in calls.
import threading

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.turn = threading.Semaphore(0)
        self.done = threading.Semaphore(0)
        self.work = None
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            self.turn.acquire()
            x, out = self.work
            torch.clamp(x, min=0, out=out)
            self.done.release()

    def forward(self, x):
        out = torch.empty_like(x)
        self.work = x, out
        self.turn.release()
        self.done.acquire()
        return out
