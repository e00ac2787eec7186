"""The page of a large run: 250 tasks of ten agents, which take the longest to make."""

import json
import re

import page_case
from page_case import ROW, PageCase, data_of


class LargeTest(PageCase):
    shape = (250, 10, 2)

    def test_scrolling_shows_every_task_once(self):
        page = self.open()
        seen = []
        step = page.evaluate("document.querySelector('.matrix-box').clientHeight") - ROW
        for top in range(0, 250 * ROW, step):
            self.scroll(page, top)
            seen += [task for task in self.tasks(page) if task not in seen]
        self.assertEqual(len(seen), 250)
        self.assertEqual(seen, sorted(seen))

    def test_the_headline_names_the_first_rows(self):
        """Was: "agent-32, agent-34 …" above a table whose first row was agent-27, of rank 2–50."""
        page = self.open()
        first, second = re.search(r"agents tie for first: (\S+), (\S+) and", page.inner_text(".lead")).groups()
        rows = page.locator(".ranking tbody tr")
        self.assertEqual([rows.nth(i).get_attribute("data-agent") for i in (0, 1)], [first, second])
        self.assertTrue(rows.nth(0).locator("td.rank").inner_text().startswith("1–"))

    def test_agents_are_searched_without_scoring_anew(self):
        """Was: of 50 columns nobody could keep the two that one asks for."""
        page = self.open()
        rows = ".ranking tbody tr"
        before = {page.locator(rows).nth(i).get_attribute("data-agent"): page.locator(rows).nth(i).inner_text()
                  for i in range(page.locator(rows).count())}
        first, second = sorted(before)[:2]
        page.fill("#search-agents", f"{first} {second.upper()}")
        heads = page.locator(".matrix thead th button")
        self.assertEqual({heads.nth(i).inner_text() for i in range(3, heads.count())}, {first, second})
        self.assertEqual(page.locator(".matrix tbody tr:not(.spacer) >> nth=0").locator("td").count(), 4)
        self.assertEqual({page.locator(rows).nth(i).get_attribute("data-agent"): page.locator(rows).nth(i).inner_text()
                          for i in range(page.locator(rows).count())}, {one: before[one] for one in (first, second)})
        self.assertIn("who=", page.url)
        self.assertIn(f"2 of {len(before)} agents are shown", page.inner_text(".someone"))
        page.click(".someone button")
        self.assertEqual(page.locator(rows).count(), len(before))
        self.assertEqual(page.input_value("#search-agents"), "")

    def test_the_bar_of_ticked_agents_gives_way_to_the_comparison(self):
        page = self.open()
        boxes = page.locator(".ranking tbody input[data-ticks]")
        for i in (0, 1):
            boxes.nth(i).check()
        self.assertTrue(page.locator(".compare-bar").is_visible())
        page.click(".compare-bar .go")
        page.wait_for_selector(".compare-bar", state="hidden")
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_selector(".compare-bar", state="visible")

    def test_paper_has_whole_names_and_no_boxes(self):
        page = self.open()
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(page.locator("input[type=checkbox] >> visible=true").count(), 0)
        width = page.evaluate("document.querySelector('.paper td').getBoundingClientRect().width")
        self.assertGreaterEqual(width, 160)

    def test_the_page_stays_small_and_says_what_it_leaves_out(self):
        data = data_of(self.file)
        self.assertGreater(len(data["rows"]), 2000)
        size = len(json.dumps(data["contents"]))
        self.assertLess(size, 5 << 20)
        self.assertLess(self.file.stat().st_size, 15_000_000)
        left_out = [one for one in data["details"] if "sources" in one]
        self.assertTrue(left_out)
        self.assertRegex(left_out[0]["sources"],
                         r"^kbench sources 5eed01234567 --db \S+ --task \S+ --agent \S+( --variant "
                         r"tiled)? --out sources$")


if __name__ == "__main__":
    page_case.main()
