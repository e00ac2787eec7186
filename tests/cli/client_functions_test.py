"""kbench_reward.py as verl and TRL call it, against a stand-in for the server that says what it was asked.

Which files an answer hands in is the server's business (unit.trainer_shapes_test): here it is shown that every
answer of that table gets there as it was said.
"""

import contextlib
import http.server
import io
import json
import os
import sys
import threading
import unittest

from cli_case import ROOT

sys.path.insert(0, str(ROOT / "data/clients"))
import kbench_reward  # noqa: E402

TASK = "level1/019_relu"


class Endpoint(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((body["query"][0], body["labels"][0]))
        said = json.dumps({"rewards": [float(len(body["query"][0]))]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass


def answers():
    """Those of tests/answers/answers.json, as tests/unit/answers_fixture.hpp has them."""
    table = json.loads((ROOT / "tests/answers/answers.json").read_text(encoding="utf-8"))
    for row in table["answers"]:
        lines = []
        for line in row["answer"]:
            prefix, at, name = line.rpartition("@")
            known = at and name in table["texts"]
            lines += [prefix + one for one in table["texts"][name]] if known else [line]
        yield row["name"], row.get("begins", "") + "".join(one + row.get("line_end", "\n") for one in lines)


class ClientCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
        thread = threading.Thread(target=cls.server.serve_forever, daemon=True)
        thread.start()
        before = dict(os.environ)
        os.environ.update(KBENCH_URL=f"http://127.0.0.1:{cls.server.server_port}", KBENCH_TOKEN="0" * 64,
                          KBENCH_PATIENCE="5")

        def end():
            cls.server.shutdown()
            thread.join()
            cls.server.server_close()
            os.environ.clear()
            os.environ.update(before)

        cls.addClassCleanup(end)

    def setUp(self):
        self.server.asked = []

    def ask_trl(self, *completions, **columns):
        with contextlib.redirect_stdout(io.StringIO()) as self.printed:
            return kbench_reward.reward(prompts=["p"] * len(completions), completions=list(completions),
                                        **(columns or {"task": [TASK] * len(completions)}))


class TrlTest(ClientCase):
    def test_each_answer_of_the_table_arrives_as_it_was_said(self):
        said = dict(answers())
        self.assertGreaterEqual(len(said), 60)
        self.assertEqual(self.ask_trl(*said.values()), [float(len(text)) for text in said.values()])
        self.assertEqual(sorted(text for text, _ in self.server.asked), sorted(said.values()))

    def test_of_a_chat_the_assistants_last_words_count(self):
        answer = {"role": "assistant", "content": "kernel"}
        for chat in ([answer], [{"role": "user", "content": "again"}, answer],
                     [answer, {"role": "tool", "content": "ok"}],
                     [answer, {"role": "assistant", "tool_calls": [{}]}],
                     [answer, {"role": "assistant", "content": None, "tool_calls": [{}]}],
                     [answer, {"role": "assistant", "content": ""}],
                     [{"role": "assistant", "content": [{"type": "text", "text": "ker"},
                                                        {"type": "image", "text": "no"}, {"text": "nel"}]}]):
            self.assertEqual(self.ask_trl(chat), [6.0], chat)
        for nothing in ([], [{"role": "assistant", "tool_calls": [{}]}], None, [{}]):
            self.assertEqual(self.ask_trl(nothing), [0.0], nothing)

    def test_half_of_a_pair_is_a_character(self):
        self.assertEqual(self.ask_trl("\ud83d"), [1.0])

    def test_a_missing_column_is_a_sentence(self):
        for columns in ({"prompt_id": [1]}, {"task": []}, {"task": None}):
            with self.assertRaisesRegex(kbench_reward.NoReward, r"no column `task` .*level1/019_relu"):
                self.ask_trl("a", **columns)
        self.assertEqual(self.server.asked, [])

    def test_a_sample_without_a_task_has_no_reward(self):
        self.assertEqual(self.ask_trl("a", "bb", task=[None, TASK]), [None, 2.0])
        self.assertIn("names no task", self.printed.getvalue())


class VerlTest(ClientCase):
    def test_one_sample(self):
        for truth, info in ((TASK, None), (TASK, {}), ("", {"task": TASK}), ({"task": TASK}, {"index": 1}),
                            ("answer 42", {"task": TASK, "problem_id": "7"})):
            self.assertEqual(kbench_reward.compute_score("k", "four", truth, info), 4.0)
        self.assertEqual({task for _, task in self.server.asked}, {TASK})

    def test_each_answer_of_the_table_arrives_as_it_was_said(self):
        said = [text for _, text in answers()]
        for text in said:
            kbench_reward.compute_score("k", text, TASK, {})
        self.assertEqual([text for text, _ in self.server.asked], said)

    def test_a_reward_router_is_not_asked(self):
        self.assertEqual(kbench_reward.compute_score(
            data_source="k", solution_str="a", ground_truth=TASK, extra_info={},
            reward_router_address="127.0.0.1:1", reward_model_tokenizer=None), 1.0)

    def test_the_batch_manager_hands_over_lists(self):
        self.assertEqual(kbench_reward.compute_score(
            data_sources=["k"] * 2, solution_strs=["a", "bb"], ground_truths=[TASK, "?"],
            extra_infos=[None, {"task": TASK}]), [1.0, 2.0])
        with self.assertRaisesRegex(kbench_reward.NoReward, "2 answers came with 1 ground truths"):
            kbench_reward.compute_score(solution_strs=["a", "b"], ground_truths=[TASK])

    def test_without_a_task_it_says_what_is_missing(self):
        with self.assertRaisesRegex(kbench_reward.NoReward, "names no task.*ground truth"):
            kbench_reward.compute_score("k", "a", None, None)


if __name__ == "__main__":
    unittest.main()
