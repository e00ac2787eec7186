"""A box for each task says whether it counts: unticked, ranking, curve and picture are made without it."""

import page_case
from page_case import PageCase, data_of

SHOWN = '.ranking tr[data-agent="{}"]'


def box_of(page, task):
    return page.locator(f'input.counts[aria-label="Count {task} in the scores"]')


class CountsTest(PageCase):
    shape = (40, 3, 16)

    def solved(self, agent, correct=True):
        """A task that ranks and that the agent solved, or did not."""
        data = data_of(self.file)
        names = [field["name"] for field in data["fields"]]
        rows = [dict(zip(names, row)) for row in data["rows"]]
        board = data["boards"][0]
        column = board["agents"].index(agent)

        def is_solved(task):
            row = task["best"][column]
            return row is not None and rows[row]["correct"] and not rows[row]["below_floor"]

        return next(task["task"] for task in board["tasks"]
                    if any(row["ranked"] for row in rows[task["rows"][0]:sum(task["rows"])])
                    and bool(is_solved(task)) == correct)

    def correct(self, page, agent):
        """(correct, of tasks) in the ranking."""
        found = page.locator(f"{SHOWN.format(agent)} .correct-cell").inner_text().split(" of ")
        return tuple(map(int, found))

    def test_a_task_is_taken_out_of_the_scores_and_back_in(self):
        page = self.open("#?metric=correct")
        before = self.correct(page, "agent-a")
        task = self.solved("agent-a")
        box_of(page, task).uncheck()
        self.assertEqual(self.correct(page, "agent-a"), (before[0] - 1, before[1] - 1))
        self.assertIn("1 of 40 tasks left out", page.inner_text(".status-line"))
        self.assertIn(f"of the {before[1] - 1} tasks", page.inner_text(".rescored"))
        self.assertEqual(page.locator(f'.dot-line[data-task="{task}"]').count(), 0)
        self.assertIn(task, self.tasks(page))
        box_of(page, task).check()
        self.assertEqual(self.correct(page, "agent-a"), before)
        self.assertFalse(page.is_visible(".left-out-count"))
        self.assertEqual(page.locator(".rescored").count(), 0)
        self.assertEqual(page.locator(f'.dot-line[data-task="{task}"]').count(), 1)

    def test_the_curve_is_of_what_counts(self):
        page = self.open()
        before = page.locator("figure.curve > svg").inner_html()
        box_of(page, self.solved("agent-a")).uncheck()
        self.assertNotEqual(page.locator("figure.curve > svg").inner_html(), before)

    def test_the_choice_is_in_the_address_and_each_is_a_step(self):
        page = self.open()
        tasks = [self.solved("agent-a"), self.solved("agent-a", correct=False)]
        self.assertNotEqual(*tasks)
        for task in tasks:
            box_of(page, task).uncheck()
        self.assertIn("2 of 40 tasks left out", page.inner_text(".left-out-count"))
        again = self.open(page.url[page.url.index("#"):])
        self.assertIn("2 of 40 tasks left out", again.inner_text(".left-out-count"))
        for task in tasks:
            self.assertFalse(box_of(again, task).is_checked())
        self.assertEqual(page.inner_text(".ranking"), again.inner_text(".ranking"))
        page.go_back()
        self.assertIn("1 of 40 tasks left out", page.inner_text(".left-out-count"))
        self.assertTrue(box_of(page, tasks[1]).is_checked())
        again.click(".all-again")
        self.assertTrue(box_of(again, tasks[0]).is_checked())
        self.assertFalse(again.is_visible(".all-again"))
        self.assertNotIn("out=", again.url)

    def test_the_keyboard_reaches_it_and_stays(self):
        page = self.open()
        task = self.solved("agent-a")
        box = box_of(page, task)
        box.focus()
        top = box.bounding_box()["y"]
        page.keyboard.press("Space")
        self.assertFalse(box.is_checked())
        self.assertTrue(box.evaluate("e => e === document.activeElement"))
        self.assertAlmostEqual(box.bounding_box()["y"], top, delta=2)
        page.keyboard.press("Tab")
        self.assertEqual(page.evaluate("document.activeElement.textContent"), task)

    def test_it_counts_with_the_other_filters(self):
        page = self.open("#?metric=correct")
        page.fill("#search", "softmax")
        before = self.correct(page, "agent-c")
        task = next(task for task in self.tasks(page) if box_of(page, task).is_enabled())
        box_of(page, task).uncheck()
        self.assertEqual(self.correct(page, "agent-c")[1], before[1] - 1)
        self.assertEqual(page.input_value("#search"), "softmax")
        page.click(".filters button:text-is('Reset')")
        self.assertFalse(page.is_visible(".left-out-count"))

    def test_what_ranks_nobody_has_a_box_that_cannot_be_ticked(self):
        page = self.open("#?sort=desc.task")
        unranked = {row["task"] for row in self.report["results"] if not row["ranked"]}
        self.assertTrue(unranked)
        for task in unranked:
            box = box_of(page, task)
            self.assertTrue(box.is_disabled())
            self.assertFalse(box.is_checked())
            self.assertIn("does not depend", box.get_attribute("title"))

    def test_a_name_that_no_task_has_leaves_nothing_out(self):
        page = self.open("#?out=level1%2F999_none")
        self.assertEqual(page.locator(".rescored").count(), 0)
        self.assertFalse(page.is_visible(".left-out-count"))


class EveryTaskTest(PageCase):
    shape = (40, 2, 16)

    def test_with_no_task_left_nobody_has_a_score(self):
        tasks = [task["task"] for task in data_of(self.file)["boards"][0]["tasks"]]
        page = self.open("#?metric=penalised&out=" + "%0A".join(tasks))
        self.assertIn("40 of 40 tasks left out", page.inner_text(".left-out-count"))
        self.assertEqual(set(page.locator(".ranking td.strong").all_inner_texts()), {"–"})

    def test_the_picture_of_all_tasks_says_that_none_is_ticked(self):
        """Was: "No task matches these filters.", above a table of forty tasks."""
        tasks = [task["task"] for task in data_of(self.file)["boards"][0]["tasks"]]
        page = self.open("#?out=" + "%0A".join(tasks))
        self.assertEqual(page.inner_text("#dots p.note"), "No task is ticked.")
        self.assertEqual(self.open("#?q=none-of-them").inner_text("#dots p.note"), "No task matches these filters.")


if __name__ == "__main__":
    page_case.main()
