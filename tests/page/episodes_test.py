"""Agents' episodes on a page: a line for each, and on the task's page turn by turn."""

import page_case
from page_case import PageCase, data_of


class EpisodesTest(PageCase):
    shape = (3, 2, 8, "episodes")

    def task(self):
        return data_of(self.file)["episodes"][0]["task"]

    def test_a_line_for_each_leads_to_its_task(self):
        page = self.open("#episodes")
        rows = page.locator("#episodes tbody tr")
        self.assertEqual(rows.count(), 3)
        self.assertIn("submitted", rows.nth(0).inner_text())
        self.assertIn("out of turns", rows.nth(2).inner_text())
        rows.nth(0).locator("a").click()
        self.assertEqual(page.locator("#task h1").inner_text(), self.task())
        self.assertEqual(page.locator("#task details.episode").count(), 3)

    def test_a_line_opens_its_own_episode(self):
        """Was: the task's page from its top, with all of its episodes folded below everything else."""
        page = self.open("#episodes")
        page.locator("#episodes tbody tr").nth(1).locator("a").click()
        for shown in (page, self.open(page.url[page.url.index("#"):])):
            episodes = shown.locator("#task details.episode")
            self.assertEqual([one.evaluate("e => e.open") for one in episodes.all()], [False, True, False])
            box = episodes.nth(1).bounding_box()
            self.assertGreaterEqual(box["y"], 0)
            self.assertLess(box["y"], 300)
        page.click("text=All results")
        self.assertNotIn("episode=", page.url)
        page.locator("#episodes tbody tr").nth(2).locator("a").click()
        self.assertEqual([one.evaluate("e => e.open") for one in page.locator("#task details.episode").all()],
                         [False, False, True])

    def test_nothing_is_cut_on_a_phone(self):
        """Was: a table of 900 pixels, of which a phone showed the task's first letters and the model."""
        page = self.open("#episodes", width=390, height=844)
        region = page.locator("#episodes .scroll")
        self.assertFalse(region.evaluate("e => e.scrollWidth > e.clientWidth"))
        for part in page.locator("#episodes tbody :is(th, td)").all():
            self.assertFalse(part.evaluate("e => e.scrollWidth > e.clientWidth"), part.inner_text())
        self.assertIn(self.task(), page.locator("#episodes tbody tr").first.inner_text())
        self.assertEqual(page.get_by_role("columnheader", name="Ended by").count(), 1)

    def test_turn_by_turn(self):
        page = self.open(f"#{self.task()}")
        episode = page.locator("#task details.episode").first
        self.unfold(episode)
        self.assertEqual(episode.locator("details.turn").count(), 4)
        self.assertEqual(episode.locator("svg .point").count(), 1)
        turn = episode.locator("details.turn").nth(1)
        self.assertIn("compile error", turn.locator("summary").inner_text())
        self.unfold(turn)
        self.assertIn("compile_error", turn.locator("pre.answer").inner_text())
        self.assertIn("kbench episodes show", episode.locator("code").last.inner_text())

    def test_code_is_shown_as_code(self):
        page = self.open(f"#{self.task()}")
        episode = page.locator("#task details.episode").first
        self.unfold(episode)
        turn = episode.locator("details.turn").first
        self.unfold(turn)
        code = turn.locator(".tried pre.code")
        self.assertEqual(code.locator(".line").count(), 2)
        self.assertIn('extern "C" int f();', code.inner_text())
        self.assertEqual(code.locator(".code-comment").count(), 1)  # by the language of k.cpp
        self.assertNotIn("\\n", turn.inner_text())

    def test_what_a_model_wrote_is_text(self):
        page = self.open(f"#{self.task()}")
        episode = page.locator("#task details.episode").nth(2)
        self.unfold(episode)
        for turn in episode.locator("details.turn").all():
            self.unfold(turn)
        self.assertEqual(episode.locator("img, script").count(), 0)
        self.assertNotEqual(page.title(), "owned")
        self.assertIn("<img src=x", episode.inner_text())

    def test_it_fits_a_phone(self):
        page = self.open(f"#{self.task()}", width=390, height=800)
        self.unfold(page.locator("#task details.episode").first)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)


if __name__ == "__main__":
    page_case.main()
