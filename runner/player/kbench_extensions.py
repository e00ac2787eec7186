"""Extensions of torch's, which a submission asks torch.utils.cpp_extension to compile and load.

They are compiled in a step of their own: build_extensions.py runs the submission and asks for each,
the supervisor has it compiled where nothing of the submission's Python runs, and player.py, beside
which there is no compiler, loads what came of it. All sides know an extension by one text, which
holds whatever decides what comes out, and by that text's SHA-256: whoever asks for another one gets
none.

Called by build_extensions.py and player.py, in processes that run submissions: nothing here decides
what is believed.
"""

import hashlib
import importlib.abc
import importlib.util
import inspect
import json
import os
import sys

import torch

MOST_BYTES = 1 << 20  # of one request: a message of the channel holds it, whatever is in it
MOST_FILE_BYTES = 4 << 20


def text_of(request):
    """One text for one request, whatever order its fields have."""
    text = json.dumps(request, sort_keys=True, separators=(",", ":"), default=str)
    if len(text) > MOST_BYTES:
        raise ValueError(f"the extension {request['name']} has more than {MOST_BYTES >> 20} MiB of "
                         "sources")
    return text


def key_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


# --- what is asked for ---


def listed(value):
    """As torch takes it: one text, or several."""
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
    with open(place, "rb") as file:
        text = file.read(MOST_FILE_BYTES).decode()
    return {"name": os.path.basename(place), "text": text}


def common(given, folder):
    if given.get("sycl_sources") or given.get("with_sycl") or given.get("extra_sycl_cflags"):
        raise RuntimeError("SYCL is not offered here")
    if given.get("is_standalone"):
        raise RuntimeError("an extension is loaded here, it is no program (is_standalone)")
    with_cuda = given.get("with_cuda")
    return {"name": str(given["name"]),
            "cflags": words(given.get("extra_cflags")),
            "cuda_cflags": words(given.get("extra_cuda_cflags")),
            "ldflags": words(given.get("extra_ldflags")),
            "includes": [relative(path, folder)
                         for path in listed(given.get("extra_include_paths"))],
            "with_cuda": None if with_cuda is None else bool(with_cuda),
            "module": bool(given.get("is_python_module", True))}


def inline_request(given, folder):
    """Of load_inline."""
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
    """Of load."""
    return {**common(given, folder), "kind": "files",
            "sources": [source_of(path, folder) for path in listed(given["sources"])]}


def c_request(name, text):
    """What Triton makes for a kernel: a few lines of C."""
    return {"kind": "c", "name": name, "text": text}


# --- what is handed out ---


def import_library(name, path, is_module=True):
    if not is_module:
        torch.ops.load_library(path)
        return path
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def replace_compilers(folder, find):
    """Has torch's load_inline and load hand out what `find` has for the text of a request."""
    from torch.utils import cpp_extension

    def replaced(original, describe):
        signature = inspect.signature(original)  # its own: arguments differ from torch to torch

        def load_built(*args, **kwargs):
            request = describe(signature.bind(*args, **kwargs).arguments, folder)
            path = find(text_of(request))
            return import_library(request["name"], path, request["module"])

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
    extensions, note = prebuilt["extensions"], prebuilt["note"]

    def find(text):
        place = extensions.get(key_of(text))
        if place is None:
            raise ImportError(
                f"the extension {json.loads(text)['name']} was not compiled in the build step: its "
                "sources, its flags or its name differ from those that were seen there"
                + said(note))
        return os.path.join(folder, place)

    if prebuilt["compilers"]:
        replace_compilers(folder, find)
    offer_modules(prebuilt["modules"], folder)
    if prebuilt["triton"]:
        import kbench_triton

        kbench_triton.offer(os.path.join(folder, prebuilt["triton"]), said(note))


def said(note):
    return f" (there, it ended with: {note})" if note else ""
