"""Published files tell nobody who measured them and where: no format holds the user's name, the home folder, or any
path above the working directory."""

import json
import os
import subprocess

import cli_case

RUN, OTHER = "0c" * 16, "1d" * 16
FORMATS = ("table", "html", "json", "jsonl", "csv", "md", "junit", "github", "kernelbench", "google-benchmark")
PRIVATE = ("alice", "/home", "/srv", "experiment-7", "../up")


def row(agent, **more):
    return {"agent": agent, "source": "5e" * 32, **more}


class PublishedTest(cli_case.CliCase):
    """The rows say what a compiler, a Python and kbench itself say of files somewhere below a home."""

    def setUp(self):
        super().setUp()
        home = "/home/alice/experiment-7"
        failures = [
            ("compile_error", f"{home}/relu.cpp:3:5: error: expected ';'\n  included from {home}/tile.h:1"),
            ("submission_error", f'Traceback:\n  File "{home}/relu.py", line 7, in forward\nValueError: no'),
            ("load_error", "dlopen(/srv/cache/alice/lib.so): undefined symbol (see ../up/alice/log.txt)"),
            ("infrastructure_error", "~/experiment-7/kbench.sqlite: no space left on device"),
        ]
        rows = [row(f"agent{i}", state=state, message=message, hint=f"mend {home}/relu.cpp, or --db={home}/x.sqlite")
                for i, (state, message) in enumerate(failures)]
        rows.append(row("good", files={"relu.cpp": "int one;"}))
        subprocess.run([os.environ["MAKE_RUNS"], str(self.folder / "kbench.sqlite")], check=True, text=True,
                       input=json.dumps([
                           {"id": RUN, "rows": rows, "environment": {"python": f"{home}/.venv/bin/python3",
                                                                     "torch_from": [f"{home}/torch"]},
                            "command_line": f"kbench run --submissions {home}/subs --db {home}/kbench.sqlite"},
                           {"id": OTHER, "rows": [row("writer")], "started_at": "2026-11-22T10:00:00Z",
                            "episodes": [{"id": "e", "turns": [[{
                                "tool": "write", "arguments": '{"path": "k.cpp", "content": "int i;"}', "before": "",
                                "after": "a", "result": "{}"}], [{"tool": "submit", "before": "a", "row": 0,
                                                                  "result": '{"state": "ok"}'}]]}]}]))

    def assert_private(self, what, text):
        for word in PRIVATE + (str(self.folder), self.folder.name):
            at = text.find(word)
            self.assertEqual(at, -1, f"{what}: {text[max(at - 100, 0):at + 100]!r}")

    def report(self, *words):
        result = self.kbench("report", *words, "--run", RUN[:12], "--db", self.folder / "kbench.sqlite",
                             "--trust-unchecked", USER="alice", LOGNAME="alice", GITHUB_WORKSPACE=str(self.folder))
        self.assert_good(result)
        return result.stdout

    def test_no_format_tells_where_it_was_made(self):
        for name in FORMATS:
            with self.subTest(format=name):
                more = ["--level", "1"] if name == "kernelbench" else []
                text = self.report(name, *more)
                self.assertIn("relu", text)
                self.assert_private(name, text)

    def test_nor_does_a_site(self):
        self.report("html", "--site", "site")
        files = [file for file in (self.folder / "site").rglob("*") if file.is_file()]
        self.assertGreater(len(files), 1)
        for file in files:
            with self.subTest(file=file.name):
                self.assert_private(file.name, file.read_text(encoding="utf-8"))

    def test_nor_does_an_export(self):
        for form in ("sft", "rft", "ppo"):
            with self.subTest(form=form):
                result = self.kbench("export", form, "--run", OTHER[:12], "--db", self.folder / "kbench.sqlite",
                                     "--trust-unchecked", USER="alice")
                self.assertIn("level1/019_relu", result.stdout, result.stderr)
                self.assert_private(form, result.stdout)


if __name__ == "__main__":
    cli_case.main()
