#!/usr/bin/env python3
"""Closes a run of `ctest --preset ci`: the twenty slowest tests, those that take too long, those skipped.

Reads the JUnit file that the preset has CTest write. The preset leaves out what carries the label slow, so
every test in the file is without it. Exit code 1 where a test takes too long to be without the label, or
failed although CTest calls it skipped.
"""

import argparse
import os
import re
import sys
import xml.etree.ElementTree
from pathlib import Path

SHOWN = 20
# Seconds above which a test belongs under the label slow.
LIMIT = 60
# A test is named above LIMIT, and fails above so many times as much: a slower machine takes up to twice as long.
# On two quiet cores the longest, cli.python_test.ranked, takes 51 s.
GRANTED = 2

# A line of a test that could not judge what it had measured; unittest prints the reason behind "skipped".
BUSY = re.compile(r"^(?:.*\bskipped ['\"])?busy machine: *(.*?)['\"]?$", re.MULTILINE)
# CTest calls a GoogleTest program skipped as soon as it prints SKIPPED, whatever it prints besides.
FAILED = re.compile(r"^\[  FAILED  \] ", re.MULTILINE)


class Test:
    """One <testcase> of the file."""

    def __init__(self, element):
        self.name = element.get("name")
        self.seconds = float(element.get("time"))
        self.output = element.findtext("system-out") or ""
        skipped = element.find("skipped")  # there also for a program that is not there
        self.is_skipped = skipped is not None and skipped.get("message").startswith("SKIP_")

    def busy_reasons(self):
        return list(dict.fromkeys(BUSY.findall(self.output)))

    def failed_unseen(self):
        return self.is_skipped and FAILED.search(self.output) is not None

    def last_line(self):
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1][:110] if lines else "no reason given"


def seconds_of_others(at_start, now, ours):
    """Processor seconds, since `at_start`, of programs that the shell which calls this did not wait for.

    Arguments: the first line of /proc/stat at two times; processor seconds of the shell's own children.
    """
    def busy(line):
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, line.split()[1:9])
        return user + nice + system + irq + softirq + steal

    return max(0.0, (busy(now) - busy(at_start)) / os.sysconf("SC_CLK_TCK") - ours)


def seconds_of_children(process):
    """Processor seconds of all children that a process waited for, and of theirs."""
    text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    fields = text.rpartition(")")[2].split()  # the name before the bracket may hold anything
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def table(tests):
    return [f"  {test.seconds:7.1f} s  {test.name}" for test in tests]


def slow_lines(tests, others):
    """The lines on tests above the limit, and those of the tests that fail for it.

    Seconds by the clock depend on what else runs. A second of processor time that another program takes
    delays a test by a second at most. A test fails for its time only where it takes too long even if all
    that others used was taken from this test alone; so a busy host turns the rule off, and never red.
    """
    above = [test for test in tests if test.seconds > LIMIT]
    failing = [test for test in above if test.seconds - others > GRANTED * LIMIT]
    if not above:
        return [], []
    lines = [f"Above {LIMIT} s without the label slow; make them shorter, or set LABELS slow where they are",
             "added in CMakeLists.txt and let a shorter test prove here what most changes could break:",
             *table(above)]
    if failing:
        lines += [f"FAILED: above {GRANTED * LIMIT} s, which neither a slower machine nor the"
                  f" {others:.0f} s of processor time that other programs used explain:", *table(failing)]
    else:
        lines += [f"None fails for that: none took {GRANTED * LIMIT} s more than the {others:.0f} s of"
                  " processor time that other programs used."]
    return lines, failing


def skipped_lines(tests):
    busy = [(test, reason) for test in tests for reason in test.busy_reasons()]
    named = {test.name for test, _ in busy}
    missing = [test for test in tests
               if test.is_skipped and test.name not in named and not test.failed_unseen()]
    lines = []
    if busy:
        lines += ["Skipped because the machine was busy: nothing is known of these, run them again:",
                  *(f"  {test.name}: {reason}" for test, reason in busy)]
    if missing:
        lines += ["Skipped for what is missing here:",
                  *(f"  {test.name}: {test.last_line()}" for test in missing)]
    return lines


def unseen_lines(failed):
    if not failed:
        return []
    return ["FAILED, although CTest calls them skipped, because one test of their program was:",
            *(f"  {test.name}" for test in failed)]


def report(tests, others):
    """The lines, and whether all is well."""
    slowest = sorted(tests, key=lambda test: (-test.seconds, test.name))
    above, failing = slow_lines(slowest, others)
    unseen = [test for test in tests if test.failed_unseen()]
    parts = [[f"The {min(SHOWN, len(tests))} slowest of {len(tests)} tests:", *table(slowest[:SHOWN])],
             above, skipped_lines(tests), unseen_lines(unseen)]
    return "\n\n".join("\n".join(part) for part in parts if part), not failing and not unseen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="JUnit file of CTest")
    parser.add_argument("--others", type=float, metavar="SECONDS",
                        help="processor time that other programs used; instead of --since")
    parser.add_argument("--since", metavar="LINE", help="first line of /proc/stat before the run")
    options = parser.parse_args()
    others = options.others
    if others is None:
        with open("/proc/stat", encoding="utf-8") as stream:
            now = stream.readline()
        others = seconds_of_others(options.since or now, now, seconds_of_children(os.getppid()))
    tests = [Test(element) for element in
             xml.etree.ElementTree.parse(options.results).getroot().iter("testcase")]
    text, good = report(tests, others)
    print("\n" + text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
