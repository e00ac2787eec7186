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
