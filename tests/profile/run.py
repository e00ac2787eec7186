#!/usr/bin/env python3
"""Profiles the kernels of this folder on a GPU and holds each verdict against kernels.json.

    tests/profile/run.py --kbench build/release/bin/kbench [--only NAME] [--repeat N [--seconds S]] [--record] [--hostile]

Exit code 1 where a bad kernel is not named, or its twin is accused of the same, and with --repeat where one in ten
profiles of a kernel says something else than the others do. No round is begun after --seconds. --record keeps what this GPU told in
recorded.json, of the kernels that were profiled. --hostile profiles the submissions of hostile/ instead, each with an
honest kernel after it: exit code 1 where one gets a profile that it must not get, or costs the honest one its own.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def profile(kbench, kernel, kind, name=None):
    """The profile by kbench, or the last lines of its error."""
    file = HERE / kind / f"{name or kernel['name']}.cu"
    command = [kbench, "profile", kernel["task"], "--submission", file,
               "--size", kernel.get("size", "small"), "--device", "cuda", "--precision",
               kernel.get("precision", "torch-default"), "--format", "json", "-q"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"verdict": "failed: " + " ".join(done.stderr.split())[-300:], "evidence": "", "missing": []}
    return json.loads(done.stdout)


def record(kernel, told):
    """Puts the facts of the two into recorded.json, in the places of what is there."""
    file = HERE / "recorded.json"
    recorded = json.loads(file.read_text())
    for kind, profiled in told.items():
        if "facts" not in profiled:
            continue
        new = {"name": kernel["name"], "kind": kind, "fault": kernel["verdict"], "facts": profiled["facts"]}
        same = [i for i, old in enumerate(recorded["kernels"]) if (old["name"], old["kind"]) == (new["name"], kind)]
        if same:
            recorded["kernels"][same[0]] = new
        else:
            recorded["kernels"].append(new)
    about = json.dumps(recorded["about"], ensure_ascii=False)
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in recorded["kernels"])
    file.write_text(f'{{\n"about": {about},\n"kernels": [\n{lines}\n]\n}}\n')


# The profile that each may have: none, or one with this many activities or more left out.
HOSTILE = {"crash": None, "endless": None, "forged": None, "ten_million": 9_000_000}


def is_fair(name, told):
    """Whether it cost no more than its own profile, and did not pass for an honest one."""
    if HOSTILE[name] is None:
        return told["verdict"].startswith("failed")
    left_out = [int(word) for line in told["missing"] for word in line.replace(",", "").split() if word.isdigit()]
    return told["verdict"].startswith("failed") or any(number >= HOSTILE[name] for number in left_out)


def hostile(kbench):
    """How many of them got or cost what they must not."""
    wrong = 0
    kernel = {"name": "launches", "task": "level1/019_relu"}
    for name in HOSTILE:
        told = profile(kbench, kernel, "hostile", name)
        honest = profile(kbench, kernel, "good")
        fair, spared = is_fair(name, told), not honest["verdict"].startswith("failed")
        wrong += not fair or not spared
        print(f"{name:<14} {'as it should be' if fair else 'NOT AS IT SHOULD BE'}: {told['verdict']} {told['missing']}\n"
              f"{'':<14} {'the next is made' if spared else 'THE NEXT IS NOT MADE'}: {honest['verdict']}")
    return wrong


LEAST_ALIKE = 0.9


def said(told):
    """Verdict and first suggestion, without its figures, which follow the times."""
    first = next(iter(told.get("suggestions", [])), {"suggestion": ""})
    return told["verdict"], re.sub(r"[0-9][0-9.]*", "N", first["suggestion"])


def disagreements(answers):
    """Prints how often each kernel was told the same; how many of them too rarely."""
    wrong = 0
    for name, all_said in answers.items():
        counts = collections.Counter(all_said)
        (most, times), total = counts.most_common(1)[0], len(all_said)
        alike = times >= LEAST_ALIKE * total
        wrong += not alike
        others = ", ".join(f"{verdict} {count}" for (verdict, _), count in counts.most_common()[1:])
        print(f"{name:<20} {'' if alike else 'NOT '}alike: {times} of {total} {most[0]}{others and '; ' + others}")
    return wrong


def rounds(kernels, options):
    """Each kernel and its twin, so many times in turn: how often they are not told what they have to be."""
    wrong = 0
    answers = collections.defaultdict(list)
    start = time.monotonic()
    for done in range(options.repeat):
        if done > 0 and time.monotonic() - start > options.seconds:
            print(f"{done} of {options.repeat} rounds: the time is over")
            break
        for kernel in kernels:
            told = {kind: profile(options.kbench, kernel, kind) for kind in ("bad", "good")}
            for kind, one in told.items():
                answers[f"{kind}/{kernel['name']}"].append(said(one))
            wrong += not is_right(kernel, told, options.record)
    return wrong + (disagreements(answers) if options.repeat > 1 else 0)


def is_right(kernel, told, keep):
    bad, good = told["bad"], told["good"]
    if keep:
        record(kernel, told)
    named = bad["verdict"] == kernel["verdict"]
    accused = good["verdict"] == kernel["verdict"] or good["verdict"].startswith("failed")
    print(f"{kernel['name']:<14} {'named' if named else 'NOT NAMED'}: {bad['verdict']}: {bad['evidence']}\n"
          f"{'':<14} {'ACCUSED' if accused else 'left alone'}: {good['verdict']}: {good['evidence'][:120]}")
    for line in bad["missing"] if not named else []:
        print(f"{'':<14} missing: {line}")
    return named and not accused


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kbench", required=True)
    parser.add_argument("--only")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--hostile", action="store_true")
    options = parser.parse_args()
    if options.hostile:
        return 1 if hostile(options.kbench) else 0
    kernels = json.loads((HERE / "kernels.json").read_text())["kernels"]
    return 1 if rounds([one for one in kernels if options.only in (None, one["name"])], options) else 0


if __name__ == "__main__":
    sys.exit(main())
