"""A study of six states with a real model, SmolLM2-135M, as planner and coder: it ends, and says that nothing was ever
correct, with the bound. No kernel is timed."""

import client_case

client_case.enter("trl")

import json  # noqa: E402
import re  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402

import cli_case  # noqa: E402
import scripted_endpoint  # noqa: E402
import smollm_endpoint  # noqa: E402
from cli_case import CACHE, TINY  # noqa: E402
from client_case import TASK  # noqa: E402

STATES = 6
# A planner and a coder are asked in each cell, and one core answers: of a prompt it reads the end alone, in seconds.
smollm_endpoint.MOST_READ, smollm_endpoint.MOST_TOKENS = 64, 16
KINDS = (("wrong", scripted_endpoint.WRONG), ("not built", scripted_endpoint.RIGHT.replace("return 0;", "return 0")))


class SmolLmStudyTest(cli_case.CliCase):
    def freeze(self):
        self.begin_checked()
        lines = []
        for number in range(STATES):
            stratum, code = KINDS[number % len(KINDS)]
            lines.append({"id": f"n{number}", "trajectory": f"t{number}", "code": f"// {number}\n{code}",
                          "outcome": {"stratum": stratum}})
        (self.folder / "nodes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        self.assert_good(self.kbench("trajectory", "import", "jsonl", "nodes.jsonl", "--task", TASK, "--device", "cpu",
                                     "--size", "small", "--suite", TINY))

    def serve(self):
        server = smollm_endpoint.make_server()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server, f"http://127.0.0.1:{server.server_address[1]}/v1"

    def test_six_states(self):
        self.freeze()
        server, url = self.serve()
        planned = self.kbench("attribute", "plan", "--model", "SmolLM2-135M", "--mode", "plan", "--component", "error",
                              "--outcome", "correct", "--window", smollm_endpoint.WINDOW, "--temperature", "0.8",
                              "--quick", "--json")
        self.assert_good(planned)
        told = json.loads(planned.stdout)
        self.assertEqual(told["states"], STATES)
        begin = time.monotonic()
        done = self.kbench("attribute", "run", "plan.json", "--endpoint", url, "--suite", TINY, timeout=3000,
                           KBENCH_CACHE=str(CACHE), KBENCH_TORCH=str(self.folder))
        took = time.monotonic() - begin
        self.assertEqual(done.returncode, cli_case.GOOD, done.stderr)
        self.assertIn(f"{told['cells']} of {told['cells']} cells", done.stderr)
        self.assertEqual(server.replies, told["requests"])
        report = self.kbench("attribute", "report")
        self.assert_good(report)
        self.assertIn(f"! nothing was ever correct: it is 0 in all {told['cells']} cells", report.stdout)
        self.assertIn("error |φ| ≤ 0.46: all 6 trajectories had the same outcome everywhere: cannot tell", report.stdout)
        self.assert_good(self.kbench("db", "check"))
        said = re.search(r"(?m)^.*seed.*$", done.stderr)
        print(f"{server.replies} replies, {told['cells']} cells in {took:.0f} s; {said and said.group()}")


if __name__ == "__main__":
    cli_case.main()
