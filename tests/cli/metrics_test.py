"""GET /metrics of `kbench serve`, read by the strict parser of prometheus_client, which
third_party/requirements-tests.txt brings into .venv."""

import contextlib
import json
import subprocess
import sys

import cli_case
import serve_case
from cli_case import ROOT, TINY

PYTHON = ROOT / ".venv/bin/python3"
PARSE = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(sys.stdin.read()))
print(json.dumps({family.name: {"type": family.type, "unit": family.unit, "help": family.documentation,
                  "samples": [[one.name, one.labels, one.value] for one in family.samples]} for family in families}))
"""


def parsed(text):
    """The families of an exposition. A mistake in it is an error of the parser."""
    result = subprocess.run([str(PYTHON), "-c", PARSE], input=text, capture_output=True, text=True, check=False)
    return json.loads(result.stdout) if result.returncode == 0 else result.stderr


def value(families, name, **labels):
    (found,) = [one[2] for family in families.values() for one in family["samples"] if one[:2] == [name, labels]]
    return found


class MetricsTest(serve_case.GateCase):
    @classmethod
    def start(cls, host):
        return host.serve("--suite", str(TINY))

    def get(self, token=serve_case.ANN):
        """Status, type and text."""
        with contextlib.closing(self.server.connect()) as connection:
            connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {token}"} if token else {})
            response = connection.getresponse()
            return response.status, response.getheader("Content-Type"), response.read().decode()

    def test_a_strict_parser_reads_what_the_server_did(self):
        status, kind, before = self.get()
        self.assertEqual((status, kind), (200, "application/openmetrics-text; version=1.0.0; charset=utf-8"))
        before = parsed(before)
        self.assertIsInstance(before, dict, before)
        asked = serve_case.evaluation(serve_case.NOT_COMPILED, wait_s=120)
        self.assertEqual(self.server.ask("POST", "/v1/evaluations", asked)[0], 200)
        families = parsed(self.get()[2])
        self.assertEqual(value(families, "kbench_evaluations_ended_total", state="done"),
                         value(before, "kbench_evaluations_ended_total", state="done") + 1)
        self.assertEqual(value(families, "kbench_row_seconds_count"), value(before, "kbench_row_seconds_count") + 1)
        self.assertGreater(value(families, "kbench_row_seconds_sum"), value(before, "kbench_row_seconds_sum"))
        self.assertGreaterEqual(value(families, "kbench_device_busy_seconds_total"),
                                value(families, "kbench_row_seconds_sum"))
        for state in ("queued", "waiting", "running"):
            self.assertEqual(value(families, "kbench_evaluations", state=state), 0)
        self.assertEqual(value(families, "kbench_oldest_wait_seconds"), 0)
        self.assertEqual(value(families, "kbench_requests_waiting"), 0, "the one that asks does not count")
        self.assertEqual({family["type"] for family in families.values()}, {"info", "gauge", "counter", "summary"})
        for name, family in families.items():
            self.assertTrue(family["help"].endswith("."), name)
            self.assertEqual(name.endswith("_seconds"), family["unit"] == "seconds", name)

    def test_it_needs_a_token_that_may_read(self):
        self.assertEqual(self.get(serve_case.EVE)[0], 200)
        self.assertEqual(self.get(serve_case.BOB)[0], 403)
        self.assertEqual(self.get("")[0], 401)

    def test_the_parser_is_strict(self):
        text = self.get()[2]
        for wrong in (text.replace("# EOF\n", ""), text.replace("_total{", "{"), text.replace("# UNIT", "# UNITS")):
            self.assertIsInstance(parsed(wrong), str)


if __name__ == "__main__":
    if not PYTHON.exists() or subprocess.run([str(PYTHON), "-c", "import prometheus_client"], check=False,
                                             capture_output=True).returncode:
        print("skipped: there is no prometheus_client")
        sys.exit(77)
    cli_case.main()
