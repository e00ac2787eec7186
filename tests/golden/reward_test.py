"""Rewards of 10,000 generated rows are, to the last bit, what this table makes of the rows' JSON.

Nothing here is shared with the program: the table is written from data/docs/trainer.md, "Rewards".
"""

import json
import math
import os
import subprocess
import unittest

COUNT, SEED = 10_000, 20261125

# States by whose fault it is, and by how far the submission came.
NOT_COMPILED = {"compile_error", "missing_symbol", "load_error"}
THEIRS = NOT_COMPILED | {
    "refused", "submission_error", "wrong_result", "crash", "timeout", "over_budget",
    "timing_inconsistent", "redzone_violation", "input_modified", "device_not_idle",
    "ran_while_stopped", "forbidden_library", "suspect"}
NOBODY = {"no_submission", "skipped", "does_not_fit", "infrastructure_error"}

STEP = 1 / 0.95


def milestone(eager, compiled):
    if eager is None or not eager > STEP:
        return 1
    return 2 if compiled is None or not compiled > STEP else 3


def ladder(e):
    for least, worth in ((3, 1), (2, .8), (1.5, .6), (1.2, .4), (1, .2)):
        if e >= least:
            return worth
    return -.1


def kernrl(e):
    gain = min(e - 1, 2)
    return gain / 2 if gain < 0 else gain


# Rewards of a correct row, by formula: the ratio that they are made of, and how.
CORRECT = {
    "speedup": ("compiled", lambda c: c),
    "log": ("compiled", lambda c: min(max(math.log(c), -1), 3)),
    "kernelgym": ("eager", lambda e: .5 + .5 * (e >= 1.01)),
    "kernelgym_speedup": ("eager", lambda e: .5 + .5 * min(e, 3)),
    "kernelgym_ladder": ("eager", ladder),
    "kernrl": ("eager", kernrl),
    "kevin": ("eager", lambda e: .3 + e),
    "fast_p:1": ("eager", lambda e: e > 1),
    "fast_p:1.5": ("eager", lambda e: e > 1.5),
    "fast_p:0.8": ("eager", lambda e: e > .8),
    "vendor_speedup": ("vendor", lambda v: v),
    "vendor_log": ("vendor", lambda v: min(max(math.log(v), -1), 3)),
    "vendor_fast_p:1.5": ("vendor", lambda v: v > 1.5),
}
FAILED = {"milestone": -1, "milestone_sure": -1, "speedup": 0, "log": -1, "kernelgym": 0,
          "kernelgym_speedup": 0, "kevin": 0, "fast_p:1": 0, "fast_p:1.5": 0, "fast_p:0.8": 0,
          "vendor_speedup": 0, "vendor_log": -1, "vendor_fast_p:1.5": 0, "vendor_sure_fast_p:1": 0}


def failed(name, state):
    if name == "kernelgym_ladder":
        return -.5 if state in NOT_COMPILED else -.3 if state == "wrong_result" else -1
    if name == "kernrl":
        return -.5 if state in NOT_COMPILED else -.25
    return FAILED[name]


def expected(name, row):
    """(value or None, capped)."""
    state = row["state"]
    if state in NOBODY or not row["ranked"]:
        return None, False
    if state in THEIRS:
        return failed(name, state), False
    assert state == "ok", state
    if row["correct"] is not True:
        return None, False
    if row["pay"] == "failure":
        return failed(name, "forbidden_library"), False
    ratios = {"eager": row["speedup"]["eager"], "compiled": row["speedup"]["compiled"],
              "vendor": row["vendor"]["speedup"]}
    over = {side: capped_at_one(ratio) if row["pay"] != "speedup" else ratio
            for side, ratio in ratios.items()}
    value, capped = paid(name, over)
    if row["pay"] == "correct" and not name.startswith("milestone"):
        value = None
    return value, value is not None if row["pay"] != "speedup" else capped


def capped_at_one(ratio):
    return ratio and {**ratio, "estimate": min(ratio["estimate"], 1), "low": min(ratio["low"], 1)}


def paid(name, over):
    if name == "milestone":
        points = [over[side] and over[side]["estimate"] for side in ("eager", "compiled")]
    elif name == "milestone_sure":
        points = [over[side]["low"] if over[side] and over[side]["verdict"] != "NO VERDICT" else None
                  for side in ("eager", "compiled")]
    elif name == "vendor_sure_fast_p:1":
        ratio = over["vendor"]
        sure = ratio is not None and ratio["verdict"] != "NO VERDICT"
        return ratio["low"] > 1 if sure else None, False
    else:
        side, formula = CORRECT[name]
        return None if over[side] is None else formula(over[side]["estimate"]), False
    return milestone(*points), None in points


def nine_digits(value):
    return None if value is None else float(f"{value:.9g}")


class RewardTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = subprocess.run([os.environ["REWARD_ROWS"], str(COUNT), str(SEED)], check=True,
                              capture_output=True, text=True).stdout
        cls.lines = [json.loads(line) for line in text.splitlines()]

    def test_every_reward_of_every_row(self):
        self.assertEqual(len(self.lines), COUNT)
        compared = 0
        for line in self.lines:
            for reward in line["rewards"]:
                value, capped = expected(reward["name"], line["row"])
                self.assertEqual((reward["value"], reward["capped"]),
                                 (nine_digits(value), capped), (reward, line["row"]))
                # A row without a reward, or with less than there could be, says why.
                told = value is None or capped or (
                    line["row"]["pay"] == "failure" and line["row"]["state"] == "ok")
                self.assertEqual(reward["reason"] is not None, told, reward)
                compared += 1
        self.assertEqual(compared, 16 * COUNT)

    def test_nobody_is_rewarded_or_punished_for_faults_of_ours(self):
        ours = [line for line in self.lines if line["row"]["fault"] == "infrastructure"]
        self.assertGreater(len(ours), 100)
        for line in ours:
            self.assertEqual({reward["value"] for reward in line["rewards"]}, {None})

    def test_the_rows_are_worth_comparing(self):
        rows = [line["row"] for line in self.lines]
        self.assertEqual({row["state"] for row in rows}, THEIRS | NOBODY | {"ok"})
        values = {}
        for line in self.lines:
            for reward in line["rewards"]:
                values.setdefault(reward["name"], set()).add(reward["value"])
        for name in ("milestone", "milestone_sure"):
            self.assertEqual(values[name], {None, -1, 1, 2, 3})
        self.assertEqual(values["kernelgym_ladder"],
                         {None, -1, -.5, -.3, -.1, .2, .4, .6, .8, 1})
        self.assertTrue({-.5, -.25, 2} <= values["kernrl"])
        self.assertTrue({-1, 3} <= values["log"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
