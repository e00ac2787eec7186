"""data/docs: what its pages tell a reader to type works, typed in this order in an empty folder. It measures.

The blocks of a page that are marked `sh` are one session of a shell. What is marked `sh trl` needs TRL and
is typed by tests/clients/docs_trl_test.py; `sh pandas`, `sh wandb` and others by notebook_test.py there.
"""

import contextlib
import itertools
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import unittest
from pathlib import Path

import cli_case
import page_links
from cli_case import KBENCH, ROOT

DOCS = ROOT / "data/docs"


def blocks(page, kinds=("sh",)):
    """The fenced blocks of a page that are to be typed."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [code for kind, code in found if kind in kinds]


class DocsCase(cli_case.CliCase):
    def type_in(self, page, kinds=("sh",), timeout=900, **environment):
        """All of a page, as one session. Standard output is returned."""
        work, programs = self.folder / "work", self.folder / "bin"
        work.mkdir()
        programs.mkdir()
        (programs / "kbench").symlink_to(KBENCH)
        variables = {k: v for k, v in os.environ.items() if k not in cli_case.FOREIGN
                     and not k.startswith(("KBENCH", "VIRTUAL_ENV"))}
        variables.update({"HOME": str(self.folder), "KBENCH_CACHE": str(cli_case.CACHE),
                          "KBENCH_TORCH": str(self.folder), "data": str(ROOT / "data"),
                          "PATH": f"{programs}:{os.environ['PATH']}", **environment})
        # Processes that a block leaves behind when another one fails would keep the pipes open.
        start = "set -eu -o pipefail\ntrap 'jobs -p | xargs -r kill || true' EXIT\n"
        result = subprocess.run(
            ["bash", "-c", start + "".join(blocks(page, kinds))], cwd=work,
            env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
            check=False)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        self.work = work
        return result.stdout


class PagesTest(DocsCase):
    def pages(self):
        return {page.stem: page.read_text(encoding="utf-8") for page in DOCS.glob("*.md")}

    def test_the_readme_is_short(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()), 200)

    def test_the_picture_shows_the_readmes_table(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| level3/(\w+) \|.*\| ([^|]+×[^|]+) \| ([^|]+×[^|]+) \|$", readme, re.MULTILINE)
        self.assertEqual(len(rows), 4)
        picture = (DOCS / "result.svg").read_text(encoding="utf-8")
        drawn = re.findall(r">(\d\d\d_\w+|[\d.]+× \[[^<]+)<", picture)
        self.assertEqual({tuple(drawn[at:at + 3]) for at in range(0, 12, 3)}, set(rows))

    def test_every_page_is_found_from_the_readme_and_from_the_contents(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        contents = self.pages().pop("index")
        for page in self.pages():
            self.assertIn(f"(data/docs/{page}.md)", readme)
            if page != "index":
                self.assertIn(f"| [{page}]({page}.md) | ", contents)

    def test_the_readme_has_the_pages_in_the_order_of_the_contents(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## The manual\n")[1]
        rows = re.compile(r"^\| \[([a-z-]+)\]\(\1\.md\) \| .+ \|$", re.MULTILINE)
        self.assertEqual(re.findall(r"\[([a-z-]+)\]\(data/docs/\1\.md\)", readme.split("\n## ")[0]),
                         rows.findall(self.pages()["index"]))

    def test_the_readmes_card_has_the_numbers_of_its_table(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        eager, compiled, own, over_eager, over_compiled = re.search(
            r"^\| level3/004_lenet5 \| (.+?) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", readme, re.MULTILINE).groups()
        (card,) = re.findall(r"^```text\n(✓ correct.*?)^```$", readme, re.MULTILINE | re.DOTALL)
        for words in (f"{own} ms · {over_eager.split()[0]} eager", f"eager {eager} ms, compiled {compiled} ms",
                      f"Over eager          {over_eager} ", f"Over compiled       {over_compiled} "):
            self.assertIn(words, card)

    def test_each_page_says_first_what_it_is_about(self):
        about = dict(re.findall(r"^\| \[[a-z-]+\]\(([a-z-]+)\.md\) \| (.+) \|$", self.pages()["index"],
                                re.MULTILINE))
        about["index"] = "The manual of kbench: its pages, and what each is about"
        self.assertEqual({page: text.splitlines()[0] for page, text in self.pages().items()},
                         {page: f"# {words}" for page, words in about.items()})

    def test_what_is_to_be_typed_is_typed_here(self):
        typed = {test.PAGE for test in DocsCase.__subclasses__() if hasattr(test, "PAGE")}
        self.assertEqual({page for page in self.pages() if blocks(page + ".md", ("sh", "sh trl"))}, typed)

    def test_commands_that_are_not_typed_are_known(self):
        """Those in indented blocks: their options and words are looked at by `kbench config`, and nothing runs."""
        (settings,) = blocks("settings.md", ("toml",))
        (self.folder / "kbench.toml").write_text(settings, encoding="utf-8")
        commands = []
        for text in [(ROOT / "README.md").read_text(encoding="utf-8"), *self.pages().values()]:
            commands += re.findall(r"^    (kbench .+)$", re.sub(r" \\\n +", " ", text), re.MULTILINE)
        self.assertGreater(len(commands), 40)
        for command in commands:
            with self.subTest(command=command):
                words = shlex.split(command.split(" > ")[0].split(" &")[0], comments=True)[1:]
                self.assert_good(self.kbench("config", *words))

    def test_what_comes_with_kbench_is_there(self):
        for page in self.pages():
            for script in re.findall(r"\$data/([\w/.]+)", "".join(blocks(page + ".md", ("sh", "sh trl")))):
                self.assertTrue((ROOT / "data" / script).exists(), f"{page}: {script}")

    def test_links_lead_somewhere(self):
        self.assertEqual(page_links.problems(ROOT), [])

    def test_links_that_lead_nowhere_are_found(self):
        docs = self.folder / "data/docs"
        docs.mkdir(parents=True)
        (self.folder / "CONTRIBUTING.md").write_text("[up](../x)\n", encoding="utf-8")
        (self.folder / "README.md").write_text(
            "# A\n# Two words, 2 %\n# A\n[a](data/docs/a.md#b) ![p](p.svg) [t](https://x.y/z)\n",
            encoding="utf-8")
        (docs / "a.md").write_text(
            "# B\n[one](../../README.md#a-1) [two](../../README.md#two-words-2-) [here](#c)\n"
            "```sh\n# c\n[not](a link)\n```\n", encoding="utf-8")
        self.assertEqual([one.split(" ")[:2] for one in page_links.problems(self.folder)],
                         [["README.md:", "p.svg"], ["CONTRIBUTING.md:", "../x"], ["data/docs/a.md:", "#c"]])


class ReadmeTest(DocsCase):
    @unittest.skipUnless(shutil.which("nvcc") or Path("/usr/local/cuda/bin/nvcc").exists(), "no nvcc here")
    def test_its_kernel_for_cuda_compiles(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        (kernel,) = re.findall(r"^```cuda\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
        (self.folder / "my_relu.cu").write_text(kernel, encoding="utf-8")
        result = self.kbench("build", "my_relu.cu", "--task", "level1/019_relu", "--device", "cuda", "--arch", "90a")
        self.assert_good(result)
        self.assertIn("1 submission built for cuda", result.stderr)

    def test_its_kernel_is_right(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        (kernel,) = re.findall(r"^```cpp\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
        (self.folder / "my_relu.cpp").write_text(kernel, encoding="utf-8")
        (command,) = set(re.findall(r"^    kbench (run my_relu.cpp .*?) *#", readme, re.MULTILINE))
        result = self.kbench(*command.split(), "--checks-only")
        self.assert_good(result)
        self.assertIn("✓ correct", result.stdout)


class AgentTest(DocsCase):
    PAGE = "agent"

    def test_it_works_as_it_stands_there(self):
        output = self.type_in(self.PAGE + ".md")
        page = (self.work / "episode.html").read_text(encoding="utf-8")
        self.assertIn("What agents did", page)
        self.assertIn("Negative elements have to become zero.", page)
        self.assertIn("episode.html#level1/019_relu", output)
        self.assertIn("ended by submit after 5 turns", output)
        self.assertIn("open_workspace - ", output)
        functions = json.loads((self.work / "functions.json").read_text(encoding="utf-8"))
        self.assertEqual(functions[0]["type"], "function")
        answers = [json.loads(line) for line in output.splitlines() if line.startswith('{"')]
        opened = [one for one in answers if one.get("id") == 2]
        self.assertIn("workspace", opened[0]["result"]["content"][0]["text"], answers)


class TrainerTest(DocsCase):
    PAGE = "trainer"

    def test_it_works_as_it_stands_there(self):
        output = self.type_in(self.PAGE + ".md")
        self.assertEqual(output.splitlines()[0], "[-1.0, -1.0]")
        self.assertRegex(output, r"(?m)^compile_error -1\.0 .* does not compile$")
        self.assertRegex(output, r"error: expected .;. before")
        asked = json.loads(next(line for line in output.splitlines() if line.startswith('{"')))
        self.assertEqual(asked["row"]["state"], "compile_error")


class NotebookTest(DocsCase):
    PAGE = "notebook"

    def test_it_works_as_it_stands_there(self):
        output = self.type_in(self.PAGE + ".md").splitlines()
        self.assertRegex(output[0], r"^\d+ tasks of one operator$")
        self.assertEqual(output[1:], ["ok True", "compile_error submission kernel.cpp does not compile"])

    def test_the_recipes_are_short(self):
        for kind in ("sh wandb", "sh mlflow"):
            (recipe,) = blocks("notebook.md", (kind,))
            lines = recipe.splitlines()
            self.assertLessEqual(lines.index("END") - 1, 15, kind)


class EvolutionTest(DocsCase):
    PAGE = "evolution"

    def test_it_works_as_it_stands_there(self):
        output = self.type_in(self.PAGE + ".md")
        metrics = json.loads(output[output.index("{"):])
        self.assertEqual(metrics["combined_score"], -1)
        self.assertEqual(metrics["public"]["state"], "compile_error")
        self.assertIn("main.cpp:5", metrics["text_feedback"])
        correct = json.loads((self.work / "results/correct.json").read_text(encoding="utf-8"))
        self.assertIs(correct["correct"], False)


class FeedbackTest(DocsCase):
    PAGE = "feedback"

    def test_it_works_as_it_stands_there(self):
        output = self.type_in(self.PAGE + ".md")
        page = (DOCS / "feedback.md").read_text(encoding="utf-8")
        (quoted,) = re.findall(r"(?m)^    (error .*)$", page)
        self.assertIn(quoted + "\n", output)
        self.assertRegex(output, r"(?m)^stratum wrong|^analyzer +stratum")
        self.assertRegex(output, r"(?m)^error \+\.67 \[\.35, \.98\]: keep$")
        self.assertIn("nothing on other trajectories (they come from 4 trajectories; it takes 6)", output)
        self.check_released(output)
        self.assertIn("effect of a component: no interval, of 2 states: it takes 6\n", output)
        self.assertIn("less than a minute of answers, one after the other\n", output)
        study = (self.work / "study.html").read_text(encoding="utf-8")
        self.assertIn(": cannot tell", study)
        cells = [json.loads(line) for line in (self.work / "cells.jsonl").read_text(encoding="utf-8").splitlines()]
        self.assertEqual(len(cells), 6, "a wrong kernel under two components, a right one under one")
        self.assertEqual(set(cells[0]["outcomes"]), {"built", "correct", "better", "fast:1", "tokens"})
        with contextlib.closing(sqlite3.connect(self.work / "kbench.sqlite")) as database:
            (checked,) = database.execute("SELECT count(*) FROM evaluation WHERE NOT timed").fetchone()
        self.assertEqual(checked, 0, "outcomes that take a time: every kernel is timed")
        self.assertIn("recounted 0.6667\nprinted 0.6667\n", output)
        self.assertRegex(output, r"0 +not built +0 +jsonl +imported\n.* 1 +correct +0 +jsonl +imported")
        self.assertIn(quoted, (self.work / "example.html").read_text(encoding="utf-8"))

    def check_released(self, output):
        """Values as CUDAnalyst's code has them, recounted from its records: the mean over orders, and σ."""
        rates = {}
        for file in self.work.glob("records/*/run-1/*/*.json"):
            record = json.loads(file.read_text(encoding="utf-8"))
            counts, spoke = record["status_count"], re.findall(r"-?([dap])3", file.parts[-4])
            right = counts.get("pass", 0) + counts.get("fast", 0)
            rates.setdefault(frozenset(spoke), []).append(right / record["num_trials"])
        self.assertEqual([len(states) for states in rates.values()], 8 * [4])
        value = {spoke: sum(states) / len(states) for spoke, states in rates.items()}
        names = {"d": "debugger", "a": "analyzer", "p": "profiler"}
        for tool, name in names.items():
            gains = [value[frozenset(order[:order.index(tool) + 1])] - value[frozenset(order[:order.index(tool)])]
                     for order in itertools.permutations("dap")]
            self.assertIn(f"{name}: released (Shapley) {sum(gains) / 6:+.3f}, ", output)
        for a, b in itertools.combinations("dap", 2):
            (c,) = set("dap") - {a, b}
            alone = value[frozenset({a, b})] - value[frozenset(a)] - value[frozenset(b)] + value[frozenset()]
            beside = value[frozenset("dap")] - value[frozenset({a, c})] - value[frozenset({b, c})] + value[frozenset(c)]
            third = (beside - alone) / 3
            self.assertIn(f"{names[a]}, {names[b]}: released σ {alone - third:+.3f}, "
                          f"σ {alone:+.3f} (less by m_ijk/3 = {third:+.3f}), I {(alone + beside) / 2:+.3f}\n", output)


class ClusterTest(DocsCase):
    PAGE = "cluster"

    def test_it_works_as_it_stands_there(self):
        output = self.type_in(self.PAGE + ".md")
        self.assertRegex(output, r"(?m)^level1/019_relu ")
        for name, rows in (("here", 1), ("again", 0), ("all", 1)):
            with contextlib.closing(sqlite3.connect(self.work / f"{name}.sqlite")) as database:
                (count,) = database.execute("SELECT count(*) FROM evaluation").fetchone()
                self.assertEqual(count, rows, name)
        self.assertEqual((self.folder / ".local/state/kbench/pool.key").stat().st_mode & 0o777, 0o600)


class DataTest(DocsCase):
    PAGE = "data"

    def test_it_works_as_it_stands_there(self):
        output = self.type_in(self.PAGE + ".md")
        for kind in ("sft", "ppo"):
            self.assertRegex(output, rf"(?m)^ +2 {kind}\.jsonl$")
        self.assertRegex(output, r"(?m)^level1/019_relu [123]\.0 \['system', 'user', 'assistant'")
        self.assertIn("\n0\n", output, "what is held out is left out")
        targets = [line for line in output.splitlines() if line.startswith("[")]
        self.assertEqual(len(targets), 2, output)
        self.assertEqual(len(set(json.loads(targets[0]))), 1, "no critic was asked")
        self.assertTrue(list((self.work / "sources").rglob("*.cpp")))
        rows = (self.work / "rows.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertEqual(sum(json.loads(row)["agent"] == "scripted" for row in rows), 2)


if __name__ == "__main__":
    cli_case.main()
