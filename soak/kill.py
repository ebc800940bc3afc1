"""Kills the engine (kill -9) at random points and looks at what is left; see `tests/engine/killing.py`.

    python soak/kill.py [ROUNDS [SEED]]

Prints each problem, how many changes had returned before the kills, and how many kills hit a reindex; exits 1
where there is a problem, or where no kill hit one: that would have shown nothing of it.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.engine.killing import in_reindex, round_of  # noqa: E402 - the project's root first

ROUNDS = 200
SEED = 1


def main(rounds: int = ROUNDS, seed: int = SEED) -> int:
    """1 where any round has left a ghost, lost a row or leaked, or none was in a reindex."""
    wrong = total = idle = reindexing = 0
    for number in range(seed, seed + rounds):
        returned, found = round_of(number)
        total += returned
        idle += not returned
        reindexing += in_reindex(number, returned)
        for problem in found:
            print(f"seed {number}, after {returned} changes: {problem}")
        wrong += bool(found)
    hit = f"{idle} kills in the first change, {reindexing} in a reindex"
    print(f"{rounds} kills, {total} changes had returned, {hit}; {wrong} wrong")
    return int(wrong > 0 or reindexing == 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
