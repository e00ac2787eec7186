"""A page of many files: it opens from disk, its links lead on, and it is written nowhere else."""

import json
import os
import subprocess

import page_case
from page_case import FOLDER, PageCase, data_of, make_page

TASK = "level1/002_batched_matrix_multiplication"
USAGE = 2


def site(folder, *words, database="run.sqlite"):
    variables = {**os.environ, "HOME": str(FOLDER), "XDG_STATE_HOME": str(FOLDER / "state")}
    return subprocess.run([os.environ["KBENCH"], "report", "html", "--db", FOLDER / database,
                           "--site", folder, "--trust-unchecked", *words], cwd=FOLDER, env=variables, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


def contents(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


class SiteTest(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.site = FOLDER / "site"
        written = site(cls.site)
        assert written.returncode == 0, written.stderr

    def visit(self, fragment="", file="index.html", **options):
        return self.open(fragment, file=self.site / file, **options)

    def test_a_file_for_each_task(self):
        files = contents(self.site)
        tasks = {row["task"] for row in self.report["results"]}
        self.assertEqual({f"tasks/{task}.html" for task in tasks},
                         {file for file in files if file.startswith("tasks/")})
        self.assertEqual([file for file in files if not file.startswith("tasks/")],
                         ["index.html", "kbench-site.json", "kbench.css", "kbench.js"])
        largest = max((self.site / file).stat().st_size for file in files)
        self.assertLess(largest, self.file.stat().st_size)

    def test_a_task_has_its_own_sources_alone(self):
        whole = data_of(self.file)["contents"]
        self.assertEqual(data_of(self.site / "index.html")["contents"], {})
        sources = set()
        for row in self.report["results"]:
            data = data_of(self.site / f"tasks/{row['task']}.html")
            own = {file["hash"] for one in self.report["results"] if one["task"] == row["task"]
                   for file in (one["sources"] or {"files": []})["files"]}
            own |= {task["source"] for board in data["boards"] for task in board["tasks"]
                    if "source" in task}
            self.assertEqual(set(data["contents"]), own & set(whole))
            sources |= set(data["contents"])
        self.assertEqual(sources, set(whole))

    def test_style_and_script_are_taken_from_beside_it(self):
        page = self.visit()
        self.assertEqual(page.locator("#static").count(), 0)
        self.assertIn("agent-a ranks first", page.inner_text("#headline"))
        self.assertEqual(page.evaluate("getComputedStyle(document.body).marginTop"), "0px")

    def test_from_the_index_to_a_task_and_its_neighbours(self):
        page = self.visit("#tasks?q=batched")
        page.click(".matrix tbody th a")
        page.wait_for_url(f"**/tasks/{TASK}.html*")
        self.assertEqual(page.inner_text("#task h1"), TASK)
        self.assertIn("largest error 0.0019, allowed 0.0012", page.inner_text("#task"))
        self.assertGreaterEqual(page.locator("#task .marks").count(), 2)
        page.click("text=Next")
        page.wait_for_url("**/003_matrix_vector_multiplication.html*")
        page.click("text=Previous")
        page.wait_for_url(f"**/tasks/{TASK}.html*")
        page.click("text=All results")
        page.wait_for_url("**/index.html#tasks*")
        self.assertEqual(page.input_value("#search"), "batched")
        page.go_back()
        self.assertEqual(page.inner_text("#task h1"), TASK)

    def test_addresses_of_the_one_file_page_go_on_working(self):
        page = self.visit(f"#{TASK}")
        page.wait_for_url(f"**/tasks/{TASK}.html*")
        self.assertEqual(page.inner_text("#task h1"), TASK)
        unknown = self.visit("#level9/nothing")
        self.assertIn('no task "level9/nothing"', unknown.inner_text("#task"))

    def test_what_is_chosen_goes_along(self):
        page = self.visit("#tasks?over=compiled&q=batched")
        page.click(".matrix tbody th a")
        page.wait_for_url("**over=compiled*")
        page.click("text=All results")
        page.wait_for_url("**over=compiled*")

    def test_without_a_script_links_lead_to_the_tasks(self):
        page = self.visit(java_script_enabled=False)
        page.click(f"nav a:text-is('{TASK}')")
        self.assertIn("wrong result", page.inner_text("#static"))

    def test_no_width_overflows(self):
        for width in (390, 1440):
            page = self.visit(file=f"tasks/{TASK}.html", width=width)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)


class SiteFolderTest(PageCase):
    def test_written_again_it_loses_what_is_no_more(self):
        folder = FOLDER / "again"
        make_page("few", 5, 2, 2)
        self.assertEqual(site(folder).returncode, 0)
        self.assertEqual(site(folder, database="few.sqlite").returncode, 0)
        self.assertEqual(len([file for file in contents(folder) if file.startswith("tasks/")]), 5)
        self.assertFalse(any(path.is_dir() and not list(path.iterdir())
                             for path in folder.rglob("*")))

    def test_what_is_no_site_is_left_alone(self):
        folder = FOLDER / "mine"
        folder.mkdir()
        (folder / "thesis.txt").write_text("mine", encoding="utf-8")
        refused = site(folder)
        self.assertEqual(refused.returncode, USAGE, refused.stderr)
        self.assertIn("neither empty nor a site", refused.stderr)
        self.assertEqual(contents(folder), ["thesis.txt"])
        (folder / "kbench-site.json").write_text('{"made_by": "me", "files": []}', encoding="utf-8")
        self.assertEqual(site(folder).returncode, USAGE)

    def test_a_manifest_removes_nothing_but_pages_of_tasks(self):
        folder = FOLDER / "planted"
        (folder / "tasks").mkdir(parents=True)
        victim = FOLDER / "victim.html"
        for file in (victim, folder / "notes.html"):
            file.write_text("mine", encoding="utf-8")
        names = ["../victim.html", "tasks/../../victim.html", "notes.html", str(victim),
                 "tasks/../notes.html"]
        (folder / "kbench-site.json").write_text(
            json.dumps({"made_by": "kbench report html --site", "files": names}), encoding="utf-8")
        self.assertEqual(site(folder).returncode, 0)
        self.assertTrue(victim.exists())
        self.assertTrue((folder / "notes.html").exists())

    def test_a_link_leads_nowhere_else(self):
        folder, other = FOLDER / "linked", FOLDER / "elsewhere"
        other.mkdir()
        self.assertEqual(site(folder, database="few.sqlite" if (FOLDER / "few.sqlite").exists()
                              else "run.sqlite").returncode, 0)
        (folder / "tasks").rename(FOLDER / "moved")
        (folder / "tasks").symlink_to(other)
        self.assertEqual(site(folder).returncode, USAGE)
        self.assertEqual(contents(other), [])

    def test_a_missing_parent_and_a_file_are_refused(self):
        self.assertEqual(site(FOLDER / "no/where").returncode, USAGE)
        file = FOLDER / "file.txt"
        file.write_text("mine", encoding="utf-8")
        self.assertEqual(site(file).returncode, USAGE)
        self.assertEqual(site(FOLDER / "new", "--output", "x.html").returncode, USAGE)

    def test_other_formats_are_written_beside_it(self):
        folder = FOLDER / "both"
        self.assertEqual(site(folder, "--out", f"csv={FOLDER / 'both.csv'}").returncode, 0)
        self.assertTrue((FOLDER / "both.csv").exists())
        self.assertTrue((folder / "index.html").exists())


class HostileSiteTest(PageCase):
    shape = (30, 5, 8, "hostile")

    def test_names_stay_names(self):
        folder = FOLDER / "hostile"
        self.assertEqual(site(folder, database=f"{self.file.stem}.sqlite").returncode, 0)
        for file in ("index.html", f"tasks/{TASK}.html"):
            page = self.open(file=folder / file)
            self.assertIn("kbench results", page.title())
            self.assertEqual(page.locator("main img, main script").count(), 0)
            self.assertIn("<img src=x onerror", page.inner_text("main"))


if __name__ == "__main__":
    page_case.main()
