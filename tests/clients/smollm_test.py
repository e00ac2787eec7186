"""Twenty episodes of a real model, SmolLM2-135M, end in a named state, whatever it says. It measures."""

import client_case

client_case.enter("trl")

import collections  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import threading  # noqa: E402

import cli_case  # noqa: E402
import smollm_endpoint  # noqa: E402
from client_case import TASK  # noqa: E402

# Ends of episodes as `kbench episodes` names them.
ENDS = {"submit", "answered", "turns", "tokens", "evaluations", "seconds", "window"}
EACH = int(os.environ.get("SMOLLM_EPISODES", "10"))  # in each style


class SmolLmTest(cli_case.CliCase):
    def test_twenty_episodes(self):
        server = smollm_endpoint.make_server()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        # With tools, of which it knows nothing, and without: then each reply is judged as a kernel.
        for words in (("--style", "react", "--turns", "3"), ("--style", "refine", "--turns", "2")):
            result = self.kbench(
                "agent", "run", "--endpoint", url, "--model", "SmolLM2-135M", "--task", TASK,
                "--device", "cpu", "--quick", "--episodes", EACH, "--temperature", "0.8",
                "--window", smollm_endpoint.WINDOW, *words, timeout=3000,
                KBENCH_CACHE=str(cli_case.CACHE), KBENCH_TORCH=str(self.folder))
            self.assertEqual(result.returncode, cli_case.GOOD, result.stderr)
        listed = self.kbench("episodes", "list", "--json")
        self.assert_good(listed)
        episodes = json.loads(listed.stdout)["episodes"]
        ends = collections.Counter(
            f"{one['stop_reason']}, {one['state'] or 'nothing submitted'}" for one in episodes)
        print(f"{server.replies} replies; " + "; ".join(f"{n} × {end}" for end, n in ends.items()))
        self.assertEqual(len(episodes), 2 * EACH)
        self.assertLessEqual({one["stop_reason"] for one in episodes}, ENDS)
        for one in episodes:
            self.assertIsNotNone(one["reward"]["value"], one)
        self.assertGreaterEqual(server.replies, 2 * EACH)
        self.assert_good(self.kbench("db", "check"))
        self.assert_good(self.kbench("report", "html", "-o", "page.html"))


if __name__ == "__main__":
    cli_case.main()
