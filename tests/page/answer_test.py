"""Where the answer stands (who, how fast, how sure): above 300 pixels of a wide screen, and on a
phone's first screen. Of one submission card_test.py says the same."""

import os

import page_case
from page_case import FOLDER, UNCHAINED, PageCase, run

WIDE = (1440, 900, 300)   # width and height of the window, and the most that the answer may reach
PHONE = (390, 844, 844)
INTERVAL = r"\[[\d.]+–[\d.]+\]"


class AnswerCase(PageCase):
    def bottom(self, locator):
        box = locator.bounding_box()
        return box["y"] + box["height"]

    def check_headline(self, selector, *parts):
        """The sentences of the headline have these parts, and stand where they should."""
        for width, height, most in (WIDE, PHONE):
            with self.subTest(width=width):
                page = self.open(width=width, height=height)
                text = page.inner_text(selector).replace("\N{NO-BREAK SPACE}", " ")
                for part in parts:
                    self.assertRegex(text, part)
                self.assertLess(self.bottom(page.locator(selector)), most)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)

    def check_rows(self, agents):
        """So do the first of the ranking's rows, each with its score and interval, cut nowhere."""
        for width, height, most in (WIDE, PHONE):
            with self.subTest(width=width):
                page = self.open(width=width, height=height)
                for agent in agents if width == PHONE[0] else agents[:1]:
                    row = page.locator(f'.ranking tr[data-agent="{agent}"]')
                    self.assertLess(self.bottom(row), most, agent)
                    for part in ("td.strong", "td.score-range", "td.rank"):
                        box = row.locator(part).bounding_box()
                        self.assertLessEqual(box["x"] + box["width"], width, part)
                    self.assertRegex(row.locator("td.score-range").inner_text(), INTERVAL)
                region = page.locator(".ranks .scroll")
                self.assertFalse(region.evaluate("e => e.scrollWidth > e.clientWidth"), "cut")


class OneAgentTest(AnswerCase):
    shape = (40, 1, 24)

    def test_its_scores_stand_on_the_first_screen(self):
        self.check_headline(".lead", "agent-a is correct on", f"surely faster than eager on .* {INTERVAL}",
                            f"geometric mean of .*correct ones .*× {INTERVAL}")
        self.check_rows(["agent-a"])


class ThreeAgentsTest(AnswerCase):
    shape = (40, 3, 24)

    def test_who_leads_and_the_others_stand_on_the_first_screen(self):
        self.check_headline(".lead", "agent-a ranks first", f"surely faster than eager on .* {INTERVAL}",
                            f"geometric mean of .*correct ones .*× {INTERVAL}")
        self.check_rows(["agent-a", "agent-b", "agent-c"])

    def test_a_score_has_the_number_of_its_own_tasks(self):
        """Was: a mean of 29 tasks beside "33 of 37", and 64 % beside "11 of 12" where it was 7 of 11."""
        def stored(scope, name):
            entry = next(one for one in scope["ranking"] if one["agent"] == "agent-a")
            return entry, entry["scores"][name]

        scopes = {scope["level"]: scope for scope in self.board()["scopes"]}
        entry, mean = stored(scopes[0], "mean_eager")
        self.assertLess(mean["tasks"], entry["correct"])
        missing = entry["correct"] - mean["tasks"]
        self.assertIn(f'geometric mean of {mean["tasks"]} of the {entry["correct"]} correct ones',
                      self.open().inner_text(".lead"))
        self.assertIn(f"({missing} have no verdict)", self.open().inner_text(".lead"))
        for width in (1440, 390):
            page = self.open("#?metric=mean", width=width)
            cell = page.locator('.ranking tr[data-agent="agent-a"] .score-tasks')
            self.assertEqual(cell.inner_text(), f'{mean["tasks"]} of {entry["correct"]}')
            self.assertTrue(cell.is_visible())
            self.assertIn(f"agent-a: {missing} have no verdict", page.inner_text(".fewer"))
        entry, share = stored(scopes[2], "sure_fast_1_compiled")
        self.assertLess(share["tasks"], entry["tasks"])
        page = self.open("#?level=2&over=compiled")
        self.assertEqual(page.inner_text('.ranking tr[data-agent="agent-a"] .score-tasks'),
                         f'{share["value"] * share["tasks"]:.0f} of {share["tasks"]}')
        self.assertIn("no compiled time", page.inner_text(".fewer"))
        page = self.open("#?metric=mean&q=level2")
        self.assertRegex(page.inner_text('.ranking tr[data-agent="agent-a"] .score-tasks'), r"^\d+ of \d+$")

    def test_the_terminal_has_the_same_words(self):
        text = run(os.environ["KBENCH"], "report", "--db", FOLDER / "run-40-3-24.sqlite", UNCHAINED)
        self.assertRegex(text, r"  agent-\w: .* over \d+ of the 33 correct \(\d have no verdict\)")

    def test_the_curve_is_drawn_at_the_size_that_it_has(self):
        """Was: drawn for 578 pixels and shown in 375, its words with it."""
        for width in (1440, 834, 390):
            with self.subTest(width=width):
                curve = self.open(width=width).locator("figure.curve > svg")
                drawn = float(curve.get_attribute("width"))
                self.assertAlmostEqual(curve.bounding_box()["width"], drawn, delta=1)
                self.assertGreater(drawn, 300)

    def test_choices_and_slider_are_one_line(self):
        page = self.open()
        middles = []
        for one in (".control-line h2", ".control-line .segments", ".control-line .slider"):
            box = page.locator(one).first.bounding_box()
            middles.append(box["y"] + box["height"] / 2)
        self.assertLess(max(middles) - min(middles), 10, middles)

    def test_no_line_ends_within_an_interval(self):
        page = self.open(width=390, height=844)
        heights = page.eval_on_selector_all(".lead .unbroken", "all => all.map(e => e.getClientRects().length)")
        self.assertEqual(heights, [1, 1])

    def test_choices_unfold_on_a_phone(self):
        page = self.open(width=390, height=844)
        self.assertIn("Surely fast, over eager, All levels", page.inner_text(".unfold"))
        self.assertFalse(page.is_visible('input[name="metric"] >> nth=0'))
        page.click(".unfold")
        self.assertEqual(page.get_attribute(".unfold", "aria-expanded"), "true")
        page.check('input[name="metric"][value="milestone"]', force=True)
        self.assertIn("Milestones, All levels", page.inner_text(".unfold"))
        page.click(".unfold")
        self.assertFalse(page.is_visible('input[name="metric"] >> nth=0'))
        self.assertFalse(self.open().is_visible(".unfold"))

    def test_cautions_are_one_line_that_opens(self):
        for width, height, _ in (WIDE, PHONE):
            page = self.open(width=width, height=height)
            self.assertIn("3 cautions: Unverified, Uncalibrated, Busy", page.inner_text("details.cautions"))
            page.click("details.cautions summary")
            self.assertTrue(page.locator("details.cautions li").nth(2).is_visible())


class ManyAgentsTest(AnswerCase):
    shape = (12, 24, 2)

    def test_no_name_is_cut_and_nothing_scrolls_sideways(self):
        """Was: "ag…" on a phone, and on a desk a scroll bar below the table, whose own one had no room."""
        for width in (1440, 390):
            with self.subTest(width=width):
                page = self.open(width=width)
                self.assertFalse(page.locator(".ranks .scroll").evaluate("e => e.scrollWidth > e.clientWidth"))
                cut = page.eval_on_selector_all(".ranking tbody th", "all => all.filter(e => e.scrollWidth > e.clientWidth)"
                                                ".map(e => e.innerText)")
                self.assertEqual(cut, [])

    def test_the_curve_stands_beside_the_table(self):
        page = self.open()
        self.assertLess(page.locator("figure.curve").bounding_box()["y"], WIDE[2])


class PhoneTest(AnswerCase):
    shape = (40, 2, 24, "episodes")

    def test_links_to_sections_stay_within_the_margins(self):
        page = self.open(width=360)
        right = max(box["x"] + box["width"] for box in
                    (link.bounding_box() for link in page.locator(".bar nav a").all()))
        self.assertLessEqual(right, 360 - 16)


class TwoDevicesTest(AnswerCase):
    @classmethod
    def setUpClass(cls):
        database = FOLDER / "two.sqlite"
        cls.file = FOLDER / "two.html"
        run(os.environ["MAKE_RUNS"], database, 40, 3, 16, "history")
        run(os.environ["KBENCH"], "report", "html", "--db", database, "--run", "5eed01234567",
            "--run", "0eed01234567", "--output", cls.file, UNCHAINED)

    def test_each_device_has_its_answer(self):
        self.check_headline(".run-leads", f"Example GPU 80GB.*: agent-a ranks first: .*{INTERVAL}.*{INTERVAL}",
                            f"Another GPU 24GB.*: .*{INTERVAL}.*{INTERVAL}")

    def test_a_tab_says_what_runs_differ_in(self):
        tabs = self.open().locator('input[name="board"] + span').all_inner_texts()
        self.assertEqual([tab.split(" · ")[0] for tab in tabs], ["Example GPU 80GB", "Another GPU 24GB"])
        self.assertEqual({tab.count(" · ") for tab in tabs}, {2}, tabs)


    def test_a_phone_says_which_device_without_a_click(self):
        """Was: the tabs stood with the other choices, behind a button that does not name the device."""
        page = self.open(width=390, height=844)
        tabs = page.locator('input[name="board"] + span')
        self.assertIn("Example GPU 80GB", tabs.first.inner_text())
        for tab in tabs.all():
            box = tab.bounding_box()
            self.assertIsNotNone(box, "not shown")
            self.assertLessEqual(box["x"] + box["width"], 390 - 16)
            self.assertLess(box["y"] + box["height"], 844)
        def colours():
            return dict(page.eval_on_selector_all(".ranking tbody tr", """all => all.map(e =>
                [e.dataset.agent, e.querySelector('.swatch').className])"""))
        before = colours()
        page.check('input[name="board"][value="1"]', force=True)
        self.assertIn("board=1", page.url)
        self.assertEqual(colours(), before, "an agent keeps its colour")
        self.assertEqual(page.evaluate("document.activeElement.value"), "1")


class EstimatesTest(AnswerCase):
    shape = (40, 3, 24, "estimates")

    def test_without_a_verdict_the_answer_is_the_estimate(self):
        self.check_headline(".lead", r"Not calibrated, so nobody is ranked\. By estimate agent-a is faster "
                            r"than eager on \d+ of 37 tasks, and correct on \d+; "
                            r"geometric mean of the correct ones about \d+\.\d+×\.")
        text = self.open().inner_text("#headline")
        self.assertNotIn("0\N{NO-BREAK SPACE}%", text)
        self.assertNotIn("ranks first", text)
        self.assertEqual(set(self.open().locator("td.score-range").all_inner_texts()), {""})

    def test_what_needs_no_times_has_an_interval_and_what_needs_verdicts_says_so(self):
        page = self.open("#?metric=correct")
        self.assertNotIn("", page.locator("td.score-range").all_inner_texts())
        self.assertIn("Correct needs no times.", page.inner_text("#ranking"))
        self.assertIn("it is 0 for everybody", self.open("#?metric=sure").inner_text("#ranking"))

    def test_estimates_are_compared_and_not_judged(self):
        page = self.open("#?cmp=agent-a%0Aagent-b")
        self.assertIn("these are ratios of estimates, and none is judged", page.inner_text("#compare"))
        self.assertEqual(set(page.locator("#compare .glyph-cell").all_inner_texts()), {"–"})


    def test_without_a_script_the_order_and_the_ranks_are_the_same(self):
        """Was: "Rank 1–3" in another order, below "nobody is ranked"."""
        def agents(page, table):
            return page.locator(f"{table} tbody th").all_inner_texts()
        plain = self.open(java_script_enabled=False)
        self.assertNotIn("Ranking of agents", plain.inner_text("#static"))
        table = "#static table:has(caption:text-is('Agents by estimates, which rank nobody'))"
        self.assertRegex(plain.inner_text(f"{table} tbody tr >> nth=0"), r"agent-a\s+\d+ of 37\s+\d+\.\d+× of \d+ tasks")
        with_script = self.open()
        self.assertEqual(agents(plain, table), agents(with_script, ".ranking"))
        self.assertIn("correct, no verdict", with_script.inner_text(".outcome-legend"))
        self.assertNotIn("not FASTER", with_script.inner_text(".outcome-legend"))

    def test_failures_alone_are_no_mean(self):
        """Was: 0.100× and 0 % for each, the failures' own, since no other time counts."""
        for metric in ("penalised", "limit"):
            for more in ("", "&q=level"):
                with self.subTest(metric=metric, more=more):
                    page = self.open(f"#?metric={metric}{more}")
                    self.assertEqual(page.locator(".rescored").count(), len(more) > 0)
                    self.assertEqual(page.locator(".ranking td.strong").all_inner_texts(), ["–"] * 3)


class NothingCountsTest(AnswerCase):
    @classmethod
    def setUpClass(cls):
        database = FOLDER / "none.sqlite"
        cls.file = FOLDER / "none.html"
        run(os.environ["MAKE_RUNS"], database, 40, 3, 16)
        run(os.environ["KBENCH"], "report", "html", "--db", database, "--output", cls.file)

    def test_the_reason_stands_in_the_headline_and_nobody_has_a_rank(self):
        """Was: no reason there, and each of three agents on places 1–3."""
        self.check_headline(".lead", r"No task of this run counts in a score: its run has no chain, so nobody can tell "
                            r"whether the row was changed: ask whoever published it, who can count it with "
                            r"--trust-unchecked\.")
        self.assertEqual(set(self.open().locator("td.rank").all_inner_texts()), {"–"})
        self.assertNotIn("1–3", self.file.read_text("utf-8"))

    def test_nobody_is_said_to_have_submitted_nothing(self):
        """Was: "Submitted 0" for each of three agents, beside bars of their tasks."""
        page = self.open()
        column = page.locator(".ranking thead :is(th, td)").all_inner_texts().index("Submitted")
        cells = page.locator(f".ranking tbody tr > :nth-child({column + 1})").all_inner_texts()
        self.assertEqual(cells, ["–"] * 3)


if __name__ == "__main__":
    page_case.main()
