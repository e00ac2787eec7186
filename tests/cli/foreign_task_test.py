"""Task files of strangers are executed by the oracle, which is in the sandbox: what their operators reach
for is not there.

No such operator is on the list of those that a task may use (suites/operators.txt). A list may have a hole,
so it is switched off here: WEAKENED is the same program without the defences that KBENCH_WITHOUT names.
Without the sandbox as well the task gets what it wants.
"""

import ast
import ctypes
import json
import os
import pathlib
import subprocess

from cli_case import INFRASTRUCTURE, KBENCH, ROOT, CliCase, main

PYTHON = ROOT / ".venv/bin/python3"
WEAKENED = pathlib.Path(os.environ["WEAKENED"])
ELEMENTS = 1024


def tensor(name, **more):
    return {"name": name, "dtype": "float32", "shape": [ELEMENTS], **more}


def from_file(path, shared):
    """An operator that maps any file; shared, it makes the file, and what is copied to it stays."""
    return {"op": "aten::from_file", "overload": "",
            "args": [str(path), shared, ELEMENTS, {"dtype": "float32"}, None, None, None],
            "outs": ["file"]}


def without_ptrace():
    """As in the sandbox, whose user has no capabilities: root reads other processes' streams by it."""
    PR_CAPBSET_DROP, CAP_SYS_PTRACE = 24, 19
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE, 0, 0, 0)


class OnTheGpuTest(CliCase):
    def test_the_model_of_a_file_that_is_made_for_a_gpu_plays_on_a_cpu(self):
        """As it is played beside its graph: the file's text with what suites/init_arguments.py adds."""
        file = ROOT / "tests/import/files/on_the_gpu.py"
        said = subprocess.run([PYTHON, "-B", ROOT / "suites/init_arguments.py", "full", file],
                              check=True, capture_output=True, text=True)
        text = json.loads(said.stdout)["text"]
        played = "print(tuple(Model(*get_init_inputs())(*get_inputs()).shape))"
        result = subprocess.run([PYTHON, "-c", f"{text}\n{played}"], check=False, capture_output=True,
                                text=True, env=os.environ | {"CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual(result.stdout, "(8, 16)\n", result.stderr)


class InitInputsTest(CliCase):
    """Arguments that suites/init_arguments.py hands on of get_init_inputs(), with which ModelNew is made."""

    def told(self, values):
        file = self.folder / "task.py"
        file.write_text("import torch\nSMALL = {}\n\n\nclass Model(torch.nn.Module):\n"
                        "    def __init__(self, *values):\n        super().__init__()\n\n"
                        "    def forward(self, x):\n        return x\n\n\n"
                        "def get_inputs():\n    return [torch.rand(4)]\n\n\n"
                        f"def get_init_inputs():\n    return {values}\n", encoding="utf-8")
        said = subprocess.run([PYTHON, "-B", ROOT / "suites/init_arguments.py", "full", file],
                              check=True, capture_output=True, text=True)
        return json.loads(said.stdout)

    def test_infinite_numbers_arrive(self):
        """Was: "returns more than numbers, texts and lists of them", of a number."""
        told = self.told('[float("inf"), [-1.5, -float("inf")], (float("inf"),), {"a": (1, 2)}, (), None, "x"]')
        inf = float("inf")
        self.assertEqual(ast.literal_eval(told["init"])[0],
                         [inf, [-1.5, -inf], (inf,), {"a": (1, 2)}, (), None, "x"], told)

    def test_what_does_not_is_named(self):
        self.assertIn("get_init_inputs() returns nan", self.told('[float("nan")]')["error"])
        self.assertIn("more than numbers, texts and lists", self.told("[torch.rand(2)]")["error"])


class OneFileForAnotherTest(CliCase):
    """Files are asked one after the other. None has a say in the answer of the next, which is kept under
    the next one's name."""

    LIE = {"init": "([666], {}, [])", "text": "print('theirs')"}
    HOSTILE = {
        "prints": "print(LIE, flush=True)",
        "writes to each stream": "import os\nfor fd in range(3, 64):\n    try:\n        os.write(fd, LIE.encode() + b'\\n')\n"
                                 "    except OSError:\n        pass",
        "opens its parent's": "import os\ntry:\n    open(f'/proc/{os.getppid()}/fd/1', 'w').write(LIE + '\\n')\n"
                              "except OSError:\n    pass",
        "answers twice": "import os\nos.fork()",
        "answers too deep": "import os\nos.write(3, b'[' * 200_000)\nos._exit(0)",
        "answers too much": "import os\nfor _ in range(8):\n    os.write(3, b' ' * (1 << 20))",
    }

    def test_each_answer_is_of_its_own_file(self):
        honest = self.folder / "honest.py"
        plain = (ROOT / "tests/import/files/on_the_gpu.py").read_text(encoding="utf-8")
        honest.write_text(plain, encoding="utf-8")
        files = []
        for number, lines in enumerate(self.HOSTILE.values()):
            files.append(self.folder / f"hostile{number}.py")
            files[-1].write_text(f"LIE = {json.dumps(self.LIE)!r}\n{lines}\n{plain}", encoding="utf-8")
        said = subprocess.run([PYTHON, "-B", ROOT / "suites/init_arguments.py", "full", honest, *files, honest],
                              check=True, capture_output=True, text=True, preexec_fn=without_ptrace)
        answers = [json.loads(line) for line in said.stdout.splitlines()]
        self.assertEqual(len(answers), len(files) + 2, said.stdout[:2000])
        self.assertEqual(answers[-1], answers[0])
        self.assertNotIn("error", answers[0])
        for how, answer in zip(self.HOSTILE, answers[1:-1]):
            with self.subTest(how):
                self.assertNotEqual(answer.get("init"), self.LIE["init"])

    def test_a_file_that_sleeps_costs_its_own_answer(self):
        plain = (ROOT / "tests/import/files/on_the_gpu.py").read_text(encoding="utf-8")
        files = {"sleeps": f"import time\ntime.sleep(1000)\n{plain}",
                 "goes_on": f"import os, time\nif os.fork() == 0:\n    time.sleep(20)\n{plain}", "plain": plain}
        paths = [self.folder / f"{name}.py" for name in files]
        for path, text in zip(paths, files.values()):
            path.write_text(text, encoding="utf-8")
        impatient = ("import sys, init_arguments as asked; asked.MOST_SECONDS = 3; "
                     "sys.argv = ['', 'full', *sys.argv[1:]]; asked.main()")
        said = subprocess.run([PYTHON, "-B", "-c", impatient, *paths], check=True, capture_output=True, text=True,
                              cwd=ROOT / "suites", timeout=600)
        sleeps, goes_on, answer = map(json.loads, said.stdout.splitlines())
        self.assertIn("takes more than 3 s", sleeps["error"])
        self.assertIn("takes more than 3 s", goes_on["error"])
        self.assertNotIn("error", answer)


class ForeignTaskTest(CliCase):
    def write_task(self, *nodes, output):
        size = {"inputs": [tensor("x", draw={"kind": "uniform", "a": 1.0, "b": 2.0})],
                "parameters": [], "nodes": list(nodes), "outputs": [tensor("y", value=output)],
                "peak_bytes_fp32": 4096, "peak_bytes_fp64": 8192, "flops": 0}
        task = {"schema": "kbench-task/1", "level": 1, "number": 900, "name": "reaches",
                "title": "Reaches for a file.", "mode": "batch-stats", "entry": "forward",
                "source": "900_reaches.py", "torch": "2.11.0", "sizes": {"small": size}}
        level = self.folder / "suite/level1"
        level.mkdir(parents=True)
        (level / "900_reaches.json").write_text(json.dumps(task))

    def lint(self, *without):
        """Exit code, and what came of the task, without the list of operators."""
        return self.lint_by(WEAKENED, KBENCH_WITHOUT=",".join(("listed_operators", *without)))

    def lint_by(self, program, **environment):
        result = self.kbench("tasks", "lint", "--suite", self.folder / "suite", "--device", "cpu", "--size",
                             "small", "--db", "lint.sqlite", "--format", "json", program=program, **environment)
        self.assertIn("tasks", result.stdout, result.stderr)
        return result.returncode, json.loads(result.stdout)["tasks"][0]

    def assert_out_of_reach(self):
        code, task = self.lint()
        self.assertEqual(code, INFRASTRUCTURE)
        self.assertEqual(task["state"], "unable")
        self.assertIn("from_file", task["findings"][0]["message"])

    def test_it_writes_no_file(self):
        planted = self.folder / "planted"
        self.write_task(from_file(planted, True),
                        {"op": "aten::copy_", "overload": "",
                         "args": [{"v": "file"}, {"v": "x"}, False], "outs": ["copied"]},
                        {"op": "aten::relu", "overload": "", "args": [{"v": "copied"}], "outs": ["y_value"]},
                        output="y_value")
        self.assert_out_of_reach()
        self.assertFalse(planted.exists())

        _, task = self.lint("confined_oracle")
        self.assertNotEqual(task["state"], "unable")
        self.assertEqual(planted.stat().st_size, 4 * ELEMENTS)

    def test_it_writes_no_memory_beyond_an_operators(self):
        """The kernel makes room for three norms and writes 512, one for each slice."""
        self.write_task({"op": "aten::reshape", "overload": "", "args": [{"v": "x"}, [2, 512]], "outs": ["v"]},
                        {"op": "aten::slice", "overload": "Tensor", "args": [{"v": "x"}, 0, 0, 3, 1],
                         "outs": ["g"]},
                        {"op": "aten::_weight_norm", "overload": "", "args": [{"v": "v"}, {"v": "g"}, 1],
                         "outs": ["normed"]},
                        {"op": "aten::reshape", "overload": "", "args": [{"v": "normed"}, [-1]],
                         "outs": ["y_value"]},
                        output="y_value")
        _, task = self.lint_by(KBENCH)
        self.assertEqual(task["state"], "unable")
        self.assertIn("it takes 512 magnitudes", task["findings"][0]["message"])

    def test_it_reads_no_file(self):
        secret = self.folder / ".ssh/id_ed25519"
        secret.parent.mkdir(mode=0o700)
        secret.write_bytes(b"\x01\x00\x80\x3f" * ELEMENTS)
        self.write_task(from_file(secret, False),
                        {"op": "aten::mul", "overload": "Tensor",
                         "args": [{"v": "file"}, {"v": "x"}], "outs": ["y_value"]},
                        output="y_value")
        self.assert_out_of_reach()

        _, task = self.lint("confined_oracle")
        self.assertNotEqual(task["state"], "unable")


if __name__ == "__main__":
    main()
