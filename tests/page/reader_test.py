"""The page for whoever reads it: in any width and theme, by keyboard, on paper, aloud, without a script."""

import io
import re

import page_case
from page_case import PageCase, make_page

TASK = "level1/002_batched_matrix_multiplication"


class ReaderTest(PageCase):
    def test_theme(self):
        page = self.open(color_scheme="light")
        background = "getComputedStyle(document.body).backgroundColor"
        self.assertEqual(page.evaluate(background), "rgb(255, 255, 255)")
        page.check('input[name="theme"][value="dark"]', force=True)
        self.wait_until(page, f"{background} !== 'rgb(255, 255, 255)'")
        page.reload()
        self.assertNotEqual(page.evaluate(background), "rgb(255, 255, 255)")
        dark = self.open(color_scheme="dark")
        self.assertNotEqual(dark.evaluate(background), "rgb(255, 255, 255)")

    def test_keyboard_reaches_the_matrix_within_sixty_stops(self):
        page = self.open()
        inside = "document.activeElement.closest('.matrix-box') !== null"
        for stop in range(60):
            page.keyboard.press("Tab")
            if page.evaluate(inside):
                break
        self.assertLess(stop, 59)
        page.keyboard.press("Tab")  # the first column's heading
        page.keyboard.press("Enter")
        self.assertIn("sort=asc.task", page.url)
        self.assertEqual(page.evaluate("document.activeElement.dataset.column"), "task")

    def test_keyboard_walks_through_rows_that_do_not_exist_yet(self):
        page = self.open()
        page.focus(".matrix tbody a")
        for _ in range(39):
            # The row that the next stop is in is made once the one before it has come into sight.
            self.wait_until(page, """!document.activeElement.closest('tr').nextElementSibling
                                     .classList.contains('spacer')""")
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('input.counts')"):
                page.keyboard.press("Tab")
        self.assertEqual(page.evaluate("document.activeElement.textContent"),
                         "level3/040_unrolled_lstm")

    def test_keyboard_walks_through_the_picture_of_all_tasks(self):
        page = self.open()
        page.focus(".panel >> nth=2")
        page.keyboard.press("Tab")
        focused = "document.activeElement.dataset.task"
        lines = page.eval_on_selector_all(".dot-line", "all => all.map(e => e.dataset.task)")
        self.assertEqual(page.evaluate(focused), lines[0])
        for key, place in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", -1), ("Home", 0),
                           ("ArrowDown", 1)):
            page.keyboard.press(key)
            self.assertEqual(page.evaluate(focused), lines[place], key)
        self.assertEqual(page.evaluate("document.querySelectorAll('.dot-line[tabindex=\"0\"]').length"), 1)
        self.assertRegex(page.evaluate("document.activeElement.getAttribute('aria-label')"),
                         rf"^{lines[1]}: \d")
        page.keyboard.press("Tab")  # the picture is one stop
        self.assertFalse(page.evaluate("document.activeElement.closest('.dots-box') !== null"))
        page.keyboard.press("Shift+Tab")
        self.assertEqual(page.evaluate(focused), lines[1])
        page.keyboard.press("Enter")
        self.assertEqual(page.inner_text("#task h1"), lines[1])
        page.go_back()
        self.wait_until(page, f"document.activeElement.closest('#dots') && {focused} === '{lines[1]}'")

    def test_after_back_the_keyboard_is_where_it_was(self):
        page = self.open()
        self.scroll(page, 700)
        link = page.locator(".matrix tbody th a").nth(12)
        name = link.inner_text()
        link.focus()
        top = page.evaluate("scrollY"), page.evaluate("document.querySelector('.matrix-box').scrollTop")
        page.keyboard.press("Enter")
        self.assertEqual(page.inner_text("#task h1"), name)
        page.go_back()
        page.wait_for_function("name => document.activeElement.textContent === name", arg=name)
        self.assertTrue(page.evaluate("document.activeElement.closest('.matrix-box') !== null"))
        self.assertEqual((page.evaluate("scrollY"),
                          page.evaluate("document.querySelector('.matrix-box').scrollTop")), top)
        page.keyboard.press("Enter")  # and by the link within the page
        page.click("text=All results")
        self.assertEqual(page.evaluate("document.activeElement.textContent"), name)

    def test_without_a_script_failures_have_their_messages(self):
        page = self.open(java_script_enabled=False)
        texts = page.locator("#static table:has(caption:text-is('What failed')) tbody tr").all_inner_texts()
        failed = [row for row in self.report["results"] if row["fault"] != "none"]
        self.assertEqual(len(texts), len(failed))
        for row in failed:
            whose = "the submission's" if row["fault"] == "submission" else "kbench's or the machine's"
            wanted = [row["task"], row["agent"], row["state"].replace("_", " "), whose,
                      row["message"].splitlines()[0]]
            self.assertTrue(any(all(part in text for part in wanted) for text in texts), wanted)

    def test_without_a_script_the_numbers_are_there(self):
        page = self.open(java_script_enabled=False)
        text = page.inner_text("#static")
        for row in self.report["results"]:
            self.assertIn(row["task"], text)
        speedup = self.best("agent-a")["level1/007_relu"]["speedup"]["eager"]
        self.assertIn(f'{speedup["estimate"]:.2f}×', text)
        self.assertIn("Ranking of agents", text)
        self.assertIn("wrong result", text)
        self.assertIn("What the run ran on", page.inner_text("#environment"))
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), True)

    def test_no_width_overflows(self):
        for width in (390, 834, 1440, 1920):
            page = self.open(width=width)
            for section, fragment in (("#tasks", "#tasks"), ("#task", f"#{TASK}"),
                                      ("#compare", "#compare?cmp=agent-a%0Aagent-b")):
                with self.subTest(width=width, fragment=fragment):
                    self.show(page, fragment, section)
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)

    def test_the_answer_is_on_the_first_screen(self):
        for width, height, most in ((1440, 900, 300), (390, 844, 844)):
            page = self.open(width=width, height=height)
            lead = page.locator("#headline .lead").bounding_box()
            self.assertLess(lead["y"] + lead["height"], most)
            self.assertLess(page.locator(".ranking tbody tr").first.bounding_box()["y"], height)
        self.assertEqual(page.locator("details.cautions li >> visible=true").count(), 0)
        page.click("details.cautions summary")
        self.assertEqual(page.locator("details.cautions li >> visible=true").count(), 3)

    def test_print_cuts_nothing(self):
        try:
            from pypdf import PdfReader
        except ImportError:
            self.skipTest("no pypdf")
        page = self.open()
        reader = PdfReader(io.BytesIO(page.pdf(format="A4")))
        text = re.sub(r"\s", "", "".join(sheet.extract_text() for sheet in reader.pages))
        for row in self.report["results"]:
            self.assertIn(row["task"], text)
        for agent in ("agent-a", "agent-b", "agent-c"):
            self.assertIn(agent, text)
        task = self.open("#level1/004_large_k_matrix_multiplication")
        sheets = PdfReader(io.BytesIO(task.pdf(format="A4"))).pages
        text = re.sub(r"\s", "", "".join(sheet.extract_text() for sheet in sheets))
        self.assertEqual(text.count("kbenchreproduce5eed01234567"), 3)
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.set_viewport_size({"width": 700, "height": 900})
        self.assertLessEqual(page.evaluate("""Math.max(...[...document.querySelectorAll(
            'main table:not(.matrix), main pre')].map(e => e.getBoundingClientRect().right))"""), 700)

    # axe calls these moderate: a view without a heading of its own, words outside of every landmark.
    LANDMARKS = {"page-has-heading-one", "region"}

    def test_axe_finds_nothing_serious(self):
        try:
            from axe_playwright_python.sync_playwright import Axe
        except ImportError:
            self.skipTest("no axe-playwright-python")
        # Two agents are compared on the first page, below all that it has without. Twelve tasks have every
        # element and colour that forty have, and axe looks at each cell.
        few, _ = make_page("few", 12, 3, 48)
        for scheme in ("light", "dark"):
            page = self.open(color_scheme=scheme, file=few)
            for section, fragment in (("#compare", "#tasks?cmp=agent-a%0Aagent-b"),
                                      ("#task", f"#{TASK}")):
                with self.subTest(scheme=scheme, fragment=fragment):
                    self.show(page, fragment, section)
                    found = Axe().run(page).response["violations"]
                    serious = [(one["id"], [node["target"] for node in one["nodes"]][:4])
                               for one in found
                               if one["impact"] in ("serious", "critical") or one["id"] in self.LANDMARKS]
                    self.assertEqual(serious, [])


if __name__ == "__main__":
    page_case.main()
