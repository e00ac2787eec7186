"""kbench run with the compiled baseline: the package is built once, cached, and measured."""

import contextlib
import json
import os
import shutil
import sqlite3

import cli_case


class PackagesTest(cli_case.CliCase):
    def test_compiled_baseline_is_built_and_cached(self):
        first = self.measure("--no-lint", timeout=600)  # as long as a busy machine may take
        self.assertIn("compiled in", first.stderr)
        (package,) = self.folder.glob(".cache/kbench/packages/*.pt2")
        built = package.stat().st_mtime_ns
        self.share_package(package)

        second = self.measure(timeout=280)
        self.assertNotIn("compiled in", second.stderr)
        self.assertEqual(list(self.folder.glob(".cache/kbench/packages/*.pt2")), [package])
        self.assertEqual(package.stat().st_mtime_ns, built)
        self.share_checks()
        self.assert_others_are_vouched_for()

    def share_package(self, package):
        """Puts it where other tests look for it, since building it takes half a minute. CMakeLists.txt has
        this test begin early."""
        shared = cli_case.CACHE / "packages" / package.name
        if not shared.exists():
            shared.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            scratch = shared.with_name(f".{package.name}.{os.getpid()}")
            shutil.copy2(package, scratch)
            scratch.replace(shared)

    def share_checks(self):
        """The second run has checked the task; serve_test pays for what was checked."""
        scratch = cli_case.CHECKED.with_suffix(f".{os.getpid()}")
        with (contextlib.closing(sqlite3.connect(self.folder / "kbench.sqlite")) as source,
              contextlib.closing(sqlite3.connect(scratch)) as target):
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
            schema = target.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            names = [name for (name,) in schema.fetchall()]
            self.assertIn("lint", names)
            for name in names:
                if name != "lint" and not name.startswith("sqlite_"):
                    target.execute(f'DELETE FROM "{name}"')
            target.commit()
        for old in cli_case.CACHE.glob("checked-*.sqlite"):
            old.unlink(missing_ok=True)
            old.with_suffix(".key").unlink(missing_ok=True)
        shutil.copy(self.chain_key(), cli_case.CHECKED_KEY)
        scratch.replace(cli_case.CHECKED)

    def assert_others_are_vouched_for(self):
        """Another test begins with an empty home. Was: without the key each of them checked the task once
        more."""
        home, self.folder = self.folder, self.folder / "another"
        self.folder.mkdir()
        self.begin_checked()
        self.assertTrue(self.chain_key().exists(), "without a key nothing is vouched for")
        result = self.kbench("db", "check", "--json")
        self.assert_good(result)
        self.assertEqual(json.loads(result.stdout)["lint_unvouched"], 0)
        self.folder = home

    def measure(self, *words, timeout):
        """A run whose row has a time of the package. Beside other programs it may lack a speed-up."""
        result = self.kbench("run", "--task", "level1/019_relu", "--suite", cli_case.TINY, "--device", "cpu",
                             "--quick", "--format", "json", *words, timeout=timeout)
        self.assert_good(result)
        (row,) = json.loads(result.stdout)["results"]
        self.assertEqual(row["state"], "ok")
        self.assertGreater(row["time_ns"]["compiled"], 0)
        return result


if __name__ == "__main__":
    cli_case.main()
