#!/usr/bin/env python3
"""How long the page's search takes with 250 tasks of 50 agents, from a key to the laid-out table, and a
task's box, from the click to the new ranking, curve and picture.

Needs what tests/page needs: Playwright, Chromium, and the build of build/release. Prints the medians
of nine searches and of nine clicks, three times. Judges nothing; a reader has patience for a tenth of a
second.
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"
os.environ.setdefault("KBENCH", str(BUILD / "bin/kbench"))
os.environ.setdefault("MAKE_RUNS", str(BUILD / "tests/make_page_runs"))
sys.path.insert(0, str(ROOT / "tests/page"))

from page_case import PageCase  # noqa: E402 (needs the path above)

SEARCHES = """() => {
  const search = document.getElementById('search');
  const times = ['c', 'co', 'con', 'conv', '', 'g', 'ge', 'gem', 'gemm'].map((text) => {
    const begin = performance.now();
    search.value = text;
    search.dispatchEvent(new Event('input'));
    document.querySelector('.matrix').getBoundingClientRect();
    return performance.now() - begin;
  });
  return times.sort((a, b) => a - b)[4];
}"""


TICKS = """() => {
  const boxes = [...document.querySelectorAll('input.counts:enabled')].slice(0, 9);
  const times = boxes.map((box) => {
    const begin = performance.now();
    box.click();
    document.querySelector('.ranking').getBoundingClientRect();
    return performance.now() - begin;
  });
  return times.sort((a, b) => a - b)[4];
}"""


class Large(PageCase):
    shape = (250, 50, 2)


def main():
    Large.setUpClass()
    try:
        page = Large().open()
        for _ in range(3):
            print(f"search {page.evaluate(SEARCHES):.0f} ms, box {page.evaluate(TICKS):.0f} ms")
    finally:
        Large.tearDownClass()


if __name__ == "__main__":
    main()
