#!/usr/bin/env python3
"""Evaluates the corpus of cheats and their honest twins with the real program.

    run_corpus.py --device cpu|cuda[:N]|python|python-cuda[:N] [--kbench PROGRAM] [--size small|full]
                  [--only GLOB] [--keep FILE] [--short [--part alone|beside]]
    run_corpus.py --device cpu|cuda[:N] --weakened PROGRAM [--size small|full] [--only GLOB] [--keep FILE]

What is expected of each cheat stands in the tables of README.md beside this file. Prints a line for each
submission that surprises and a summary; exits with 0 if every cheat was caught in a state that its table
names, every honest twin is ok and nothing is left behind, with 1 if not, with 3 if the corpus itself or
kbench is at fault. A row that surprises and was measured on a busy machine tells nothing: it is measured
again, at most three times, and then named; where nothing else surprised the exit code is 77.

With --short, what checks alone catch is judged by `kbench run --checks-only`, on tasks of tests/tiny where
time plays no part, and so is each honest twin but for a few: what continuous integration runs. Those that are
only checked are the part that may run beside other programs, `beside`; those that are timed are the part `alone`.

With --weakened, the kbench of build/release/weakened runs each cheat without the defences that the table's
last column names, and every cheat has to be ok: then it was these that caught it.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import leftovers

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "cli"))

import quiet  # noqa: E402  (the folder is known only now)

# "python" and "python-cuda" are no devices of kbench's: these run on the CPU and on CUDA.
SUFFIX = {"cpu": ".cpp", "cuda": ".cu", "python": ".py", "python-cuda": ".py"}
HEADING = {"cpu": "## On the CPU", "cuda": "## On CUDA", "python": "## In Python, on the CPU",
           "python-cuda": "## In Python, on CUDA"}
# Python cheats that only a GPU has, by the start of their names, and those that are tried on both devices.
ONLY_ON_CUDA = "python_cuda_"
ON_BOTH = {
    "python_asks_the_network", "python_blames_the_harness", "python_caches_by_identity",
    "python_caches_by_shape", "python_claims_a_shape", "python_computes_in_half",
    "python_computes_into_the_arena", "python_computes_when_it_is_collected", "python_does_half_of_the_work",
    "python_draws_its_own_weights", "python_forks_a_helper", "python_ignores_a_parameter",
    "python_infinity_as_wildcard", "python_leaves_a_mode_entered", "python_lies_about_its_order",
    "python_loads_its_own_library", "python_nan_as_wildcard",
    "python_reads_the_reference", "python_replaces_the_player", "python_returns_its_input",
    "python_says_loaded_while_imported", "python_skips_every_fifth_call",
    "python_skips_once_trusted",
}
TINY = HERE.parent / "tiny"
DEFENCES = HERE.parents[1] / "runner" / "core" / "defence_names.cpp"
# Cheats that take cores which are there only if they get less than the machine has.
ON_ONE_CORE = {"takes_more_cores"}
# Cheats that hide less time than --quick grants of so few calls.
RANKED = {"ends_behind_the_end_event"}
# Cheats that checks alone do not catch: they behave until they are trusted, in the calls between the blocks,
# or against the clock.
TIMED = {
    "detects_the_checks_by_counting", "rounds_once_trusted", "rounds_operands_once_trusted",
    "skips_every_fifth_call", "skips_the_warm_ups", "takes_more_cores",
}
# Cheats that go on beside or between calls, in threads, processes or timers. On a small task they are through
# before anybody compares what they wrote, and nothing is wrong: they are checked on the shipped one.
GO_ON = {
    "arms_timers_between_calls", "burns_cores_between_calls", "clones_a_hidden_process",
    "continues_itself_by_a_timer", "continues_the_stopped_worker", "continues_without_a_leader",
    "finishes_in_a_signal_handler", "finishes_in_a_thread_after_done", "forks_in_a_constructor",
    "hides_a_library_behind_a_dead_leader", "leaves_a_daemon", "naps_between_its_runs",
    "runs_a_little_in_every_stop", "says_done_before_the_work", "says_done_from_a_thread", "starts_before_go",
    "streams_memory_between_calls", "works_while_it_is_stopped",
}
# Honest twins that --short times: of what is caught by a clock or between the calls, above all.
TIMED_TWINS = {
    "burns_cores_between_calls", "rounds_once_trusted", "says_done_before_the_work", "skips_every_fifth_call",
    "takes_more_cores", "works_while_it_is_stopped",
}
# They, and their twins, are judged as submissions that may not compute with torch.
WITHOUT_TORCH = {"python_calls_a_blas", "python_calls_torch", "python_computes_with_numpy", "python_hides_torch",
                 "python_idles_once_stopped", "python_redispatches", "python_wraps_torch"}
# Cheats that race with whoever reads their outputs, and what they leave for later. With the defences that has to
# be left however busy a core is; without them the cheat has to be through before the outputs are read.
LEFT_FOR_LATER = {"works_while_it_is_stopped": ("kPause = 1000", "kPause = 0"),
                  "finishes_in_a_thread_after_done": ("kLate{100}", "kLate{0}")}
VARIABLE = "KBENCH_WITHOUT"  # what the weakened programs read
# Cheats for which no defence can be switched off, and cheats that nobody has seen pass.
NO_DEFENCE = {"construction", "unproven"}


class CorpusError(Exception):
    """The corpus contradicts its table, or kbench did not run."""


class Row:
    """One row of the table of cheats."""

    def __init__(self, states, without):
        self.states = set(states.split(", "))
        self.without = tuple(sorted(name.strip() for name in without.split(",")))

    @property
    def has_defence(self):
        return NO_DEFENCE.isdisjoint(self.without)


def known_defences():
    """The names by which defences are switched off; a misspelt one would switch off nothing."""
    names = set(re.findall(r'return "([a-z_]+)";', DEFENCES.read_text(encoding="utf-8")))
    if not names:
        raise CorpusError(f"no defence is named in {DEFENCES}")
    return names


def read_table(device):
    """{cheat: Row}, from the README's table for the device."""
    text = (HERE / "README.md").read_text(encoding="utf-8")
    _, found, rest = text.partition(HEADING[device] + "\n")
    if not found:
        raise CorpusError(f"README.md has no section \"{HEADING[device]}\"")
    known = known_defences()
    lines = rest.split("\n## ")[0].splitlines()
    return dict(read_row(line, known) for line in lines if line.startswith("| `"))


def read_row(line, known):
    cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
    name = cells[0].strip("`")
    if len(cells) != 5:
        raise CorpusError(f"README.md: the row of {name} has {len(cells)} columns, not 5; the last one "
                          "says without which defences it passes")
    row = Row(cells[3], cells[4])
    unknown = set(row.without) - known - NO_DEFENCE
    if unknown:
        raise CorpusError(f"README.md: the row of {name} names {', '.join(sorted(unknown))}, which "
                          f"{DEFENCES.name} does not")
    if not row.has_defence and len(row.without) > 1:
        raise CorpusError(f"README.md: the row of {name} names defences and none of them at once")
    return name, row


def is_for(agent, device):
    """True for a cheat that is tried on that device."""
    if device == "python":
        return not agent.startswith(ONLY_ON_CUDA)
    return device != "python-cuda" or agent.startswith(ONLY_ON_CUDA) or agent in ON_BOTH


def submissions(kind, device):
    """{agent: tasks} of the sources for the device."""
    agents = {}
    for source in sorted((HERE / kind).glob("*/level*/*")):
        sources = source.rglob("*") if source.is_dir() else [source]
        if not is_for(source.parent.parent.name, device):
            continue
        if any(file.suffix == SUFFIX[device] for file in sources):
            task = f"{source.parent.name}/{source.stem.partition('@')[0]}"
            agents.setdefault(source.parent.parent.name, []).append(task)
    return agents


def check_corpus(device):
    """Every cheat has a row and a twin, and the other way round."""
    rows = set(read_table(device))
    cheats, honest = (set(submissions(kind, device)) for kind in ("cheat", "honest"))
    for name in sorted(rows ^ cheats):
        raise CorpusError(f"{name} is only in the table" if name in rows else f"{name} has no row")
    for name in sorted(cheats ^ honest):
        raise CorpusError(f"{name} has no {'honest twin' if name in cheats else 'cheat'}")


def choose(kind, device, arguments):
    chosen = {name: tasks for name, tasks in submissions(kind, device).items()
              if fnmatch.fnmatch(name, arguments.only)}
    if not chosen:
        raise CorpusError(f"nothing matches {arguments.only}")
    return chosen


def evaluate(kind, chosen, arguments, folder, without=()):
    """The rows of the chosen submissions of a kind."""
    def some(names):
        return {name: chosen[name] for name in chosen if name in names}

    timed = chosen.keys()
    if arguments.short:
        timed = timed & (TIMED if kind == "cheat" else TIMED_TWINS)
    usual = timed - ON_ONE_CORE - RANKED - WITHOUT_TORCH
    checked = chosen.keys() - timed
    shipped = checked & GO_ON if kind == "cheat" else set()
    tiny = checked - shipped
    on_tiny = ["--checks-only", "--suite", str(TINY)]
    alone = [(some(usual), None, ["--quick"]),
             (some(timed & ON_ONE_CORE), {min(os.sched_getaffinity(0))}, ["--quick"]),
             (some(timed & WITHOUT_TORCH), None, ["--quick", "--allow-torch", "none"]),
             (some(timed & RANKED), None, [])]
    beside = [(some(shipped), None, ["--checks-only"]),
              (some(tiny - WITHOUT_TORCH), None, on_tiny),
              (some(tiny & WITHOUT_TORCH), None, [*on_tiny, "--allow-torch", "none"])]
    runs = {"alone": alone, "beside": beside, None: alone + beside}[arguments.part]
    return [row for group, cores, options in runs if group
            for row in run_kbench(kind, group, arguments, folder, without, cores, options)]


def kbench_device(device):
    """The name that kbench has for the device."""
    return "cpu" if device == "python" else device.removeprefix("python-")


def make_libraries(corpus):
    """Makes the files of submissions that are no source: nobody keeps these beside the others."""
    for script in corpus.rglob("make_library"):
        made = subprocess.run([str(script)], check=False)
        if made.returncode != 0:
            raise CorpusError(f"{script} ended with {made.returncode}")
        script.unlink()


def leave_less_for_later(submission, much, little):
    for source in submission.rglob("*.cpp"):
        text = source.read_text(encoding="utf-8")
        if much not in text:
            raise CorpusError(f"{source.name} of {submission.name} has no {much}")
        source.write_text(text.replace(much, little), encoding="utf-8")


def run_kbench(kind, chosen, arguments, folder, without, cores, options):
    """The rows of one `kbench run`, which sees these cores only, or all."""
    corpus = folder / f"{kind}-{len(list(folder.iterdir()))}"
    for name in chosen:
        shutil.copytree(HERE / kind / name, corpus / name)
        if without and name in LEFT_FOR_LATER:
            leave_less_for_later(corpus / name, *LEFT_FOR_LATER[name])
    make_libraries(corpus)
    command = [arguments.weakened or arguments.kbench, "run", "--device", kbench_device(arguments.device),
               *options, "--no-html", "--format", "json", "--submissions", str(corpus),
               "--db", str(arguments.keep or folder / "corpus.sqlite")]
    if arguments.size:
        command += ["--size", arguments.size]
    for task in sorted({task for tasks in chosen.values() for task in tasks}):
        command += ["--task", task]
    # No Python with torch under this name: the compiled baseline is not what is tested here.
    environment = {**os.environ, VARIABLE: ",".join(without)}
    if arguments.no_compiled and not arguments.device.startswith("python"):
        environment["KBENCH_TORCH"] = str(folder)
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment,
                            stdin=subprocess.DEVNULL, check=False,
                            preexec_fn=cores and (lambda: os.sched_setaffinity(0, cores)))
    if result.returncode not in (0, 1, 3) or not result.stdout:
        raise CorpusError(f"kbench run ended with {result.returncode}")
    rows = json.loads(result.stdout)["results"]
    missing = set(chosen) - {row["agent"] for row in rows}
    if missing:
        raise CorpusError(f"no row for {', '.join(sorted(missing))}")
    # A cheat that exists for both devices has a source for the other one, which is left out there.
    return [row for row in rows if row["agent"] in chosen and row["state"] != "skipped"]


def evaluate_weakened(chosen, table, arguments, folder):
    """One run for each set of defences that some cheats share, without these."""
    groups = {}
    for name, tasks in chosen.items():
        if table[name].has_defence:
            groups.setdefault(table[name].without, {})[name] = tasks
    if not groups:
        raise CorpusError(f"no row of {arguments.only} names a defence")
    return [row for without, group in sorted(groups.items())
            for row in evaluate("cheat", group, arguments, folder, without)]


def is_unknown(row):
    """Whether the machine left too little to see, so that the row ranks with no other."""
    unobserved = row["state"] == "ok" and "torch_unobserved" in (row.get("labels") or "").split()
    return quiet.is_busy(row) or unobserved


def evaluate_in_quiet(evaluate_some, chosen, wanted_of):
    """The rows of the chosen submissions; and of those that surprise, the ones about which nothing is known,
    because the machine was busy in three measurements."""
    rows = evaluate_some(chosen)
    for tries_left in reversed(range(quiet.MOST_TRIES)):
        unknown = [row for row in rows if row["state"] not in wanted_of(row["agent"]) and is_unknown(row)]
        if not unknown or not tries_left:
            return [row for row in rows if row not in unknown], unknown
        again = {row["agent"]: chosen[row["agent"]] for row in unknown}
        rows = [row for row in rows if row["agent"] not in again] + evaluate_some(again)


def surprises(kind, rows, wanted_of):
    found = []
    for row in rows:
        wanted = wanted_of(row["agent"])
        if row["state"] not in wanted:
            found.append(f"{kind:<6} {row['agent']:<36} {row['state']:<20} "
                         f"expected {' or '.join(sorted(wanted))}  {first_line(row['message'])}")
        counted = re.search(r"(\d+) of (\d+) elements", row["message"] or "")
        if counted and int(counted[1]) > int(counted[2]):
            found.append(f"{kind:<6} {row['agent']:<36} says {counted[0]}")
    return found


def left_out(chosen, table):
    """How many cheats a weakened run leaves out, by the word of their rows."""
    return ", ".join(f"{sum(table[name].without == (word,) for name in chosen)} {word}"
                     for word in sorted(NO_DEFENCE))


def first_line(message):
    return message.splitlines()[0][:100] if message else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu",
                        help="cpu, cuda, cuda:N, python (on the CPU) or python-cuda, python-cuda:N")
    parser.add_argument("--kbench", default=os.environ.get("KBENCH", "kbench"))
    parser.add_argument("--weakened", metavar="PROGRAM",
                        help="the kbench of build/release/weakened: each cheat without its defences")
    parser.add_argument("--size", choices=("small", "full"))
    parser.add_argument("--only", default="*", metavar="GLOB")
    parser.add_argument("--kind", choices=("cheat", "honest"), help="default: both")
    parser.add_argument("--keep", metavar="FILE", type=lambda name: pathlib.Path(name).resolve(),
                        help="database to keep")
    parser.add_argument("--no-compiled", action="store_true", help="without the compiled baseline")
    parser.add_argument("--short", action="store_true", help="time only what checks do not catch")
    parser.add_argument("--part", choices=("alone", "beside"),
                        help="of --short: what no other program may disturb, or the rest")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each submission")
    arguments = parser.parse_args()
    device = arguments.device.partition(":")[0]
    if device not in SUFFIX:
        parser.error(f"--device is cpu, cuda, cuda:N, python or python-cuda, not {arguments.device}")

    if arguments.short and (device != "cpu" or arguments.weakened):
        parser.error("--short is for the CPU, and for kbench as it is")
    if arguments.part and not arguments.short:
        parser.error("--part is one of --short")
    if arguments.weakened and arguments.kind == "honest":
        parser.error("--weakened is for cheats")
    kinds = (arguments.kind,) if arguments.kind else ("cheat", "honest")
    if arguments.weakened:
        kinds = ("cheat",)

    unexpected = []
    busy = []
    counts = {}
    watch = leftovers.Watch()
    try:
        check_corpus(device)
        table = read_table(device)
        with tempfile.TemporaryDirectory(prefix="kbench-corpus-") as name:
            for kind in kinds:
                chosen = choose(kind, device, arguments)
                passes = kind == "honest" or arguments.weakened
                wanted_of = (lambda _: {"ok"}) if passes else (lambda agent: table[agent].states)
                folder = pathlib.Path(name)
                if arguments.weakened:
                    def evaluate_some(some):
                        return evaluate_weakened(some, table, arguments, folder)
                    print(f"{device}: left out: {left_out(chosen, table)}")
                else:
                    def evaluate_some(some, kind=kind):
                        return evaluate(kind, some, arguments, folder)
                rows, unknown = evaluate_in_quiet(evaluate_some, chosen, wanted_of)
                busy += [f"{kind} {row['agent']}" for row in unknown]
                if arguments.verbose:
                    for row in rows:
                        print(f"{kind:<6} {row['agent']:<36} {row['state']:<20} "
                              f"{first_line(row['message'])}")
                unexpected += surprises(kind, rows, wanted_of)
                counts[kind] = len(rows)
    except CorpusError as error:
        print(f"run_corpus: {error}", file=sys.stderr)
        return 3
    unexpected += [f"left behind: {finding}" for finding in watch.findings()]
    for line in unexpected:
        print(line)
    total = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    print(f"{arguments.device}: {total} submissions, {len(unexpected)} not as expected")
    if busy:
        print(f"{quiet.MARK} nothing is known of {', '.join(busy)}")
    return 1 if unexpected else quiet.SKIPPED if busy else 0


if __name__ == "__main__":
    sys.exit(main())
