"""Common parts of the tests of the page: pages made of generated runs, and one browser to open them in.

KBENCH and MAKE_RUNS name the programs; tests/page/CMakeLists.txt sets both. Without Playwright or
Chromium there is nothing to test: exit code 77.
"""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    print("skipped: no Playwright in this Python")
    sys.exit(77)

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
                None)
if CHROMIUM is None:
    print("skipped: there is no Chromium here")
    sys.exit(77)

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="kbench-page-"))
# Milliseconds that a wait for a state of the page may take. Nothing takes as long, but on a busy machine.
DEADLINE = 120_000
ROW = 34  # pixels; as in reports/page/assets/page/matrix.js
# The address bar's popups are two pages of Chromium's own, made anew in each context: a second of processor time.
# Chromium goes by the last such option, so what Playwright switches off stands here as well.
WITHOUT_FEATURES = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
                    "AimEnabled", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose",
                    "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay", "MediaRouter",
                    "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch",
                    "ThirdPartyStoragePartitioning")


def run(*words):
    variables = {**os.environ, "HOME": str(FOLDER), "XDG_STATE_HOME": str(FOLDER / "state")}
    return subprocess.run([str(word) for word in words], cwd=FOLDER, env=variables, check=True,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout


# Generated runs have no chain.
UNCHAINED = "--trust-unchecked"


def make_page(name, *shape):
    """The page of a generated run, made once; with it what `kbench report json` says of the run."""
    page = FOLDER / f"{name}.html"
    if not page.exists():
        database = FOLDER / f"{name}.sqlite"
        run(os.environ["MAKE_RUNS"], database, *shape)
        run(os.environ["KBENCH"], "report", "html", "--db", database, "--output", page,
            UNCHAINED)
        report = run(os.environ["KBENCH"], "report", "json", "--db", database, UNCHAINED)
        (FOLDER / f"{name}.json").write_text(report, encoding="utf-8")
    return page, json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def data_of(page):
    """The inline JSON of a page."""
    text = page.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found.group(1))


@functools.cache
def browser():
    """Chromium, launched by the first test of a file that asks, for all of the file."""
    playwright = sync_playwright().start()
    unittest.addModuleCleanup(playwright.stop)
    launched = playwright.chromium.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                                        f"--disable-features={','.join(WITHOUT_FEATURES)}"])
    unittest.addModuleCleanup(launched.close)
    return launched


class PageCase(unittest.TestCase):
    shape = ()

    @classmethod
    def setUpClass(cls):
        cls.file, cls.report = make_page("-".join(["run", *map(str, cls.shape)]), *cls.shape)

    def context(self, **options):
        """Storage that a browser keeps for one visitor: no test sees what another left."""
        context = browser().new_context(**options)
        self.addCleanup(context.close)
        context.set_default_timeout(DEADLINE)
        return context

    def open(self, fragment="", width=1440, height=900, file=None, **options):
        """A page of its own; whatever it complains about fails the test."""
        page = self.context(viewport={"width": width, "height": height}, **options).new_page()
        self.complaints = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self.complaints.append(message.text)
                if message.type in ("error", "warning") else None)
        page.on("request", lambda request: self.complaints.append(request.url)
                if not request.url.startswith(("file:", "blob:", "data:")) else None)
        page.goto((file or self.file).as_uri() + fragment)
        self.assertEqual(self.complaints, [])  # at once: nothing that a test waits for would come
        self.addCleanup(lambda: self.assertEqual(self.complaints, []))
        return page

    def show(self, page, fragment, section):
        """Goes to another part of what is open, and waits until `section` is there."""
        page.goto(page.url.split("#")[0] + fragment)
        page.locator(section).wait_for()

    def unfold(self, details):
        """Opens what is made when it is opened: the page hears of that after the click, not in it."""
        details.locator("> summary").click()
        details.locator("> :nth-child(2)").wait_for()

    def wait_until(self, page, state):
        """Waits until `state`, an expression of JavaScript, is true.

        Playwright looks again at a function, but evaluates a text again, which the page's policy forbids: a wait
        for a text fails as soon as it has to wait.
        """
        page.wait_for_function(f"() => {state}")

    def scroll(self, page, top):
        """Scrolls the matrix, and waits until the first and the last row in sight there exist."""
        page.evaluate("top => { document.querySelector('.matrix-box').scrollTop = top; }", top)
        page.wait_for_function("""height => {
          const box = document.querySelector('.matrix-box');
          const count = box.querySelector('.matrix').getAttribute('aria-rowcount') - 1;
          const first = Math.floor(box.scrollTop / height);
          const last = Math.min(count, first + Math.ceil(box.clientHeight / height)) - 1;
          const made = [...box.querySelectorAll('tbody tr:not(.spacer)')]
            .map(row => row.getAttribute('aria-rowindex') - 2);
          return made.includes(first) && made.includes(last);
        }""", arg=ROW)

    def altered(self, change):
        """The address of the page with other data: `change` gets the inline JSON."""
        data = data_of(self.file)
        change(data)
        text = json.dumps(data).replace("<", "\\u003c")
        begin = '<script type="application/json" id="data">'
        before, rest = self.file.read_text(encoding="utf-8").split(begin, 1)
        file = FOLDER / f"{self.id()}.html"
        file.write_text(before + begin + text + rest[rest.index("</script>"):], encoding="utf-8")
        return file

    def board(self):
        return data_of(self.file)["boards"][0]

    def choose(self, page, metric):
        page.check(f'input[name="metric"][value="{metric}"]', force=True)

    def tasks(self, page):
        """The tasks in the rows of the matrix that exist, from top to bottom."""
        return page.eval_on_selector_all(".matrix tbody th", "all => all.map(e => e.textContent)")

    def best(self, agent):
        """The report's row of each task, of an agent without variants."""
        return {row["task"]: row for row in self.report["results"]
                if row["agent"] == agent and not row["variant"]}


def main():
    outcome = unittest.main(verbosity=2, exit=False)
    shutil.rmtree(FOLDER, ignore_errors=True)
    sys.exit(not outcome.result.wasSuccessful())
