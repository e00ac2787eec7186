"""kbench run --vendor: one call of a vendor's library as a third baseline; here, where there is no GPU, the reasons."""

import json
import sqlite3

import cli_case
from prepared import Prepared
from run_test import CHECKED, FAULTS, RunCase


class CpuTest(Prepared, RunCase):
    """One run that asked for it, and one that did not."""

    def prepare(self):
        asked = (*CHECKED, "--submissions", FAULTS, "--agent", "honest", "--format", "json")
        self.asked = self.run_kbench(*asked, "--vendor")
        self.silent = self.run_kbench(*asked)

    def rows(self, result):
        self.assert_good(result)
        return json.loads(result.stdout)["results"]

    def test_a_row_says_why_there_is_none(self):
        for row in self.rows(self.prepared.asked):
            vendor = row["vendor"]
            self.assertIn("on a CPU there is no library to call", vendor.pop("reason"))
            self.assertEqual(set(vendor.values()), {None})
            self.assertEqual(row["state"], "ok")

    def test_a_run_that_does_not_ask_says_nothing_of_it(self):
        for row in self.rows(self.prepared.silent):
            self.assertEqual(set(row["vendor"].values()), {None})

    def test_it_is_a_choice_of_the_run(self):
        with sqlite3.connect(self.folder / "kbench.sqlite") as store:
            asked, silent = (json.loads(text) for (text,) in
                             store.execute("SELECT configuration FROM run ORDER BY number"))
        self.assertIs(asked["vendor"], True)
        self.assertNotIn("vendor", silent)


if __name__ == "__main__":
    cli_case.main()
