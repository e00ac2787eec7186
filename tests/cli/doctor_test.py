"""kbench doctor: every check has a verdict, and the exit status follows from them."""

import json
import os
import shutil
import subprocess

import cli_case
from cli_case import GOOD, INFRASTRUCTURE, ROOT

HEALTH = ("PASS", "CAUTION", "SKIPPED", "FAIL")


class DoctorTest(cli_case.CliCase):
    def findings(self, *words, **environment):
        result = self.kbench("doctor", "--format", "json", *words, **environment)
        report = json.loads(result.stdout)
        self.assertEqual(report["schema_version"], 1)
        failed = [one["check"] for one in report["findings"] if one["health"] == "FAIL"]
        self.assertEqual(result.returncode, INFRASTRUCTURE if failed else GOOD, failed)
        self.assertRegex(result.stderr.splitlines()[-1], "^kbench: .")
        return {one["check"]: one for one in report["findings"]}

    def test_json_and_exit_status_agree(self):
        findings = self.findings()
        for check in ("installation", "suites", "worker", "oracle", "gpu", "python", "c++", "nvcc",
                      "ninja", "sandbox", "cache", "cpu", "sqlite", "container"):
            self.assertIn(findings[check]["health"], HEALTH)
            self.assertNotEqual(findings[check]["text"], "")
        self.assertEqual(findings["installation"]["text"], str(ROOT))
        self.assertEqual(findings["suites"]["health"], "PASS")
        for one in findings.values():
            if one["health"] == "FAIL":
                self.assertNotEqual(one["remedy"], "", one["check"])

    def test_what_a_default_container_lacks_is_named(self):
        """Root without SYS_ADMIN, as docker starts a container: bubblewrap is there and gets no namespaces."""
        if os.geteuid() != 0 or not shutil.which("bwrap") or not shutil.which("setpriv"):
            self.skipTest("needs root, bwrap and setpriv")
        result = subprocess.run(
            ["setpriv", "--inh-caps=-sys_admin", "--bounding-set=-sys_admin", str(cli_case.KBENCH), "doctor", "--format",
             "json"], cwd=self.folder, env={**os.environ, "HOME": str(self.folder)}, capture_output=True, text=True,
            check=False)
        (finding,) = [one for one in json.loads(result.stdout)["findings"] if one["check"] == "sandbox"]
        self.assertEqual(finding["health"], "CAUTION")
        self.assertIn("SYS_ADMIN", finding["remedy"])
        self.assertNotIn("install bubblewrap", finding["remedy"])

    def test_table_starts_each_line_with_the_verdict(self):
        lines = self.kbench("doctor").stdout.splitlines()
        self.assertGreater(len(lines), 8)
        for line in lines:
            self.assertTrue(line.startswith(HEALTH) or line.strip().startswith("->"), line)

    def test_missing_suite_fails(self):
        self.assertEqual(self.findings("--suite", "nowhere")["suites"]["health"], "FAIL")

    def test_cache_that_cannot_be_made_fails(self):
        (self.folder / "file").touch()
        finding = self.findings(KBENCH_CACHE=str(self.folder / "file"))["cache"]
        self.assertEqual(finding["health"], "FAIL")
        self.assertIn("KBENCH_CACHE", finding["remedy"])

    def test_python_without_torch_is_a_caution(self):
        broken = self.folder / "python3"
        broken.write_text("#!/bin/sh\necho \"No module named 'torch'\" >&2\nexit 1\n",
                          encoding="ascii")
        broken.chmod(0o755)
        finding = self.findings(KBENCH_TORCH=str(broken))["python"]
        self.assertEqual(finding["health"], "CAUTION")
        self.assertIn("No module named 'torch'", finding["text"])


if __name__ == "__main__":
    cli_case.main()
