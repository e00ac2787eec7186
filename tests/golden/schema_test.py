"""Output of `kbench report json|jsonl` is as data/schema says, no more and no less; so are the input of `kbench
attribute analyze` and the output of `kbench profile --format json`.

The texts are the goldens, to which unit tests hold the program.
"""

import copy
import json
import pathlib
import sys
import unittest

try:
    import jsonschema
except ImportError:
    print("skipped: this Python has no jsonschema (third_party/requirements-tests.txt)")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden/reports"
# There only where it is asked for.
OPTIONAL = {"reward"}


def validator(name):
    schema = json.loads((ROOT / "data/schema" / name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def objects(schema):
    """Every part of a schema that describes an object."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


class SchemaTest(unittest.TestCase):
    report = validator("report.schema.json")
    row = validator("row.schema.json")

    def reports(self):
        for file in [GOLDEN / "report.json", GOLDEN / "formats/run.json"]:
            yield json.loads(file.read_text(encoding="utf-8"))

    def rows(self):
        text = (GOLDEN / "formats/run.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def test_reports_are_valid(self):
        for report in self.reports():
            self.report.validate(report)

    def test_rows_are_valid(self):
        self.assertEqual(len(self.rows()), 10)
        for row in self.rows():
            self.row.validate(row)

    def test_objects_are_closed_and_complete(self):
        for one in (self.report.schema, self.row.schema):
            for part in objects(one):
                if part.get("type") == "object":
                    self.assertIs(part["additionalProperties"], False, part)
                if "required" in part:
                    self.assertEqual(set(part["required"]), set(part["properties"]) - OPTIONAL)

    def test_a_reward_may_be_there(self):
        for reward in ({"name": "milestone_sure", "value": 2.0, "capped": True,
                        "reason": "no time over compiled"},
                       {"name": "log", "value": None, "capped": False, "reason": "nobody submitted"}):
            report = copy.deepcopy(next(self.reports()))
            report["results"][0]["reward"] = reward
            self.report.validate(report)
            self.row.validate({**self.rows()[0], "reward": reward})
        self.assert_refused(lambda report: report["results"][0].update(reward=1))
        self.assert_refused(lambda report: report["results"][0].update(reward={"value": 1}))

    def assert_refused(self, change):
        report = copy.deepcopy(next(self.reports()))
        change(report)
        self.assertFalse(self.report.is_valid(report))

    def test_something_is_refused(self):
        self.assert_refused(lambda report: report.update(more=1))
        self.assert_refused(lambda report: report.pop("chain"))
        self.assert_refused(lambda report: report.update(schema_version=1))
        self.assert_refused(lambda report: report["results"][0].update(state="fine"))
        self.assert_refused(lambda report: report["results"][0]["time_ns"].update(eager="1"))
        self.assert_refused(lambda report: report["results"][0].pop("protocol"))

    def test_a_row_is_a_result_that_names_its_run(self):
        (report,) = [r for r in self.reports() if r["run_id"] == self.rows()[0]["run_id"]]
        for row, result in zip(self.rows(), report["results"]):
            for name in ("run_id", "schema_version", "started_at"):
                self.assertEqual(row.pop(name), report[name])
            self.assertEqual(row, result)


class CellSchemaTest(unittest.TestCase):
    """tests/unit/study_cells_test.cpp has the program take and refuse the same lines."""

    cell = validator("cell.schema.json")

    def lines(self, file):
        return [json.loads(line) for line in (ROOT / file).read_text(encoding="utf-8").splitlines()]

    def test_good_lines_are_valid(self):
        for file in ("data/attribution/example.jsonl", "tests/golden/attribution/accepted.jsonl"):
            for line in self.lines(file):
                self.cell.validate(line)

    def test_others_are_not(self):
        refused = self.lines("tests/golden/attribution/refused.jsonl")
        self.assertGreater(len(refused), 20)
        for line in refused:
            self.assertFalse(self.cell.is_valid(line), line)

    def test_it_is_closed(self):
        self.assertIs(self.cell.schema["additionalProperties"], False)


class ProfileSchemaTest(unittest.TestCase):
    """tests/unit/profile_test.cpp writes the goldens; profile_record.cpp reads profiles back within the same limits."""

    profile = validator("profile.schema.json")

    def profiles(self):
        return [json.loads((ROOT / "tests/golden/profile" / name).read_text(encoding="utf-8"))
                for name in ("judged.json", "of_a_cpu.json")]

    def test_profiles_are_valid(self):
        for profile in self.profiles():
            self.profile.validate(profile)

    def test_objects_are_closed_and_complete(self):
        for part in objects(self.profile.schema):
            self.assertIs(part["additionalProperties"], False, part)
            self.assertEqual(set(part["required"]), set(part["properties"]))

    def test_verdicts_are_those_of_the_rules(self):
        rules = json.loads((ROOT / "runner/core/profile_rules.json").read_text(encoding="utf-8"))["rules"]
        self.assertEqual(self.profile.schema["$defs"]["verdict"]["enum"],
                         [rule["verdict"] for rule in rules] + ["not_judged"])

    def test_others_are_not(self):
        for change in ({"more": 1}, {"schema_version": 1}, {"side": "nobody"}, {"verdict": "as_fast_as_can_be"},
                       {"facts": {"call_us": -1}}, {"facts": {"call_us": None}}, {"calls_us": [1e13]},
                       {"device": "x" * 201}, {"more_kernels": 1.5}):
            self.assertFalse(self.profile.is_valid({**self.profiles()[0], **change}), change)
        close = {"verdict": "memory_rereads", "title": "re-reads", "evidence": "1.496 times", "fact": "dram_ratio",
                 "value": 1.496, "comparison": ">=", "bound": 1.5}
        self.profile.validate({**self.profiles()[1], "closest": [close]})
        self.assertFalse(self.profile.is_valid({**self.profiles()[1], "closest": [{**close, "comparison": "~"}]}))
        self.assertFalse(self.profile.is_valid({**self.profiles()[1], "closest": [close] * 3}))
        many = self.profiles()[0]
        many["suggestions"] *= 4
        self.assertFalse(self.profile.is_valid(many))


if __name__ == "__main__":
    unittest.main(verbosity=2)
