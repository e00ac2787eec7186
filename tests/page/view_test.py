"""A reader's view is kept, and the page says of its numbers where they stand what they mean."""

import csv
import io
import json
import math
import os
import statistics

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


class WordsTest(PageCase):
    """A number has its meaning beside it, so that nobody has to look for it."""

    shape = (40, 3, 16)

    def test_equal_scores_are_explained(self):
        """Was: the same shares by two scores with other ranks, and no reason."""
        page = self.open("#?metric=sure")
        self.assertIn("Of equal shares the one with the higher mean over all tasks is the better one",
                      page.inner_text(".ranks-by"))
        self.choose(page, "fast")
        note = page.inner_text(".ranks-by")
        self.assertIn("Equal shares are a tie between the two; their places may still differ.", note)
        self.assertNotIn("hold the same places", note)
        self.choose(page, "mean")
        self.assertNotIn("qual shares", page.inner_text(".ranks-by"))

    def test_paper_with_intervals_does_not_say_that_they_have_no_room(self):
        page = self.open(width=700)
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        self.assertIn("[", page.inner_text(".on-paper table"))
        self.assertNotIn("Intervals have no room here", page.inner_text("main"))

    def test_paper_has_what_failed(self):
        """Was: only on the screen, and without a script."""
        page = self.open()
        table = ".on-paper table:has(caption:text-is('What failed'))"
        self.assertEqual(page.locator(table).count(), 0)
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        texts = page.locator(f"{table} tbody tr").all_inner_texts()
        failed = [row for row in self.report["results"] if row["fault"] != "none"]
        self.assertEqual(len(texts), len(failed))
        for row in failed:
            wanted = [row["task"], row["agent"], row["state"].replace("_", " "), row["message"].splitlines()[0]]
            self.assertTrue(any(all(part in text for part in wanted) for text in texts), wanted)

    def test_what_nobody_solved_is_a_state_with_its_number(self):
        names = [field["name"] for field in data_of(self.file)["fields"]]
        task = self.board()["tasks"][0]

        def change(data):
            first, count = task["rows"]
            for row in data["rows"][first:first + count]:
                row[names.index("state")], row[names.index("correct")] = "wrong_result", False
        self.assertEqual(self.tasks(self.open("#?show=unsolved")), [])
        page = self.open("#?show=unsolved", file=self.altered(change))
        self.assertEqual(page.locator("#filter-show option:checked").inner_text(), "✗ solved by nobody (1)")
        self.assertEqual(self.tasks(page), [task["task"]])

    def test_what_the_outcomes_are_of_stands_at_them(self):
        """Was: a bar of 40 tasks beside "33 of 37", and "20 FASTER" beside "Fast 21 of 37"."""
        page = self.open("#?metric=sure")
        self.assertIn("Outcomes of 40 tasks", page.inner_text(".ranking thead"))
        ranked = self.board()["scopes"][0]["ranked"]
        note = page.inner_text(".outcome-note")
        self.assertIn(f"Outcomes are of all 40 tasks, scores and “Correct” of the {ranked} that count.", note)
        self.assertIn("above 1× eager by more than 1 %. “Fast” asks for less: above 1× eager", note)
        self.choose(page, "mean")
        self.assertNotIn("FASTER", page.inner_text(".outcome-note"))


def saved(page, button):
    """The text of the file that a button saves."""
    with page.expect_download() as download:
        button.click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        return file.read()


def student_t(freedom):
    """The 97.5 % quantile of Student's t: the density is added up until it has 47.5 %."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    step, at, total = 1e-4, 0.0, 0.0
    while total < 0.475:
        total += step * scale * (1 + (at + step / 2) ** 2 / freedom) ** (-(freedom + 1) / 2)
        at += step
    return at


class CompareTest(PageCase):
    shape = (40, 3, 16)

    def compared(self, **options):
        page = self.open("#compare?cmp=agent-a%0Aagent-b", **options)
        return page, page.locator("#compare")

    def test_the_rule_of_the_signs_is_said(self):
        _, compare = self.compared()
        text = compare.inner_text()
        self.assertIn("▲ where the whole interval lies above 1× by more than 1 %", text)
        self.assertIn("nothing is corrected for their number", text)
        self.assertEqual(compare.locator("thead th").nth(3).inner_text(), "Verdict")
        self.assertEqual(compare.locator("thead th").count(), 7)
        names = set(compare.locator(".glyph-cell [role=img]").evaluate_all(
            "all => all.map(e => e.textContent + e.getAttribute('aria-label'))"))
        self.assertLessEqual(names, {"▲faster", "▼slower", "=the same", "?undecided"})
        self.assertIn("▲faster", names)

    def test_it_is_saved_as_it_is_stored(self):
        page, compare = self.compared()
        rows = list(csv.DictReader(io.StringIO(saved(page, compare.locator('.exports button:text-is("CSV")')))))
        self.assertEqual(len(rows), compare.locator("tbody tr").count())
        stored = {(row["task"], row["speedup"]["eager"]["low"]) for row in self.report["results"]
                  if row["agent"] == "agent-a" and row["speedup"]["eager"]}
        for row in rows:
            self.assertIn((row["task"], float(row["agent-a.low"])), stored)
            self.assertAlmostEqual(float(row["ratio"]), float(row["agent-a"]) / float(row["agent-b"]))
        text = saved(page, compare.locator('.exports button:text-is("Markdown")'))
        self.assertEqual(len(text.splitlines()), len(rows) + 4)
        self.mean = [math.log(float(row["ratio"])) for row in rows]
        self.check_mean(compare.locator(".mean-ratio").inner_text(), len(rows))

    def test_a_saved_one_names_its_run_and_marks_what_is_left_out(self):
        """Was: neither, though the manual says that an export marks it."""
        task = self.report["results"][0]["task"]
        page = self.open(f"#compare?cmp=agent-a%0Aagent-b&out={task}&over=compiled")
        buttons = page.locator("#compare .exports button")
        rows = list(csv.DictReader(io.StringIO(saved(page, buttons.filter(has_text="CSV")))))
        for row in rows:
            self.assertEqual(row["run_id"], self.report["run_id"])
            self.assertEqual(row["started_at"], self.report["started_at"])
            self.assertEqual(row["over"], "compiled")
            self.assertEqual(row["left_out_of_scores"] == "true", row["task"] == task)
        head = saved(page, buttons.filter(has_text="Markdown")).splitlines()[0].replace("\\", "")
        self.assertTrue(head.startswith(f"Run {self.report['run_id']} of {self.report['started_at']} · "), head)
        self.assertIn("agent-a against agent-b · over compiled", head)
        self.assertTrue(head.endswith(f"left out of scores: {task}"), head)

    def check_mean(self, text, n):
        self.assertIn(f"Geometric mean of the {n} ratios", text)
        middle = statistics.fmean(self.mean)
        half = student_t(n - 1) * statistics.stdev(self.mean) / math.sqrt(n)
        shown = text.split(": ")[1].split(" (")[0]
        for part in (middle, middle - half, middle + half):
            self.assertIn(f"{math.exp(part):.2f}", shown)

    def test_tasks_of_one_alone_are_listed(self):
        """Was: how many they are, and not which."""
        page, compare = self.compared()
        solved = [{task for task, row in self.best(agent).items() if row["correct"] and row["ranked"]
                   and row["state"] == "ok" and not row["below_floor"]} for agent in ("agent-a", "agent-b")]
        alone = compare.locator("details.only-one")
        self.assertEqual(alone.locator("summary").all_inner_texts(),
                         [f"Solved by agent-a alone: {len(solved[0] - solved[1])} tasks",
                          f"Solved by agent-b alone: {len(solved[1] - solved[0])} tasks"])
        self.unfold(alone.first)
        self.assertEqual(set(alone.first.locator("li").all_inner_texts()), solved[0] - solved[1])

    def test_a_phone_shows_interval_and_verdict_without_scrolling(self):
        page, compare = self.compared(width=390, height=844)
        box = compare.locator(".scroll").first
        self.assertLessEqual(box.evaluate("e => e.scrollWidth - e.clientWidth"), 0)
        for cell in (".score-range", ".glyph-cell"):
            self.assertTrue(compare.locator(f"tbody {cell}").first.is_visible())


class SavedTest(PageCase):
    shape = (40, 3, 16)

    def test_a_ranking_that_was_scored_anew_is_marked(self):
        """Was: the same file as of all tasks, with other numbers and no name of the run."""
        def rows_of(page):
            button = page.locator('.ranks .exports button:text-is("CSV")')
            return list(csv.DictReader(io.StringIO(saved(page, button))))
        for row in rows_of(self.open()):
            self.assertEqual(row["run_id"], self.report["run_id"])
            self.assertEqual(row["started_at"], self.report["started_at"])
            self.assertEqual([row[name] for name in ("rescored", "search", "operators", "left_out_of_scores")],
                             ["false", "", "", ""])
        task = next(row["task"] for row in self.report["results"] if "relu" in row["task"])
        page = self.open(f"#?q=relu&out={task}")
        for row in rows_of(page):
            self.assertEqual([row[name] for name in ("rescored", "search", "left_out_of_scores")],
                             ["true", "relu", task])
        text = saved(page, page.locator('.ranks .exports button:text-is("Markdown")'))
        head = text.splitlines()[0].replace("\\", "")
        self.assertIn(self.report["run_id"], head)
        self.assertIn("tasks with “relu”", head)
        self.assertTrue(head.endswith(f"left out of scores: {task}"), head)

    def test_the_ranking_is_saved_as_it_is_stored(self):
        page = self.open("#?metric=penalised")
        button = page.locator('.ranks .exports button:text-is("CSV")')
        self.assertEqual(button.count(), 1)
        rows = list(csv.DictReader(io.StringIO(saved(page, button))))
        stored = {one["agent"]: one for one in self.board()["scopes"][0]["ranking"]}
        self.assertEqual({row["agent"] for row in rows}, set(stored))
        for row in rows:
            score = stored[row["agent"]]["scores"]["penalised_mean_eager"]
            for part in ("value", "low", "high"):
                self.assertEqual(float(row[part]), score[part])
            self.assertEqual([int(row["rank.first"]), int(row["rank.last"])], score["rank"])
            self.assertEqual((row["over"], row["p"]), ("eager", ""))

    def test_rows_name_their_run_and_what_is_left_out(self):
        """Was: an unticked task among the others without a mark, and no run."""
        task = self.board()["tasks"][6]["task"]
        page = self.open(f"#tasks?q=relu&out={task}")
        buttons = page.locator("#tasks .exports")
        rows = list(csv.DictReader(io.StringIO(saved(page, buttons.locator('button:text-is("CSV")')))))
        self.assertEqual({row.get("run_id") for row in rows}, {self.report["run_id"]})
        self.assertEqual({row["started_at"] for row in rows}, {data_of(self.file)["run"]["started_at"]})
        self.assertEqual({row["task"] for row in rows if row["left_out_of_scores"] == "true"}, {task})
        self.assertGreater(len({row["task"] for row in rows}), 1)
        exported = json.loads(saved(page, buttons.locator('button:text-is("JSON")')))
        self.assertEqual(exported["left_out_of_scores"], [task])
        text = saved(page, buttons.locator('button:text-is("Markdown")')).replace("\\", "")
        self.assertIn(f"{task} (left out of the scores)", text)


class SpokenTest(PageCase):
    shape = (40, 3, 16)
    STATUS = '[role="status"]'

    def test_scores_taken_anew_are_announced(self):
        """Was: "40 tasks", whatever became of the ranking."""
        page = self.open()
        page.fill("#search", "relu")
        self.assertRegex(page.text_content(self.STATUS), r"^\d+ of 40 tasks\. Scores are of the \d+ tasks")
        page.fill("#search", "")
        self.assertEqual(page.text_content(self.STATUS), "40 tasks. Scores are of whole levels again.")
        page.locator("input.counts:not([disabled])").first.uncheck()
        self.assertRegex(page.text_content(self.STATUS), r"^1 of 40 tasks left out Scores are of the \d+ tasks")

    def test_signs_have_names(self):
        page = self.open()
        bare = page.eval_on_selector_all(".matrix .cell .glyph", """all => all.filter(e =>
            !e.getAttribute('aria-label') && e.getAttribute('aria-hidden') !== 'true').length""")
        self.assertEqual(bare, 0)
        self.assertGreater(page.locator('.matrix .glyph[role="img"][aria-label="faster"]').count(), 0)

    def test_a_finger_has_room(self):
        """Was: boxes of 16 and links of 15 pixels."""
        page = self.open("#?cmp=agent-a%0Aagent-b", width=390, height=844, has_touch=True, is_mobile=True)
        small = page.evaluate("""[...document.querySelectorAll(
            'input[type=checkbox], input[type=range], button, select, summary, .brand, tbody th a, h2 a')]
          .filter(e => e.checkVisibility()).map(e => [e, e.getBoundingClientRect()])
          .filter(([, box]) => box.width > 0 && (box.height < 24 || box.width < 24))
          .map(([e, box]) => `${e.tagName} ${e.className} ${e.textContent} ${box.width} ${box.height}`)""")
        self.assertEqual(small, [])

    def test_the_state_says_that_it_scores_nothing_anew(self):
        page = self.open("#?show=failed")
        self.assertIn("scores stay of all tasks", page.inner_text(".status-line"))
        self.assertFalse(self.open().is_visible(".state-only"))


class DetailsTest(PageCase):
    shape = (40, 3, 16)

    def test_the_seed_stands_once(self):
        row = self.report["results"][0]
        page = self.open(f"#{row['task']}")
        terms = page.locator("#task details.entry[open] dl.facts").first.locator("dt").all_inner_texts()
        self.assertEqual(len(terms), len(set(map(str.lower, terms))), terms)

    def test_two_files_of_an_agent_are_told_apart(self):
        """Was: both by the agent's name."""
        names = [field["name"] for field in data_of(self.file)["fields"]]
        task = self.board()["tasks"][0]

        def change(data):
            first, count = task["rows"]
            for i in range(first, first + count):
                data["rows"][i][names.index("agent")] = "an-agent-with-a-name-of-many-letters"
                data["details"][i]["file"] = f".{i}"
        page = self.open(f"#{task['task']}", file=self.altered(change))
        shown = page.locator("#task table.results tbody th").all_inner_texts()
        self.assertEqual(len(set(shown)), len(shown))
        self.assertIn(f"an-agent-with-a-name-of-many-letters (.{task['rows'][0]})", shown)
        labels = [text for text in page.locator("#task figure").first.locator("text.name").evaluate_all(
            "all => all.map(e => e.firstChild.textContent)") if text.startswith("an-")]
        self.assertGreater(len(labels), 1)
        self.assertEqual(len(set(labels)), len(labels), labels)


class SuspectTest(PageCase):
    shape = (40, 3, 16)

    def test_the_reason_is_open(self):
        """Was: a compile error open and the suspect row beside it closed."""
        row = next(row for row in self.report["results"] if row["state"] == "suspect")
        page = self.open(f"#{row['task']}")
        self.assertIn(row["message"].splitlines()[0], page.inner_text("#task"))


class LimitTest(PageCase):
    shape = (40, 1, 48, "single")

    def test_a_share_above_the_limit_is_explained(self):
        names = [field["name"] for field in data_of(self.file)["fields"]]

        def with_limit(part):
            def change(data):
                row = data["rows"][0]
                row[names.index("limit_basis")] = "bytes"
                row[names.index("limit_ns")] = part * row[names.index("time_ns.submission")]
            return change
        below = self.open(file=self.altered(with_limit(0.5)))
        self.assertNotIn("may pass 100 %", below.locator("#task figure").first.text_content())
        above = self.open(file=self.altered(with_limit(1.01)))
        self.assertIn("may pass 100 %", above.locator("#task figure").first.text_content())


class ManyAgentsTest(PageCase):
    shape = (12, 25, 8)

    def test_how_many_there_are_and_how_many_are_shown(self):
        """Was: twelve pictures and six names of 25 agents, without a word."""
        page = self.open()
        self.assertEqual(page.inner_text(".ranking thead th >> nth=1"), "25 agents")
        self.assertEqual(page.locator("#dots .panel").count(), 12)
        self.assertIn("The first 12 of 25 agents", page.inner_text(".panels-of"))
        self.assertIn("The first 6 of 25 agents", page.inner_text("figure.curve figcaption"))
        agents = self.board()["agents"]
        page.click(f'.ranking tr[data-agent="{agents[20]}"] th a')
        self.assertIn(f"The first 11 of 25 agents, by Surely fast over eager, and {agents[20]}",
                      page.inner_text(".panels-of"))

    def test_a_phone_says_how_many_there_are(self):
        self.assertEqual(self.open(width=390, height=844).inner_text(".how-many"), "25 agents")

    def test_the_pictures_have_a_scale(self):
        page = self.open()
        texts = page.locator("#dots .panel svg").first.locator("text").all_text_contents()
        for tick in ("0.5×", "1×", "2×"):
            self.assertIn(tick, texts)


if __name__ == "__main__":
    page_case.main()
