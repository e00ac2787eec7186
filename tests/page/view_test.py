"""What keeps a reader's view, and what the page says of its own numbers where they stand."""

import page_case
from page_case import PageCase


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


if __name__ == "__main__":
    page_case.main()
