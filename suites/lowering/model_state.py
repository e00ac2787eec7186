"""Parameters and buffers that a Model registers, in its order, with shapes and types."""

import torch


def type_text(tensor) -> str:
    """As messages have it: float32[64, 32]."""
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def made_by(model_class, call):
    """The Model. On the meta device where that goes, which takes no memory."""
    try:
        with torch.device("meta"):
            return model_class(*call.args, **call.kwargs)
    except Exception:  # it looks at values while it is made
        return model_class(*call.args, **call.kwargs)


def state_of(model) -> list[dict]:
    """One entry for each parameter, then for each buffer; tied ones under each of their names."""
    parameters = model.named_parameters(remove_duplicate=False)
    buffers = model.named_buffers(remove_duplicate=False)
    return [
        {"name": name, "type": type_text(tensor), "buffer": is_buffer}
        for is_buffer, tensors in ((False, parameters), (True, buffers))
        for name, tensor in tensors
    ]
