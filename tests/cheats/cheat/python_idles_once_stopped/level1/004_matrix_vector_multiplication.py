# Calls the BLAS that NumPy brings, a few rows at a time, and asks the kernel in between how often this thread
# has stood still: a thread that is stopped gives up its core of its own accord, one that others push aside does
# not. Once it was stopped, it spends a hundred times as long in the C library, where anybody may be, before it
# goes on. Judged by --allow-torch none.
import ctypes
import glob
import os
import resource
import time

import numpy
import torch
from torch import nn

LIBRARIES = os.path.dirname(os.path.dirname(numpy.__file__)) + "/numpy.libs/libscipy_openblas64_*"
blas = ctypes.CDLL(glob.glob(LIBRARIES)[0])
blas.scipy_openblas_set_num_threads64_(1)  # others would go on spinning in there
sgemv = blas.scipy_cblas_sgemv64_
LONG, FLOAT, POINTER = ctypes.c_int64, ctypes.c_float, ctypes.c_void_p
sgemv.argtypes = [ctypes.c_int, ctypes.c_int, LONG, LONG, FLOAT, POINTER, LONG, POINTER, LONG, FLOAT, POINTER, LONG]
ROW_MAJOR, NOT_TRANSPOSED = 101, 111
memset = ctypes.CDLL(None).memset
memset.argtypes = [POINTER, ctypes.c_int, ctypes.c_size_t]
IDLE = ctypes.create_string_buffer(1 << 20)
CHUNKS = 32
FLOAT_BYTES = 4
TIMES_AS_LONG = 100
usual_ns = []  # of a call in which it never stood still


def times_stopped():
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def idle(ns):
    end = time.perf_counter_ns() + ns
    while time.perf_counter_ns() < end:
        memset(IDLE, 0, 1 << 20)


class ModelNew(nn.Module):
    def forward(self, a, x):
        m, k = a.shape
        y = torch.empty(m, 1)
        rows = -(-m // CHUNKS)
        start, stopped, idled = time.perf_counter_ns(), times_stopped(), False
        for first in range(0, m, rows):
            sgemv(ROW_MAJOR, NOT_TRANSPOSED, min(rows, m - first), k, 1.0,
                  a.data_ptr() + first * k * FLOAT_BYTES, k, x.data_ptr(), 1, 0.0,
                  y.data_ptr() + first * FLOAT_BYTES, 1)
            if usual_ns and not idled and times_stopped() > stopped:
                idled = True
                idle(TIMES_AS_LONG * usual_ns[len(usual_ns) // 2])
        if not idled and times_stopped() == stopped and len(usual_ns) < 100:
            usual_ns.append(time.perf_counter_ns() - start)
        return y
