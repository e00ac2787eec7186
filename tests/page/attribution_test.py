"""The page of a study of feedback, for whoever reads it: in any width and theme, by keyboard, without a script."""

import json
import os
import pathlib
import random
import resource

import page_case
from page_case import FOLDER, PageCase

EXAMPLE = pathlib.Path(__file__).parents[2] / "data/attribution/example.jsonl"
HOSTILE = "<img src=x onerror=alert(1)>"


def page_of(cells):
    page = FOLDER / f"{cells.stem}.html"
    page_case.run(os.environ["KBENCH"], "attribute", "analyze", cells, "--by", "stratum", "--html", page)
    return page


def many_cells(states=1250, replicates=10):
    """100,000 cells: three strata, sixty trajectories, twelve tasks."""
    file = FOLDER / "many.jsonl"
    drawn = random.Random(1)
    with file.open("w", encoding="utf-8") as out:
        for state in range(states):
            stratum = ("not built", "wrong", "correct")[state % 3]
            available = {"not built": ["analyzer", "error", "profiler"], "wrong": ["analyzer", "debugger", "error"],
                         "correct": ["analyzer", "debugger", "profiler"]}[stratum]
            for at in range(8 * replicates):
                coalition = [name for bit, name in enumerate(available) if at >> bit & 1]
                right = drawn.random() < .3 + .1 * ("error" in coalition)
                out.write(json.dumps({
                    "task": f"level1/{state % 12:03}", "trajectory": f"t{state % 60}", "state": f"s{state}",
                    "generation": state % 20, "stratum": stratum, "available": available, "coalition": coalition,
                    "arm": "direct", "replicate": at // 8, "outcomes": {
                        "correct": right, "fast:1": right and drawn.random() < .5,
                        "tokens": 1000 + 300 * len(coalition)}}) + "\n")
    return file


def hostile_cells():
    """The example, with long names and names that are markup."""
    file = FOLDER / "hostile.jsonl"
    longer = {"analyzer": "analyzer_" + 50 * "m", "correct": HOSTILE, "wrong": 200 * "w"}
    with file.open("w", encoding="utf-8") as out:
        for line in EXAMPLE.read_text(encoding="utf-8").splitlines():
            cell = json.loads(line)
            for key in "available", "coalition":
                cell[key] = [longer.get(name, name) for name in cell[key]]
            cell["stratum"] = longer.get(cell["stratum"], cell["stratum"])
            out.write(json.dumps(cell) + "\n")
    return file


class AttributionPageTest(PageCase):
    @classmethod
    def setUpClass(cls):
        cls.file = page_of(EXAMPLE)
        cls.hostile = page_of(hostile_cells())

    def test_without_a_script_all_is_there(self):
        page = self.open(java_script_enabled=False)
        text = page.inner_text("main")
        self.assertIn("error +.39 [.15, .63]: keep, 700 tokens a call", text)
        for caption in "Components", "Interactions", "In groups of states", "Controls", "Lines of the file":
            self.assertIn(caption, text)
        self.assertEqual(page.locator("figure svg circle").count(), 3)

    def test_it_fits_any_width_and_axe_finds_nothing_serious(self):
        try:
            from axe_playwright_python.sync_playwright import Axe
        except ImportError:
            self.skipTest("no axe-playwright-python")
        for width, scheme, file in ((390, "light", self.file), (1440, "dark", self.file),
                                    (390, "dark", self.hostile), (834, "light", self.hostile)):
            with self.subTest(width=width, file=file.name):
                page = self.open(width=width, color_scheme=scheme, file=file)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                serious = [(one["id"], [node["target"] for node in one["nodes"]][:4])
                           for one in Axe().run(page).response["violations"]
                           if one["impact"] in ("serious", "critical")]
                self.assertEqual(serious, [])

    def test_texts_of_the_chart_do_not_meet(self):
        page = self.open(width=390, file=self.hostile)
        meet = page.evaluate("""() => {
          const boxes = kind => [...document.querySelectorAll(`figure .${kind}`)].map(e => e.getBoundingClientRect());
          const values = boxes("value");
          return boxes("name").filter((name, i) => name.right > values[i].left).length;
        }""")
        self.assertEqual(meet, 0)

    def test_the_keyboard_reaches_each_table(self):
        page = self.open(width=390)
        tables = page.locator(".scroll").count()
        self.assertGreaterEqual(tables, 7)
        page.keyboard.press("Tab")
        self.assertEqual(page.evaluate("document.activeElement.className"), "skip")
        page.keyboard.press("Enter")
        for _ in range(tables):
            page.keyboard.press("Tab")
            self.assertIn("scroll", page.evaluate("document.activeElement.className"))
        page.keyboard.press("Tab")
        self.assertNotIn("scroll", page.evaluate("document.activeElement.className"))

    def test_the_theme_is_chosen(self):
        page = self.open(color_scheme="light")
        background = "getComputedStyle(document.body).backgroundColor"
        self.assertEqual(page.evaluate(background), "rgb(255, 255, 255)")
        page.check('input[name="theme"][value="dark"]', force=True)
        self.assertNotEqual(page.evaluate(background), "rgb(255, 255, 255)")

    def test_a_hundred_thousand_cells_take_three_seconds(self):
        """Three seconds of processor time, to write the page and until the browser has nothing left to do: beside
        other programs a clock tells nothing."""
        cells = many_cells()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        file = page_of(cells)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        written = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        page = self.open(file=file)
        page.evaluate("new Promise(done => requestIdleCallback(() => done()))")
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        print(f"written in {written:.1f} s, {file.stat().st_size >> 10} KiB, shown in {metrics['ProcessTime']:.1f} s")
        self.assertLessEqual(written + metrics["ProcessTime"], 3)
        self.assertIn("4 components in 1250 states", page.inner_text("main"))

    def test_names_stay_names(self):
        page = self.open(file=self.hostile)
        self.assertEqual(page.locator("main img, main script").count(), 0)
        self.assertIn(HOSTILE, page.inner_text("#groups"))


if __name__ == "__main__":
    page_case.main()
