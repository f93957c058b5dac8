"""Baselines: the numbers of actions per level against which plays are scored, and their sources (spec, 7.5).

`Baselines` are looked up by a game's version, so another version of a game needs new ones. Those of the bundled games
are in ``baselines.json``, which ``python -m vgdl.competition.tracks.arc.measure`` writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from vgdl.competition.errors import FileError, using
from vgdl.competition.tracks.arc import measured
from vgdl.competition.tracks.arc.playable import ArcGame
from vgdl.competition.tracks.arc.scoring import Scoring, human_baseline
from vgdl.competition.tracks.arc.testbed import bed_games

FEWEST_PEOPLE = 4  #: minimum number of people whose first plays make a baseline


class Source(StrEnum):
    """The source of baselines, which is named in every result."""

    HUMAN = "human"  #: first plays of people
    REPLAY = "replay"  #: recorded winning plays of the bundled games
    MEASURED = "measured"  #: a file of ``arc measure``: as ``planner``, for other games
    PLANNER = "planner"  #: twice the actions of the best planner, which knows the rules


@dataclass(frozen=True)
class Baselines:
    """Actions per level by the versions of games.

    Attributes:
        source: their source.
        levels: actions per level, by version.
    """

    source: Source
    levels: Mapping[str, tuple[int, ...]]

    def of(self, game: ArcGame) -> tuple[int, ...] | None:
        """The baselines of a game; None if there are none for its version."""
        found = self.levels.get(game.version)
        return found if found is not None and len(found) == game.win_levels else None


@cache
def bundled_baselines(source: Source = Source.PLANNER) -> Baselines:
    """The baselines of the bundled games; those of the test bed are its recorded plays, whatever the source.

    Raises:
        ValueError: human baselines are not bundled: see `of_people`.
    """
    if source is Source.HUMAN:
        raise ValueError("baselines of people come from their plays: of_people()")
    levels = {version: tuple(entry[source]) for version, entry in measured.entries().items()}
    return Baselines(source, levels | {game.version: game.baselines for game in bed_games()})


def of_file(path: Path) -> Baselines:
    """Baselines that ``arc measure`` wrote, and those of the bundled games.

    Raises:
        FileError: the file cannot be read, or has another content.
    """
    with using(path):
        text = path.read_text(encoding="utf-8", errors="replace")
    try:
        games = json.loads(text)["games"]
        levels = {str(game["version"]): tuple(map(int, game["levels"])) for game in games}
    except (ValueError, LookupError, TypeError, RecursionError):
        raise FileError(f"{path} is no file of baselines, as arc measure writes it") from None
    if any(actions < 1 for found in levels.values() for actions in found):
        raise FileError(f"{path}: baselines are at least 1 action per level")
    return Baselines(Source.MEASURED, {**bundled_baselines().levels, **levels})


def of_people(scoring: Scoring, plays: Iterable[tuple[str, Sequence[int]]]) -> Baselines:
    """Baselines from the first plays of people.

    A game has baselines once `FEWEST_PEOPLE` have played it and each of its levels was completed by as many people as
    the version of the score needs. People who did not complete a level do not count for it.

    Args:
        scoring: decides between the second-best play and the upper median.
        plays: for each play, the game's version, and the actions per completed level, counting resets as for agents.
    """
    by_version: dict[str, list[Sequence[int]]] = {}
    for version, actions in plays:
        by_version.setdefault(version, []).append(actions)
    levels = {version: _levels(scoring, found) for version, found in by_version.items() if len(found) >= FEWEST_PEOPLE}
    return Baselines(Source.HUMAN, {version: found for version, found in levels.items() if found})


def _levels(scoring: Scoring, plays: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """A baseline per level, up to the last level that anyone completed; empty if one of them has none."""
    n = max(map(len, plays))
    found = [human_baseline(scoring, [play[level] for play in plays if level < len(play)]) for level in range(n)]
    known = tuple(actions for actions in found if actions is not None)
    return known if len(known) == n else ()
