"""Recurrent layers as one call with results of a known shape, for torch.export and the analysis.

Without this the shapes are worked out step by step, as the layer would be executed: 40 seconds for an
LSTM or GRU of six layers and 512 steps.
"""

import contextlib

import torch


def _lstm(x, states, parameters, biases, layers, dropout, train, bidirectional, batch_first):
    last, cells = states
    return _output(x, last, bidirectional, batch_first), _same(last), _same(cells)


def _layer(x, state, parameters, biases, layers, dropout, train, bidirectional, batch_first):
    return _output(x, state, bidirectional, batch_first), _same(state)


def _output(x, state, bidirectional: bool, batch_first: bool) -> torch.Tensor:
    """Laid out as PyTorch does it: by steps."""
    batch, steps = x.shape[:2] if batch_first else x.shape[1::-1]
    output = x.new_empty(steps, batch, state.shape[-1] * (2 if bidirectional else 1))
    return output.transpose(0, 1) if batch_first else output


def _same(state: torch.Tensor) -> torch.Tensor:
    return state.new_empty(state.shape)


_LAYERS = {
    torch.ops.aten.lstm.input: _lstm,
    torch.ops.aten.gru.input: _layer,
    torch.ops.aten.rnn_tanh.input: _layer,
    torch.ops.aten.rnn_relu.input: _layer,
}
_STEPWISE = (torch._C.DispatchKey.CompositeImplicitAutograd, torch._C.DispatchKey.Autograd)


@contextlib.contextmanager
def shapes_only():
    """In it these operators have no values: for the export alone."""
    with contextlib.ExitStack() as stack:
        for operator, function in _LAYERS.items():
            before = dict(operator.py_kernels)
            stack.callback(_set_kernels, operator, before)
            _set_kernels(operator, before | dict.fromkeys(_STEPWISE, function))
        yield


def results_and_flops(operator, *arguments) -> tuple[tuple, int] | None:
    """Results and flops of a layer, also of one that is worked out step by step elsewhere; None for
    any other operator."""
    if operator not in _LAYERS or operator is torch.ops.aten.lstm.input:
        return None
    x, _, parameters, *_ = arguments
    rows = x.numel() // x.shape[-1]  # of all steps
    matrices = sum(weight.numel() for weight in parameters if weight.dim() == 2)
    return _LAYERS[operator](*arguments), 2 * rows * matrices


def _set_kernels(operator, kernels: dict) -> None:
    """Torch's own decompositions are such kernels; it offers no way to replace one."""
    operator.py_kernels.clear()
    operator.py_kernels.update(kernels)
    operator._dispatch_cache.clear()
