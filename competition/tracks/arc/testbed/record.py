"""Choose the levels of the test bed and record plays that win them: ``python -m …arc.testbed.record [FAMILY …]``.

A level's layout is the first of a hundred that the solver wins in enough actions, and in more than the level before.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from vgdl.competition.tracks.arc.testbed.games import FILE, families, lay_out
from vgdl.competition.tracks.arc.testbed.puzzle import LEVELS, Move
from vgdl.competition.tracks.arc.testbed.solver import solve

SEEDS = 40


def main(names: Sequence[str]) -> int:
    """Record the named families, or all, and keep the others."""
    facts = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    for name in names or families():
        levels = [_level(name, level) for level in range(LEVELS)]
        if None in levels:
            print(f"{name}: no level {levels.index(None) + 1}", file=sys.stderr)
            continue
        facts[name] = levels
        print(name, *(len(found[1].split()) for found in levels if found), flush=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(facts[name])}" for name in families() if name in facts)
    FILE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    return 0


def _level(name: str, level: int) -> tuple[int, str] | None:
    """The seed of a level and the play that wins it."""
    fewest = families()[name].shortest + level
    best: tuple[int, int, list[Move]] | None = None
    for seed in range(SEEDS):
        start = lay_out(name, level, seed)
        if start.ending is not None:
            continue
        play = solve(start)
        if play is not None and (best is None or len(play) > best[0]):
            best = len(play), seed, play
        if best is not None and best[0] >= fewest:
            break
    if best is None or not best[0]:
        return None
    return best[1], " ".join(",".join(str(part) for part in move if part is not None) for move in best[2])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
