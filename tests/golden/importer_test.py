"""suites/importer.py, spoken to as runner/import/lowering_process.cpp does: threads and forks.

Run by CTest with the Python that has torch; CXX compiles a driver.
"""

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
FILES = REPOSITORY / "tests" / "import"

# A CUDA driver in a machine without devices, which says so from a thread that stays.
DRIVER = """
    #include <cstdio>
    #include <cstring>
    #include <thread>
    #include <unistd.h>
    extern "C" {
    int cuInit(unsigned) {
      std::thread([] { pause(); }).detach();
      if (FILE* told = fopen(TOLD, "a")) fclose(told);
      return 100;  // CUDA_ERROR_NO_DEVICE
    }
    int cuDriverGetVersion(int* version) { *version = 13000; return 0; }
    static int refuse() { return 100; }
    int cuGetProcAddress_v2(const char* name, void** found, int, unsigned long, int* status) {
      *found = reinterpret_cast<void*>(&refuse);
      if (!strcmp(name, "cuInit")) *found = reinterpret_cast<void*>(&cuInit);
      if (!strcmp(name, "cuDriverGetVersion")) *found = reinterpret_cast<void*>(&cuDriverGetVersion);
      if (!strcmp(name, "cuGetProcAddress")) *found = reinterpret_cast<void*>(&cuGetProcAddress_v2);
      if (status) *status = 0;
      return 0;
    }
    int cuGetProcAddress(const char* name, void** found, int version, unsigned long flags) {
      return cuGetProcAddress_v2(name, found, version, flags, nullptr);
    }
    }
"""


class Importer:
    """One importer and this end of its channel."""

    def __init__(self, folder: Path, **environment: str):
        mine, its = socket.socketpair()
        self.channel = mine
        self.process = subprocess.Popen(
            [sys.executable, "-s", "-B", str(REPOSITORY / "suites" / "importer.py")], stdin=its,
            env=os.environ | {"TMPDIR": str(folder)} | environment)
        its.close()
        self.ready = self.receive()["ready"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.channel.close()
        self.process.wait(60)

    def receive(self) -> dict:
        return json.loads(self.exactly(*struct.unpack("=I", self.exactly(4))))

    def exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.channel.recv(count - len(data))
            if not part:
                raise EOFError("the importer ended")
            data += part
        return data

    def lower(self, name: str, cpu_seconds: int = 60) -> dict:
        request = {"level": 1, "file": "001_task.py", "mode": "batch-stats",
                   "cpu_seconds": cpu_seconds,
                   "source": (FILES / "files" / f"{name}.py").read_text(encoding="utf-8")}
        text = json.dumps(request).encode()
        self.channel.sendall(struct.pack("=I", len(text)) + text)
        return self.receive()


class ImporterCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)

    @classmethod
    def started(cls, **environment: str) -> Importer:
        return Importer(Path(tempfile.mkdtemp(dir=cls.folder)), **environment)

    def check_answers(self, importer: Importer) -> None:
        self.check_lowering(importer)
        missing = importer.lower("missing_model")["error"]
        self.assertEqual((missing["what"], missing["fault"]), ("defines no Model", "file"))
        crashed = importer.lower("crashes")["error"]
        self.assertEqual(crashed["what"], "it crashed PyTorch (SIGSEGV)")

    def check_lowering(self, importer: Importer, cpu_seconds: int = 60) -> None:
        self.assertIn("aten::", importer.lower("batch_norm", cpu_seconds)["task"])


class WarmTest(ImporterCase):
    """Torch is imported once, before the forks."""

    def test_torch_is_imported_once_where_no_thread_runs(self):
        with self.started() as importer:
            self.assertEqual(importer.ready, "warm")
            self.check_answers(importer)

    def test_neither_a_driver_nor_a_progress_bar_starts_a_thread_before_the_forks(self):
        (self.folder / "driver.cpp").write_text(textwrap.dedent(DRIVER), encoding="utf-8")
        told = self.folder / "told"
        subprocess.run([os.environ.get("CXX", "c++"), "-shared", "-fPIC", f'-DTOLD="{told}"',
                        "-Wl,-soname,libcuda.so.1", "-o", self.folder / "libcuda.so.1",
                        self.folder / "driver.cpp"], check=True)
        with self.started(LD_LIBRARY_PATH=str(self.folder),
                          PYTHONPATH=str(FILES / "has_tqdm")) as importer:
            self.assertEqual(importer.ready, "warm")
            self.assertFalse(told.exists())
            self.check_answers(importer)


class ColdTest(ImporterCase):
    """Each fork imports torch, which takes seconds: a file that is lowered, and one that is stopped."""

    def test_each_fork_imports_torch_where_threads_run(self):
        with self.started(PYTHONPATH=str(FILES / "starts_a_thread")) as importer:
            self.assertEqual(importer.ready, "cold")
            # Torch takes longer than this to be imported, the file less to be lowered.
            self.check_lowering(importer, cpu_seconds=2)
            slow = importer.lower("endless_loop", cpu_seconds=2)["error"]
            self.assertEqual(slow["what"], "it takes more processor time than it may")


if __name__ == "__main__":
    unittest.main()
