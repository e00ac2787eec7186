"""Tests that judge timed rows: they judge only what was measured on a quiet machine.

kbench labels a row `busy_machine` where other programs disturbed most of its blocks. Nothing is known of
such a row, be it of an honest submission or of a cheat: it is measured again, and where the machine does
not become quiet the test is skipped and named, never passed.
"""

import sys
import unittest

MOST_TRIES = 3
SKIPPED = 77  # the exit code of a test that was skipped for this
MARK = "busy machine:"  # how its line begins


class BusyMachine(unittest.SkipTest):
    """The machine did not become quiet."""


def is_busy(row):
    return "busy_machine" in (row.get("labels") or "").split()


def measured_in_quiet(measure, rows_of=lambda measured: measured, name=""):
    """The result of `measure()`, once none of its rows (`rows_of` finds them) was measured beside
    others. Raises BusyMachine after three tries."""
    for _ in range(MOST_TRIES):
        measured = measure()
        busy = [row for row in rows_of(measured) if is_busy(row)]
        if not busy:
            return measured
    raise BusyMachine(say(name, busy))


def say(name, rows):
    """Prints the line by which .ci/run names what was skipped for this reason."""
    line = f"{MARK} {name or 'a test'}: {len(rows)} row(s) disturbed in {MOST_TRIES} measurements"
    print(line, file=sys.stderr, flush=True)
    return line
