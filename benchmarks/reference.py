"""Compare the engine with the published speed of the reference, GVGAI.

    python benchmarks/reference.py [--games DIR] [--seconds S] [--rounds N] [--json]
    python benchmarks/reference.py --json > benchmarks/results/reference.json && python benchmarks/report.py

The published numbers are advances per 40 ms of CPU time on level 0, in rollouts of one copy and ten random advances.
They are compared with games of the same name: those in the folder DIR, else the bundled ones, which are our own games
based on the same ideas. Games in DIR without a published number are compared with the reference's median over thirty
games. A ratio uses the slower of two measurements, from the start and from mid-game. All games are measured in several
rounds, and the best round of each counts, since other load on the machine lasts for seconds or minutes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track

from vgdl import bench, games
from vgdl.bench import Speed
from vgdl.competition.machine import machine, versions

PUBLISHED = {
    "aliens": 2532, "boulderdash": 459, "butterflies": 1433, "chase": 1787, "frogs": 1107, "missilecommand": 3218,
    "portals": 2286, "sokoban": 4871, "survivezombies": 2586, "zelda": 2083, "camelrace": 1733, "digdug": 838,
    "firestorms": 1248, "infection": 1194, "firecaster": 3222, "overload": 2759, "pacman": 423, "seaquest": 3630,
    "whackamole": 8912, "eggomania": 5557,
}  # fmt: skip
"""Advances per 40 ms of the reference, by the game's name in lower case."""

PUBLISHED_MEDIAN = 2184
"""Median of the reference over thirty games, advances per 40 ms."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A game compared with the reference."""

    game: str
    source: str  #: ``bundled`` or ``folder``
    advances_per_40ms: float
    copy_us: float
    bytes: float
    published: int | None  #: the reference's number for the game of that name

    @property
    def ratio(self) -> float:
        """Speed relative to the reference, or to its median if the game has no published number."""
        return self.advances_per_40ms / (self.published or PUBLISHED_MEDIAN)


def compare(name: str, path: Path | None, rounds: Sequence[list[Speed]]) -> Compared:
    """Summarise the best rounds of a game; the slower of start and mid-game counts."""
    kinds = list(zip(*rounds, strict=True))
    return Compared(
        game=name,
        source="bundled" if path is None else "folder",
        advances_per_40ms=min(max(speed.advances_per_40ms for speed in kind) for kind in kinds),
        copy_us=max(1e6 / max(speed.copies_per_s for speed in kind) for kind in kinds),
        bytes=max(kind[0].bytes for kind in kinds),
        published=PUBLISHED.get(name.lower()),
    )


def game_files(folder: Path | None) -> dict[str, Path]:
    """The games in a folder and its subfolders that have a level 0."""
    paths = sorted(folder.rglob("*.txt")) if folder else []
    return {path.stem: path for path in paths if path.with_name(f"{path.stem}_lvl0.txt").is_file()}


def show(rows: list[Compared]) -> None:
    """Print a table, smallest ratio first, and a summary."""
    print(f"{'game':22}{'from':9}{'advances/40ms':>14}{'reference':>11}{'times':>8}{'copy µs':>9}{'bytes':>9}")
    for row in sorted(rows, key=lambda row: row.ratio):
        published = f"{row.published:,}" if row.published else "-"
        print(
            f"{row.game:22}{row.source:9}{row.advances_per_40ms:14,.0f}{published:>11}{row.ratio:8.0f}"
            f"{row.copy_us:9.2f}{row.bytes:9,.0f}"
        )
    named = [row.ratio for row in rows if row.published]
    if named:
        ratio = statistics.geometric_mean(named)
        print(f"games of the same name: {len(named)}, geometric mean {ratio:.0f} times the reference")
    unnamed = [row for row in rows if not row.published]
    if unnamed:
        ratio = statistics.geometric_mean(row.ratio for row in unnamed)
        print(
            f"other games: {len(unnamed)}, geometric mean {ratio:.0f} times the reference's median of "
            f"{PUBLISHED_MEDIAN:,}, slowest {min(row.ratio for row in unnamed):.0f} times;\n"
            f"median copy {statistics.median(row.copy_us for row in unnamed):.2f} µs, "
            f"median state {statistics.median(row.bytes for row in unnamed):,.0f} bytes"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=Path, metavar="DIR", help="folder with more games, searched recursively")
    parser.add_argument("--seconds", type=float, default=0.01, help="CPU time of a run (default: 0.01)")
    parser.add_argument("--rounds", type=int, default=20, help="how often each game is measured (default: 20)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds: expected at least one, got {options.rounds}")
    files = game_files(options.games)
    given = {name.lower() for name in files}
    bundled = [name for name in games.names() if name in PUBLISHED and name not in given]
    paths = {**dict.fromkeys(bundled), **files}
    rounds: dict[str, list[list[Speed]]] = {name: [] for name in paths}
    jobs = [name for _ in range(options.rounds) for name in paths]
    for name in track(jobs, "measuring", console=Console(stderr=True), transient=True):
        rounds[name].append(bench.measure(str(paths[name] or name), seconds=options.seconds))
    rows = [compare(name, path, rounds[name]) for name, path in paths.items()]
    if options.json:
        games_measured = [{**asdict(row), "ratio": row.ratio} for row in rows]
        facts = {"processor": machine()["processor"], "versions": versions(), "rounds": options.rounds}
        print(json.dumps({**facts, "games": games_measured}, indent=1))
    else:
        show(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
