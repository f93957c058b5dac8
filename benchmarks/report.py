"""Write the figures of the README and the documentation from stored runs in ``benchmarks/results``.

python benchmarks/report.py            # writes them between <!-- report: NAME --> and <!-- end -->
python benchmarks/report.py --check    # exits with status 1 if a page does not have them as they are stored
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import duels
from generation_tables import games_table, level_table, rules_table
from generation_tables import read as rows
from losses import lost_levels
from losses import table as losses_table
from recorded import read
from strength import HALVES, Tally, summary, tallies

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGES = (
    ROOT / "README.md",
    ROOT / "docs" / "champion.md",
    ROOT / "docs" / "champion-results.md",
    ROOT / "docs" / "generation.md",
    ROOT / "docs" / "performance.md",
)
"""The pages that have generated figures."""

_BLOCK = re.compile(r"(<!-- report: (\S+) -->)(.*?)(<!-- end -->)", re.DOTALL)
_CHAMPION = ("champion", "champion-second")


def stored(*names: str) -> dict[str, Tally]:
    """The plays of stored runs of one controller, counted by game."""
    (counted,) = tallies(play for name in names for play in read(RESULTS / f"{name}.csv").results).values()
    return counted


def strength() -> str:
    """The champion's share of wins over the games of the reference, in a sentence."""
    counted = stored(*_CHAMPION)
    found = summary(counted)["all"]
    budget = read(RESULTS / f"{_CHAMPION[0]}.csv").budget
    return (
        f"the controller `champion` wins {_share(found, with_interval=True)} of its plays, mean over {found['games']:.0f} "
        f"games of the reference with 95 % interval ({found['plays']:.0f} plays, {budget} of CPU time per action)"
    )


def champion() -> str:
    """The champion's shares of wins by half, as rows of a table."""
    rows = (
        ("champion", _CHAMPION, True),
        ("first plays, version before aftermaths", _CHAMPION[:1], False),
        ("second plays, present version", _CHAMPION[1:], False),
    )
    lines = ["| | development half | confirmation half | all, 95 % interval |", "|---|--:|--:|--:|"]
    for title, names, is_bold in rows:
        found = summary(stored(*names))
        every = _share(found["all"], with_interval=True)
        halves = " | ".join(_share(found[half]) for half in HALVES)
        lines.append(f"| {title} | {halves} | {f'**{every}**' if is_bold else every} |")
    return "\n".join(["", *lines, ""])


def two_player() -> str:
    """The champion's points in games for two, as tables: by group and by game."""
    found = duels.read(RESULTS / "champion-duels.csv")
    return f"\n\n{duels.summary_table(found)}\n\n{duels.games_table(found)}\n\n"


def two_player_changes() -> str:
    """What changes for games for two came to, as a table."""
    found = {
        title: duels.read(RESULTS / f"champion-duels-{name}.csv")
        for title, name in (
            ("a model of the opponent", "model"),
            ("a rival's points count against one's own", "rivalry"),
            ("two trees in place of plans", "trees"),
        )
    }
    return f"\n\n{duels.changes_table(duels.read(RESULTS / 'champion-duels.csv'), found)}\n\n"


def measured() -> dict[str, Any]:
    """The stored run of ``reference.py``."""
    found: dict[str, Any] = json.loads((RESULTS / "reference.json").read_text(encoding="utf-8"))
    found["games"].sort(key=lambda game: game["ratio"])
    return found


def speed() -> str:
    """Copies and ticks of the bundled games and their ratio to the reference, in a sentence."""
    run = measured()
    games = run["games"]
    copies = sorted(game["copy_us"] for game in games)
    ticks = sorted(_MICROSECONDS / game["advances_per_40ms"] for game in games)
    ratios = [game["ratio"] for game in games]
    return (
        f"a copy takes {_range(copies)} µs and a tick {_range(ticks)} µs, {ratios[0]:.0f} to {ratios[-1]:.0f} times as "
        f"fast as the published figures of the reference, {statistics.geometric_mean(ratios):.0f} times in the geometric "
        f"mean of {len(games)} games (one shared core, {run['processor']})"
    )


def reference() -> str:
    """The games of ``reference.py``, as rows of a table."""
    run = measured()
    lines = ["| game | reference | here | times |", "|---|--:|--:|--:|"]
    lines += [
        f"| {game['game']} | {game['published']:,} | {game['advances_per_40ms']:,.0f} | {game['ratio']:.0f} |"
        for game in run["games"]
    ]
    mean = statistics.geometric_mean(game["ratio"] for game in run["games"])
    size = statistics.median(game["bytes"] for game in run["games"])
    lines += [
        "",
        f"The geometric mean of the ratios is {mean:.0f}; the median state has {size:.0f} bytes. {run['processor']}, Python",
        f"{run['versions']['python']}, the best of {run['rounds']} rounds.",
    ]
    return "\n".join(["", *lines, ""])


def generated(kind: str, table: Callable[[Sequence[Mapping[str, str]]], str]) -> str:
    """A table of what generators made."""
    return f"\n\n{table(rows(RESULTS / f'generated-{kind}.csv'))}\n\n"


def _range(values: Sequence[float]) -> str:
    low, high = (f"{value:.2f}" for value in (values[0], values[-1]))
    return low if low == high else f"{low} to {high}"


_MICROSECONDS = 40_000  #: in the 40 ms of an action

BLOCKS: Mapping[str, Callable[[], str]] = {
    "strength": strength,
    "champion": champion,
    "lost-levels": lambda: f"\n\n{losses_table(lost_levels())}\n\n",
    "two-player": two_player,
    "two-player-changes": two_player_changes,
    "speed": speed,
    "reference": reference,
    "generated-levels": lambda: generated("levels", level_table),
    "generated-rules": lambda: generated("rules", rules_table),
    "generated-games": lambda: generated("games", games_table),
}
"""What can stand in a page, by name."""


def filled(text: str) -> str:
    """A page with its figures as they are stored; raises ``KeyError`` for an unknown name."""
    return _BLOCK.sub(lambda found: f"{found[1]}{BLOCKS[found[2]]()}{found[4]}", text)


def _share(found: Mapping[str, float], *, with_interval: bool = False) -> str:
    mean, low, high = (f"{100 * min(1.0, max(0.0, found[name])):.0f}" for name in ("mean", "low", "high"))
    return f"{mean} ({low} to {high}) %" if with_interval else f"{mean} %"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="report.py", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a page is out of date")
    check = parser.parse_args(arguments).check
    stale = []
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = filled(before)
        if after != before:
            stale.append(page.relative_to(ROOT).as_posix())
            if not check:
                page.write_text(after, encoding="utf-8")
    print(
        "\n".join(f"{name}: {'out of date' if check else 'written'}" for name in stale) or "all figures are as stored"
    )
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
