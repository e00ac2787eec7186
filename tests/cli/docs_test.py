"""data/docs: what its pages tell a reader to type works, typed in this order in an empty folder. It measures.

The blocks of a page that are marked `sh` are one session of a shell. What is marked `sh trl` needs TRL and
is typed by tests/clients/docs_trl_test.py.
"""

import json
import os
import re
import subprocess

import cli_case
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
        result = subprocess.run(
            ["bash", "-c", "set -eu -o pipefail\n" + "".join(blocks(page, kinds))], cwd=work,
            env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
            check=False)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        self.work = work
        return result.stdout


class PagesTest(DocsCase):
    def test_every_page_is_found_from_the_readme(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        pages = sorted(page.name for page in DOCS.iterdir())
        self.assertEqual(pages, ["agent.md", "data.md", "trainer.md"])
        for page in pages:
            self.assertIn(f"(data/docs/{page})", readme)
            self.assertTrue(blocks(page))

    def test_the_readmes_commands_are_those_of_the_pages(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        for page, script in (("agent.md", "first_episode.py"), ("trainer.md", "trl_example.py")):
            self.assertIn(f"    python3 data/clients/{script} ", readme)
            self.assertIn(f'python3 "$data/clients/{script}"',
                          "".join(blocks(page, ("sh", "sh trl"))))

    def test_links_lead_somewhere(self):
        for page in DOCS.iterdir():
            text = page.read_text(encoding="utf-8")
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
                self.assertTrue((DOCS / target).exists(), f"{page.name}: {target}")


class AgentTest(DocsCase):
    def test_it_works_as_it_stands_there(self):
        output = self.type_in("agent.md")
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
    def test_it_works_as_it_stands_there(self):
        output = self.type_in("trainer.md")
        self.assertEqual(output.splitlines()[0], "[-1.0, -1.0]")
        self.assertRegex(output, r"(?m)^compile_error -1\.0 .* does not compile$")
        self.assertRegex(output, r"error: expected .;. before")


class DataTest(DocsCase):
    def test_it_works_as_it_stands_there(self):
        output = self.type_in("data.md")
        for kind in ("sft", "ppo"):
            self.assertRegex(output, rf"(?m)^ +2 {kind}\.jsonl$")
        self.assertRegex(output, r"(?m)^level1/019_relu [123]\.0 \['system', 'user', 'assistant'")
        self.assertIn("\n0\n", output, "what is held out is left out")
        targets = [line for line in output.splitlines() if line.startswith("[")]
        self.assertEqual(len(targets), 2)
        self.assertEqual(len(set(json.loads(targets[0]))), 1, "no critic was asked")
        self.assertTrue(list((self.work / "sources").rglob("*.cpp")))
        rows = (self.work / "rows.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertEqual(sum(json.loads(row)["agent"] == "scripted" for row in rows), 2)


if __name__ == "__main__":
    cli_case.main()
