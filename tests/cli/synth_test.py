"""kbench synth: what is kept, what is rejected and why, and that a kill costs nothing that was done."""

import json
import os
import signal
import subprocess

import cli_case
import quiet
from cli_case import GOOD, KBENCH, NOTHING_SELECTED, USAGE

HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(64, 64)

    def forward(self, x):
        return {}


def get_inputs():
    return [torch.randn({}, 64)]


def get_init_inputs():
    return []
"""

# One for each filter that looks at the graph alone, with the fault that it is to be rejected by.
FILES = {
    "001_sound": (HEAD.format("torch.cumsum(F.silu(self.inner(x)), dim=1)", 32), None),
    "002_copy": (HEAD.format("torch.cumsum(F.silu(self.inner(x)), dim=1)", 32), "duplicate"),
    "003_larger": (HEAD.format("torch.cumsum(F.silu(self.inner(x)), dim=1)", 48), None),
    "004_held_out": (HEAD.format("x.relu()", 16), "contaminated"),
    "005_random": (HEAD.format("self.inner(x) + torch.bernoulli(torch.sigmoid(x))", 16), "random"),
    "006_broken": (HEAD.format("self.innner(x)", 16), "lowering"),
}


class SynthCase(cli_case.CliCase):
    def synth(self, *words, **more):
        return self.kbench("synth", "--device", "cpu", *words, timeout=1200, **more)

    def lines(self, folder="out"):
        text = (self.folder / folder / "synthesis.jsonl").read_text(encoding="utf-8")
        header, *records = [json.loads(line) for line in text.splitlines()]
        return header, records


class FilesTest(SynthCase):
    def test_each_file_gets_its_reason(self):
        for name, (text, _) in FILES.items():
            (self.folder / "files").mkdir(exist_ok=True)
            (self.folder / "files" / f"{name}.py").write_text(text, encoding="utf-8")
        rows = [json.dumps({"code": HEAD.format("torch.cumsum(self.inner(x).sin(), dim=1)", 24),
                            "ops": "[\"torch.cumsum\", \"torch.sin\"]"}),
                json.dumps({"ops": "[]"})]
        (self.folder / "rows.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
        result = self.synth("--from", "files", "--from", "rows.jsonl", "--no-run", "--out", "out",
                            "--format", "json")
        self.assert_good(result)
        _, records = self.lines()
        expected = [fault for _, fault in FILES.values()] + [None, "lowering"]
        self.assertEqual([record["fault"] for record in records], expected)
        self.assertEqual([record["candidate"] for record in records], list(range(8)))
        self.assertIn("level1/019_relu", records[3]["message"])
        self.assertEqual(records[0]["operators"], ["linear", "silu", "cumsum"])
        for record in records:
            self.assertEqual(bool(record["message"]), record["fault"] is not None)
        manifest = json.loads((self.folder / "out" / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest, json.loads(result.stdout))
        self.assertEqual((manifest["candidates"], manifest["kept"]), (8, 3))
        self.assertEqual(manifest["rejected"]["lowering"], 2)
        self.check_suite([task["task"] for task in manifest["tasks"]])

    def check_suite(self, tasks):
        listed = self.kbench("tasks", "list", "--suite", "out", "--format", "json")
        self.assert_good(listed)
        self.assertEqual([task["task"] for task in json.loads(listed.stdout)["tasks"]], sorted(tasks))
        self.assertEqual(list((self.folder / "out").glob(".*")), [])

    def test_nothing_kept_has_an_exit_code_of_its_own(self):
        (self.folder / "one.py").write_text(FILES["004_held_out"][0], encoding="utf-8")
        result = self.synth("--from", "one.py", "--no-run", "--out", "out")
        self.assert_fails(result, NOTHING_SELECTED, "0 of 1 candidates")
        self.assertIn("1  contaminated: a held-out task's operators", result.stdout)


class ShardTest(SynthCase):
    def test_shards_have_each_candidate_once(self):
        (self.folder / "files").mkdir()
        for name in ("001_sound", "003_larger", "004_held_out", "006_broken"):
            (self.folder / "files" / f"{name}.py").write_text(FILES[name][0], encoding="utf-8")
        words = ("--from", "files", "--no-run")
        for shard, expected in (("1/3", [0, 3]), ("2/3", [1])):
            folder = "out" + shard[0]
            self.assert_good(self.synth(*words, "--shard", shard, "--out", folder))
            header, records = self.lines(folder)
            self.assertEqual(header["shard"], shard)
            self.assertEqual([record["candidate"] for record in records], expected)
        self.assert_fails(self.synth(*words, "--shard", "3/3", "--out", "out1", "--resume"), USAGE,
                          'shard is "1/3" there, "3/3" here')
        self.assert_good(self.synth("--from", "out1", "--from", "out2", "--no-run", "--out", "all"))
        _, records = self.lines("all")
        self.assertEqual([record["state"] for record in records], ["kept", "kept"])


class ResumeTest(SynthCase):
    COUNT = 24
    WORDS = ("--count", COUNT, "--seed", 5, "--no-run", "--out", "out")

    def setUp(self):
        """Candidates are journalled by the batch: of 16 on two cores, so that two batches are COUNT. Before
        the second one there are Pythons that import torch, which takes seconds."""
        super().setUp()
        cores = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, cores)
        os.sched_setaffinity(0, sorted(cores)[:2])

    def test_a_kill_costs_nothing_that_was_done(self):
        journal = self.folder / "out" / "synthesis.jsonl"
        variables = {k: v for k, v in os.environ.items() if k not in cli_case.FOREIGN}
        process = subprocess.Popen([str(KBENCH), "synth", *map(str, self.WORDS)], cwd=self.folder,
                                   env={**variables, "HOME": str(self.folder)},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 1,
                        "a candidate was in the journal", process, seconds=600)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assert_nothing_left()
        before = journal.read_bytes().splitlines(keepends=True)
        self.assertGreater(len(before), 1)
        self.assertLess(len(before), 1 + self.COUNT, "it was through before it could be killed")

        result = self.synth(*self.WORDS, "--resume")
        self.assert_good(result)
        after = journal.read_bytes().splitlines(keepends=True)
        whole = [line for line in before if line.endswith(b"\n")]
        self.assertEqual(after[:len(whole)], whole)
        _, records = self.lines()
        self.assertEqual(sorted(record["candidate"] for record in records), list(range(self.COUNT)))
        kept = {record["task"] for record in records if record["state"] == "kept"}
        files = {f"{file.parent.name}/{file.stem}" for file in (self.folder / "out").glob("level*/*.json")}
        self.assertEqual(files, kept)

        self.assert_fails(self.synth(*self.WORDS), USAGE, "holds candidates already", "--resume")
        other = [7 if word == 5 else word for word in self.WORDS]
        self.assert_fails(self.synth(*other, "--resume"), USAGE, "seed is 5 there, 7 here")
        self.assert_good(self.synth(*self.WORDS, "--resume"))
        self.assertEqual(journal.read_bytes().splitlines(keepends=True), after)


class UsageTest(SynthCase):
    def test_impossible_values(self):
        for words in (["--operators", "0"], ["--operators", "3..2"], ["--operators", "2..9"],
                      ["--count", "0"], ["--from", "nowhere.py"], ["--mode", "both"], ["--shard", "3/2"], ["--resume"]):
            with self.subTest(words=words):
                self.assert_fails(self.synth("--out", "out", "--no-run", *words), USAGE)


class ExecutedTest(SynthCase):
    """Every filter, the clock among them, on a few candidates of the grammar."""

    def test_what_is_kept_runs(self):
        result = self.synth("--count", 4, "--seed", 3, "--operators", "2..3", "--no-packages", "--out", "out")
        self.assertIn(result.returncode, (GOOD, NOTHING_SELECTED), result.stderr)
        header, records = self.lines()
        self.assertEqual(header["operators"], [2, 3])
        self.assertEqual(header["device"], "cpu")
        self.assertEqual(len(records), 4)
        for record in records:
            with self.subTest(record["task"]):
                self.assertIn(len(record["drawn"]), (2, 3))
                if record["fault"] is None:
                    self.assertTrue(1 <= record["eager_ms"] <= 100)
                    task = json.loads((self.folder / "out" / f"{record['task']}.json").read_text())
                    self.assertEqual(task["source_sha256"], record["source_sha256"])


class PackageTest(SynthCase):
    def test_a_package_is_built_of_what_is_kept(self):
        text = HEAD.format("torch.cumsum(F.silu(self.inner(x)), dim=1)", 32768)  # a fast machine takes 4 ms
        (self.folder / "one.py").write_text(text, encoding="utf-8")
        result, header, record = self.synth_in_time()
        self.assertIs(header["packages"], True)
        self.assertEqual((record["state"], record["fault"]), ("kept", None), record["message"])
        self.assert_good(result)
        self.assertEqual(len(list(self.folder.glob(".cache/kbench/packages/*.pt2"))), 1)

    def synth_in_time(self):
        """Synthesis once eager took at most 100 ms. On two cores beside eleven programs it took longer."""
        for number in range(quiet.MOST_TRIES):
            result = self.synth("--from", "one.py", "--out", f"out{number}")
            header, (record,) = self.lines(f"out{number}")
            if record["fault"] != "time" or record["eager_ms"] <= 100:
                return result, header, record
        raise quiet.BusyMachine(quiet.say("synth_test.package", [record]))


class FlawTest(SynthCase):
    def test_a_flaw_that_only_running_shows(self):
        text = HEAD.format("torch.softmax(torch.cumsum(x, dim=1), dim=1).sum(dim=1)", 65536)
        (self.folder / "one.py").write_text(text, encoding="utf-8")
        result = self.synth("--from", "one.py", "--no-packages", "--out", "out")
        self.assert_fails(result, NOTHING_SELECTED)
        _, (record,) = self.lines()
        self.assertIn(record["fault"], ("mutant", "time"))  # a slow machine may be out of the band
        self.assertTrue(record["message"])


class LaneTest(SynthCase):
    """Trials that a lane makes, the CPU's. What several lanes do is the matter of unit.trial_lanes."""

    TEXTS = {"001_flawed": "torch.softmax(torch.cumsum(x, dim=1), dim=1).sum(dim=1)",
             "002_sound": "torch.cumsum(F.silu(self.inner(x)), dim=1)"}

    def test_a_lane_tries_as_the_command_itself_does(self):
        (self.folder / "files").mkdir()
        for name, text in self.TEXTS.items():
            (self.folder / "files" / f"{name}.py").write_text(HEAD.format(text, 65536), encoding="utf-8")
        words = ("synth", "--from", "files", "--no-packages", "--out", "out")
        result = self.kbench(*words, "--devices", "cpu", timeout=1200)
        self.assertIn(result.returncode, (GOOD, NOTHING_SELECTED), result.stderr)
        self.assert_nothing_left()
        header, records = self.lines()
        self.assertEqual(header["device"], "cpu")
        flawed, sound = records
        self.assertIn(flawed["fault"], ("mutant", "time"))  # a slow machine may be out of the band
        self.assertIn(sound["fault"], (None, "time"))
        for record in records:
            self.assertGreater(record["eager_ms"], 0)
            self.assertEqual(record["tries"], 1)

        # Whether there are lanes is no part of what was asked for.
        resumed = self.kbench(*words, "--device", "cpu", "--resume", timeout=1200)
        self.assertEqual(resumed.returncode, result.returncode, resumed.stderr)
        self.assertEqual(self.lines(), (header, records))


if __name__ == "__main__":
    cli_case.main()
