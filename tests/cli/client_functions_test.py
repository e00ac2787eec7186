"""kbench_reward.py as verl and TRL call it, against a stand-in for the server that says what it was asked, and
openevolve_evaluator.py against one that answers what no server of kbench would.

Which files an answer hands in is the server's business (unit.trainer_shapes_test): here it is shown that every
answer of that table gets there as it was said.
"""

import contextlib
import http.server
import io
import json
import os
import pathlib
import socketserver
import sys
import tempfile
import threading
import unittest
from unittest import mock

from cli_case import ROOT

sys.path.insert(0, str(ROOT / "data/clients"))
import kbench_reward  # noqa: E402
import openevolve_evaluator  # noqa: E402

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


def answer_of(status, body, *headers):
    text = body if isinstance(body, str) else json.dumps(body)
    lines = [f"HTTP/1.0 {status} as scripted", f"Content-Length: {len(text)}", *headers]
    return "\r\n".join(lines) + "\r\n\r\n" + text


def error_of(status, fault=""):
    return answer_of(status, {"error": {"message": "said so", "hint": "do that", "fault": fault}})


GOOD = answer_of(200, {"row": {"state": "ok", "fault": "none", "reward": {"value": 2.0}}})


class Scripted(socketserver.StreamRequestHandler):
    """The next answer of the server's list to each request, as bytes; the last one again."""

    def handle(self):
        size = 0
        while (line := self.rfile.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        self.rfile.read(size)
        self.server.asked += 1
        script = self.server.script
        self.wfile.write((script.pop(0) if len(script) > 1 else script[0]).encode())


class EvaluatorTest(unittest.TestCase):
    def setUp(self):
        self.server = socketserver.TCPServer(("127.0.0.1", 0), Scripted)
        self.server.asked, self.server.script = 0, [GOOD]
        thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        thread.start()

        def end():
            self.server.shutdown()
            thread.join()
            self.server.server_close()

        self.addCleanup(end)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "program.cpp").write_text("int k;\n", "ascii")
        self.slept = []
        plain = {name: value for name, value in os.environ.items() if not name.startswith("KBENCH_")}
        for patch in (mock.patch.dict(os.environ, plain, clear=True),
                      mock.patch.object(openevolve_evaluator.time, "sleep", self.sleep)):
            patch.start()
            self.addCleanup(patch.stop)
        os.environ.update(KBENCH_URL=f"http://127.0.0.1:{self.server.server_address[1]}", KBENCH_TOKEN="0" * 64,
                          KBENCH_TASK=TASK)

    def sleep(self, seconds):
        if seconds < 0 or len(self.slept) == 20:
            raise AssertionError(f"sleeps {seconds} after {self.slept}")
        self.slept.append(seconds)

    def judge(self):
        with contextlib.redirect_stderr(io.StringIO()) as self.said:
            return openevolve_evaluator.judge("int k;")

    def ends(self, *words):
        """The process ends at once, and not by what `except Exception` takes."""
        with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()) as said:
            openevolve_evaluator.evaluate(self.folder / "program.cpp")
        self.assertEqual((ended.exception.code, self.slept), (2, []))
        for word in words:
            self.assertIn(word, said.getvalue())

    def test_what_no_server_of_kbench_answers_is_waited_for(self):
        for name, bad in {
                "cut": answer_of(200, "{}")[:-1], "cut later": GOOD[:-20], "no status": "garbage\r\n\r\n",
                "nothing": "", "a page": answer_of(200, "<html>"), "a list": answer_of(200, []),
                "no row": answer_of(200, {"id": "a"}), "no state": answer_of(200, {"row": {"fault": "none"}}),
                "an odd reward": answer_of(200, {"row": {"state": "ok", "reward": [1]}}),
                "no number": answer_of(200, {"row": {"state": "ok", "reward": {"value": "much"}}}),
                "deep": answer_of(200, "[" * 100000),
                "at fault": answer_of(200, {"row": {"state": "crash", "fault": "infrastructure"}}),
                "busy": answer_of(503, "", "Retry-After: 7"),
                "a word": answer_of(503, "", "Retry-After: soon"), "no header": answer_of(500, "")}.items():
            with self.subTest(name):
                self.slept, self.server.asked, self.server.script = [], 0, [bad, GOOD]
                metrics, artifacts = self.judge()
                self.assertEqual((metrics["combined_score"], artifacts["state"]), (2.0, "ok"))
                self.assertEqual((self.server.asked, len(self.slept)), (2, 1))
                self.assertIn("asking on", self.said.getvalue())
                self.assertEqual(self.slept[0], 7 if name == "busy" else 1)

    def test_retry_after_is_never_negative_nor_endless(self):
        for said, least, most in (("-1", 0, 0), ("1e400", 1, 1), ("nan", 1, 1), ("99999", 60, 60),
                                  ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0), ("Wed, 21 Oct 2915 07:28:00 GMT", 60, 60)):
            with self.subTest(said):
                self.slept, self.server.script = [], [answer_of(503, "", f"Retry-After: {said}"), GOOD]
                self.assertEqual(self.judge()[0]["combined_score"], 2.0)
                self.assertTrue(least <= self.slept[0] <= most, self.slept)

    def test_an_outage_is_told_of_once(self):
        self.server.script = [answer_of(503, "")] * 5 + [GOOD]
        self.judge()
        self.assertEqual((len(self.slept), self.said.getvalue().count("asking on")), (5, 1))

    def test_a_program_that_is_refused_is_below_all(self):
        for refusal in (error_of(413), error_of(422, "submission")):
            self.server.script = [refusal]
            metrics, artifacts = self.judge()
            self.assertEqual((metrics["combined_score"], artifacts["message"], artifacts["hint"]),
                             (-1.0, "said so", "do that"))

    def test_what_the_server_refuses_of_every_program_ends_it(self):
        for status in (400, 401, 403, 404, 405, 415, 422):
            with self.subTest(status):
                self.server.script = [error_of(status)]
                self.ends("said so", str(status))
        self.server.script = [answer_of(401, {"error": "unauthorized"})]
        self.ends("unauthorized")
        self.server.script = [answer_of(401, "<html>")]
        self.ends("401")

    def test_an_address_that_is_none_ends_it(self):
        for url in ("127.0.0.1:8377", "ftp://a", "http://", "http://a:b", "http://a:99999", "http://a b", "http://\xe9"):
            with self.subTest(url):
                os.environ["KBENCH_URL"] = url
                self.ends("KBENCH_URL", "http://HOST:PORT" if url == "ftp://a" else "")

    def test_a_file_without_a_token_ends_it(self):
        file = self.folder / "tokens"
        os.environ.update(KBENCH_TOKEN="", KBENCH_TOKEN_FILE=str(file))
        self.ends("KBENCH_TOKEN_FILE", "No such file")
        for text, word in (("# none\n", "has no token"), ("ann evaluate\n", "NAME SCOPES TOKEN"),
                           ("\xe9\n", "ascii")):
            file.write_text(text, "utf-8")
            self.ends("KBENCH_TOKEN_FILE", word)
        os.environ["KBENCH_TOKEN_FILE"] = ""
        self.ends("set KBENCH_TOKEN")
        file.write_text("# tokens\nann read,evaluate " + "0" * 64 + "\n", "ascii")
        os.environ["KBENCH_TOKEN_FILE"] = str(file)
        self.assertEqual(self.judge()[0]["combined_score"], 2.0)

    def test_without_a_task_it_ends(self):
        os.environ["KBENCH_TASK"] = ""
        self.ends("KBENCH_TASK")


if __name__ == "__main__":
    unittest.main()
