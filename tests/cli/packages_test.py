"""kbench run with the compiled baseline: the package is built once, cached, and measured."""

import json

import cli_case


class PackagesTest(cli_case.CliCase):
    def test_compiled_baseline_is_built_and_cached(self):
        first = self.measure(timeout=280)
        self.assertIn("compiled in", first.stderr)
        (package,) = self.folder.glob(".cache/kbench/packages/*.pt2")
        built = package.stat().st_mtime_ns

        second = self.measure(timeout=120)
        self.assertNotIn("compiled in", second.stderr)
        self.assertEqual(list(self.folder.glob(".cache/kbench/packages/*.pt2")), [package])
        self.assertEqual(package.stat().st_mtime_ns, built)

    def measure(self, timeout):
        """A run whose row has a time of the package. Nobody asks whether it ranks, so its task is not checked."""
        result = self.kbench("run", "--task", "level1/019_relu", "--suite", cli_case.TINY, "--device", "cpu",
                             "--quick", "--no-lint", "--format", "json", timeout=timeout)
        self.assert_good(result)
        (row,) = json.loads(result.stdout)["results"]
        self.assertEqual(row["state"], "ok")
        self.assertGreater(row["time_ns"]["compiled"], 0)
        self.assertIsNotNone(row["speedup"]["compiled"])
        return result


if __name__ == "__main__":
    cli_case.main()
