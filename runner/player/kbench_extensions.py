"""Extensions of torch's, which a submission asks torch.utils.cpp_extension to compile and load.

They are compiled in a step of their own: build_extensions.py runs the submission and asks for each,
the supervisor has it compiled where nothing of the submission's Python runs, and player.py, beside
which there is no compiler, loads what came of it. All sides know an extension by one text, its
sources and flags, and by that text's SHA-256: whoever asks for another one gets none. Its name is no
part of that, since names with a process's number or a time in them differ in each process: the
library keeps the name that it was built with, and is loaded under that.

This module runs in processes that run submissions: nothing here decides what is believed.
"""

import errno
import functools
import hashlib
import importlib.abc
import importlib.util
import inspect
import json
import os
import subprocess
import sys

import torch

MOST_BYTES = 1 << 20  # of one request: a message of the channel holds it, whatever is in it
MOST_FILE_BYTES = 4 << 20
NO_TORCH_COMPILE = "torch.compile is not offered on a CPU"  # python_builder.cpp knows it by this


class NotCompiled(RuntimeError):
    """The sources of an extension do not compile. A file may catch it, as it may catch torch's."""


class NotOffered(RuntimeError):
    """kbench refuses what is asked for."""


# Refusals of kbench in this process, as (words, hint). A file that catches NotOffered would go on
# with something else than what it was handed in for, so its row fails all the same.
refusals = []


def refuse(words, hint=""):
    refusals.append((words, hint))
    raise NotOffered(words)


def text_of(request, name):
    """One text for one request, whatever order its fields have."""
    text = json.dumps(request, sort_keys=True, separators=(",", ":"), default=str)
    if len(text) > MOST_BYTES:
        refuse(f"the extension {name} has more than {MOST_BYTES >> 20} MiB of sources",
               "put its constants into the model's parameters, or make them in its code")
    return text


def key_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


# --- what is asked for ---


def listed(value):
    """The texts of an argument as torch takes it: one text, or several."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else [str(item) for item in value]


def words(value):
    """Flags: torch joins them with blanks."""
    return [word for flag in listed(value) for word in flag.split()]


def relative(path, folder):
    """The path below the submission's folder, or the absolute one of what lies elsewhere."""
    whole = os.path.abspath(os.path.join(folder, path))
    inside = os.path.relpath(whole, folder)
    return whole if inside.startswith("..") else inside


def source_of(path, folder):
    """A file of the submission by its name; one that it wrote itself by what is in it."""
    place = relative(os.fspath(path), folder)
    if not os.path.isabs(place):
        return {"file": place}
    try:
        with open(place, "rb") as file:
            text = file.read(MOST_FILE_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        refuse(f"the source {place} of an extension cannot be read: {error}",
               "hand it in beside the file, and name it from there")
    return {"name": os.path.basename(place), "text": text}


def common(given, folder):
    if given.get("sycl_sources") or given.get("with_sycl") or given.get("extra_sycl_cflags"):
        refuse(f"the extension {given['name']} asks for SYCL, which is not offered",
               "write it in C++ or CUDA")
    if given.get("is_standalone"):
        refuse(f"the extension {given['name']} is to be a program (is_standalone), and no program "
               "can be started", "have it loaded as a module")
    with_cuda = given.get("with_cuda")
    return {"cflags": words(given.get("extra_cflags")),
            "cuda_cflags": words(given.get("extra_cuda_cflags")),
            "ldflags": words(given.get("extra_ldflags")),
            "includes": [relative(path, folder)
                         for path in listed(given.get("extra_include_paths"))],
            "with_cuda": None if with_cuda is None else bool(with_cuda),
            "module": bool(given.get("is_python_module", True))}


def inline_request(given, folder):
    """The request that a call of load_inline makes."""
    functions = given.get("functions")
    if isinstance(functions, dict):
        functions = {str(name): str(words_of_it) for name, words_of_it in functions.items()}
    elif functions is not None:
        functions = listed(functions)
    return {**common(given, folder), "kind": "inline",
            "cpp": listed(given["cpp_sources"]), "cuda": listed(given.get("cuda_sources")),
            "functions": functions,
            "error_handling": bool(given.get("with_pytorch_error_handling", True)),
            "implicit_headers": not given.get("no_implicit_headers", False)}


def files_request(given, folder):
    """The request that a call of load makes."""
    return {**common(given, folder), "kind": "files",
            "sources": [source_of(path, folder) for path in listed(given["sources"])]}


def c_request(text):
    """The request for Triton's launcher of a kernel: a few lines of C."""
    return {"kind": "c", "text": text}


# --- what is handed out ---


def import_library(name, path, is_module=True):
    """`name` is that of the build: the module's init function is called after it."""
    if not is_module:
        torch.ops.load_library(path)
        return path
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def replace_compilers(folder, find):
    """Has torch's load_inline and load hand out what `find` has for a name and the text of a
    request: the name that the library was built with, and its path."""
    from torch.utils import cpp_extension

    def replaced(original, describe):
        signature = inspect.signature(original)  # its own: arguments differ from torch to torch

        def load_built(*args, **kwargs):
            given = signature.bind(*args, **kwargs).arguments
            asked = str(given["name"])
            request = describe(given, folder)
            name, path = find(asked, text_of(request, asked))
            library = import_library(name, path, request["module"])
            if asked != name:  # operators that it registers as TORCH_EXTENSION_NAME
                setattr(torch.ops, asked, getattr(torch.ops, name))
            return library

        load_built.__name__ = original.__name__
        load_built.__doc__ = original.__doc__
        return load_built

    cpp_extension.load_inline = replaced(cpp_extension.load_inline, inline_request)
    cpp_extension.load = replaced(cpp_extension.load, files_request)


class BuiltModules(importlib.abc.MetaPathFinder):
    """Modules that lie elsewhere than Python would look: {name: path}."""

    def __init__(self, modules):
        self.modules = modules

    def find_spec(self, name, path=None, target=None):
        built = self.modules.get(name)
        return importlib.util.spec_from_file_location(name, built) if built else None


def offer_modules(modules, folder):
    if modules:
        sys.meta_path.insert(0, BuiltModules({name: os.path.join(folder, place)
                                              for name, place in modules.items()}))


def offer(prebuilt, folder):
    """Before a submission is imported: what its build step made, and nothing else. `prebuilt` is
    that of the request, with places below the folder; None where there was no build step."""
    if not prebuilt:
        return
    note = prebuilt["note"]
    if prebuilt["compilers"]:
        replace_compilers(folder, Answers(prebuilt["extensions"], folder, said(note)).find)
    offer_modules(prebuilt["modules"], folder)
    if prebuilt["triton"]:
        import kbench_triton

        kbench_triton.offer(os.path.join(folder, prebuilt["triton"]), said(note))
    say_that_no_program_is_there()


def say_that_no_program_is_there():
    """Has every start of a program fail as if the program were not there. torch.compile asks nvcc for
    its version, and does without nvcc where there is none; but a session may start no program at all,
    and would hear that it is not permitted."""
    def not_there(_popen, args, *_):
        name = args if isinstance(args, str) else args[0]
        raise FileNotFoundError(errno.ENOENT, "a session starts no program", name)

    subprocess.Popen._execute_child = not_there


class Answers:
    """Extensions that the build step had compiled, in its order, for a session that asks again."""

    def __init__(self, extensions, folder, note):
        self.extensions = extensions  # [{"key", "name", "path", "failure"}]
        self.folder = folder
        self.note = note
        self.given = {}  # by name and key
        self.taken = []  # indices

    def find(self, name, text):
        key = key_of(text)
        if (name, key) not in self.given:
            self.given[name, key] = self.choose(name, key)
            self.taken.append(self.given[name, key])
        chosen = self.extensions[self.given[name, key]]
        if chosen["failure"]:
            raise NotCompiled(chosen["failure"])
        return chosen["name"], os.path.join(self.folder, chosen["path"])

    def choose(self, name, key):
        """The library of that request. Among several with the same sources and flags it is the one of
        that name, or the next in their order that is still free: each library has variables of its
        own."""
        same = [i for i, one in enumerate(self.extensions) if one["key"] == key]
        if not same:
            refuse(f"the extension {name} was not compiled in the build step: its sources or its "
                   "flags differ from those that were seen there" + self.note,
                   "sources and flags are the same in each process: no time, random number or "
                   "process number is in them; ask for it when the file is imported or in __init__")

        def order(i):
            return i in self.taken, self.extensions[i]["name"] != name

        return min(same, key=order)


def refuse_torch_compile():
    """Replaces torch.compile where nothing can be compiled while it runs. A backend that uses no
    compiler stays: torch itself asks for "eager"."""
    original = torch.compile

    @functools.wraps(original)
    def compile_nothing(model=None, *, backend="inductor", disable=False, **options):
        harmless = not isinstance(backend, str) or backend.startswith(("eager", "aot_eager"))
        if disable or harmless:
            return original(model, backend=backend, disable=disable, **options)
        return refuse(NO_TORCH_COMPILE, "hand in eager code or a kernel of your own; kbench compiles "
                      "the task's Model itself, as the compiled baseline")

    torch.compile = compile_nothing


def said(note):
    return f" (there, it ended with: {note})" if note else ""
