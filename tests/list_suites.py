"""Lists the suites of a GoogleTest program for tests/Suites.cmake: list_suites.py PROGRAM LIST.

A line of LIST is a name and a filter: `mailbox.Styles/MailboxTest|Styles/MailboxTest.*` is what
mailbox_test.cpp has of that suite. A suite whose tests lie in several files has a line for each.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def suites_of(program):
    """The tests of a program by file and suite."""
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "tests.json"
        subprocess.run([program, "--gtest_list_tests", f"--gtest_output=json:{listing}"], check=True,
                       stdout=subprocess.DEVNULL)
        suites = json.loads(listing.read_text(encoding="utf-8"))["testsuites"]
    found = {}
    for suite in suites:
        for test in suite["testsuite"]:
            file = Path(test["file"]).stem.removesuffix("_test")
            found.setdefault((file, suite["name"]), []).append(f"{suite['name']}.{test['name']}")
    return found


def lines_for(found):
    files = {}
    for file, suite in found:
        files.setdefault(suite, set()).add(file)
    for (file, suite), tests in sorted(found.items()):
        yield f"{file}.{suite}|" + (f"{suite}.*" if len(files[suite]) == 1 else ":".join(tests))


def main():
    program, target = sys.argv[1], Path(sys.argv[2])
    # Two CTests may start at once.
    scratch = target.with_suffix(f".{os.getpid()}")
    scratch.write_text("\n".join(lines_for(suites_of(program))) + "\n", encoding="utf-8")
    scratch.replace(target)


if __name__ == "__main__":
    main()
