"""The page of a run of one submission: the answer first, nothing ranked, and the task's page below it."""

import page_case
from page_case import PageCase

TASK = "level1/007_relu"


class CardCase(PageCase):
    shape = (40, 1, 48, "single")

    def row(self):
        (row,) = self.report["results"]
        return row

    def bottom(self, page, selector):
        return page.locator(selector).bounding_box()["y"] + page.locator(selector).bounding_box()["height"]


class CardTest(CardCase):
    def test_the_answer_stands_on_the_first_screen(self):
        for width, height, most in ((1440, 900, 300), (390, 844, 844)):
            with self.subTest(width=width):
                page = self.open(width=width, height=height)
                for selector in (".card h1", ".card-facts"):
                    self.assertLess(self.bottom(page, selector), most, selector)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)

    def test_it_is_the_answer(self):
        text = self.open().inner_text("#headline")
        speedup = self.row()["speedup"]["eager"]
        for part in ("✓ correct", f'{speedup["estimate"]:.2f}× eager', speedup["verdict"], TASK,
                     "Over compiled", "Share of the limit"):
            self.assertIn(part, text)

    def test_the_share_of_the_limit_has_the_interval_of_the_time(self):
        row = self.row()
        eager, speedup = row["time_ns"]["eager"], row["speedup"]["eager"]
        shares = [row["floor_ns"] / time for time in (row["time_ns"]["submission"],
                                                      eager / speedup["low"], eager / speedup["high"])]
        decimals = 1 if shares[2] - shares[1] < 0.02 else 0
        share, low, high = (f"{100 * one:.{decimals}f}" for one in shares)
        page = self.open()
        self.assertIn(f"{share} % [{low}–{high}]", page.inner_text(".card-facts"))
        self.assertIn(f"{share}\N{NO-BREAK SPACE}% [{low}–{high}] of the limit",
                      page.locator("#task figure").first.text_content())
        self.assertIn(f"[{low}–{high}]", page.inner_text("#task .facts"))

    def test_nothing_is_ranked(self):
        page = self.open()
        for gone in ("#ranking", "#p", "table.ranking", ".matrix", ".steps"):
            self.assertEqual(page.locator(gone).count(), 0, gone)
        self.assertEqual(page.eval_on_selector_all(".bar nav a", "all => all.map(e => e.textContent)"),
                         ["Result", "Understanding", "Environment"])

    def test_what_the_task_s_page_has_follows(self):
        page = self.open()
        self.assertEqual(page.locator("#task .time").count(), 3)
        self.assertGreater(page.locator("#task .marks").count(), 1)
        self.assertIn("Reproduce it", page.inner_text("#task"))

    def test_links_lead_within_the_page(self):
        page = self.open()
        page.click('.bar nav a:text-is("Environment")')
        self.assertTrue(page.is_visible("#environment"))
        self.assertTrue(page.is_visible("#headline"))
        self.assertGreater(page.evaluate("scrollY"), 0)
        page.click('.bar nav a:text-is("Result")')
        self.wait_until(page, "scrollY === 0")
        linked = self.open(f"#{TASK}")
        self.assertTrue(linked.is_visible("#headline"))
        self.assertTrue(linked.is_visible("#task"))

    def test_without_a_script_it_is_there(self):
        page = self.open(java_script_enabled=False)
        self.assertIn("✓ correct", page.inner_text("#headline h1"))
        self.assertNotIn("Ranking", page.inner_text("main"))

    def test_axe_finds_nothing_serious(self):
        try:
            from axe_playwright_python.sync_playwright import Axe
        except ImportError:
            self.skipTest("no axe-playwright-python")
        for scheme in ("light", "dark"):
            page = self.open(color_scheme=scheme)
            found = Axe().run(page).response["violations"]
            serious = [(one["id"], [node["target"] for node in one["nodes"]][:4])
                       for one in found if one["impact"] in ("serious", "critical")]
            self.assertEqual(serious, [], scheme)


class UncalibratedTest(CardCase):
    shape = (40, 1, 48, "uncalibrated")

    def test_it_leads_with_the_estimate_and_says_what_is_missing(self):
        page = self.open()
        estimate = self.row()["speedup"]["eager"]["estimate"]
        title = page.inner_text(".card h1")
        self.assertIn(f"{estimate:.2f}× eager", title)
        self.assertIn("not calibrated", title)
        text = page.inner_text("#headline")
        self.assertIn("kbench calibrate", text)
        self.assertIn("about three minutes", text)
        self.assertNotIn("0\N{NO-BREAK SPACE}%", text)


class FailedTest(CardCase):
    shape = (40, 1, 48, "failed")

    def test_the_failure_is_told_once_and_above_all_else(self):
        page = self.open()
        self.assertEqual(page.inner_text(".card h1"), "✗ compile error")
        self.assertLess(self.bottom(page, ".card pre.message"), 400)
        self.assertEqual(page.inner_text("main").count(self.row()["message"].splitlines()[0]), 1)
        self.assertIn(self.row()["hint"].replace("`", ""), page.inner_text(".card"))
        self.assertIn("the submission's fault", page.inner_text("#task .results"))


if __name__ == "__main__":
    page_case.main()
