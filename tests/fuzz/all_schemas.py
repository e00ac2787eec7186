"""Every operator that LibTorch has, for graph_soak: OP, OVERLOAD, how many tensors it returns, and the types of
its arguments, separated by tabs.
"""

import torch


def short(kind: str) -> str:
    """"int[]?" for "Optional[List[int]]"."""
    for long, mark in (("Optional[", "?"), ("List[", "[]")):
        if kind.startswith(long):
            return short(kind[len(long) : -1]) + mark
    return kind


for schema in torch._C._jit_get_all_schemas():
    tensors = sum(isinstance(result.type, torch.TensorType) for result in schema.returns)
    types = [short(str(argument.real_type)) for argument in schema.arguments]
    print(schema.name, schema.overload_name, tensors, *types, sep="\t")
