# Calls the BLAS that NumPy brings, by ctypes. Judged by --allow-torch none.
import ctypes
import glob
import os

import numpy
import torch
from torch import nn

LIBRARIES = os.path.dirname(os.path.dirname(numpy.__file__)) + "/numpy.libs/libscipy_openblas64_*"
sgemv = ctypes.CDLL(glob.glob(LIBRARIES)[0]).scipy_cblas_sgemv64_
LONG, FLOAT, POINTER = ctypes.c_int64, ctypes.c_float, ctypes.c_void_p
sgemv.argtypes = [ctypes.c_int, ctypes.c_int, LONG, LONG, FLOAT, POINTER, LONG, POINTER, LONG, FLOAT, POINTER, LONG]
ROW_MAJOR, NOT_TRANSPOSED = 101, 111


class ModelNew(nn.Module):
    def forward(self, a, x):
        m, k = a.shape
        y = torch.empty(m, 1)
        sgemv(ROW_MAJOR, NOT_TRANSPOSED, m, k, 1.0, a.data_ptr(), k, x.data_ptr(), 1, 0.0, y.data_ptr(), 1)
        return y
