"""Words of a page on earlier runs, on sources of tasks, and on the rule for variants."""

import json
import re

import page_case
from page_case import FOLDER, PageCase, data_of, make_page

FASTER = "level1/002_batched_matrix_multiplication"
SLOWER = "level1/003_matrix_vector_multiplication"


class TrendTest(PageCase):
    shape = (20, 3, 8, "history")

    def test_runs_of_the_same_device_and_none_other(self):
        runs = data_of(self.file)["trend"]["runs"]
        self.assertEqual(len(runs), 11)  # one of the twelve is of another device
        self.assertEqual([at[:10] for _, at, _, _ in runs],
                         [f"2026-11-{day:02}" for day in range(6, 16)] + ["2026-11-20"])

    def test_a_change_is_dated_to_its_run(self):
        page = self.open("#trend")
        rows = page.eval_on_selector_all(
            "table.changes tbody tr", "all => all.map(e => e.innerText.split('\\t'))")
        found = {(row[0].strip(), row[1].strip()): row for row in rows}
        gained = found[(FASTER, "agent-a")]
        self.assertEqual(gained[5].strip(), "2026-11-09")
        self.assertTrue(gained[6].strip().startswith("4eed"))
        self.assertIn("▲", gained[2])
        lost = found[(SLOWER, "agent-b")]
        self.assertEqual(lost[5].strip(), "2026-11-13")
        self.assertIn("▼", lost[2])
        self.assertTrue(all(row[5].strip() in ("2026-11-09", "2026-11-13") for row in rows), rows)
        days = [row[5].strip() for row in rows]
        self.assertEqual(days, sorted(days, reverse=True))

    def test_a_page_is_of_its_own_time(self):
        older = FOLDER / "older.html"
        database = next(FOLDER.glob("run-20-3-8-history*.sqlite"))
        page_case.run(page_case.os.environ["KBENCH"], "report", "html", "--db", database, "--run",
                      "4eed", "--output", older, page_case.UNCHAINED)
        self.assertEqual(len(data_of(older)["trend"]["runs"]), 4)

    def test_the_task_page_has_its_series_and_pointing_shows_the_run(self):
        page = self.open(f"#{FASTER}")
        figure = page.locator("#task figure.trend")
        self.assertGreaterEqual(figure.locator(".change").count(), 1)
        self.assertIn("5eed", figure.locator(".readout").inner_text())
        chart = figure.locator("svg")
        chart.focus()
        page.keyboard.press("Home")
        self.assertIn("2026-11-06", figure.locator(".readout").inner_text())
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        text = figure.locator(".readout").inner_text()
        self.assertIn("2026-11-09", text)
        self.assertRegex(text, "agent-a: .*▲ .*→")
        box = chart.bounding_box()
        page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 60)
        self.assertIn("2026-11-20", figure.locator(".readout").inner_text())

    def test_runs_of_one_day_are_told_apart(self):
        def on_one_day(data):
            for hour, run in enumerate(data["trend"]["runs"]):
                run[1] = f"2026-11-{6 if hour < 6 else 7:02}T{10 + hour}:30:00Z"
        page = self.open(f"#{FASTER}", file=self.altered(on_one_day), width=1920)
        shown = page.locator("#task figure.trend svg text").all_text_contents()
        dates = [text for text in shown if re.fullmatch(r"[\d-]{10}|\d\d:\d\d", text)]
        self.assertEqual(dates[0], "2026-11-06")
        self.assertEqual([text for text in dates if "-" in text], ["2026-11-06", "2026-11-07"])
        self.assertIn("20:30", dates)

    def test_a_task_is_chosen_and_kept_in_the_address(self):
        page = self.open("#trend")
        page.select_option("#trend-task", SLOWER)
        self.assertIn("trend=", page.url)
        self.assertIn(SLOWER, page.get_attribute("#trend figure.trend svg", "aria-label"))
        page.go_back()
        self.assertNotIn(SLOWER, page.get_attribute("#trend figure.trend svg", "aria-label"))

    def test_small_pictures_choose_the_large_one(self):
        page = self.open("#trend")
        small = page.locator("#trend .panel")
        self.assertGreater(small.count(), 2)
        self.assertEqual(small.count(), page.locator("#trend .panel .strong-one").count())
        changed = page.locator("table.changes tbody th").first.get_attribute("title")
        self.assertEqual(small.first.get_attribute("data-trend"), changed)
        other = small.nth(1).get_attribute("data-trend")
        small.nth(1).click()
        self.assertEqual(page.input_value("#trend-task"), other)
        self.assertEqual(page.locator("#trend .panel[aria-pressed=true]").get_attribute("data-trend"), other)

    def test_best_so_far_never_falls(self):
        page = self.open(f"#{SLOWER}")
        heights = page.evaluate("""() => {
          const path = document.querySelector('#task path.best');
          const all = Array.from({length: 50}, (_, i) =>
            path.getPointAtLength(i / 49 * path.getTotalLength()));
          return all.map(({y}) => y);
        }""")
        self.assertEqual(heights, sorted(heights, reverse=True))

    def test_no_width_overflows(self):
        for width in (390, 834, 1440, 1920):
            page = self.open(width=width)
            for section, fragment in (("#trend", "#trend"), ("#task", f"#{FASTER}")):
                with self.subTest(width=width, fragment=fragment):
                    self.show(page, fragment, f"{section} figure.trend")
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)


class FamilyTest(PageCase):
    def test_tasks_are_chosen_by_their_operators(self):
        page = self.open()
        page.select_option("#filter-family", "convolution")
        shown = self.tasks(page)
        self.assertTrue(shown)
        self.assertTrue(all("conv" in task for task in shown), shown)
        self.assertIn("family=convolution", page.url)
        page.select_option("#filter-level", "3")
        self.assertIn("level=3", page.url)
        self.assertEqual(self.tasks(page), [])
        page.click(".filters > button")
        self.assertIn("40 tasks", page.inner_text("#matrix-status"))

    def test_files_that_were_ignored_have_a_path_and_a_reason(self):
        page = self.open("#files")
        text = page.inner_text("#files")
        self.assertIn("agent-c/level1/07_relu.cu", text)
        self.assertIn("did you mean level1/007_relu?", text)


class VariantsTest(PageCase):
    def of_rule(self, rule):
        make_page("run")
        page = FOLDER / f"variants-{rule}.html"
        page_case.run(page_case.os.environ["KBENCH"], "report", "html", "--db",
                      FOLDER / "run.sqlite", "--variants", rule, "--output", page,
                      page_case.UNCHAINED)
        return page

    def test_the_rule_is_said_and_kept_where_p_moves(self):
        for rule, words in [("best", "highest lower bound"), ("first", "first by name"),
                            ("mean", "equal share")]:
            file = self.of_rule(rule)
            self.assertEqual(data_of(file)["variants"]["rule"], rule)
            page = self.open(file=file)
            self.assertIn(words, page.inner_text("#ranking"))
            report = json.loads(page_case.run(
                page_case.os.environ["KBENCH"], "report", "json", "--db", FOLDER / "run.sqlite",
                "--variants", rule, page_case.UNCHAINED))
            self.assertEqual(report["variants"], rule)
            self.check_the_curve(page)

    def check_the_curve(self, page):
        """At p = 1 the share comes from reports/score, beside it from the page: both must agree."""
        self.show(page, "#ranking?metric=fast&p=1", "figure.curve")
        shown = page.inner_text('table.ranking tr:has-text("agent-a") td.strong')
        computed = page.eval_on_selector(
            'figure.curve .point.series-1',
            "dot => 100 * (1 - (dot.cy.baseVal.value - 18) / (268 - 40 - 18))")
        self.assertAlmostEqual(float(shown.rstrip(" %")), computed, delta=0.6)

    def test_how_often_somebody_tried_is_shown(self):
        page = self.open()
        tried = page.inner_text('table.ranking tr:has-text("agent-a") td:last-child')
        self.assertEqual(tried, "2")
        self.assertEqual(page.inner_text('table.ranking tr:has-text("agent-b") td:last-child'), "1")


if __name__ == "__main__":
    page_case.main()
