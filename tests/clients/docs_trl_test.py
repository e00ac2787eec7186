"""The page for trainers, with what needs TRL: ten steps against a server. It measures."""

import client_case

client_case.enter("trl")

import json  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402

import cli_case  # noqa: E402
from docs_test import DocsCase  # noqa: E402


class TrainerTest(DocsCase):
    def test_ten_steps(self):
        programs = client_case.python_of("trl").parent
        output = self.type_in("trainer.md", ("sh", "sh trl"), timeout=1500,
                              PATH=f"{self.folder}/bin:{programs}:{os.environ['PATH']}")
        steps = re.findall(r"^step (\d+)  mean reward ([-+]\d\.\d+)$", output, re.MULTILINE)
        self.assertEqual([int(number) for number, _ in steps], list(range(1, 11)), output)
        self.assertLess(float(steps[0][1]), 0.5)
        self.assertIn("[-1.0, -1.0]", output, "and all else of that page")
        # The server that the example started keeps what it judged.
        runs = self.kbench("runs", "--db", "work/trl.sqlite", "--json")
        self.assert_good(runs)
        self.assertTrue(json.loads(runs.stdout)["runs"])


del DocsCase  # it would be run as well

if __name__ == "__main__":
    cli_case.main()
