"""data/docs/notebook.md with the packages that it hands rows to: pandas, nbclient, wandb, mlflow and datasets."""

import client_case

client_case.enter("notebook")

import os  # noqa: E402
import re  # noqa: E402
import sqlite3  # noqa: E402

import nbclient  # noqa: E402
import nbformat  # noqa: E402

import cli_case  # noqa: E402
import docs_test  # noqa: E402
from module_test import ReadTest  # noqa: E402, F401  (run here as well)

KINDS = ("sh", "sh pandas", "sh wandb", "sh mlflow", "sh datasets")


class PageTest(docs_test.DocsCase):
    def test_it_works_as_it_stands_there(self):
        programs = client_case.python_of("notebook").parent
        output = self.type_in("notebook.md", KINDS, HF_HUB_OFFLINE="1", MLFLOW_DISABLE_TELEMETRY="true",
                              HF_HOME=str(self.folder / "hf"), WANDB_SILENT="true",
                              PATH=f"{self.folder}/bin:{programs}:{os.environ['PATH']}")
        self.assertIn("{'compile_error': 1, 'ok': 1}", output)
        self.assertIn("1 rows: ['compile_error']", output)
        self.assertTrue(list((self.work / "wandb").glob("offline-run-*/run-*.wandb")))
        tracked = sqlite3.connect(self.work / "mlflow.db")
        self.addCleanup(tracked.close)
        self.assertEqual(tracked.execute("SELECT key, value FROM metrics").fetchall(), [("correct", 0.0)])
        self.assertEqual(len(list((self.work / "mlruns").rglob("rows.json"))), 1)

    def test_its_python_is_a_notebook_that_runs_from_top_to_end(self):
        text = "".join(docs_test.blocks("notebook.md", ("sh", "sh pandas")))
        cells = re.findall(r"<< 'END'\n(.*?)^END$", text, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(cells), 2)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/kbench").symlink_to(cli_case.KBENCH)
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                                         resources={"metadata": {"path": str(self.folder)}})
        client.execute(env={**os.environ, "HOME": str(self.folder), "PYTHONPATH": str(cli_case.ROOT / "data/clients"),
                            "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})
        printed = ["".join(output["text"] for output in cell.outputs if output.get("name") == "stdout")
                   for cell in notebook.cells]
        self.assertIn("compile_error submission", printed[0])
        self.assertIn("{'compile_error': 1, 'ok': 1}", printed[1])


if __name__ == "__main__":
    cli_case.main()
