"""kbench selftest timing: what it planted is measured by real runs, and calibrates the rows from then on."""

import json

import cli_case
from cli_case import GOOD, INFRASTRUCTURE

PLANTED = {"equal_b", "slower_2", "slower_5", "twice", "spin_4ms", "compiled"}


class TimingTest(cli_case.CliCase):
    def test_a_calibration_is_kept_and_copied_into_rows(self):
        result = self.kbench("selftest", "timing", "--device", "cpu", "--rounds", "2", "--format", "json",
                             timeout=1700)
        # A machine may be too restless for its clock to be right; it is calibrated all the same.
        self.assertIn(result.returncode, (GOOD, INFRASTRUCTURE), result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["missing_checks"], 0)
        self.assertEqual({check["name"] for check in report["checks"]}, PLANTED)
        for check in report["checks"]:
            self.assertEqual(check["runs"], 2)
            self.assertAlmostEqual(check["bias"], check["seen"] - check["expected"])
        self.assertGreaterEqual(report["between_runs"], 0.02)
        self.assertEqual(report["coverage"]["total"], 8 * 2 * 2)  # submissions, baselines, runs

        [kept_file] = (self.folder / ".local/state/kbench/calibrations").iterdir()
        kept = json.loads(kept_file.read_text())
        self.assertEqual(kept["devices"][0]["calibration"]["between_runs"], report["between_runs"])
        run = self.kbench("run", "--device", "cpu", "--task", "level1/019_relu", "--quick", "--no-html",
                          "--format", "json", timeout=300)
        self.assert_good(run)
        row = json.loads(run.stdout)["results"][0]
        self.assertEqual(row["calibrated_at"], report["measured_at"])
        self.assertTrue(row["speedup"]["eager"]["calibrated"])
        self.assertNotIn("calibrated", row["no_verdict_reason"] or "")
        doctor = json.loads(self.kbench("doctor", "--format", "json").stdout)
        found = next(f for f in doctor["findings"] if f["check"] == "calibration")
        self.assertEqual(found["health"], "PASS", found)


if __name__ == "__main__":
    cli_case.main()
