"""Sources on the page: shown as they are, coloured, compared line by line, and never obeyed."""

import json
import pathlib
import random
import re

import page_case
from page_case import PageCase, data_of

MODULES = pathlib.Path(__file__).parents[2] / "reports/page/assets/page"
FIRST = "level1/001_square_matrix_multiplication"
VARIANTS = "level1/003_matrix_vector_multiplication"


def longest_common(a, b):
    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, one in enumerate(a):
        for j, other in enumerate(b):
            lengths[i + 1][j + 1] = (lengths[i][j] + 1 if one == other
                                     else max(lengths[i][j + 1], lengths[i + 1][j]))
    return lengths[-1][-1]


class ModuleCase(PageCase):
    """Functions of a module, called by themselves."""

    def call(self, module, function, *arguments):
        text = re.sub(r"^export ", "", (MODULES / f"{module}.js").read_text("utf-8"), flags=re.M)
        # As text: a list takes Playwright some seconds for each hundred thousand entries.
        made = self.blank().evaluate(
            f"(all) => {{ {text}; return JSON.stringify(JSON.parse(all).map((a) => {function}(...a))); }}",
            json.dumps(arguments))
        return json.loads(made)

    def blank(self):
        if not hasattr(self, "tab"):
            self.tab = self.context().new_page()
        return self.tab


class DiffTest(ModuleCase):
    def assert_leads_from_one_to_the_other(self, a, b, made):
        self.assertEqual([a[i] for sign, i, _ in made if sign != "+"], a)
        self.assertEqual([b[j] for sign, _, j in made if sign != "-"], b)
        for sign, i, j in made:
            self.assertEqual((i is None, j is None), (sign == "+", sign == "-"))
            if sign == " ":
                self.assertEqual(a[i], b[j])

    def test_it_is_the_shortest(self):
        dice = random.Random(7)
        lists = [[dice.choice("abc") for _ in range(dice.randrange(12))] for _ in range(3000)]
        pairs = list(zip(lists[::2], lists[1::2]))
        for (a, b), made in zip(pairs, self.call("diff", "diffLines", *pairs)):
            self.assert_leads_from_one_to_the_other(a, b, made)
            changes = sum(sign != " " for sign, _, _ in made)
            self.assertEqual(changes, len(a) + len(b) - 2 * longest_common(a, b), (a, b))

    def test_beyond_the_bound_one_follows_the_other(self):
        a, b = ["same", *"abcdef", "end"], ["same", *"ghijkl", "end"]
        (made,) = self.call("diff", "diffLines", (a, b, 5))
        self.assert_leads_from_one_to_the_other(a, b, made)
        self.assertEqual("".join(sign for sign, _, _ in made), " ------++++++ ")

    def test_large_files_keep_nobody_waiting(self):
        # The bound shows by the line in common that it does not find. Without a bound the search would
        # remember several gigabytes, and take minutes.
        a, b = ([*(f"{name} {i}" for i in range(20_000)), "same", f"{name}'s end"] for name in "ab")
        (made,) = self.call("diff", "diffLines", (a, b))
        self.assertEqual("".join(sign for sign, _, _ in made), "-" * 20_002 + "+" * 20_002)


class HighlightTest(ModuleCase):
    def kinds(self, text, path):
        (lines,) = self.call("highlight", "highlight", (text, path))
        self.assertEqual("\n".join("".join(part for _, part in line) for line in lines), text)
        return [(kind, part) for line in lines for kind, part in line if kind]

    def test_cuda(self):
        self.assertEqual(
            self.kinds('#include "task.h"\n__global__ void f(int x2) {  // a "b"\n'
                       '  return 0x1p-3f + 1\'000; /* if\n   for */ }', "x.cu"),
            [("macro", "#include"), ("string", '"task.h"'), ("keyword", "__global__"),
             ("keyword", "void"), ("keyword", "int"), ("comment", '// a "b"'), ("keyword", "return"),
             ("number", "0x1p-3f"), ("number", "1'000"), ("comment", "/* if"),
             ("comment", "   for */")])

    def test_strings(self):
        self.assertEqual(self.kinds('a = "x\\"// y"; b = R"z(" // )z"; c = \'"\';', "x.cpp"),
                         [("string", '"x\\"// y"'), ("string", 'R"z(" // )z"'), ("string", "'\"'")])

    def test_python(self):
        self.assertEqual(
            self.kinds('"""if\n1"""\n@torch.jit.script\ndef f(x): return 1e-5  # "no"\n', "x.py"),
            [("string", '"""if'), ("string", '1"""'), ("macro", "@torch.jit.script"),
             ("keyword", "def"), ("keyword", "return"), ("number", "1e-5"), ("comment", '# "no"')])

    def test_what_never_ends_is_taken_once(self):
        for text in ['R"(' * 60_000, "/*" * 90_000, '"' * 180_000, "'\\" * 90_000, "#" * 180_000,
                     "1e+" * 60_000, " " * 180_000]:
            with self.subTest(text=text[:6]):
                self.kinds(text, "x.cu")
        self.kinds('"""' * 60_001, "x.py")


# Twice: what is opened holds more of them.
OPEN_ALL = """() => [1, 2].forEach(() => document.querySelectorAll("main details").forEach((one) => {
  one.open = true;
  one.dispatchEvent(new Event("fill"));
}))"""


class ShownTest(PageCase):
    def open_source(self, page, name):
        page.click(f'details.source > summary:has-text("{name}") >> visible=true >> nth=0')
        return page.locator(f'pre.code[aria-label="{name}"]').first

    def test_a_submission_is_shown_as_it_was_compiled(self):
        page = self.open(f"#{FIRST}")
        name = "001_square_matrix_multiplication.cu"
        code = self.open_source(page, name)
        shown = code.inner_text()
        self.assertIn("__global__ void kernel(const float* in, float* out, long n) {", shown)
        self.assertGreater(code.locator(".code-keyword").count(), 40)
        self.assertEqual(code.locator(".code-comment").nth(1).inner_text(), "/* one")
        stored = data_of(self.file)["contents"].values()
        self.assertIn(code.text_content(), stored)

    def test_shared_headers_and_the_task_are_there(self):
        page = self.open(f"#{FIRST}")
        self.assertIn("constexpr int kWidth = 4;",
                      self.open_source(page, "include/tile.cuh").inner_text())
        page.click("text=What is computed")
        task = page.locator(f'pre.code[aria-label="{FIRST}.py"]')
        self.assertIn("class Model(nn.Module):", task.inner_text())
        self.assertEqual(task.locator(".code-keyword").all_inner_texts()[:3],
                         ["import", "from", "import"])

    def test_rows_without_sources_say_so(self):
        page = self.open("#level1/007_relu")
        self.assertIn("No sources are stored for this row.", page.inner_text("#task"))
        self.assertIn("kbench run --task level1/007_relu", page.inner_text("#task"))
        self.assertEqual(page.locator("text=Compare sources").count(), 0)

    def test_two_variants_are_compared_line_by_line(self):
        page = self.open(f"#{VARIANTS}")
        page.select_option('select[aria-label="From"]', label=f"agent-a (agent-a/{VARIANTS}.cu)")
        page.select_option('select[aria-label="to"]',
                           label=f"agent-a@tiled (agent-a/{VARIANTS}@tiled.cu)")
        self.assertEqual(page.locator('select[aria-label="to"] option[disabled]').all_inner_texts(),
                         [f"agent-a (agent-a/{VARIANTS}.cu)"], "a file is not offered against itself")
        self.assertIn("2 lines added, 0 removed", page.inner_text("#task"))
        self.assertEqual(page.locator("tr.added td.text").all_inner_texts(),
                         ["  __shared__ float tile[256];", "  tile[threadIdx.x] = 0;"])
        self.assertEqual(page.locator("tr.removed").count(), 0)
        self.assertIn("The same in both.", page.inner_text("#task"))
        self.assertLess(page.locator("tr.same").count(), 10)
        self.assertRegex(page.inner_text("tr.skipped >> nth=-1"), r"\d+ lines the same")
        again = self.open(page.url[page.url.index("#"):])
        self.assertIn("2 lines added, 0 removed", again.inner_text("#task"))
        again.click("text=Next")
        self.assertNotIn("diff=", again.url)

    def test_no_width_overflows_and_axe_finds_nothing_serious(self):
        try:
            from axe_playwright_python.sync_playwright import Axe
        except ImportError:
            self.skipTest("no axe-playwright-python")
        for width, scheme in ((390, "light"), (1440, "dark")):
            page = self.open(f"#{VARIANTS}", width=width, color_scheme=scheme)
            page.select_option('select[aria-label="to"]', index=2)
            page.evaluate(OPEN_ALL)
            self.assertGreaterEqual(page.locator("pre.code").count(), 3)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
            # Axe takes seconds for each thousand words of code; two submissions have all their colours.
            page.evaluate("""() => document.querySelectorAll(
                "details.entry ~ details.entry ~ details.entry").forEach((one) => { one.open = false; })""")
            serious = [(one["id"], [node["target"] for node in one["nodes"]][:4])
                       for one in Axe().run(page).response["violations"]
                       if one["impact"] in ("serious", "critical")]
            self.assertEqual(serious, [])


class HostileSourcesTest(PageCase):
    shape = (30, 5, 8, "hostile")

    def test_they_are_shown_and_do_nothing(self):
        seen = ""
        page = self.open(width=390)
        for task in [one["task"] for one in data_of(self.file)["boards"][0]["tasks"]][:6]:
            self.show(page, f"#{task}", f'#task h1:has-text("{task}")')
            page.evaluate(OPEN_ALL)
            seen += page.inner_text("#task")
            self.assertIn("kbench results", page.title())
            self.assertNotIn("owned", page.title())
            self.assertEqual(page.locator("main img, main script").count(), 0)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
        for text in ("</script><script>document.title='owned'</script>", r"\u202e txt", r"\x1b[31m",
                     r"\x0d", r"// \xff\xfe \xc0\x80 \x00 end", "${document.title='owned'}", "w" * 10_000):
            self.assertIn(text, seen)
        for character in "\u202e\u2028\x1b\x00\x07":
            self.assertNotIn(character, seen)

    def test_they_can_be_compared(self):
        page = self.open(f"#{FIRST}", width=390)
        for index in range(2, 5):
            page.select_option('select[aria-label="to"]', index=index)
            self.assertIn("added", page.inner_text("#task"))
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)


class LeftOutTest(PageCase):
    def test_what_would_make_the_page_too_large_has_its_command(self):
        def change(data):
            names = [field["name"] for field in data["fields"]]
            for row, details in zip(data["rows"], data["details"]):
                if row[names.index("task")] == FIRST:
                    details["sources"] = "kbench sources 5eed --task x --out sources"
            data["contents"] = {}
        page = self.open(f"#{FIRST}", file=self.altered(change))
        text = page.inner_text("#task")
        self.assertRegex(text, r"multiplication.cu is not on this page.*: \d+ KiB")
        self.assertIn("kbench sources 5eed --task x --out sources", text)
        self.assertIn("What the task is made of is not on this page", text)
        page.select_option('select[aria-label="to"]', index=2)
        self.assertGreater(page.inner_text("#task").count("is not on this page"), 4)


if __name__ == "__main__":
    page_case.main()
