"""A reward server as OpenRLHF asks one. Its package brings vLLM and DeepSpeed, for GPUs, so this is
its request again, from its documentation: POST of {query, prompts, labels}, one sample each, within 180 seconds, up to
five tries, and of the answer `rewards`, `scores` and `extra_logs`. It measures.
"""

import client_case

client_case.enter("trl")

import concurrent.futures  # noqa: E402
import time  # noqa: E402

import requests  # noqa: E402
from client_case import TASK, ClientCase, fenced, hash_of  # noqa: E402
from eight_submissions import FOUR  # noqa: E402
from serve_case import ANN  # noqa: E402

HUNDRED = 100
PROMPT = "<|user|>\nWrite a kernel.\n<|assistant|>\n"


def ask(url, query, prompt, label):
    """One sample, by that client's rule: whatever is wrong, again, five times."""
    for _ in range(5):
        try:
            response = requests.post(url, json={"query": [query], "prompts": [prompt],
                                                "labels": [label]}, timeout=180)
            response.raise_for_status()
            return response.json()
        except requests.RequestException:
            time.sleep(1)
    raise AssertionError("no reward in five tries")


class OpenRlhfTest(ClientCase):
    def test_a_hundred_rewards_are_as_stored(self):
        server = self.serve()
        # The client's token is in the address, as its option --remote_rm_url has it.
        url = server.url.replace("://", f"://trainer:{ANN}@") + "/get_reward"
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            codes = [FOUR[i % len(FOUR)] for i in range(HUNDRED)]
            answers = list(pool.map(lambda code: ask(url, PROMPT + fenced(code), PROMPT, TASK), codes))
        stored = self.stored_rewards()
        self.assertEqual(len(stored), len(FOUR), "the same body is one evaluation")
        right = sum(answer["rewards"] == answer["scores"] == [stored[hash_of(code)]]
                    for code, answer in zip(codes, answers))
        self.assertEqual(right, HUNDRED)
        for answer in answers:
            self.assertEqual({name: len(values) for name, values in answer["extra_logs"].items()},
                             {"correct": 1, "speedup_eager": 1, "speedup_compiled": 1})
        # Another reward of the same rows, and what no label can be.
        again = ask(url + "?reward=kernrl", PROMPT + fenced(FOUR[2]), PROMPT, TASK)
        self.assertEqual(again["rewards"], [-.5])
        self.assertEqual(len(self.stored_rewards()), len(FOUR))
        refused = requests.post(url, json={"query": ["x"], "prompts": ["x"], "labels": ["none"]},
                                timeout=180)
        self.assertEqual(requests.post(url, json={"query": [fenced(FOUR[0])], "prompts": [""],
                                                  "labels": ["level1/000_none"]},
                                       timeout=180).status_code, 422)
        self.assertEqual(refused.json()["rewards"], [-1])


if __name__ == "__main__":
    client_case.main()
