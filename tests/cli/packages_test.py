"""kbench run with the compiled baseline: the package is built once, cached, and measured."""

import json

import cli_case


class PackagesTest(cli_case.CliCase):
    def test_compiled_baseline_is_built_and_cached(self):
        words = ("run", "--task", "level1/019_relu", "--device", "cpu", "--format", "json")
        first = self.kbench(*words, timeout=280)
        self.assert_good(first)
        (row,) = json.loads(first.stdout)["results"]
        self.assertEqual(row["state"], "ok")
        self.assertGreater(row["time_ns"]["compiled"], 0)
        self.assertIsNotNone(row["speedup"]["compiled"])
        packages = list(self.folder.glob(".cache/kbench/packages/*.pt2"))
        self.assertEqual(len(packages), 1)

        built = packages[0].stat().st_mtime_ns
        second = self.kbench(*words, timeout=120)
        self.assert_good(second)
        self.assertEqual(packages[0].stat().st_mtime_ns, built)
        self.assertNotIn("compiled in", second.stderr)


if __name__ == "__main__":
    cli_case.main()
