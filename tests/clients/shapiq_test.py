"""Indices of `kbench attribute analyze` are those that shapiq computes: random games of two to eight components."""

import client_case

client_case.enter("shapiq")

import collections  # noqa: E402
import functools  # noqa: E402
import itertools  # noqa: E402
import json  # noqa: E402
import math  # noqa: E402
import random  # noqa: E402

import cli_case  # noqa: E402
import numpy  # noqa: E402
from shapiq.game_theory.exact import ExactComputer  # noqa: E402

GAMES = 200  # of each size
AT_ONCE = 25  # games of one file, an outcome each
EXACT = 1e-12
DIGITS = 12  # that the program prints
# By the index and the size of the group: what it is there, and up to which order that is computed.
THEIRS = {("banzhaf", 1): ("BV", 1), ("shapley", 1): ("SV", 1), ("leave_one_out", 1): ("Co-Moebius", 1),
          ("add_one", 1): ("Moebius", None), ("banzhaf", 2): ("BII", 3), ("shapley", 2): ("SII", 2),
          ("shapley_taylor", 2): ("STII", 2), ("sigma", 2): ("Moebius", None), ("banzhaf", 3): ("BII", 3)}


def coalitions(players):
    return list(itertools.product((False, True), repeat=players))


def computer(values):
    """shapiq's indices of a game, which is given by its coalitions. Each is computed once."""
    players = len(next(iter(values)))
    exact = ExactComputer(lambda asked: numpy.array([values[tuple(map(bool, one))] for one in asked]), players)
    return functools.cache(lambda name, order: exact(name, order and min(order, players)))


def beyond_printing(theirs, printed):
    """The difference, less what the rounding of the last printed digit may be."""
    last = 10.0 ** (math.floor(math.log10(abs(theirs))) + 1 - DIGITS) if theirs else 0
    return max(0, abs(theirs - printed) - last / 2)


class ShapiqTest(cli_case.CliCase):
    def analyzed(self, games):
        """The effects of games of equal size: one state, each game an outcome of its own."""
        players = len(next(iter(games[0])))
        names = [f"c{player}" for player in range(players)]
        cells = self.folder / "cells.jsonl"
        with cells.open("w", encoding="utf-8") as out:
            for there in games[0]:
                out.write(json.dumps({
                    "state": "one", "arm": "direct", "available": names,
                    "coalition": [name for name, is_there in zip(names, there) if is_there],
                    "outcomes": {f"game{at}": game[there] for at, game in enumerate(games)}}) + "\n")
        result = self.kbench("attribute", "analyze", cells, "--json")
        self.assert_good(result)
        return [one for one in json.loads(result.stdout)["effects"] if one["by"] is None]

    def compare(self, games, largest):
        """Adds the largest difference of each index to `largest`, and returns how many were compared."""
        theirs = [computer(game) for game in games]
        found = self.analyzed(games)
        for one in found:
            key = one["index"], len(one["components"])
            name, order = THEIRS[key]
            index = theirs[int(one["outcome"].removeprefix("game"))](name, order)
            value = index[tuple(int(component[1:]) for component in one["components"])]
            largest[key] = max(largest[key], beyond_printing(value, one["mean"]))
        return len(found)

    def test_random_games(self):
        drawn = random.Random(44)
        largest = collections.defaultdict(float)
        compared = 0
        for players in range(2, 9):
            for _ in range(GAMES // AT_ONCE):
                games = [{there: drawn.random() for there in coalitions(players)} for _ in range(AT_ONCE)]
                compared += self.compare(games, largest)
        print(f"{compared} indices of {7 * GAMES} games; largest differences beyond the printed digits:",
              {f"{name} of {size}": f"{difference:.1e}" for (name, size), difference in sorted(largest.items())})
        self.assertEqual(set(largest), set(THEIRS))
        self.assertLessEqual(max(largest.values()), EXACT)


if __name__ == "__main__":
    cli_case.main()
