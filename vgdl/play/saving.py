"""Replays of human play: where they are stored, and human baselines per level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from vgdl import VGDLError, VGDLRuntimeError, replay
from vgdl.folders import data_folder
from vgdl.play.match import Match
from vgdl.play.players import HUMAN
from vgdl.replay import Replay


def replay_folder() -> Path:
    """The default folder of replays, among the user's data."""
    return data_folder() / "replays"


def save(match: Match, folder: Path) -> Path:
    """Write the replay of a play so far to a new file.

    Raises:
        OSError: it cannot be written.
        ValueError: the game or level has no file, so that the replay could not be played again.
    """
    made = match.replay()
    if match.game.path is None or made.level == "<text>":
        raise ValueError("only plays of levels that are files can be saved")
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{made.level}_{datetime.now():%Y-%m-%d_%H-%M-%S}"
    path = folder / f"{name}.json"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{name}_{number}.json"
    replay.write(made, path)
    return path


@dataclass(frozen=True, slots=True)
class Baseline:
    """Results of people on a level."""

    game: str
    level: str
    plays: int
    wins: int
    best_score: float
    fewest_ticks: int | None  #: of a play that was won; None if none was
    fewest_actions: int | None  #: other than NIL, of a play that was won


def baselines(paths: Iterable[Path], folders: Sequence[Path] = ()) -> tuple[Baseline, ...]:
    """Results of people per level, sorted by game and level.

    Replays count only if they are by one person, their texts have not changed, and they still lead to their result.
    Other files are ignored.

    Args:
        paths: of replay files.
        folders: where to look for games besides the bundled ones.
    """
    plays: dict[tuple[str, str], list[Replay]] = {}
    for path in paths:
        found = _counting(path, folders)
        if found is not None:
            plays.setdefault((found.game, found.level), []).append(found)
    return tuple(_baseline(*level, plays[level]) for level in sorted(plays))


def _counting(path: Path, folders: Sequence[Path]) -> Replay | None:
    try:
        found = replay.read(path)
        if found.controllers != (HUMAN,):
            return None
        verdict = replay.verify(found, replay.find_board(found, folders))
    except (ValueError, VGDLError, VGDLRuntimeError):
        return None
    return found if verdict.same and not (verdict.game_changed or verdict.level_changed) else None


def _baseline(game: str, level: str, plays: Sequence[Replay]) -> Baseline:
    won = [play for play in plays if play.result.winners == (1,)]
    return Baseline(
        game,
        level,
        plays=len(plays),
        wins=len(won),
        best_score=max(play.result.scores[0] for play in plays),
        fewest_ticks=min((len(play.actions) for play in won), default=None),
        fewest_actions=min((sum(tick != ("NIL",) for tick in play.actions) for play in won), default=None),
    )
