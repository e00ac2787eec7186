"""TRL's GRPO learns from kbench's rewards: from nothing to right answers, eight evaluations in all. It measures.

What trains is data/clients/trl_example.py, as its reader has it. Each reward that it is given is compared
with the stored row.
"""

import client_case

client_case.enter("trl")

import time  # noqa: E402
from unittest import mock  # noqa: E402

import kbench_reward  # noqa: E402
import trl_example  # noqa: E402
from client_case import ClientCase, hash_of  # noqa: E402
from serve_case import ANN  # noqa: E402

STEPS = 150
LAST = 20


class GrpoTest(ClientCase):
    def test_it_learns_to_name_what_is_right(self):
        server = self.serve()
        given, means = [], []

        def watched(prompts, completions, **columns):
            rewards = kbench_reward.reward(prompts, completions, **columns)
            given.extend(zip(completions, rewards))
            means.append(sum(rewards) / len(rewards))
            return rewards

        def reward(prompts, completions, **columns):
            return watched(prompts, [trl_example.as_answer(one) for one in completions], **columns)
        begun = time.monotonic()
        environment = {"KBENCH_URL": server.url, "KBENCH_TOKEN": ANN}
        with mock.patch.dict("os.environ", environment), \
                mock.patch.object(trl_example, "reward", reward):
            self.enterContext(trl_example.server("kbench", "unused"))
            trl_example.train(STEPS, 1)
        self.assertLess(time.monotonic() - begun, 15 * 60)

        self.assertEqual(len(means), STEPS)
        print(f"mean reward {means[0]:+.3f} at first, "
              f"{sum(means[-LAST:]) / LAST:+.3f} over the last {LAST} of {STEPS} steps")
        self.assertLessEqual(means[0], 0)
        self.assertGreaterEqual(sum(means[-LAST:]) / LAST, 0.95)

        stored = self.stored_rewards()
        self.assertLessEqual(len(stored), len(trl_example.KERNELS))
        worth = {trl_example.as_answer(f"kernel{i}"): stored.get(hash_of(kernel))
                 for i, kernel in enumerate(trl_example.KERNELS)}
        worth[trl_example.as_answer("relu")] = -1
        right = sum(worth[answer] == reward for answer, reward in given)
        print(f"{right} of {len(given)} rewards as stored, {len(stored)} evaluations")
        self.assertGreaterEqual(len(given), 100)
        self.assertEqual(right, len(given))


if __name__ == "__main__":
    client_case.main()
