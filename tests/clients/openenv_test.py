"""OpenEnv's own client, synchronous and asynchronous: episodes, and a hundred rewards as they are stored.
It measures.
"""

import client_case

client_case.enter("openenv")

import asyncio  # noqa: E402
import time  # noqa: E402

from client_case import TASK, ClientCase, fenced, hash_of  # noqa: E402
from eight_submissions import FOUR  # noqa: E402
from openenv.core import EnvClient, GenericEnvClient  # noqa: E402
from openenv.core.client_types import StepResult  # noqa: E402
from serve_case import ANN, EVE  # noqa: E402

HUNDRED = 100


class KernelEnv(EnvClient[str, dict, dict]):
    """A client of one environment, as they are written: an action is code, an observation kernrl's."""

    def _step_payload(self, action):
        return {"code": action}

    def _parse_result(self, payload):
        return StepResult(observation=payload["observation"], reward=payload["reward"],
                          done=payload["done"])

    def _parse_state(self, payload):
        return payload


def headers(token=ANN):
    return {"Authorization": f"Bearer {token}"}


class OpenEnvTest(ClientCase):
    def settle(self, step, code):
        """As long as it is still being measured the same code is sent again, which is no turn."""
        deadline = time.monotonic() + 600
        while True:
            result = step(code)
            if "still measuring" not in result.observation["feedback"]:
                return result
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(result.reward)

    def test_an_episode(self):
        server = self.serve()
        right, wrong, broken, _ = FOUR
        with KernelEnv(base_url=server.url, headers=headers()).sync() as env:
            first = env.reset(problem_id="L1_19_relu", max_turns=3)
            self.assertIn("class Model", first.observation["reference_code"])
            self.assertEqual((first.observation["problem_id"], first.done), (TASK, False))
            seen = [self.settle(env.step, code) for code in (broken, wrong, right)]
            self.assertEqual([one.observation["compilation_success"] for one in seen],
                             [False, True, True])
            self.assertEqual([one.observation["correctness_pass"] for one in seen],
                             [None, False, True])
            self.assertEqual([one.reward for one in seen][:2], [-.5, -.25])
            self.assertEqual([one.done for one in seen], [False, False, True])
            state = env.state()
            self.assertEqual((state["step_count"], state["solved"]), (3, True))
            with self.assertRaisesRegex(RuntimeError, "the episode is over"):
                env.step(right)
            # Another one on the same connection, and a session of its own beside it.
            self.assertEqual(env.reset(problem_id=TASK).observation["turn"], 0)
            with KernelEnv(base_url=server.url, headers=headers()).sync() as other:
                with self.assertRaisesRegex(RuntimeError, "there is no episode"):
                    other.step(right)
        self.check_hundred(server)

    def check_hundred(self, server):
        """Four sessions at once, each with a generic client; every reward is the stored row's."""

        async def session(rewards):
            async with GenericEnvClient(base_url=server.url, headers=headers()) as env:
                await env.reset(problem_id=TASK, max_turns=HUNDRED)
                for i in range(HUNDRED // 4):
                    code = FOUR[i % len(FOUR)]
                    result = await env.step({"code": fenced(code)})
                    while "still measuring" in result.observation["feedback"]:
                        result = await env.step({"code": fenced(code)})
                    rewards.append((hash_of(code), result.reward))

        async def all_sessions():
            rewards = []
            await asyncio.gather(*(session(rewards) for _ in range(4)))
            return rewards
        rewards = asyncio.run(all_sessions())
        stored = self.stored_rewards("kernrl")
        self.assertEqual(len(stored), len(FOUR))
        right = sum(stored[source] == reward for source, reward in rewards)
        self.assertEqual((len(rewards), right), (HUNDRED, HUNDRED))

    def test_who_may_not(self):
        server = self.serve()
        for given in (None, headers("c" * 64), headers(EVE), headers() | {"Origin": "http://evil"}):
            with self.subTest(given=given), self.assertRaises(ConnectionError):
                KernelEnv(base_url=server.url, headers=given).sync().connect()


if __name__ == "__main__":
    client_case.main()
