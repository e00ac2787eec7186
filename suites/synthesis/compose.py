"""Prints candidates as lines of JSON, for `kbench synth`. Runs inside the sandbox.

    compose.py '{"seed": 7, "least": 1, "most": 5, "candidates": [[12, 1.0], [13, 0.5]]}'

Each candidate is its index and its scale; each line is {"index", "name", "level", "operators",
"source"}, in that order, behind a first line that says which
grammar it is. Called by runner/synthesis/synth_sources.cpp.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from synthesis.grammar import VERSION, candidate  # noqa: E402


def main() -> None:
    request = json.loads(sys.argv[1])
    print(json.dumps({"grammar": VERSION}))
    for index, scale in request["candidates"]:
        made = candidate(request["seed"], index, scale, request["least"], request["most"])
        print(json.dumps({"index": index, **made}))


if __name__ == "__main__":
    main()
