"""Compiles one extension by torch's own recipe, in the compilers' sandbox: nothing foreign runs.

    python3 compile_extension.py REQUEST OUT

REQUEST is JSON, written by the supervisor of what it has checked
(runner/submission/extension_compiler.cpp); the library becomes OUT/NAME.so and is not loaded. Exit
status: 1 where a compiler refuses the sources, in its words; 2 for anything else. Compilers and the
GPU's architecture come by the variables that torch reads.
"""

import json
import os
import re
import sys

from torch.utils import cpp_extension

MOST_WORDS = 64 << 10
NINJAS = re.compile(r"\[\d+/\d+\] |FAILED: |ninja: ")


def compilers_words(error):
    """Without ninja's, and without the command lines that it repeats."""
    output = getattr(error.__cause__, "output", None)
    if not output:
        return str(error)
    commands = tuple(name for name in (os.environ.get("CXX"), os.environ.get("CUDA_HOME")) if name)
    lines = output.decode(errors="replace").splitlines()
    return "\n".join(line for line in lines
                     if not NINJAS.match(line) and not line.startswith(commands))


def kept_words(out):
    """Keeps for later what is said on standard error from now on: a compiler's message comes
    first."""
    file = open(os.path.join(out, "words"), "w+b")
    own = os.dup(2)
    os.dup2(file.fileno(), 2)
    return file, own


def say_kept_words(file, own):
    sys.stderr.flush()
    os.dup2(own, 2)
    file.seek(0)
    os.write(2, file.read(MOST_WORDS))


def link_folder(out):
    """Where the toolkit is a package of Python's, its runtime has no name that linkers look for."""
    home = os.environ.get("CUDA_HOME", "")
    for folder in (os.path.join(home, "lib64"), os.path.join(home, "lib")):
        named = os.path.exists(os.path.join(folder, "libcudart.so"))
        if not home or not os.path.isdir(folder) or named:
            continue
        for name in sorted(os.listdir(folder)):
            if re.fullmatch(r"libcudart\.so\.\d+", name):
                os.symlink(os.path.join(folder, name), os.path.join(out, "libcudart.so"))
                return [f"-L{out}"]
    return []


def build(request, out):
    options = {"name": request["name"], "extra_cflags": request["cflags"],
               "extra_cuda_cflags": request["cuda_cflags"],
               "extra_ldflags": request["ldflags"] + (link_folder(out) if request["cuda"] else []),
               "extra_include_paths": request["includes"], "build_directory": out,
               "with_cuda": request["cuda"]}
    if request["kind"] == "files":
        cpp_extension.load(sources=request["sources"], **options)
        return
    if not request["implicit_headers"]:
        options["no_implicit_headers"] = True
    cpp_extension.load_inline(cpp_sources=request["cpp"], cuda_sources=request["cuda_texts"],
                              functions=request["functions"],
                              with_pytorch_error_handling=request["error_handling"], **options)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    out = sys.argv[2]
    # These functions of torch do nothing here: what is compiled runs beside nothing but its own
    # Python.
    for name, instead in (("_import_module_from_library", lambda *_: None),
                          ("remove_extension_h_precompiler_headers", lambda: None)):
        if not hasattr(cpp_extension, name):
            print(f"this torch has no cpp_extension.{name}", file=sys.stderr)
            return 2
        setattr(cpp_extension, name, instead)
    file, own = kept_words(out)
    try:
        build(request, out)
    except (RuntimeError, ValueError, TypeError) as error:
        words = compilers_words(error)
        for folder in (out, request["folder"]):
            words = words.replace(f"{folder}/", "") if folder else words
        os.write(own, f"{words}\n".encode())
        return 1
    finally:
        say_kept_words(file, own)
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # an interpreter that has imported torch takes a second to end
