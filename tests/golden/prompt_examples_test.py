"""The Python and Triton examples that `kbench tasks prompt` shows are right, and keep to its rules.

    python tests/golden/prompt_examples_test.py        what runs on a CPU; the rest is read
    python tests/golden/prompt_examples_test.py cuda   what runs on CUDA
"""

import ast
import importlib.util
import os
import sys
import unittest
from pathlib import Path

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from reference import REPOSITORY, SUITES, TaskFile, leave, set_batch_stats_mode

EXAMPLES = REPOSITORY / "data" / "prompt"
DEVICE = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1] == "cuda" else "cpu"
if DEVICE == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # read when a kernel is defined
# Operators of these examples that count as data and not as computing.
DATA = {"aten::empty", "aten::empty_like", "aten::detach", "aten::t", "aten::view", "aten::alias"}


def examples(*folders: str) -> list[Path]:
    found = [file for folder in folders for file in sorted((EXAMPLES / folder).rglob("*.py"))]
    assert found, folders
    return found


def module_of(file: Path):
    spec = importlib.util.spec_from_file_location(f"example_{file.parts[-3]}_{file.stem}", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # Triton reads a kernel's source by it
    spec.loader.exec_module(module)
    return module


class Watch(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.operators: set[str] = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.operators.add(func._schema.name)
        return func(*args, **(kwargs or {}))


class Examples(unittest.TestCase):
    def check(self, file: Path, size: str) -> None:
        """Runs an example as the player does: made, given parameters by name, prepared, called."""
        task = TaskFile(SUITES / file.parent.name / file.name).load(size)
        torch.manual_seed(3)
        model = task.Model(*task.get_init_inputs()).to(DEVICE)
        set_batch_stats_mode(model)
        mine = module_of(file).ModelNew(*task.get_init_inputs()).to(DEVICE)
        theirs = {name: tensor.shape for name, tensor in model.state_dict().items()}
        self.assertEqual({n: t.shape for n, t in mine.state_dict().items()}, theirs)
        mine.load_state_dict(model.state_dict())
        with torch.no_grad():
            if hasattr(mine, "kbench_prepare"):
                mine.kbench_prepare()
            for _ in range(2):
                inputs = [x.to(DEVICE) for x in task.get_inputs()]
                kept = [x.clone() for x in inputs]
                watch = Watch()
                with watch:
                    got = mine(*inputs)
                torch.testing.assert_close(got, model(*inputs), rtol=2e-5, atol=2e-5)
                self.assertTrue(all(torch.equal(a, b) for a, b in zip(inputs, kept)))
                self.assertLessEqual(watch.operators, DATA)

    def check_all(self, files: list[Path], size: str) -> None:
        for file in files:
            with self.subTest(str(file.relative_to(EXAMPLES))):
                self.check(file, size)

    @unittest.skipUnless(DEVICE == "cpu", "asked for CUDA")
    def test_those_for_the_cpu_give_what_eager_gives(self):
        self.check_all(examples("python-cpu"), "small")

    @unittest.skipUnless(DEVICE == "cuda", "not asked for CUDA")
    def test_those_for_cuda_give_what_eager_gives(self):
        # The small sizes: right is right, and the large ones take gigabytes.
        self.check_all(examples("python-cuda", "triton"), "small")

    @unittest.skipUnless(DEVICE == "cpu", "asked for CUDA")
    def test_those_for_cuda_are_python_that_calls_no_computing_method(self):
        """Read only: names that exist, a kernel and a ModelNew that launches it."""
        for file in examples("python-cuda", "triton"):
            with self.subTest(str(file.relative_to(EXAMPLES))):
                tree = ast.parse(file.read_text(encoding="utf-8"))
                classes = [n.name for n in tree.body if isinstance(n, ast.ClassDef)]
                self.assertEqual(classes, ["ModelNew"])
                self.check_names(tree)
                (SUITES / file.parent.name / file.name).read_bytes()  # a task of that name

    def check_names(self, tree: ast.Module) -> None:
        """Every name that is read from torch, triton or tl is there."""
        homes = {"torch": torch}
        if importlib.util.find_spec("triton") is not None:
            import triton
            import triton.language

            homes |= {"triton": triton, "tl": triton.language}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                home = homes.get(node.value.id)
                self.assertTrue(home is None or hasattr(home, node.attr), ast.unparse(node))
            if isinstance(node, ast.ImportFrom):
                found = importlib.import_module(node.module)
                for alias in node.names:
                    self.assertTrue(hasattr(found, alias.name), alias.name)

    @unittest.skipUnless(DEVICE == "cpu", "asked for CUDA")
    def test_triton_kernels_give_what_eager_gives_in_its_interpreter(self):
        if importlib.util.find_spec("triton") is None:
            self.skipTest("there is no triton")
        ragged = torch.randn(6, 20_001) * 4 + 96
        ragged[1, :9_000] = float("-inf")
        ragged[2, 5] = float("nan")
        inputs = {
            "019_relu": [torch.randn(64, 4_099), torch.tensor([[float("nan"), -0.0, 3.0]])],
            "023_softmax": [ragged, torch.randn(3, 8_192), torch.randn(2, 7)],
        }
        for file in examples("triton"):
            task = TaskFile(SUITES / file.parent.name / file.name).load("small")
            mine, model = module_of(file).ModelNew(), task.Model()
            for x in inputs[file.stem]:
                with self.subTest(file.name, shape=x.shape):
                    torch.testing.assert_close(mine(x), model(x), rtol=2e-5, atol=1e-7,
                                               equal_nan=True)


if __name__ == "__main__":
    leave(not unittest.main(exit=False).result.wasSuccessful())
