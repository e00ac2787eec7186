"""Tensors over memory that somebody else owns, and what a model returned as tensors of torch's own.

Used by player.py. Both work on what torch itself knows, past all that a subclass of a
submission's says.
"""

import ctypes

import torch

# DLPack's codes and bits for the types that tasks have.
ELEMENTS = {
    torch.float64: (2, 64), torch.float32: (2, 32), torch.float16: (2, 16), torch.bfloat16: (4, 16),
    torch.int64: (0, 64), torch.int32: (0, 32), torch.int16: (0, 16), torch.int8: (0, 8),
    torch.uint8: (1, 8), torch.bool: (6, 8),
}
FROM_DLPACK = torch.utils.dlpack.from_dlpack
CAPSULE = ctypes.pythonapi.PyCapsule_New
CAPSULE.restype = ctypes.py_object
CAPSULE.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class View:
    """Makes tensors of one kind at any address, without a copy."""

    def __init__(self, spec, library, on_cuda):
        self.dtype = getattr(torch, spec["dtype"])
        self.shape = tuple(spec["shape"])
        self.offset = spec["offset"]
        self.name = spec["name"]
        self.on_cuda = on_cuda
        self.library = library
        self.extents = (ctypes.c_int64 * len(self.shape))(*self.shape)

    def at(self, base):
        return self.over(base + self.offset)

    def over(self, address, strides=None):
        """One that lies there, with these strides or without gaps."""
        steps = (ctypes.c_int64 * len(strides))(*strides) if strides else None
        code, bits = ELEMENTS[self.dtype]
        handle = self.library.kb_tensor(address, self.on_cuda, code, bits, len(self.shape),
                                        self.extents, steps)
        return FROM_DLPACK(CAPSULE(handle, b"dltensor", None))


class WrongOutput(Exception):
    """Raised where forward returned what cannot be the task's outputs."""


def shape_text(tensor_or_view):
    dtype = str(tensor_or_view.dtype).removeprefix("torch.")
    return f"{dtype}{list(tensor_or_view.shape)}"


def results_of(returned):
    if isinstance(returned, torch.Tensor):
        return [returned]
    if isinstance(returned, dict):
        return list(returned.values())
    if isinstance(returned, (tuple, list)):
        return list(returned)
    raise WrongOutput(f"forward returned {type(returned).__name__}, not tensors")


# Torch's own view of a tensor, past all that a subclass says.
BASE = torch._C.TensorBase
WITHOUT_SUBCLASSES = torch._C.DisableTorchFunctionSubclass
PLAIN = (torch.Tensor, torch.nn.Parameter)
RESOLVE_NEG = torch.Tensor.resolve_neg


def materialised(results, views, device, judged):
    """Tensors of torch's own that hold what forward returned, as it lies in memory now: nobody
    waits for what computes when it is looked at. `judged`: the addresses of the arena of outputs."""
    if len(results) != len(views):
        raise WrongOutput(f"forward returned {len(results)} tensors, not {len(views)}")
    return [plain_tensor(result, view, device, judged) for result, view in zip(results, views)]


def plain_tensor(result, view, device, judged):
    if not isinstance(result, torch.Tensor):
        raise WrongOutput(f"forward returned {type(result).__name__} for {view.name}, no tensor")
    try:
        with WITHOUT_SUBCLASSES():
            check_kind(result, view, device)
            check_place(result, view, judged)
            if type(result) in PLAIN:
                return RESOLVE_NEG(result) if BASE.is_neg(result) else result
            return over_storage(result, view)
    except (RuntimeError, TypeError, NotImplementedError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise WrongOutput(f"forward returned a {type(result).__name__} for {view.name} that has no "
                          f"memory to be judged: {first}") from error


def check_kind(result, view, device):
    """True for a tensor of the output's type and shape, with memory that can be read."""
    where = BASE.device.__get__(result).type
    layout = BASE.layout.__get__(result)
    if where == "meta":
        raise WrongOutput(f"forward returned a meta tensor for {view.name}, which has no memory")
    if layout is not torch.strided:
        raise WrongOutput(f"forward returned a tensor of the layout {layout} for {view.name}, "
                          "whose elements do not lie one after the other: return it dense")
    if BASE.is_quantized.__get__(result):
        raise WrongOutput(f"forward returned a quantised tensor for {view.name}: dequantise it")
    dtype, shape = BASE.dtype.__get__(result), BASE.shape.__get__(result)
    if dtype != view.dtype or shape != view.shape or where != device:
        got = f"{str(dtype).removeprefix('torch.')}{list(shape)}"
        got += "" if where == device else f" on {where}"
        raise WrongOutput(f"forward returned {got} for {view.name}, not {shape_text(view)}"
                          + ("" if where == device else f" on {device}"))
    if BASE.data_ptr(result) == 0 and BASE.numel(result) != 0:
        raise WrongOutput(f"forward returned a {type(result).__name__} for {view.name} without "
                          "memory")


def end_of(result, view):
    """The address behind its last element."""
    reach = sum((extent - 1) * step for extent, step in zip(view.shape, BASE.stride(result))) + 1
    return BASE.data_ptr(result) + reach * view.dtype.itemsize


def check_place(result, view, judged):
    """It does not lie where outputs are judged: what does is no output of a submission's."""
    begin, end = BASE.data_ptr(result), end_of(result, view)
    if BASE.numel(result) and begin < judged.stop and end > judged.start:
        raise WrongOutput(f"forward returned memory of kbench's own for {view.name}, not of the "
                          "submission's: return a tensor that torch or the submission has made")


def lies_in_a_row(tensor):
    """True for a tensor without gaps between its elements, in whatever order they lie."""
    if BASE.is_contiguous(tensor):
        return True
    expected = 1
    for step, extent in sorted(zip(BASE.stride(tensor), BASE.shape.__get__(tensor))):
        if extent > 1:
            if step != expected:
                return False
            expected *= extent
    return True


def over_storage(result, view):
    """The values in a subclass's storage, and nothing that its methods would compute."""
    strides = BASE.stride(result)
    storage = BASE.untyped_storage(result)
    end = end_of(result, view)
    fits = all(step >= 0 for step in strides) and end <= storage.data_ptr() + storage.nbytes()
    if BASE.numel(result) and (not fits or BASE.is_neg(result)):
        raise WrongOutput(f"forward returned a {type(result).__name__} for {view.name} that is "
                          "larger than its memory, or not what lies there")
    return view.over(BASE.data_ptr(result), strides)
