"""The program as a file: what it links, where it may stand, how it treats its streams."""

import re
import subprocess

import cli_case
from cli_case import INFRASTRUCTURE, KBENCH


class ProgramTest(cli_case.CliCase):
    def test_links_neither_libtorch_nor_cuda(self):
        listing = subprocess.run(["ldd", str(KBENCH)], capture_output=True, text=True, check=True)
        self.assertIn("libc.so", listing.stdout)  # it did list something
        # Without the addresses: one of them, 0x7eff9dc10000, reads like a library.
        linked = re.sub(r"\(0x[0-9a-f]+\)", "", listing.stdout)
        for library in ("torch", "c10", "cuda", "nvidia", "cudnn", "cublas"):
            self.assertNotIn(library, linked)

    def test_works_through_a_link_from_anywhere(self):
        link = self.folder / "kbench"
        link.symlink_to(KBENCH)
        result = self.kbench("tasks", "list", program=link)
        self.assert_good(result)
        self.assertIn("level1/019_relu", result.stdout)

    def test_results_that_cannot_be_written_are_a_failure(self):
        for words in [("tasks", "list"), ("tasks", "header", "019_relu"), ("--help",)]:
            with self.subTest(words=words), open("/dev/full", "w", encoding="ascii") as full:
                result = self.kbench(*words, stdout=full)
            self.assert_fails(result, INFRASTRUCTURE,
                              "error: standard output cannot be written: No space left on device",
                              "make room")
            self.assertNotIn("bug", result.stderr)
            self.assertEqual(result.stderr.count("kbench: "), 1, result.stderr)

    def test_results_stand_before_the_last_line(self):
        """Where both streams go to one file, as in a log of CI."""
        with open(self.folder / "log", "w+", encoding="utf-8") as log:
            subprocess.run([str(KBENCH), "tasks", "header", "019_relu"], stdout=log, stderr=log,
                           check=True)
            log.seek(0)
            lines = log.read().splitlines()
        self.assertRegex(lines[-1], "^kbench: task.h of ")
        self.assertEqual([line for line in lines[:-1] if line.startswith("kbench: ")], [])

    def test_quiet_success_says_nothing_on_stderr(self):
        result = self.kbench("tasks", "list", "-q")
        self.assert_good(result)
        self.assertEqual(result.stderr, "")

    def test_colour_is_decided_by_option_then_environment(self):
        def coloured(*words, **environment):
            return "\x1b[" in self.kbench("tasks", "list", *words, **environment).stdout

        self.assertFalse(coloured())  # a pipe
        self.assertTrue(coloured("--color", "always"))
        self.assertTrue(coloured("--color=always", NO_COLOR="1"))
        self.assertTrue(coloured(FORCE_COLOR="1"))
        self.assertFalse(coloured(FORCE_COLOR="1", NO_COLOR="1"))
        self.assertFalse(coloured("--color", "never", FORCE_COLOR="1"))

    def test_looking_writes_nothing(self):
        self.kbench("tasks", "list")
        self.kbench("tasks", "show", "019_relu")
        self.kbench("--version")
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    cli_case.main()
