"""Gives a ModelNew the task's parameters: by the task's names, by KernelBench's, or by their order.

Names, shapes and types decide which value goes where, and never what gives a right result. A model that
registers equal shapes in another order than the task does gets them in the task's order. """

import torch
from torch.nn import init
from torch.overrides import TorchFunctionMode

from player_outputs import shape_text

MOST_LINES = 20
MOST_NAMES = 8
HINT = ("names are those of the state_dict of the task's Model or of KernelBench's, or else shapes and "
        "types are, in its order; derive packed or fused weights in kbench_prepare(self)")


class ParametersDiffer(Exception):
    """Nobody can say which of the task's parameters is which of the model's."""


class Undrawn(TorchFunctionMode):
    """While a Model is made whose parameters are replaced: very large ones are not drawn before. One core
    takes 8 s for the 2^30 weights of level2/056 at KernelBench's sizes. Smaller ones are drawn, because an
    __init__ may look at them, or draw something else from the same generator afterwards."""

    LEAST = 1 << 26
    DRAWS = {torch.Tensor.uniform_, torch.Tensor.normal_, init.uniform_, init.normal_, init.kaiming_uniform_}

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in self.DRAWS:
            tensor = args[0] if args else kwargs.get("tensor")
            if isinstance(tensor, torch.nn.Parameter) and tensor.numel() >= self.LEAST:
                return tensor
        return func(*args, **kwargs)


WRAPPED = "_orig_mod"  # what torch.compile(module) calls the module in it


def registered(model, kind):
    """The parameters or buffers of a Model by name. A module that torch.compile wraps goes by the
    wrapper's name, unless it is registered itself as well."""
    found = {}
    modules = list(model.named_modules(remove_duplicate=False))
    bare = {id(module) for path, module in modules if WRAPPED not in path.split(".")}
    for path, module in modules:
        parents = [part for part in path.split(".") if part]
        if WRAPPED in parents and id(module) in bare:
            continue
        name = ".".join(part for part in parents if part != WRAPPED)
        for leaf, tensor in getattr(module, kind).items():
            if tensor is not None:
                found[f"{name}.{leaf}" if name else leaf] = tensor
    return found


class Own:
    """The tensors that a model holds, under its own names."""

    def __init__(self, model):
        self.model = model
        self.parameters = registered(model, "_parameters")
        self.buffers = registered(model, "_buffers")

    def find(self, name):
        """A parameter, a buffer, or a tensor in a plain attribute."""
        registered = self.parameters.get(name, self.buffers.get(name))
        if registered is not None:
            return registered
        try:
            module, leaf = owner_of(self.model, name)
        except AttributeError:
            return None
        value = vars(module).get(leaf)
        return value if isinstance(value, torch.Tensor) else None

    def has(self, name, view):
        tensor = self.find(name)
        return tensor is not None and shape_text(tensor) == shape_text(view)


class Listed:
    """Parameters or buffers that one Model registers, in its order, each with the name of the task's parameter
    that it is; None beside one that changes nothing, whose type may be anything."""

    def __init__(self, entries):
        self.names = {own: task for own, task, _, _ in entries}
        self.parameters = [(task, type_) for _, task, type_, buffer in entries if not buffer]
        self.buffers = [(task, type_) for _, task, type_, buffer in entries if buffer]

    def only(self, tasks):
        kept = [(task, task, type_, buffer) for buffer, some in
                ((False, self.parameters), (True, self.buffers))
                for task, type_ in some if task in tasks]
        return Listed(kept)


def owner_of(model, name):
    path, _, leaf = name.rpartition(".")
    module = model.get_submodule(path)
    while WRAPPED in module._modules:
        module = module._modules[WRAPPED]
    return module, leaf


def lists_of(views, request):
    """The task's Model as it registers, KernelBench's, and of the task's what is in use."""
    state = request["state"]
    if state is None:  # nobody could make it
        return [Listed([(name, name, shape_text(view), False) for name, view in views.items()])]
    of_task = {entry["name"]: entry for entry in state}
    task = Listed([(name, name, entry["type"], entry["buffer"]) for name, entry in of_task.items()])
    theirs = Listed([(own, name, *((of_task[name]["type"], of_task[name]["buffer"])
                                   if name in of_task else (None, False)))
                     for own, name in request["kernelbench"]])
    return [task, theirs, task.only(views)]


def by_names(own, listed, views, allows_more):
    """Own names with their views; None where one is missing, of another shape, or left over."""
    found = {name: views[task] for name, task in listed.names.items() if task in views}
    found.update((name, view) for name, view in views.items()
                 if name not in listed.names.values())  # plain attributes
    if len(found) < len(views) or not all(own.has(name, view) for name, view in found.items()):
        return None
    if not allows_more and not set(own.parameters) <= set(listed.names) | set(found):
        return None
    return found


def in_order(tensors, listed, views):
    """The same for one list, whose names are passed over."""
    if len(tensors) != len(listed) or any(type_ not in (None, shape_text(tensor)) for tensor, (_, type_)
                                          in zip(tensors.values(), listed)):
        return None
    return {name: views[task] for name, (task, _) in zip(tensors, listed) if task in views}


def by_order(own, listed, views):
    """The same for a whole Model; buffers under their names where they have them."""
    parameters = in_order(own.parameters, listed.parameters, views)
    buffers = {task: views[task] for task, _ in listed.buffers if task in views}
    if not all(own.has(name, view) for name, view in buffers.items()):
        buffers = in_order(own.buffers, listed.buffers, views)
    if parameters is None or buffers is None:
        return None
    found = {**parameters, **buffers}
    placed = set(map(id, found.values()))
    rest = {name: view for name, view in views.items() if id(view) not in placed}  # plain attributes
    if not all(own.has(name, view) for name, view in rest.items()):
        return None
    return {**found, **rest}


def differences(own, task, views, allows_more):
    """One line for each parameter that is missing, left over, or of another shape."""
    lines = [f"missing: {name} {shape_text(view)}" for name, view in views.items()
             if own.find(name) is None]
    lines += [f"{name} is {shape_text(own.find(name))}, not {shape_text(view)}"
              for name, view in views.items() if own.find(name) is not None and not own.has(name, view)]
    if not allows_more:
        lines += [f"left over: {name} {shape_text(own.parameters[name])}"
                  for name in sorted(set(own.parameters) - set(views) - set(task.names))]
    return lines


def order_line(own, task):
    """Why they do not fit by their order either."""
    mine, theirs = list(own.parameters.items()), task.parameters
    for number, ((name, tensor), (expected, type_)) in enumerate(zip(mine, theirs), 1):
        if shape_text(tensor) != type_:
            return f"by order, number {number} is {name} {shape_text(tensor)}; the task has {expected} {type_}"
    return f"by order, there are {len(mine)} parameters; the task's Model has {len(theirs)}"


def shortened(lines):
    more = [f"and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    return lines[:MOST_LINES] + more


def assign(model, views, request):
    """Own names with the views that are theirs, and whether only their order said so. `views`: the
    task's parameters by its names. `request`: what suites/init_arguments.py tells of its Model and
    of KernelBench's. Raises ParametersDiffer."""
    own = Own(model)
    lists = lists_of(views, request)
    allows_more = request["state"] is None
    for listed in lists[:2]:
        found = by_names(own, listed, views, allows_more)
        if found is not None:
            return found, False
    for listed in lists:
        found = by_order(own, listed, views)
        if found is not None:
            return found, True
    lines = shortened(differences(own, lists[0], views, allows_more)) + [order_line(own, lists[0])]
    raise ParametersDiffer("the parameters of ModelNew are not those of the task:\n" + "\n".join(lines))


def silence(model, found, request):
    """A parameter that only KernelBench's Model has changes nothing but rounding, and less so where it is
    zero."""
    dead = {own for own, task in request["kernelbench"] if task is None}
    parameters = registered(model, "_parameters")
    for name in dead & (parameters.keys() - found.keys()):
        parameters[name].data.zero_()


def bind(model, found, base):
    """Trained ones are views of the arena. Buffers and plain attributes, which a module may update in
    place, are copies."""
    for name, view in found.items():
        module, leaf = owner_of(model, name)
        if leaf in module._parameters:
            module._parameters[leaf].data = view.at(base)
        elif leaf in module._buffers:
            module._buffers[leaf] = view.at(base).clone()
        else:
            setattr(module, leaf, view.at(base).clone())


def write(model, specs, memory):
    """Copies to `memory` what the model holds, each at its offset. Raises ParametersDiffer."""
    own = Own(model)
    for spec in specs:
        if not spec["fqn"]:  # no part of a Model
            continue
        tensor = own.find(spec["fqn"])
        if tensor is None or list(tensor.shape) != spec["shape"] or \
                str(tensor.dtype) != f"torch.{spec['dtype']}":
            raise ParametersDiffer(f"Model holds no {spec['fqn']} of shape {spec['shape']} once it is made")
        if tensor.numel():
            place = torch.frombuffer(memory, dtype=tensor.dtype, count=tensor.numel(), offset=spec["offset"])
            place.view(tensor.shape).copy_(tensor)


def tensors_in(value):
    values = value if isinstance(value, (list, tuple)) else [value]
    return [tensor for tensor in values if isinstance(tensor, torch.Tensor)]


def made_in_init(model, found):
    """Names of what __init__ left in buffers and plain attributes, parameters apart: where it was
    derived from parameters, it is of those that __init__ drew. What torch's own modules hold (running
    statistics, a list of the weights) is not."""
    names = []
    for path, module in model.named_modules():
        held = {**module._buffers, **vars(module)}
        if type(module).__module__.startswith("torch.") and type(module) is not torch.nn.Module:
            held = {leaf: value for leaf, value in vars(module).items() if not leaf.startswith("_")}
        for leaf, value in held.items():
            name = f"{path}.{leaf}" if path else leaf
            if name not in found and any(t.is_floating_point() for t in tensors_in(value)):
                names.append(name)
    return names[:MOST_NAMES]
