"""kbench episodes and kbench export: what agents said and did, and what trainers get of it."""

import json
import os
import re
import subprocess

import cli_case
from cli_case import NOTHING_SELECTED, USAGE

RUN = "0a" * 16
OTHER = "1b" * 16

# Text that a model may write: controls, markup, marks of direction, and more than a terminal is wide.
EVIL = "\x1b[2J\x07<script>alert(1)</script> \u202e\u2066" + "x" * 500


def write(tree, before=""):
    return {"tool": "write", "arguments": json.dumps({"path": "k.cpp", "content": f"// {tree}\nint i;"}),
            "before": before, "after": tree, "result": '{"written": 12}'}


def submit(tree, row):
    return {"tool": "submit", "before": tree, "row": row, "result": '{"state": "ok"}'}


def good(name, row, **more):
    return {"id": name, "turns": [[write("a")], [submit("a", row)]], **more}


class EpisodesCase(cli_case.CliCase):
    def kbench(self, verb, *words, **environment):
        """Its runs are generated, and have no chain."""
        trust = ["--trust-unchecked"] if verb in {"episodes", "export"} else []
        return super().kbench(verb, *words, *trust, **environment)

    def make_runs(self, *runs):
        subprocess.run([os.environ["MAKE_RUNS"], str(self.folder / "kbench.sqlite")], check=True,
                       input=json.dumps(runs), text=True)

    def setUp(self):
        super().setUp()
        self.make_runs(
            {"id": RUN, "rows": [
                {"agent": "fast", "submission_ns": 500_000},
                {"agent": "slow", "submission_ns": 9_000_000},
                {"agent": "wrong", "state": "wrong_result"},
                {"agent": "odd", "submission_ns": 500_000, "labels": "stream dlopen"}],
             "episodes": [
                 good("e-fast", 0, started_at="2026-11-21T10:00:00Z", model="m-1"),
                 good("e-slow", 1, started_at="2026-11-21T11:00:00Z"),
                 good("e-wrong", 2, started_at="2026-11-21T12:00:00Z"),
                 good("e-odd", 3, started_at="2026-11-21T13:00:00Z"),
                 {"id": "e-lost", "started_at": "2026-11-21T14:00:00Z", "stop": "turns",
                  "turns": [[write("a")], [{"tool": "conjure", "before": "a",
                                            "error": "unknown_tool", "result": "no such tool"}]]},
                 {"id": "e-cut", "started_at": "2026-11-21T15:00:00Z", "stop": "", "turns": [[]]}]},
            {"id": OTHER, "rows": [{"agent": "evil", "submission_ns": 500_000}],
             "episodes": [{"id": "f-evil", "model": EVIL, "started_at": "2026-11-21T16:00:00Z",
                           "turns": [[{"tool": EVIL, "arguments": EVIL, "result": EVIL * 3,
                                       "before": "a", "row": 0}]]}]})

    def lines(self, *words):
        result = self.kbench("export", *words)
        self.assert_good(result)
        return [json.loads(line) for line in result.stdout.splitlines()], result.stderr


class ListTest(EpisodesCase):
    def test_a_line_for_each_newest_first(self):
        result = self.kbench("episodes", "list", "--run", RUN[:6])
        self.assert_good(result)
        rows = result.stdout.splitlines()[2:]
        self.assertEqual([row.split()[0] for row in rows],
                         ["e-cut", "e-lost", "e-odd", "e-wrong", "e-slow", "e-fast"])
        self.assertIn("unfinished", rows[0])
        self.assertRegex(rows[1], r"1 invalid.*turns.*–")
        self.assertIn("wrong result", rows[3])
        self.assertRegex(rows[5], r"m-1 .* submit .* 4\.00×")

    def test_json_has_what_the_last_row_is_worth(self):
        result = self.kbench("episodes", "list", "--json", "--reward", "speedup")
        self.assert_good(result)
        episodes = {one["id"]: one for one in json.loads(result.stdout)["episodes"]}
        self.assertEqual(len(episodes), 7)
        fast = episodes["e-fast"]
        self.assertEqual(fast["state"], "ok")
        self.assertAlmostEqual(fast["speedup"]["eager"]["estimate"], 4)
        self.assertAlmostEqual(fast["reward"]["value"], 3)
        self.assertEqual((fast["turns"], fast["calls"], fast["invalid_calls"]), (2, 2, 0))
        self.assertEqual(fast["sampling"]["style"], "react")
        lost = episodes["e-lost"]
        self.assertEqual(lost["reward"], {"name": "speedup", "value": 0, "capped": False,
                                          "reason": "nothing was submitted"})
        self.assertEqual(lost["invalid_calls"], 1)
        self.assertIsNone(episodes["e-cut"]["reward"]["value"])
        self.assertIsNone(episodes["e-cut"]["stop_reason"])

    def test_a_run_without_any_selects_nothing(self):
        self.make_runs({"id": "2c" * 16, "rows": [{}]})
        self.assert_fails(self.kbench("episodes", "list", "--run", "2c"), NOTHING_SELECTED,
                          "has no episodes")
        self.assert_fails(self.kbench("episodes", "list", "--db", "none.sqlite"), USAGE,
                          "no such database")


class ShowTest(EpisodesCase):
    def test_turn_by_turn(self):
        result = self.kbench("episodes", "show", "e-fast")
        self.assert_good(result)
        self.assertIn("level1/019_relu (small on cpu) by m-1", result.stdout)
        self.assertIn("ended by submit after 2 turns", result.stdout)
        self.assertRegex(result.stdout, r"last row: ok, 4\.00× .* over eager")
        self.assertIn("milestone_sure: 3", result.stdout)
        self.assertIn("turn 1   100 + 10 tokens", result.stdout)
        self.assertIn('→ write {"path": "k.cpp"', result.stdout)
        self.assertIn("kernels a", result.stdout)

    def test_one_turn_in_full(self):
        result = self.kbench("episodes", "show", "e-fast", "--turn", "1")
        self.assert_good(result)
        self.assertIn("    // a\n    int i;\n", result.stdout)
        self.assertNotIn("turn 2", result.stdout)
        self.assert_fails(self.kbench("episodes", "show", "e-fast", "--turn", "9"),
                          NOTHING_SELECTED, "has no turn 9")

    def test_json_has_every_text(self):
        result = self.kbench("episodes", "show", "e-fast", "--json")
        self.assert_good(result)
        story = json.loads(result.stdout)
        write_call, submit_call = (turn["calls"][0] for turn in story["turns"])
        self.assertEqual(json.loads(write_call["arguments"])["content"], "// a\nint i;")
        self.assertEqual((write_call["tree_before"], write_call["tree_after"]), (None, "a"))
        self.assertFalse(write_call["judged"])
        self.assertTrue(submit_call["judged"])
        self.assertAlmostEqual(submit_call["speedup"]["eager"], 4)

    def test_an_id_that_is_none_or_several(self):
        self.assert_fails(self.kbench("episodes", "show", "zz"), NOTHING_SELECTED, "zz")
        self.assert_fails(self.kbench("episodes", "show", "e-"), USAGE, "several episodes")

    def test_what_a_model_wrote_steers_no_terminal(self):
        for words in (["list"], ["list", "--json"], ["show", "f-evil"], ["show", "f-evil", "--json"],
                      ["show", "f-evil", "--turn", "1"]):
            with self.subTest(words=words):
                result = self.kbench("episodes", *words)
                self.assert_good(result)
                for text in (result.stdout, result.stderr):
                    self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]",
                                               text), repr(text[:300]))


class ExportTest(EpisodesCase):
    def test_rft_takes_the_good_ones_and_counts_the_others(self):
        lines, stderr = self.lines("rft", "--run", RUN)
        self.assertEqual([line["meta"]["episode"] for line in lines], ["e-fast", "e-slow"])
        self.assertEqual([line["reward"] for line in lines], [3, 1])
        for reason in ("unfinished", "low_reward", "flagged"):
            self.assertRegex(stderr, rf"rejected +\d+  {reason}")
        self.assertIn("rft: 2 of 6 episodes, 4 rejected: 1 unfinished, 2 low_reward, 1 flagged by the "
                      "rule strict", stderr.splitlines()[-1])

    def test_a_line_is_what_a_chat_template_takes(self):
        lines, _ = self.lines("rft", "--run", RUN)
        line = lines[0]
        self.assertEqual([message["role"] for message in line["messages"]],
                         ["system", "user", "assistant", "tool", "assistant", "tool"])
        call = line["messages"][2]["tool_calls"][0]
        self.assertEqual(line["messages"][3]["tool_call_id"], call["id"])
        self.assertEqual(line["tools"][0]["type"], "function")
        self.assertEqual(line["task"], "level1/019_relu")
        self.assertEqual(line["meta"]["run"], RUN)

    def test_sft_goes_by_cuda_agents_rule_and_another_may_be_named(self):
        lines, _ = self.lines("sft", "--run", RUN)
        self.assertEqual([line["meta"]["episode"] for line in lines], ["e-fast", "e-slow", "e-odd"])
        lines, _ = self.lines("sft", "--run", RUN, "--filter", "strict")
        self.assertEqual(len(lines), 2)

    def test_ppo_has_targets(self):
        lines, _ = self.lines("ppo", "--run", RUN)
        by_name = {line["meta"]["episode"]: line for line in lines}
        self.assertEqual(set(by_name), {"e-fast", "e-slow", "e-wrong", "e-odd", "e-lost"})
        self.assertEqual([turn["target"] for turn in by_name["e-fast"]["meta"]["turns"]], [3, 3])
        self.assertEqual(by_name["e-lost"]["reward"], -1)

    def test_values_make_advantages(self):
        values = self.folder / "values.jsonl"
        names = ["e-fast", "e-slow", "e-wrong", "e-odd", "e-lost"]
        values.write_text("".join(json.dumps({"episode": name, "values": [1, 2]}) + "\n"
                                  for name in names))
        lines, _ = self.lines("ppo", "--run", RUN, "--values", str(values))
        turns = lines[0]["meta"]["turns"]
        self.assertAlmostEqual(turns[1]["advantage"], 1)
        self.assertAlmostEqual(turns[0]["advantage"], 1 + 0.95)
        self.assertAlmostEqual(turns[0]["target"], 1 + 1.95)
        for text, words in [('{"episode": "e-fast", "values": [1, 2]}\n', "no values of episode"),
                            ('{"episode": "e-fast", "values": [1]}\n', "1 values"),
                            ('{"episode": "e-fast", "values": "x"}\n', "values.jsonl:1"),
                            ("nonsense\n", "no JSON"),
                            ('{"episode": "a", "values": []}\n' * 2, "twice")]:
            with self.subTest(text=text):
                values.write_text(text)
                self.assert_fails(self.kbench("export", "ppo", "--values", str(values)), USAGE, words)
        self.assert_fails(self.kbench("export", "rft", "--values", str(values)), USAGE, "ppo")

    def test_held_out_tasks_are_left_out(self):
        held_out = self.folder / "held_out.txt"
        held_out.write_text("# nobody may see these\nlevel9/*\n\n level1/019_relu  # by its id\n")
        lines, stderr = self.lines("rft", "--held-out", str(held_out))
        self.assertEqual(lines, [])
        self.assertIn("6 held_out", stderr)
        held_out.write_text("a task\n")
        self.assert_fails(self.kbench("export", "rft", "--held-out", str(held_out)), USAGE,
                          "held_out.txt:1: this is no task")
        self.assert_fails(self.kbench("export", "rft", "--held-out", "none.txt"), USAGE, "none.txt")

    def test_a_file_is_whole_or_not_there(self):
        result = self.kbench("export", "rft", "--run", RUN, "-o", "rft.jsonl")
        self.assert_good(result)
        self.assertEqual(result.stdout, "")
        lines = (self.folder / "rft.jsonl").read_text().splitlines()
        self.assertEqual(len(lines), 2)
        self.assertIn("written to rft.jsonl", result.stderr)
        values = self.folder / "values.jsonl"
        values.write_text('{"episode": "e-fast", "values": [1, 2]}\n')
        failed = self.kbench("export", "ppo", "--values", str(values), "-o", "ppo.jsonl")
        self.assertEqual(failed.returncode, USAGE)
        self.assertEqual([file.name for file in self.folder.glob("ppo*")], [])

    def test_what_is_read_is_not_written_over(self):
        for name in ("kbench.sqlite", "kbench.sqlite-wal"):
            self.assert_fails(self.kbench("export", "sft", "-o", name), USAGE, "database")
        held_out = self.folder / "held_out.txt"
        held_out.write_text("")
        self.assert_fails(self.kbench("export", "sft", "--held-out", str(held_out), "-o",
                                      str(held_out)), USAGE)
        self.assertEqual(held_out.read_text(), "")

    def test_what_a_model_wrote_is_data_and_nothing_else(self):
        result = self.kbench("export", "sft", "--run", OTHER)
        self.assert_good(result)
        self.assertTrue(result.stdout.isascii())
        self.assertNotIn("\x1b", result.stdout)
        line = json.loads(result.stdout)
        self.assertEqual(line["meta"]["model"], EVIL)
        self.assertEqual(line["messages"][2]["tool_calls"][0]["function"]["name"], EVIL)


if __name__ == "__main__":
    cli_case.main()
