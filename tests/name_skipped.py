"""Called by CTest at its end: names the tests that were skipped inside of suites that passed.

name_skipped.py FOLDER: CTest's Testing/Temporary, with the log of this run. CTest itself names a suite
only where all of its tests were skipped.
"""

import re
import sys
from pathlib import Path

# A skipped test as GoogleTest prints it: place, reason in any number of lines, name.
SKIPPED = re.compile(r"^\S+:\d+: Skipped\n((?:(?!\[ ).*\n)*?)\s*\[  SKIPPED \] (\S+)", re.MULTILINE)
PARTLY = re.compile(r"^\[  PASSED  \] [1-9]", re.MULTILINE)


def skipped_in(log):
    """(test without its parameter, reason) → how many, of suites that passed in part."""
    found = {}
    for output in log.split("\n<end of output>\n"):
        if not PARTLY.search(output):
            continue
        for reason, test in SKIPPED.findall(output):
            name, _, parameter = test.rpartition(".")[2].partition("/")
            key = f"{test.rpartition('.')[0]}.{name}", " ".join(reason.split())
            found.setdefault(key, []).append(parameter)
    return found


def main():
    folder = Path(sys.argv[1])
    # While CTest runs, the log has this ending.
    logs = [log for log in (folder / "LastTest.log.tmp", folder / "LastTest.log") if log.exists()]
    if not logs:
        return
    found = skipped_in(logs[0].read_text(encoding="utf-8", errors="replace"))
    if found:
        print("\nSkipped in suites that passed otherwise:")
    for (test, reason), parameters in sorted(found.items()):
        with_them = f" ({', '.join(parameters)})" if any(parameters) else ""
        print(f"  {test}{with_them}: {reason}")


if __name__ == "__main__":
    main()
