"""kbench exchange, run --exchange and db merge --exchange: two machines of one pool, and a stranger."""

import contextlib
import json
import shutil
import sqlite3

import cli_case
from cli_case import TASK_FAILED, TINY, USAGE

RELU = "// right\n#include \"kbench.h\"\n#include \"task.h\"\nthis does not compile;\n"

OTHER_COMPILER = """#!/bin/sh
[ "$1" = --version ] && { echo "another compiler 1.0"; exit; }
exec c++ "$@"
"""


class ExchangeTest(cli_case.CliCase):
    """Submissions that do not compile: rows without a measurement, and the whole way all the same."""

    def setUp(self):
        super().setUp()
        for agent in ("a", "b"):
            file = self.folder / f"subs/{agent}/level1/019_relu.cpp"
            file.parent.mkdir(parents=True)
            file.write_text(f"// {agent}\n{RELU}", encoding="ascii")

    def run_on(self, machine, *words, **environment):
        return self.kbench("run", "--submissions", "subs", "--suite", str(TINY), "--task", "level1/019_relu",
                           "--device", "cpu", "--checks-only", "--exchange", "pool", "--db", f"{machine}.sqlite",
                           *words, **environment)

    def shard(self, machine, **environment):
        return self.run_on(machine, "--shard", "1/1", "--group", "night", **environment)

    def rows(self, machine):
        with contextlib.closing(sqlite3.connect(self.folder / f"{machine}.sqlite")) as database:
            return [labels for (labels,) in database.execute("SELECT labels FROM evaluation")]

    def begin(self):
        made = self.kbench("exchange", "init", "pool")
        self.assert_good(made)
        return made

    def test_the_first_init_makes_the_key_and_says_where(self):
        made = self.begin()
        key = self.chain_key().parent / "pool.key"
        self.assertIn(str(key), made.stderr)
        self.assertEqual((key.stat().st_size, key.stat().st_mode & 0o777), (32, 0o600))
        before = key.read_bytes()
        self.begin()
        self.assertEqual(key.read_bytes(), before)

    def test_a_second_run_of_the_group_measures_nothing_and_all_is_collected_once(self):
        self.begin()
        first = self.shard("one")
        self.assertEqual(first.returncode, TASK_FAILED, first.stderr)
        second = self.shard("two")
        self.assertEqual(second.returncode, TASK_FAILED, "the rows that lie there count")
        self.assertIn("2 of 2 rows lie in pool already", second.stderr)
        self.assertEqual((len(self.rows("one")), self.rows("two")), (2, []))
        for added in ("2 rows added", "0 rows added"):
            merged = self.kbench("db", "merge", "all.sqlite", "--exchange", "pool", "--group", "night")
            self.assert_good(merged)
            self.assertIn(f"{added} to all.sqlite; 2 of 2 runs finished", merged.stderr)
        self.assertEqual(len(self.rows("all")), 2)
        self.assert_good(self.kbench("db", "check", "--db", "all.sqlite"))
        shown = self.kbench("report", "json", "--db", "all.sqlite", "--run", "night")
        self.assert_good(shown)
        self.assertEqual(len(json.loads(shown.stdout)["results"]), 2)

    def test_without_a_group_a_run_measures_anew(self):
        self.begin()
        for machine in ("one", "two"):
            self.assertEqual(self.run_on(machine).returncode, TASK_FAILED)
            self.assertEqual(len(self.rows(machine)), 2)

    def test_a_file_that_is_no_run_of_the_pool_is_named_and_left_out(self):
        self.begin()
        self.shard("one")
        (run,) = (self.folder / "pool/night/runs").iterdir()
        run.with_name("0" * 32 + ".sqlite").write_bytes(run.read_bytes()[:5000])
        merged = self.kbench("db", "merge", "all.sqlite", "--exchange", "pool", "--group", "night")
        self.assert_fails(merged, TASK_FAILED, "1 file left out")
        self.assertIn("0" * 32, merged.stdout)
        self.assertEqual(len(self.rows("all")), 2)

    def test_a_torn_run_withholds_its_answers_until_prune(self):
        self.begin()
        self.shard("one")
        (run,) = (self.folder / "pool/night/runs").iterdir()
        run.write_bytes(run.read_bytes()[:5000])
        again = self.shard("two")
        self.assertIn(f"ignored: {run.relative_to(self.folder)}", again.stderr)
        found = self.kbench("exchange", "check", "pool")
        self.assert_fails(found, TASK_FAILED, "1 thing is wrong")
        self.assertIn("2 answers point to it", found.stdout)
        self.assertIn("3 things removed", self.kbench("exchange", "prune", "pool").stderr)
        self.shard("three")
        self.assert_good(self.kbench("exchange", "check", "pool"))
        self.assert_good(self.kbench("db", "merge", "all.sqlite", "--exchange", "pool", "--group", "night"))
        self.assertEqual(sum("again" not in labels for labels in self.rows("all")), 2)

    def test_groups_that_cannot_be_or_are_not_there_are_refused_by_name(self):
        self.begin()
        self.shard("one")
        self.assert_fails(self.run_on("two", "--shard", "1/1", "--group", "cache"), USAGE, "reserved")
        for group, code, word in (("typo", cli_case.NOTHING_SELECTED, "night"), ("pool", USAGE, "reserved")):
            merged = self.kbench("db", "merge", "all.sqlite", "--exchange", "pool", "--group", group)
            self.assert_fails(merged, code, word)

    def test_another_pool_is_refused(self):
        self.begin()
        shutil.move(self.chain_key().parent / "pool.key", self.folder / "first.key")
        self.assert_fails(self.shard("one"), cli_case.INFRASTRUCTURE, "kbench exchange init")
        self.assert_good(self.kbench("exchange", "init", "other"))
        self.assert_fails(self.shard("one"), USAGE, "another pool")
        checked = self.kbench("exchange", "check", "pool", "--json")
        self.assertEqual(checked.returncode, TASK_FAILED)
        found = json.loads(checked.stdout)
        self.assertFalse(found["sound"])
        self.assertIn("another pool", found["findings"][0]["what"])
        self.assertTrue(found["findings"][0]["then"])

    def test_check_and_prune_find_what_nobody_signed(self):
        self.begin()
        self.shard("one")
        sound = self.kbench("exchange", "check", "pool")
        self.assert_good(sound)
        self.assertIn("pool is sound: 1 group, 1 run, 2 keys, 0 cache entries", sound.stderr)
        (self.folder / "pool/cache/packages" / ("0" * 64)).write_bytes(b"code")
        found = self.kbench("exchange", "check", "pool")
        self.assert_fails(found, TASK_FAILED, "1 thing is wrong")
        self.assertIn("nobody of this pool signed", found.stdout)
        self.assertIn("1 thing would go", self.kbench("exchange", "prune", "pool", "--dry-run").stderr)
        self.assertIn("1 thing removed", self.kbench("exchange", "prune", "pool").stderr)
        self.assert_good(self.kbench("exchange", "check", "pool"))

    def other_compiler(self):
        """c++ under another version, which the sandbox's user may start."""
        self.folder.chmod(0o755)
        program = self.folder / "other"
        program.write_text(OTHER_COMPILER, encoding="ascii")
        program.chmod(0o755)
        return str(program)

    def test_a_machine_with_another_compiler_is_refused_by_name(self):
        self.begin()
        self.shard("one")
        other = self.other_compiler()
        self.assert_fails(self.shard("two", CXX=other), USAGE, "host_compiler is", "there and another compiler 1.0 here")
        self.assert_good(self.kbench("exchange", "check", "pool", "--group", "night"))
        found = self.kbench("exchange", "check", "pool", "--group", "night", CXX=other)
        self.assert_fails(found, TASK_FAILED, "1 thing is wrong")
        self.assertIn("night: host_compiler is", found.stdout)

    def test_a_run_of_another_kind_of_machine_is_not_merged(self):
        self.begin()
        self.shard("one")
        terms = self.folder / "pool/night/terms"
        shutil.move(terms, self.folder / "terms")  # so that nobody refuses it
        self.assertEqual(self.shard("two", CXX=self.other_compiler()).returncode, TASK_FAILED)
        shutil.move(self.folder / "terms", terms)
        merged = self.kbench("db", "merge", "all.sqlite", "--exchange", "pool", "--group", "night")
        self.assert_fails(merged, TASK_FAILED, "1 file left out")
        self.assertIn("another compiler 1.0 here", merged.stdout)
        self.assertEqual(len(self.rows("all")), 2)
        found = self.kbench("exchange", "check", "pool", "--group", "night")
        self.assert_fails(found, TASK_FAILED, "1 thing is wrong")
        self.assertIn("db merge leaves it out", found.stdout)

    def test_merge_says_where_from(self):
        self.assert_fails(self.kbench("db", "merge", "all.sqlite"), USAGE, "--exchange DIR")
        self.assert_fails(self.kbench("db", "merge", "all.sqlite", "--exchange", "pool"), USAGE, "--group")
        self.assert_fails(self.kbench("db", "merge", "all.sqlite", "x.sqlite", "--watch"), USAGE, "--exchange")


if __name__ == "__main__":
    cli_case.main()
