"""kbench calibrate --only limits: the device's limits are kept, shown, and what rows and prompts are held against."""

import json
import os
import signal
import subprocess

import cli_case
from cli_case import INTERRUPTED, KBENCH


class InterruptedTest(cli_case.CliCase):
    def test_ctrl_c_in_the_timing_half_is_an_interrupt(self):
        """Was: exit code 3, the machine's fault, and "nothing was calibrated" below limits that had been kept."""
        environment = {**os.environ, "HOME": str(self.folder), "KBENCH_LOCKS": str(self.folder / "locks"),
                       "KBENCH_CACHE": str(self.folder / "cache")}
        told = self.folder / "told"
        with open(told, "w+", encoding="utf-8") as errors:
            process = subprocess.Popen([str(KBENCH), "calibrate", "--only", "timing", "--device", "cpu"],
                                       cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=errors)
            try:
                self.wait_until(lambda: "compiled baselines" in told.read_text("utf-8"), "it compiles", process)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(timeout=120), INTERRUPTED, told.read_text("utf-8"))
            finally:
                process.kill()
                process.wait()
        self.assertIn("the timing half is not calibrated", told.read_text("utf-8"))
        self.assertFalse((self.folder / ".local/state/kbench/calibrations").exists())


class LimitsTest(cli_case.CliCase):
    def test_they_are_kept_shown_and_used(self):
        result = self.kbench("calibrate", "--only", "limits", "--device", "cpu", "--format", "json", timeout=300)
        self.assert_good(result)
        measured = json.loads(result.stdout)
        limits = measured["limits"]
        for name in ("copy", "read", "write"):
            self.assertGreater(limits[name]["value"], 1e8, name)  # bytes a second
            self.assertGreaterEqual(limits[name]["spread"], 0, name)
        self.assertLessEqual({"fp32", "fp64"}, set(limits["products"]))
        for precision, products in limits["products"].items():
            self.assertGreater(products["value"], 1e7, precision)  # operations a second

        [kept_file] = (self.folder / ".local/state/kbench/calibrations").iterdir()
        kept = json.loads(kept_file.read_text())["devices"][0]
        self.assertEqual(kept["limits"], limits)
        self.assertNotIn("calibration", kept)  # the other half is another command's
        doctor = json.loads(self.kbench("doctor", "--format", "json").stdout)
        found = next(f for f in doctor["findings"] if f["check"] == "limits")
        # A busy machine is a caution, of which both say the same.
        self.assertEqual(found["health"], "CAUTION" if measured["cautions"] else "PASS", found)
        for caution in measured["cautions"]:
            self.assertIn(caution, found["text"])

        self.assert_doctor_tells_of_failed_checks(kept_file)

        prompt = self.kbench("tasks", "prompt", "level1/019_relu", "--device", "cpu")
        self.assert_good(prompt)
        self.assertIn("least time of this task in fp32", prompt.stdout)

        # Without torch's Python nothing is compiled, which would take longer than all else here.
        run = self.kbench("run", "--device", "cpu", "--task", "level1/019_relu", "--quick", "--no-html",
                          "--format", "json", KBENCH_TORCH=str(self.folder), timeout=300)
        self.assert_good(run)
        row = json.loads(run.stdout)["results"][0]
        self.assertEqual(row["limit_basis"], "bytes, calibrated " + limits["measured_at"])
        self.assertGreater(row["limit_ns"], 0)
        self.assertAlmostEqual(row["limit_share_eager"], row["limit_ns"] / row["time_ns"]["eager"])

        # The other half had failed checks, and every report of the run says so.
        self.assertEqual(json.loads(run.stdout)["environment"]["calibration"]["failed_checks"], 4)
        self.assertIn("4 checks of the clock failed", self.kbench("explain").stdout)
        self.assertIn("4 checks of the clock failed", self.kbench("report", "table").stdout)

    def assert_doctor_tells_of_failed_checks(self, kept_file):
        """With the other half as `selftest timing` leaves it; it stays, with failed checks."""
        before = kept_file.read_text()
        for failed, health in ((0, "PASS"), (4, "CAUTION")):
            whole = json.loads(before)
            whole["devices"][0] |= {
                "calibration": {"between_sessions": 0.01, "between_runs": 0.02, "measured_at": "2026-11-01T00:00:00Z"},
                "runs": 3, "database": "none", "failed_checks": failed}
            kept_file.write_text(json.dumps(whole))
            doctor = json.loads(self.kbench("doctor", "--format", "json").stdout)
            found = next(f for f in doctor["findings"] if f["check"] == "calibration")
            self.assertEqual(found["health"], health, found)
        self.assertIn("4 checks of the clock failed then", found["text"])


if __name__ == "__main__":
    cli_case.main()
