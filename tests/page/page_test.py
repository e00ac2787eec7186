"""The page as people use it: real clicks and keys in a headless Chromium."""

import csv
import io
import json
import os
import re
import statistics

import page_case
from page_case import FOLDER, UNCHAINED, PageCase, data_of, run


def scored(row, over="eager"):
    good = row["state"] == "ok" and row["correct"] and row["ranked"]
    return row["speedup"][over] if good else None


class OverviewTest(PageCase):
    def test_plain_tables_make_way(self):
        page = self.open()
        self.assertEqual(page.locator("#static").count(), 0)
        self.assertIn("agent-a ranks first", page.locator("#headline").inner_text())
        for caution in ("Unverified", "Uncalibrated", "Busy"):
            self.assertIn(caution, page.locator(".cautions").inner_text())
        self.assertLessEqual(page.locator("details[open]").count(), 5)
        self.assertLess(page.evaluate("document.documentElement.scrollHeight"), 6000)

    def test_sorting_by_a_column_and_back(self):
        page = self.open()
        page.click('[data-column="@agent-a"]')
        self.assertEqual(page.get_attribute('th:has([data-column="@agent-a"])', "aria-sort"),
                         "descending")
        ranked = {task: scored(row) for task, row in self.best("agent-a").items() if scored(row)}
        fastest = max(ranked, key=lambda task: ranked[task]["estimate"])
        self.assertEqual(self.tasks(page)[0], fastest)
        page.click('[data-column="@agent-a"]')
        self.assertEqual(self.tasks(page)[0],
                         min(ranked, key=lambda task: ranked[task]["estimate"]))
        self.assertIn("sort=asc.%40agent-a", page.url)
        page.go_back()
        self.assertEqual(self.tasks(page)[0], fastest)
        page.go_back()
        self.assertEqual(self.tasks(page)[0], "level1/001_square_matrix_multiplication")

    def test_what_has_no_value_stays_at_the_end(self):
        for order in ("asc", "desc"):
            page = self.open(f"#tasks?sort={order}.@agent-c")
            self.scroll(page, 1e6)
            self.assertRegex(page.locator(".matrix tbody tr:not(.spacer)").last.inner_text(),
                             "[✗·∅?–!]$|not ranked|error|result|crash|timeout")

    def test_search_and_state(self):
        page = self.open()
        page.fill("#search", "gemm")
        shown = self.tasks(page)
        self.assertTrue(shown)
        self.assertTrue(all("gemm" in task for task in shown))
        self.assertIn(f"{len(shown)} of 40 tasks", page.inner_text("#matrix-status"))
        page.fill("#search", "")
        page.select_option("#filter-show", "suspect")
        suspects = {row["task"] for row in self.report["results"] if row["state"] == "suspect"}
        self.assertEqual(set(self.tasks(page)), suspects)
        page.click(".filters > button")
        self.assertIn("40 tasks", page.inner_text("#matrix-status"))
        page.fill("#search", "no such task")
        self.assertEqual(page.inner_text("#matrix-status"), "No task matches these filters.")

    def test_a_state_that_no_task_has_says_so_and_how_to_undo_it(self):
        """Was: "No task matches these filters" at the table alone, and "agent-a submitted nothing"."""
        page = self.open("#?show=same")
        if self.tasks(page):
            self.skipTest("this run has such a task")
        text = page.inner_text("#tasks")
        self.assertIn("No task has the state “= same”", text)
        self.assertIn("No task has the state “= same”", page.inner_text("#dots"))
        self.assertNotIn("submitted nothing", page.inner_text("#dots"))
        self.assertEqual(page.locator("#dots .panel").count(), 0)
        page.click("#tasks .undo-state")
        self.assertEqual(len(self.best("agent-a")), page.locator(".dot-line").count())
        self.assertIn("40 tasks", page.inner_text("#matrix-status"))
        self.assertEqual(page.evaluate("document.activeElement.id"), "filter-show")

    def test_filters_that_leave_nothing_show_no_score(self):
        """Was: "0 %" of "0 of 0"."""
        page = self.open("#?q=no+such+task")
        self.assertEqual(set(page.locator("td.strong").all_inner_texts()), {"–"})
        self.assertNotIn("0 of 0", page.inner_text("#overview"))
        self.assertNotIn("submitted nothing", page.inner_text("#dots"))

    def test_level_narrows_ranking_and_tasks(self):
        page = self.open()
        page.check('input[name="level"][value="3"]', force=True)
        self.assertTrue(all(task.startswith("level3/") for task in self.tasks(page)))
        expected = [r for r in data_of(self.file)["boards"][0]["scopes"] if r["level"] == 3][0]
        self.assertIn(f'of {expected["ranked"]}', page.inner_text("table.ranking"))

    def expected_share(self, agent, p, part):
        board = data_of(self.file)["boards"][0]
        total = board["scopes"][0]["ranked"]
        names = [field["name"] for field in data_of(self.file)["fields"]]
        rows = data_of(self.file)["rows"]
        column = board["agents"].index(agent)
        fast = 0
        for task in board["tasks"]:
            index = task["best"][column]
            if index is None:
                continue
            row = dict(zip(names, rows[index]))
            speedup = row["speedup.eager"]
            counts = row["ranked"] and not row["uncredited_reason"]
            if row["state"] == "ok" and row["correct"] and counts and speedup:
                fast += speedup[{"estimate": 0, "low": 1}[part]] > p
        return f"{100 * fast / total:.0f}\N{NO-BREAK SPACE}%"

    def shown_share(self, page, agent):
        return page.inner_text(f'table.ranking tr:has-text("{agent}") td.strong')

    def test_metric_and_p(self):
        page = self.open()
        self.assertEqual(self.shown_share(page, "agent-a"), self.expected_share("agent-a", 1, "low"))
        self.assertEqual(page.locator(".formula math").count(), 1)
        page.check('input[name="metric"][value="fast"]', force=True)
        self.assertEqual(self.shown_share(page, "agent-b"),
                         self.expected_share("agent-b", 1, "estimate"))
        before = page.locator("figure.curve .now").get_attribute("x1")
        page.focus("#p")
        for _ in range(12):
            page.keyboard.press("ArrowRight")
        self.assertEqual(page.evaluate("document.activeElement.id"), "p")
        self.assertIn("p=2", page.url)
        self.assertEqual(self.shown_share(page, "agent-a"),
                         self.expected_share("agent-a", 2, "estimate"))
        self.assertNotEqual(page.locator("figure.curve .now").get_attribute("x1"), before)
        page.check('input[name="metric"][value="mean"]', force=True)
        self.assertEqual(page.locator("figure.curve").count(), 0)
        self.assertIn("×", self.shown_share(page, "agent-a"))
        page.go_back()
        self.assertEqual(page.locator("figure.curve").count(), 1)

    def test_compare_two_agents(self):
        page = self.open()
        self.assertFalse(page.is_visible("#compare"))
        page.check('input[aria-label="Compare agent-b"]')
        self.assertFalse(page.is_visible("#compare"))
        self.assertIn("tick another", page.inner_text(".compare-bar"))
        self.assertTrue(page.is_checked('.ranking input[data-ticks="agent-b"]'))
        page.check('.ranking input[data-ticks="agent-a"]')
        page.click(".compare-bar .go")
        page.wait_for_function("""() => {
            const { top } = document.getElementById('compare').getBoundingClientRect();
            return top >= 0 && top < innerHeight / 2; }""")
        self.assertIn("agent-b against agent-a", page.inner_text("#compare"))
        ratios = [float(text.rstrip("×")) for text in
                  page.eval_on_selector_all("#compare td.strong", "a => a.map(e => e.textContent)")]
        self.assertEqual(ratios, sorted(ratios, reverse=True))
        first = page.inner_text("#compare tbody th >> nth=0")
        page.goto(page.url.split("#")[0] + "#compare?cmp=agent-b%0Aagent-a")
        self.assertEqual(page.inner_text("#compare tbody th >> nth=0"), first)
        page.click("#compare button")
        self.assertFalse(page.is_visible(".compare-bar"))
        self.assertFalse(page.is_visible("#compare"))

    def test_small_words_of_the_page(self):
        page = self.open(width=390)
        self.assertIn("⚑ suspect", page.inner_text("#tasks .legend-list"))
        self.assertFalse(page.locator(".ranges-elsewhere").is_visible())
        self.assertEqual(page.inner_text(".more-agents"), "3 agents: move the table sideways for all of them.")
        self.assertFalse(self.open().locator(".more-agents").is_visible())
        title = page.title()
        task = next(row["task"] for row in self.report["results"] if not row["ranked"])
        self.show(page, f"#{task}", "#task h1")
        self.assertEqual(page.title(), f"{task} · {title}")
        self.assertIn("counts in no score. Its output does not", page.inner_text("#task .notice"))
        self.show(page, "#", "#ranking h2")
        self.assertEqual(page.title(), title)
        self.assertIn("as 0.1× in a mean over all tasks", page.text_content("#understanding"))

    def test_cautions_are_counted_by_their_topic(self):
        """Was: "4 cautions" in front of three topics."""
        def add(data):
            self.assertIn("cautions", self.file.read_text("utf-8"))
        file = self.altered(add)
        text = file.read_text("utf-8")
        file.write_text(text.replace("<li>Busy:", "<li>Busy: also before.</li><li>Busy:", 1), encoding="utf-8")
        self.assertIn("4 cautions: Unverified, Uncalibrated, Busy (2)",
                      self.open(file=file).inner_text("details.cautions summary"))

    def test_shares_of_the_limit_are_in_per_cent(self):
        """Was: "0.7" of eager beside "98 %" of the submission."""
        def limit(data):
            names = [field["name"] for field in data["fields"]]
            for row in data["rows"]:
                row[names.index("limit_share")] = 0.98
                row[names.index("limit_share_eager")] = 0.7
        page = self.open("#level1/001_square_matrix_multiplication", file=self.altered(limit))
        facts = page.locator(".facts").first.inner_text().replace("\N{NO-BREAK SPACE}", " ")
        self.assertIn("Eager's share\n70 %", facts)

    def test_on_a_phone_no_limit_goes_through_a_name(self):
        page = self.open("#level1/001_square_matrix_multiplication", width=390)
        crossed = page.evaluate("""() => {
            const lines = [...document.querySelectorAll('#task .chart line.limit')].map(e => e.getBoundingClientRect());
            const names = [...document.querySelectorAll('#task .chart text.name')].map(e => e.getBoundingClientRect());
            return [lines.length, names.filter(n => lines.some(l => l.left < n.right && l.right > n.left
              && l.top < n.bottom - 3 && l.bottom > n.top + 3)).length]; }""")
        self.assertGreater(crossed[0], 1)
        self.assertEqual(crossed[1], 0)

    def solvers(self):
        """The tasks that each agent solved, of those that rank, whether their times count or not."""
        return {agent: {task for task, row in self.best(agent).items()
                        if row["state"] == "ok" and row["correct"] and row["ranked"]}
                for agent in ("agent-a", "agent-b", "agent-c")}

    def test_a_comparison_counts_what_was_solved(self):
        """Was: a correct row without a verdict counted as not solved, so that one was solved "alone"."""
        solved = self.solvers()
        a, b = solved["agent-a"], solved["agent-b"]
        text = self.open("#compare?cmp=agent-a%0Aagent-b").inner_text("#compare")
        self.assertIn(f"Solved by both: {len(a & b)} tasks; by agent-a alone: {len(a - b)}; "
                      f"by agent-b alone: {len(b - a)}", text)
        lines = self.open("#compare?cmp=agent-a%0Aagent-b").locator("#compare tbody tr")
        self.assertLess(lines.count(), len(a & b))
        self.assertIn(f"{lines.count()} have a ratio", text)
        self.assertRegex(lines.first.locator(".score-range").inner_text(), r"^\[\d[\d.]*–\d[\d.]*\]$")

    def test_no_column_of_a_comparison_is_cut_on_a_desk(self):
        for width in (1440, 1280):
            page = self.open("#compare?cmp=agent-a%0Aagent-b", width=width)
            cut = page.evaluate("""(() => {
                const region = document.querySelector("#compare .scroll");
                return region.scrollWidth - region.clientWidth;
            })()""")
            self.assertEqual(cut, 0, width)

    def test_of_three_every_pair_is_compared(self):
        page = self.open("#compare?cmp=agent-a%0Aagent-b%0Aagent-c")
        titles = page.locator("#compare h3").all_inner_texts()
        self.assertEqual(titles, ["agent-a against agent-b", "agent-a against agent-c", "agent-b against agent-c"])

    def test_ranks_are_of_the_score_that_is_shown(self):
        """Was: ranks of Surely fast over eager beside every score: 1-2, 2-3, 1-3 from the top down."""
        stored = {one["agent"]: one for one in self.board()["scopes"][2]["ranking"]}
        page = self.open("#?level=2&metric=correct", width=390)
        for agent, entry in stored.items():
            first, last = entry["scores"]["correctness"]["rank"]
            self.assertEqual(page.inner_text(f'.ranking tr[data-agent="{agent}"] td.rank').split()[-1],
                             str(first) if first == last else f"{first}–{last}")
        self.assertIn("Ranks are by Correct:", page.inner_text(".ranks-by"))
        self.show(page, "#?metric=limit", ".ranks-by >> text=No ranks are computed for Of the limit")
        self.assertEqual(set(page.locator("td.rank").all_inner_texts()), {"–"})
        self.show(page, "#?p=2", ".ranks-by >> text=No ranks are computed at this p")
        self.assertEqual(set(page.locator("td.rank").all_inner_texts()), {"–"})
        self.show(page, "#?over=compiled", ".ranks-by >> text=Ranks are by Surely fast over compiled")

    def dots(self, page):
        """The task of each line of the picture of all tasks, and the words at its right."""
        return page.eval_on_selector_all(".dot-line", """all => all.map(e =>
            [e.dataset.task, [...e.querySelectorAll('text')].at(-1).textContent])""")

    def test_all_tasks_of_an_agent_in_one_picture(self):
        page = self.open()
        rows = self.best("agent-a")
        shown = self.dots(page)
        self.assertEqual({task for task, _ in shown}, {task for task in rows if rows[task]["agent"]})
        ratios = [float(text.rstrip("×")) for _, text in shown if text.endswith("×")]
        self.assertEqual(ratios, sorted(ratios, reverse=True))
        timed = [task for task, text in shown if text.endswith("×")]
        self.assertTrue(all(rows[task]["speedup"]["eager"] for task in timed))
        self.assertEqual(page.locator(".dots-box .strong-one").count(), 1)
        self.assertGreater(page.locator(".dots-box .hollow").count(), 20)
        page.click('.panel[data-agent="agent-b"]')
        self.assertEqual({task for task, _ in self.dots(page)}, set(self.best("agent-b")))
        self.assertEqual(page.evaluate("document.activeElement.dataset.agent"), "agent-b")
        # A failure stands left of every speed-up, and the lines end with them.
        failed = page.locator(".dots-box .miss-glyph.failed")
        self.assertGreater(failed.count(), 0)
        least = min(page.eval_on_selector_all(".dots-box .point", "a => a.map(e => +e.getAttribute('cx'))"))
        self.assertLess(float(failed.first.get_attribute("x")), least)
        self.assertFalse(self.dots(page)[-1][1].endswith("×"))
        page.fill("#search", "softmax")
        self.assertTrue(all("softmax" in task for task, _ in self.dots(page)))
        first = self.dots(page)[0][0]
        page.click(".dot-line >> nth=0")
        self.assertEqual(page.inner_text("#task h1"), first)

    def test_scores_have_their_intervals_in_sight(self):
        page = self.open()
        stored = self.board()["scopes"][0]["ranking"][0]["scores"]["sure_fast_1_eager"]
        expected = f'[{100 * stored["low"]:.0f}–{100 * stored["high"]:.0f}]'
        self.assertEqual(page.inner_text("td.score-range >> nth=0"), expected)
        self.choose(page, "milestone")
        stored = self.board()["scopes"][0]["ranking"][0]["scores"]["milestone"]
        self.assertEqual(self.shown_share(page, "agent-a"), f'{stored["value"]:.2f}')
        self.choose(page, "limit")
        stored = self.board()["scopes"][0]["ranking"][0]["scores"]["share_of_limit"]
        self.assertEqual(self.shown_share(page, "agent-a"),
                         f'{100 * stored["value"]:.0f}\N{NO-BREAK SPACE}%')
        self.assertEqual(page.locator('input[name="over"]').count(), 0)

    def test_shares_at_another_p_have_intervals_too(self):
        page = self.open("#?p=1.5")
        rows = [row for row in self.report["results"] if row["agent"] == "agent-a" and scored(row)]
        sure = sum(row["speedup"]["eager"]["low"] > 1.5 for row in rows if not row["uncredited_reason"])
        tasks = self.board()["scopes"][0]["ranking"][0]["tasks"]
        text = page.inner_text('tr[data-agent="agent-a"] td.score-range')
        low, high = (int(part) / 100 for part in re.fullmatch(r"\[(\d+)–(\d+)\]", text).groups())
        self.assertLess(low, sure / tasks)
        # Wilson's ends are where the share lies 1.96 standard deviations away.
        self.assertAlmostEqual((sure / tasks - low) / (low * (1 - low) / tasks) ** .5, 1.96, delta=.15)
        self.assertGreater(high, sure / tasks)
        self.choose(page, "fast")
        self.assertRegex(page.inner_text('tr[data-agent="agent-a"] td.score-range'), r"\[\d+–\d+\]")

    def test_no_interval_stands_where_none_was_computed(self):
        """Was: "43 % [43–43]" of the limit, and "75 % [75–75]" below a filter, in a column called 95 %."""
        page = self.open()
        self.assertEqual(page.locator(".ranking thead .score-range").inner_text(), "95 %")
        for metric in ("limit", "correct"):
            self.choose(page, metric)
            self.assertEqual(page.locator(".ranking thead .score-range").inner_text(), "95 %", metric)
            for text in page.locator("td.score-range").all_inner_texts():
                low, high = re.fullmatch(r"\[(\d+)–(\d+)\]", text).groups()
                self.assertLess(int(low), int(high), metric)
        self.choose(page, "sure")
        page.fill("#search", "relu")
        for text in page.locator("td.score-range").all_inner_texts():
            low, high = re.fullmatch(r"\[(\d+)–(\d+)\]", text).groups()
            self.assertLess(int(low), int(high))
        self.choose(page, "limit")  # a median of few tasks
        self.assertEqual(set(page.locator(".score-range").all_inner_texts()), {""})
        self.assertEqual(page.locator(".ranking .interval").count(), 0)

    def test_back_from_a_search_keeps_the_step_before(self):
        """Was: the address of the search took the place of the step before it."""
        page = self.open()
        page.check('input[aria-label="Compare agent-b"]')
        ticked = page.url
        for letter in "relu":
            page.press("#search", letter)
        self.assertIn("q=relu", page.url)
        page.go_back()
        self.assertEqual(page.url, ticked)
        self.assertEqual(page.input_value("#search"), "")

    def test_filters_score_anew(self):
        page = self.open()
        ranking = self.board()["scopes"][0]["ranking"]
        shown = {"penalised": "penalised_mean_eager", "mean": "mean_eager", "limit": "share_of_limit",
                 "milestone": "milestone"}
        def texts():
            return [page.locator(f'tr[data-agent="{one["agent"]}"] td.strong').inner_text()
                    for one in ranking]
        for metric in shown:  # a filter that leaves every task leaves every score
            self.choose(page, metric)
            page.fill("#search", "")
            before = texts()
            page.fill("#search", "level")
            self.assertEqual(page.locator(".rescored").count(), 1)
            self.assertEqual(texts(), before, metric)
        # The scores are of the tasks that the filter leaves.
        page.fill("#search", "softmax")
        self.choose(page, "correct")
        ranked = {row["task"] for row in self.report["results"] if row["ranked"]}
        tasks = [task for task in self.board()["tasks"]
                 if "softmax" in task["task"] and task["task"] in ranked]
        self.assertIn(f"of the {len(tasks)} tasks", page.inner_text(".rescored"))
        for text in page.locator("td.score-range").all_inner_texts():
            self.assertRegex(text, r"\[\d+–\d+\]", "a share of few tasks says most by its interval")
        rows = {row["task"]: row for row in self.report["results"]
                if row["agent"] == "agent-c" and row["correct"]}
        correct = sum(task["task"] in rows for task in tasks)
        self.assertIn(f"{correct} of {len(tasks)}", page.inner_text('.ranking tr[data-agent="agent-c"]'))
        self.assertEqual(page.inner_text("td.rank >> nth=0"), "–")
        page.click(".rescored button")
        self.assertEqual(page.locator(".rescored").count(), 0)

    def test_what_became_of_an_agents_tasks(self):
        page = self.open()
        title = page.locator('tr[data-agent="agent-b"] .outcome-cell title').first.text_content()
        counts = {kind: number for number, kind in re.findall(r"(\d+) (.+?)(?=, \d|$)", title)}
        board = self.board()
        column = board["agents"].index("agent-b")
        rows = data_of(self.file)["rows"]
        state = [field["name"] for field in data_of(self.file)["fields"]].index("state")
        best = [task["best"][column] for task in board["tasks"]]
        self.assertEqual(int(counts["not submitted"]), best.count(None))
        wrong = sum(index is not None and rows[index][state] == "wrong_result" for index in best)
        self.assertEqual(int(counts["wrong result"]), wrong)
        self.assertEqual(sum(map(int, counts.values())), len(board["tasks"]))

    def test_a_part_of_a_bar_narrower_than_the_gap_is_drawn(self):
        """Was: no width, so that one task of many was not seen."""
        def change(data):
            board = data["boards"][0]
            column = board["agents"].index("agent-a")
            made = board["tasks"][1]
            one = next(task for task in board["tasks"] if task["best"][column] is not None)
            board["tasks"] = [one, *({**made, "task": f"level1/{i:03}_x", "best": [None] * len(board["agents"])}
                                     for i in range(200))]
        page = self.open(file=self.altered(change))
        widths = page.eval_on_selector_all(".outcome-cell .outcome", "all => all.map(e => Number(e.getAttribute('width')))")
        self.assertGreater(len(widths), 0)
        self.assertGreater(min(widths), 0)
        self.assertLess(min(widths), 1)

    def test_why_n_is_not_all_tasks(self):
        text = self.open().inner_text(".unranked")
        unranked = {row["task"] for row in self.report["results"] if not row["ranked"]}
        self.assertIn(f"{len(unranked)} of 40 tasks count in no score", text)
        self.assertIn(f"its output does not depend on its inputs ({len(unranked)})", text)

    def test_a_chart_is_saved_as_it_looks(self):
        page = self.open()
        with page.expect_download() as download:
            page.click("#dots .picture")
        text = download.value.path().read_text(encoding="utf-8")
        self.assertTrue(text.startswith("<svg"))
        self.assertIn("lenet5", text)
        self.assertNotIn("var(", text)
        self.assertNotIn("class=", text)

    def test_a_pointed_agent_stands_out_in_the_curve(self):
        page = self.open()
        page.hover('tr[data-agent="agent-b"] td.strong')
        self.assertEqual(page.locator(".curve-line.lit").get_attribute("data-agent"), "agent-b")

    def test_both_times_are_never_not_measured(self):
        page = self.open("#tasks?q=max_pooling_2d")
        self.assertRegex(page.inner_text(".matrix tbody tr:not(.spacer) td:nth-of-type(2)"), "[0-9]×")
        self.assertNotIn("not measured", page.inner_text("#tasks"))


class TaskPageTest(PageCase):
    def test_drill_down_permalink_and_back(self):
        page = self.open("#tasks?q=batched")
        page.click(".matrix tbody th a")
        self.assertTrue(page.is_visible("#task"))
        self.assertFalse(page.is_visible("#overview"))
        self.assertIn("#level1/002_batched_matrix_multiplication", page.url)
        link = page.url
        page.go_back()
        self.assertTrue(page.is_visible("#overview"))
        self.assertEqual(page.input_value("#search"), "batched")
        fresh = self.open(link[link.index("#"):])
        self.assertEqual(fresh.inner_text("#task h1"), "level1/002_batched_matrix_multiplication")
        fresh.click("text=Next")
        self.assertEqual(fresh.inner_text("#task h1"), "level1/003_matrix_vector_multiplication")

    def test_what_the_author_of_a_failure_needs(self):
        page = self.open("#level1/002_batched_matrix_multiplication")
        failed = [row for row in self.report["results"] if row["state"] == "wrong_result"
                  and row["task"] == "level1/002_batched_matrix_multiplication"][0]
        text = page.inner_text(f'details[open]:has-text("{failed["agent"]}")')
        self.assertIn(failed["message"], text)
        self.assertIn("largest error 0.0019, allowed 0.0012", text)
        self.assertIn(f"kbench reproduce 5eed01234567 --db run.sqlite --task "
                      f'level1/002_batched_matrix_multiplication --agent {failed["agent"]}', text)
        self.assertIn("dropped: SM clock", text)
        self.assertLessEqual(page.locator("details[open]").count(), 5)

    def test_every_sample_can_be_read(self):
        page = self.open("#level1/007_relu")
        row = self.best("agent-a")["level1/007_relu"]
        entry = page.locator("#task details.entry", has_text="agent-a").first
        entry.evaluate("e => { e.open = true; }")
        entry.locator("details.values summary").click()
        lines = entry.locator("table.sample-values tbody tr")
        self.assertEqual(lines.count(), row["samples"]["blocks"])
        self.assertEqual(entry.locator("table.sample-values td s").count() > 0, row["samples"]["dropped"] > 0)
        self.assertRegex(lines.first.inner_text(), r"1 \(session \d+\)(\s+\d+\.\d+){4}")

    def test_a_baseline_has_the_range_of_its_times(self):
        page = self.open("#level1/007_relu")
        self.assertIn("Eager and compiled are timed anew beside each submission", page.inner_text("#task figure >> nth=0"))
        task = [row for row in self.report["results"] if row["task"] == "level1/007_relu"]
        times = sorted(row["time_ns"]["eager"] for row in task if row["time_ns"]["eager"] is not None)
        self.assertGreater(len(times), 1)
        self.assertIn(f"eager: {statistics.median(times) / 1e6:.3f} ms",
                      page.locator("#task .time.eager title").first.text_content())

    def test_a_row_without_a_verdict_says_why_where_its_numbers_are(self):
        row = next(row for row in self.report["results"] if row["no_verdict_reason"] and row["correct"] and row["agent"])
        page = self.open(f'#{row["task"]}')
        entry = page.locator("#task details.entry", has_text=row["agent"]).first
        entry.evaluate("e => { e.open = true; }")
        self.assertIn(row["no_verdict_reason"][1:], entry.locator(".no-verdict").inner_text())
        self.assertIn("– no verdict", page.inner_text("#task"))

    def test_bars_stand_against_the_limit(self):
        page = self.open("#level1/007_relu")
        self.assertEqual(page.locator("#task .limit").count() >= 1, True)
        self.assertEqual(page.locator("#task .time").count(), 5)
        self.assertGreater(page.locator("#task .marks").count(), 2)

    def test_bars_are_sorted_by_time_and_coloured_as_agents(self):
        page = self.open("#level1/007_relu")
        bars = page.eval_on_selector_all("#task .time", """all => all.map(e =>
            [+e.getAttribute('width'), e.getAttribute('class')])""")
        self.assertEqual(bars, sorted(bars, key=lambda bar: bar[0]))
        agents = data_of(self.file)["boards"][0]["agents"]
        by_time = sorted((self.best(agent)["level1/007_relu"] for agent in agents),
                         key=lambda row: row["time_ns"]["submission"])
        self.assertEqual([kind.split()[-1] for _, kind in bars if "own" in kind],
                         [f'series-{1 + agents.index(row["agent"])}' for row in by_time])
        share = by_time[0]["floor_ns"] / by_time[0]["time_ns"]["submission"]
        self.assertRegex(page.locator("#task figure .value").first.text_content(),
                         f"{100 * share:.0f}\N{NO-BREAK SPACE}% " r"\[\d+–\d+\] of the limit")
        for text in page.locator("#task figure .value").all_text_contents():
            self.assertNotRegex(text, r"\[([\d.]+)–\1\]")

    def test_a_bar_s_words_end_within_the_picture(self):
        for width in (390, 834, 1440):
            with self.subTest(width=width):
                page = self.open("#level1/007_relu", width=width)
                most = page.evaluate("""() => {
                  const right = (e) => e.getBoundingClientRect().right;
                  const figure = document.querySelector('#task figure');
                  return Math.max(...[...figure.querySelectorAll('.value')].map(right))
                    - right(figure.querySelector('svg')); }""")
                self.assertLessEqual(most, 1)

    def test_it_names_what_it_was_measured_with(self):
        line = self.open("#level1/007_relu").inner_text("#task .measured-with")
        self.assertEqual(line, "Example GPU 80GB · driver 600.10 · PyTorch 2.11.0 · C++ compiler g++ 12.2.0"
                               " · nvcc 13.0.48")

    def test_whose_fault_a_failure_is_stands_beside_its_state(self):
        page = self.open("#level1/002_batched_matrix_multiplication")
        states = page.locator("#task .results td.state").all_inner_texts()
        for text in states:
            self.assertEqual("✓" not in text, "the submission's fault" in text, text)
        self.assertTrue(any("wrong result" in text for text in states))
        self.assertIn("wrong result, the submission's fault", page.inner_text("#task"))

    def test_the_bars_limit_is_the_limit_and_not_the_floor(self):
        """Was: shares of the floor, called the limit, where the rows have both."""
        def change(data):
            names = [field["name"] for field in data["fields"]]
            for row in data["rows"]:
                if row[names.index("floor_ns")]:
                    row[names.index("limit_ns")] = 1.5 * row[names.index("floor_ns")]
                    row[names.index("limit_basis")] = "bytes, measured beside it"
        row = self.best("agent-a")["level1/007_relu"]
        page = self.open("#level1/007_relu", file=self.altered(change))
        self.assertIn(f'least time: {1.5 * row["floor_ns"] / 1e6:.3f} ms', page.inner_text("#task figcaption >> nth=0"))

    def test_a_fault_of_the_machine_is_named_as_one(self):
        def change(data):
            names = [field["name"] for field in data["fields"]]
            for row in data["rows"]:
                if row[names.index("state")] == "wrong_result":
                    row[names.index("state")] = "infrastructure_error"
                    row[names.index("fault")] = "infrastructure"
        page = self.open("#level1/002_batched_matrix_multiplication", file=self.altered(change))
        self.assertIn("kbench's or the machine's fault", page.inner_text("#task .results"))

    def test_a_row_and_a_section_have_addresses(self):
        page = self.open("#level1/007_relu")
        last = page.locator("#task details.entry").last
        self.unfold(last)
        last.locator(".permalink").click()
        self.assertIn("row=", page.url)
        again = self.open(page.url[page.url.index("#"):])
        self.assertEqual(again.locator("#task details.entry[open] > summary").all_inner_texts(),
                         [last.locator("> summary").inner_text()])
        page.click("text=All results")
        self.assertNotIn("row=", page.url)
        page.hover("#tasks h2")
        page.click("#tasks h2 .permalink")
        self.assertIn("#tasks", page.url)

    def test_an_unknown_task_is_named(self):
        page = self.open("#level9/nothing")
        self.assertIn('no task "level9/nothing"', page.inner_text("#task"))

    def test_a_task_that_does_not_rank_says_so(self):
        page = self.open("#level1/013_swish")
        self.assertIn("Not ranked: this task counts in no score", page.inner_text("#task"))


class ExportTest(PageCase):
    def save(self, page, name):
        with page.expect_download() as download:
            page.click(f':is(#tasks, #task) .exports button:text-is("{name}") >> visible=true')
        with open(download.value.path(), encoding="utf-8", newline="") as file:
            return file.read()

    def stored(self, row):
        return next(one for one in self.report["results"] if one["task"] == row["task"]
                    and one["submission"] == row["submission"])

    def test_json_is_what_is_stored(self):
        page = self.open("#tasks?q=relu")
        exported = json.loads(self.save(page, "JSON"))
        self.assertEqual(exported["schema_version"], self.report["schema_version"])
        self.assertTrue(exported["results"])
        for row in exported["results"]:
            self.assertIn("relu", row["task"])
            self.assertEqual(row, self.stored(row))

    def test_csv_has_the_stored_numbers(self):
        page = self.open("#level1/007_relu")
        rows = list(csv.DictReader(io.StringIO(self.save(page, "CSV"))))
        self.assertEqual(len(rows), 3)
        for row in rows:
            stored = self.stored(row)
            self.assertEqual(float(row["time_ns.eager"]), stored["time_ns"]["eager"])
            for part in ("estimate", "low", "high", "confidence", "half_width"):
                self.assertEqual(float(row[f"speedup.eager.{part}"]),
                                 stored["speedup"]["eager"][part])
            parts = [name for name in row if name.startswith("speedup.eager.")]
            self.assertEqual(sorted(parts), sorted(f"speedup.eager.{part}" for part in stored["speedup"]["eager"]))

    def test_markdown_is_the_view(self):
        page = self.open("#tasks?q=softmax&sort=desc.eager")
        lines = self.save(page, "Markdown").splitlines()
        self.assertTrue(lines[0].startswith("| Task | Eager (ms) |"))
        named = [line.split("|")[1].strip().replace("\\", "") for line in lines[2:]]
        self.assertEqual(named, self.tasks(page))


class VendorTest(PageCase):
    """A run with --vendor: every fourth task is a call of a vendor's library."""

    shape = (40, 3, 48, "vendor")

    def scores(self, page):
        return {one["agent"]: page.locator(f'tr[data-agent="{one["agent"]}"] td.strong').inner_text()
                for one in self.board()["scopes"][0]["ranking"]}

    def test_scores_over_a_vendor_are_chosen_like_those_over_eager(self):
        page = self.open()
        eager = self.scores(page)
        page.check('input[name="over"][value="vendor"]', force=True)
        self.assertIn("over=vendor", page.url)
        ranking = self.board()["scopes"][0]["ranking"]
        for metric, name in {"sure": "sure_fast_1_vendor", "mean": "mean_vendor"}.items():
            self.choose(page, metric)
            for one in ranking:
                shown = self.scores(page)[one["agent"]]
                value = one["scores"][name]["value"]
                number = float(re.match("[0-9.]+", shown).group())
                self.assertAlmostEqual(number, 100 * value if metric == "sure" else value,
                                       delta=0.5 if metric == "sure" else 0.005, msg=(metric, shown))
        self.choose(page, "sure")
        self.assertNotEqual(self.scores(page), eager)
        self.assertIn("counts in no score over it", page.inner_text(".formula"))

    def test_a_share_at_another_p_is_of_the_tasks_that_are_such_a_call(self):
        page = self.open("#?over=vendor&metric=fast&p=0.1")
        tasks = self.board()["scopes"][0]["ranking"][0]["scores"]["fast_1_vendor"]["tasks"]
        self.assertLess(tasks, 12)
        timed = {row["task"] for row in self.report["results"]
                 if row["agent"] == "agent-a" and scored(row) and not row["uncredited_reason"]
                 and row["vendor"]["speedup"]}
        self.assertGreater(len(timed), 2)
        wanted = f"{100 * len(timed) / tasks:.0f}"
        self.assertTrue(self.scores(page)["agent-a"].startswith(wanted))
        page.fill("#search", "level")  # a filter that leaves every task
        self.assertTrue(self.scores(page)["agent-a"].startswith(wanted))


class OtherDataTest(PageCase):
    """Data that reports/score does not offer yet, and data that one run never has, are drawn once they are
    there."""

    def test_scores_with_intervals_and_groups_of_ranks(self):
        def change(data):
            for scope in data["boards"][0]["scopes"]:
                for place, entry in enumerate(scope["ranking"]):
                    rank = [1, 2] if place < 2 else [3, 3]
                    value = {"value": 1.5 - 0.2 * place, "low": 1.2 - 0.2 * place, "high": 1.9, "rank": rank}
                    entry["scores"]["penalised_mean_eager"] = value
                    entry["scores"]["sure_fast_1_eager"] = {"value": 0.5, "low": 0.4, "high": 0.6, "rank": rank}
        file = self.altered(change)
        page = self.open(file=file)
        self.assertIn("1–2", page.inner_text("table.ranking"))
        self.assertIn("50\N{NO-BREAK SPACE}%", page.inner_text("table.ranking"))
        page.check('input[name="metric"][value="penalised"]', force=True)
        self.assertIn("1.50×", page.inner_text("table.ranking"))
        self.assertEqual(page.locator("table.ranking .interval").count(), 3)

    def test_boards_are_tabs(self):
        def change(data):
            other = json.loads(json.dumps(data["boards"][0]))
            other.update(device="cpu", tasks=other["tasks"][:5], scopes=other["scopes"][:1])
            data["boards"].append(other)
        page = self.open(file=self.altered(change))
        page.check('input[name="board"][value="1"]', force=True)
        self.assertEqual(len(self.tasks(page)), 5)
        page.go_back()
        self.assertIn("40 tasks", page.inner_text("#matrix-status"))

    def test_most_tasks_without_a_submission_are_hidden_at_first(self):
        def change(data):
            for task in data["boards"][0]["tasks"][10:]:
                task["best"] = [None] * 3
        page = self.open(file=self.altered(change))
        self.assertIn("10 of 40 tasks", page.inner_text("#matrix-status"))
        self.assertEqual(len(self.tasks(page)), 10)
        page.click(".show-all")
        self.assertIn("40 tasks", page.inner_text("#matrix-status"))
        self.assertIn("show=all", page.url)
        self.assertEqual(page.locator(".show-all >> visible=true").count(), 0)
        page.click(".filters > button")  # back to what is usual here
        self.assertEqual(len(self.tasks(page)), 10)

    def test_without_a_verdict_estimates_are_shown_and_rank_nobody(self):
        def change(data):
            names = [field["name"] for field in data["fields"]]
            for row in data["rows"]:
                row[names.index("uncredited_reason")] = "not calibrated"
                for name in ("speedup.eager", "speedup.compiled"):
                    if row[names.index(name)]:
                        row[names.index(name)][3] = "NO VERDICT"
                        row[names.index(name)][7] = calibrated
            for entry in data["boards"][0]["scopes"][0]["ranking"]:
                entry["scores"]["fast_1_eager"] = entry["scores"]["sure_fast_1_eager"] = {"value": 0}
        calibrated = True  # and the machine was busy
        notice = self.open(file=self.altered(change)).inner_text("#ranking .notice")
        self.assertIn("No row has a verdict.", notice)
        self.assertNotIn("alibrate", notice)
        calibrated = False
        page = self.open(file=self.altered(change))
        self.assertTrue(page.is_checked('input[name="metric"][value="fast"]'))
        self.assertIn("Not calibrated", page.inner_text("#ranking"))
        self.assertGreater(int(page.inner_text("td.strong >> nth=0").rstrip("%\N{NO-BREAK SPACE}")), 30)
        self.assertEqual(set(page.locator("td.rank").all_inner_texts()), {"–"})

    def test_shapes(self):
        def change(data):
            data["boards"][0]["tasks"][0]["shapes"] = "x: 4096 x 4096"
        file = self.altered(change)
        self.assertFalse(self.open().is_visible("#trend"))  # one run is no trend
        task = self.open("#level1/001_square_matrix_multiplication", file=file)
        self.assertIn("x: 4096 x 4096", task.inner_text("#task"))


class PublishedTest(PageCase):
    """Words of the publisher, and several runs in one page."""
    shape = (6, 3, 8, "history")

    def report_html(self, name, *words):
        file = FOLDER / name
        run(os.environ["KBENCH"], "report", "html", "--db", f"{self.file.stem}.sqlite", "--output", file,
            UNCHAINED, *words)
        return file

    def test_title_and_about_are_text(self):
        about = FOLDER / "about.md"
        about.write_text("# Why\n\nNightly **kernels** of [ours](https://example.org/x).\n\n"
                         "<img src=https://example.org/p.png onerror=\"document.title='owned'\">\n"
                         "<script>document.title='owned'</script>\n\n[no](javascript:alert(1))\n",
                         encoding="utf-8")
        title = "Kernels </title><script>document.title='owned'</script>"
        page = self.open(file=self.report_html("published.html", "--title", title, "--about", about))
        self.assertEqual(page.title(), title)
        self.assertEqual(page.inner_text("h1"), title)
        self.assertEqual(page.get_attribute('meta[property="og:title"]', "content"), title)
        self.assertEqual(page.inner_text(".about strong"), "kernels")
        self.assertIn("Nightly kernels", page.get_attribute('meta[name="description"]', "content"))
        self.assertTrue(page.get_attribute('link[rel="icon"]', "href").startswith("data:"))
        self.assertEqual(page.locator("main img, main script").count(), 0)
        self.assertEqual(page.eval_on_selector_all(".about a", "all => all.map(e => e.href)"),
                         ["https://example.org/x"])
        self.assertIn("<script>document.title", page.inner_text(".about"))
        self.assertLess(page.locator(".lead").bounding_box()["y"], 300)

    def test_runs_are_tabs(self):
        file = self.report_html("runs.html", "--run", "latest", "--run", "latest~1", "--run", "0eed")
        page = self.open("#?metric=mean", file=file)
        boards = data_of(file)["boards"]
        self.assertEqual(len({board["run"] for board in boards}), 3)
        self.assertEqual(page.locator(".run-leads li").count(), 3)
        def ranking():
            return page.eval_on_selector_all("table.ranking tbody tr", "a => a.map(e => e.innerText)")
        first = ranking()
        page.check('input[name="board"][value="2"]', force=True)
        self.assertIn("Another GPU 24GB", page.inner_text("#ranking label.segment:has(input[name=board]:checked)"))
        self.assertNotEqual(ranking(), first)
        # Alone the last run has the same ranking.
        alone = self.open("#?metric=mean", file=self.report_html("alone.html", "--run", "0eed"))
        self.assertEqual(alone.eval_on_selector_all(
            "table.ranking tbody tr", "a => a.map(e => e.innerText)"), ranking())
        page.click(".matrix tbody th a")
        self.assertTrue(page.is_visible("#task .time"))
        page.go_back()
        page.go_back()
        self.assertEqual(ranking(), first)

    def test_no_folder_of_the_machine_is_published(self):
        for file in (self.file, self.report_html("again.html", "--run", "latest")):
            self.assertNotIn(str(FOLDER), file.read_text(encoding="utf-8"))


class HostileTest(PageCase):
    shape = (30, 5, 8, "hostile")

    def test_names_stay_names(self):
        for width in (390, 1440):
            page = self.open(width=width)
            for section, fragment in (("#tasks", "#tasks"),
                                      ("#task", "#level1/002_batched_matrix_multiplication")):
                self.show(page, fragment, section)
                self.assertIn("kbench results", page.title())
                self.assertEqual(page.locator("main img, main script").count(), 0)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                text = page.inner_text("main")
                self.assertIn("<img src=x onerror", text)
                self.assertNotIn("\u202e", text)
                self.assertNotIn("\x1b", text)

    def test_a_name_survives_the_address(self):
        page = self.open()
        name = '</script><script>document.title=\'owned\'</script>'
        page.evaluate("""name => [...document.querySelectorAll('.head button')]
            .find(e => e.textContent === name).click()""", name)
        again = self.open(page.url[page.url.index("#"):])
        self.assertEqual(self.tasks(again)[:12], self.tasks(page)[:12])
        self.assertIn("sorted by", again.inner_text("#matrix-status"))

    def test_a_spreadsheet_gets_no_formula(self):
        page = self.open("#tasks?q=relu")
        with page.expect_download() as download:
            page.click(':is(#tasks, #task) .exports button:text-is("CSV") >> visible=true')
        text = download.value.path().read_text(encoding="utf-8")
        agents = {row["agent"] for row in csv.DictReader(io.StringIO(text))}
        self.assertIn("'=HYPERLINK(\"x\")", agents)


if __name__ == "__main__":
    page_case.main()
