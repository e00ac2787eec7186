"""Where links of README, CONTRIBUTING and manual lead, in a checkout and in an installed kbench.

As a program: page_links.py FOLDER, whose exit status is 1 where one leads nowhere.
"""

import pathlib
import re
import sys

LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def pages(root):
    """`root` is a checkout, or share/kbench of an installation."""
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "data/docs").glob("*.md"))]


def anchors(text):
    """Anchors of a page's headings, as GitHub makes them."""
    made = set()
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        copies = [f"{name}-{number}" for number in range(1, 100)]
        made.add(next(one for one in [name, *copies] if one not in made))
    return made


def problems(root):
    """Links that lead nowhere, a line each."""
    root = pathlib.Path(root).resolve()
    found = []
    for page in pages(root):
        for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
            name, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", name):
                continue
            target = (page.parent / name).resolve() if name else page
            if root not in target.parents or not target.exists():
                found.append(f"{page.relative_to(root)}: {link} is no file of {root}")
            elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
                found.append(f"{page.relative_to(root)}: {link} has no such heading")
    return found


if __name__ == "__main__":
    told = problems(sys.argv[1])
    print("\n".join(told) or f"{len(pages(pathlib.Path(sys.argv[1])))} pages, every link leads somewhere")
    sys.exit(1 if told else 0)
