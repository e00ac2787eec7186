"""Comments of headers name their subject first, and no callers: these change, and a header does not notice.
A path in a comment is one of a file or folder that there is."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["baselines", "reports", "runner"]

# "Of rows in Python." → "Rows of Python submissions only.", "What a session writes." → "Files of a session."
FIRST_WORDS = {"Of", "What", "Whatever", "Who", "Whoever", "Whom", "Whose"}
CALLERS = re.compile(r"\b([Cc]alled|Used|Asked) by\b(?! one thread)")
PATH = re.compile(r"(?<![\w/.<-])((?:[a-z0-9_]+/)+[a-z0-9_]+(?:\.\w+)?)")


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


def parts_of(path):
    """What a comment may call a file or folder: the end of its path, with or without the file's ending."""
    whole = path.relative_to(ROOT)
    for name in {whole, whole.with_suffix("")}:
        yield from ("/".join(name.parts[start:]) for start in range(len(name.parts) - 1))


def dead_paths(paths):
    """Paths below a room's folder in comments that nothing has."""
    there = {part for folder in [*FOLDERS, "suites", "tests"] for path in (ROOT / folder).rglob("*")
             if "__pycache__" not in path.parts for part in parts_of(path)}
    rooms = {path.name for folder in FOLDERS for path in (ROOT / folder).iterdir() if path.is_dir()} | set(FOLDERS)
    for path in paths:
        for line, words in comments(path.read_text(encoding="utf-8")):
            for name in PATH.findall(words):
                if name.split("/")[0] in rooms and name not in there:
                    yield f"{path.relative_to(ROOT)}:{line}: there is no {name}"


def main():
    headers = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.hpp"))]
    assert len(headers) > 300, f"the scan saw {len(headers)} headers only"
    sources = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.cpp"))]
    found = [fault for path in headers for fault in faults(path)] + [*dead_paths(headers + sources)]
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
