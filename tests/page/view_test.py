"""What keeps a reader's view, and what the page says of its own numbers where they stand."""

import os

import page_case
from page_case import FOLDER, UNCHAINED, PageCase, data_of


class SkipTest(PageCase):
    shape = (12, 3, 16)

    def test_skipping_to_the_results_keeps_the_view(self):
        """Was: the address became "#main", without the score and the search, also for a reload."""
        page = self.open("#?metric=mean&q=relu")
        address = page.url
        page.focus("a.skip")
        page.keyboard.press("Enter")
        self.assertEqual(page.evaluate("document.activeElement.id"), "main")
        self.assertEqual(page.url, address)
        self.assertEqual(page.input_value("#search"), "relu")
        page.reload()
        self.assertEqual(page.input_value("#search"), "relu")
        self.assertTrue(page.is_checked('input[name="metric"][value="mean"]'))

    def test_without_a_script_the_link_leads_there(self):
        page = self.open(java_script_enabled=False)
        page.focus("a.skip")
        page.keyboard.press("Enter")
        self.assertTrue(page.url.endswith("#main"))


class SeveralRunsTest(PageCase):
    shape = (12, 2, 8, "history")

    def several(self):
        page = FOLDER / "several.html"
        database = next(FOLDER.glob("run-12-2-8-history*.sqlite"))
        page_case.run(os.environ["KBENCH"], "report", "html", "--db", database, "--run", "5eed", "--run", "4eed",
                      "--output", page, UNCHAINED)
        return page

    def test_each_run_has_its_trend(self):
        """Was: no trend on a page of several runs, though the page of each had one."""
        file = self.several()
        task = data_of(file)["boards"][0]["tasks"][1]["task"]
        for board, (runs, last) in enumerate(((11, "5eed"), (4, "4eed"))):
            page = self.open(f"#trend?board={board}", file=file)
            self.assertIn(f"{runs} runs of this device", page.inner_text("#trend"))
            self.assertIn(last, page.inner_text("#trend .readout"))
            self.assertTrue(page.is_visible('nav a[href^="#trend"]'))
            self.show(page, f"#{task}?board={board}", "#task figure.trend")
            self.assertIn(last, page.inner_text("#task .readout"))


if __name__ == "__main__":
    page_case.main()
