"""Triton where nothing can be compiled: kernels, launchers and tuning come from the build step.

Triton keeps what it compiles in a cache: a folder for each key, with the kernel for the GPU, a few
files that say what it is, what autotuning measured, and the libraries by which Python launches it.
The build step fills one (build_extensions.py); sessions read it (player.py) and can neither add to
it nor start a compiler, an assembler or any other program. What Triton asks other programs for
while it makes a key, versions say, is therefore asked once, in the process that sessions are forked
from.

Every function imports Triton itself: a session that has no use for it does not wait for it. """

import json
import os
import struct
import sys

KEPT = (".json", ".cubin", ".source", ".so")
MOST_FILES = 4096


def prime(architecture):
    """Before sessions are forked: `architecture` is 10 * major + minor of the GPU's."""
    try:
        from triton.backends.nvidia import compiler, driver
        from triton.runtime import build, cache

        build.platform_key()
        cache.triton_key()
        compiler.get_ptxas(architecture)
        compiler.get_ptxas_version(architecture)
        driver.library_dirs()
    except Exception as error:  # sessions tell, where they need it
        print(f"Triton is not ready: {type(error).__name__}: {error}", file=sys.stderr)


def tune_by_any_key():
    """Results of tuning a kernel are kept as JSON where Triton is told to keep them. A key that JSON cannot
    hold, such as a tensor, is tuned for again, as without keeping."""
    from triton.runtime.autotuner import Autotuner

    original = Autotuner.check_disk_cache

    def check_disk_cache(self, tuning_key, configs, bench_fn):
        try:
            json.dumps(tuning_key)
        except TypeError:
            bench_fn()
            return False
        return original(self, tuning_key, configs, bench_fn)

    Autotuner.check_disk_cache = check_disk_cache


def refuse(what, note=""):
    raise RuntimeError(f"{what} was not compiled in the build step, which calls forward once, with "
                       "the task's shapes and types: let it not depend on anything else" + note)


def offer(folder, note):
    """Offers a session what the build step left in `folder`."""
    import triton
    from triton.runtime.cache import CacheManager

    class BuiltCache(CacheManager):
        def __init__(self, key, override=False, dump=False):
            self.folder = os.path.join(folder, key)

        def get_file(self, filename):
            path = os.path.join(self.folder, filename)
            return path if os.path.exists(path) else None

        def get_group(self, filename):
            path = self.get_file(f"__grp__{filename}")
            if path is None:
                return None
            with open(path, encoding="utf-8") as file:
                children = json.load(file).get("child_paths") or {}
            # The names are looked up here: the files were made somewhere else.
            found = {name: self.get_file(name) for name in children}
            return {name: place for name, place in found.items() if place}

        def put(self, data, filename, binary=True):
            if filename.endswith(".autotune.json"):
                return filename  # measured again, for this session
            return refuse(filename, note)

        def put_group(self, filename, group):
            return refuse(filename, note)

    def no_compiler(name, *_):
        refuse(f"the library {name}", note)

    tune_by_any_key()
    triton.knobs.cache.manager_class = BuiltCache
    triton.knobs.build.impl = no_compiler


def compile_by(ask, without_turn):
    """Prepares the build step: `ask(name, text)` compiles lines of C, and gives the library's path. The
    device is left to other steps, by the context `without_turn()`, while a kernel is compiled."""
    import triton

    original = triton.compiler.compile

    def compile(*arguments, **options):
        with without_turn():
            return original(*arguments, **options)

    def implementation(name, source, *_):
        with open(source, encoding="utf-8") as file:
            return ask(name, file.read())

    tune_by_any_key()
    triton.compile = triton.compiler.compile = compile  # torch.compile's, and triton.jit's
    triton.knobs.build.impl = implementation


def files_of(cache):
    """(name below the cache, path) of what a session needs."""
    found = []
    for key in sorted(os.listdir(cache)):
        folder = os.path.join(cache, key)
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            path = os.path.join(folder, name)
            if name.endswith(KEPT) and os.path.isfile(path):
                found.append((f"{key}/{name}", path))
    return found[:MOST_FILES]


def write_cache(cache, descriptor, hash_of):
    """The cache as one file: the length of an index, the index, contents, and a byte that is no zero. For a
    library the index has a hash instead of contents: the supervisor has the library, and takes it from
    nobody else."""
    index, contents, at = [], [], 0
    for name, path in files_of(cache):
        with open(path, "rb") as file:
            data = file.read()
        if name.endswith(".so"):
            index.append({"path": name, "sha256": hash_of(data)})
            continue
        index.append({"path": name, "at": at, "bytes": len(data)})
        contents.append(data)
        at += len(data)
    head = json.dumps(index).encode()
    data = b"".join([struct.pack("=Q", len(head)), head, *contents, b"\x01"])
    done = 0
    while done < len(data):
        done += os.pwrite(descriptor, data[done:], done)
