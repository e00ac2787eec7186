"""data/container: the recipes are what their programs read, by the grammar of their formats, and take the same steps.

There is no container runtime here, so no image is built. StepsTest takes the Containerfile's steps in a bare
Debian instead (third_party/clean-room): it builds kbench and downloads PyTorch, so it is slow, and is skipped where
that needs root or debootstrap.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPES = ROOT / "data/container"
INSTRUCTIONS = {"ARG", "FROM", "COPY", "RUN", "ENV", "VOLUME", "WORKDIR", "ENTRYPOINT", "CMD"}
SECTIONS = {"arguments", "help", "files", "post", "runscript", "test"}


def instructions(text):
    """[(instruction, rest)] of a Containerfile, continued lines joined."""
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line.strip()]


def sections(text):
    """{name: lines} of an Apptainer definition; "" is its head."""
    found, name = {"": []}, ""
    for line in text.splitlines():
        begin = re.match(r"%(\w+)\s*$", line)
        if begin:
            name = begin[1]
            found[name] = []
        elif line.strip() and not line.strip().startswith("#"):
            found[name].append(line.strip())
    return found


def as_script(container, tree, words):
    """A shell's script that does what a builder does with these instructions, and what a run of `words` does with the
    image. The context of the build lies in `tree`."""
    lines, entry, command = ["set -euo pipefail"], [], []
    for name, rest in container:
        if name == "COPY":
            source, target = rest.split()
            lines.append(f"mkdir -p {target} && cp -a {tree}/{source} {target}")
        elif name == "RUN":  # `set -e` does not end where the first of `a && b` fails
            lines.append(f"{{ {rest}; }} || exit 1")
        elif name == "ENV":
            lines.append("export " + rest)
        elif name == "VOLUME":
            lines.append("mkdir -p " + shlex.join(json.loads(rest)))
        elif name == "WORKDIR":
            lines.append(f"mkdir -p {rest} && cd {rest}")
        elif name == "ENTRYPOINT":
            entry = json.loads(rest)
        elif name == "CMD":
            command = json.loads(rest)
    lines.append(shlex.join(entry + command))
    return "\n".join([*lines, *(shlex.join([*entry, *more]) for more in words)]) + "\n"


class FilesTest(unittest.TestCase):
    def setUp(self):
        self.container = instructions((RECIPES / "Containerfile").read_text("utf-8"))
        self.apptainer = sections((RECIPES / "kbench.def").read_text("utf-8"))

    def rest(self, name):
        return [rest for instruction, rest in self.container if instruction == name]

    def test_the_containerfile_has_known_instructions_in_a_possible_order(self):
        names = [name for name, _ in self.container]
        self.assertLessEqual(set(names), INSTRUCTIONS)
        self.assertEqual(names[:2], ["ARG", "FROM"])
        self.assertEqual(self.rest("ARG"), ["BASE=docker.io/library/debian:12"])
        self.assertEqual(self.rest("FROM"), ["${BASE}"])
        for name in ("VOLUME", "ENTRYPOINT", "CMD"):
            for value in self.rest(name):
                self.assertTrue(all(isinstance(word, str) for word in json.loads(value)), value)
        self.assertIn(self.rest("WORKDIR")[0], json.loads(self.rest("VOLUME")[0]))

    def test_both_take_the_same_steps(self):
        (run,) = self.rest("RUN")
        self.assertEqual(" && ".join(self.apptainer["post"]), run)
        (copied,) = self.rest("COPY")
        source, target = copied.split()
        self.assertEqual(source, ".")
        script = pathlib.PurePath(run.split()[0]).relative_to(target)
        self.assertTrue(os.access(ROOT / script, os.X_OK), script)
        (files,) = self.apptainer["files"]
        self.assertEqual(pathlib.PurePath(files.split()[1], pathlib.PurePath(files.split()[0]).name),
                         pathlib.PurePath(target))

    def test_its_steps_are_a_script(self):
        script = as_script(self.container, "~/kbench", [["run", "--task", "level1/019_relu"]])
        self.assertEqual(script.splitlines()[-2:], ["kbench doctor", "kbench run --task level1/019_relu"])
        for part in ("cp -a ~/kbench/. /opt/kbench-source", "/opt/kbench-source/data/container/install && rm -rf",
                     "export XDG_STATE_HOME=/state XDG_CACHE_HOME=/cache", "mkdir -p /work /state /cache",
                     "mkdir -p /work && cd /work"):
            self.assertIn(part, script)
        self.assertEqual(subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode, 0)

    def test_the_definition_has_known_sections(self):
        self.assertEqual(set(self.apptainer) - {""}, SECTIONS)
        self.assertEqual(dict(line.split(": ", 1) for line in self.apptainer[""]),
                         {"Bootstrap": "docker", "From": "{{ BASE }}"})
        (base,) = self.apptainer["arguments"]
        self.assertEqual("BASE=docker.io/library/" + base.split("=")[1], self.rest("ARG")[0])

    def test_the_script_is_clean(self):
        script = RECIPES / "install"
        self.assertEqual(subprocess.run(["bash", "-n", script], check=False).returncode, 0)
        shellcheck = ROOT / ".venv/bin/shellcheck"
        if not shellcheck.exists():
            self.skipTest("there is no shellcheck")
        result = subprocess.run([shellcheck, script], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_the_page_names_the_images_and_only_tracked_files_are_sent(self):
        page = (ROOT / "data/docs/install.md").read_text("utf-8")
        recipe = (RECIPES / "Containerfile").read_text("utf-8")
        cuda = re.search(r"BASE=(\S+cuda:\S+)", recipe)[1]
        self.assertIn(cuda, page)
        self.assertIn(cuda.removeprefix("docker.io/"), (RECIPES / "kbench.def").read_text("utf-8"))
        self.assertEqual(recipe.count("git archive HEAD"), 2)


class StepsTest(unittest.TestCase):
    def test_kbench_is_there_and_runs(self):
        container = instructions((RECIPES / "Containerfile").read_text("utf-8"))
        script = as_script(container, "~/kbench", [["run", "--task", "level1/019_relu"]])
        with tempfile.TemporaryDirectory(prefix="kbench-container-") as folder:
            made = subprocess.run([ROOT / "third_party/clean-room", "--root", f"{folder}/room", "--", "bash", "-c", script],
                                  stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stdout[-4000:])
        self.assertRegex(made.stdout, r"(?m)^(PASS|CAUTION) ")
        self.assertNotRegex(made.stdout, r"(?m)^FAIL ")
        self.assertRegex(made.stdout, r"level1/019_relu")


if __name__ == "__main__":
    if "FilesTest" not in sys.argv and (os.geteuid() != 0 or not shutil.which("debootstrap")):
        print("skipped: a bare Debian needs root and debootstrap")
        sys.exit(77)
    unittest.main(verbosity=2)
