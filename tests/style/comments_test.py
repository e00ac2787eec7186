"""Comments of headers name their subject first, and no callers: these change, and a header does not notice."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["baselines", "reports", "runner"]

# "Of rows in Python." → "Rows of Python submissions only.", "What a session writes." → "Files of a session."
FIRST_WORDS = {"Of", "What", "Whatever", "Who", "Whoever", "Whom", "Whose"}
CALLERS = re.compile(r"\b[Cc]alled by\b")


def comments(text):
    """(line, words) of each comment that has lines of its own."""
    start, words = 0, []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        found = re.match(r"\s*//+ ?(.*)", line)
        if found:
            start = start or number
            words.append(found[1])
        elif words:
            yield start, " ".join(words)
            start, words = 0, []


def faults(path):
    for line, words in comments(path.read_text(encoding="utf-8")):
        place = f"{path.relative_to(ROOT)}:{line}"
        if words.split(" ")[0] in FIRST_WORDS:
            yield f"{place}: begins with \"{words.split(' ')[0]}\"; name the thing"
        if CALLERS.search(words):
            yield f"{place}: says who calls it; say what a caller has to keep"


def main():
    headers = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.hpp"))]
    assert len(headers) > 300, f"the scan saw {len(headers)} headers only"
    found = [fault for path in headers for fault in faults(path)]
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
