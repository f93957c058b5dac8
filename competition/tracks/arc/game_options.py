"""Command options for the games to offer and for converting VGDL games to ARC games."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Sequence
from pathlib import Path

from vgdl.competition.options import OptionError
from vgdl.competition.tracks.arc.baselines import Baselines, Source, bundled_baselines, of_file, of_people
from vgdl.competition.tracks.arc.game import UnfitGameError, VgdlGame, bundled, from_folder
from vgdl.competition.tracks.arc.options import Options, PaletteKind, Way
from vgdl.competition.tracks.arc.playable import ArcGame
from vgdl.competition.tracks.arc.scoring import LATEST, Scoring
from vgdl.competition.tracks.arc.store import first_plays, opened
from vgdl.competition.tracks.arc.testbed import bed_games
from vgdl.language import VGDLError, suggestion
from vgdl.option_types import count

ALL = "all"
TESTBED = "testbed"

_log = logging.getLogger(__name__)


def add_games(group: argparse._ArgumentGroup) -> None:
    """Add the options."""
    group.add_argument(
        "--games", default=ALL, metavar="LIST|DIR",
        help=f"ids or bases between commas, a folder of VGDL games, or {TESTBED}: hand-written games that are not VGDL "
        f"(default: {ALL}, the bundled VGDL games)",
    )  # fmt: skip
    group.add_argument(
        "--ways", default=f"{Way.KEYBOARD},{Way.CLICK}", metavar="LIST",
        help=f"versions of each game: some of {', '.join(Way)} (default: keyboard,click)",
    )  # fmt: skip
    group.add_argument(
        "--palette",
        choices=[*map(str, PaletteKind)],
        default=PaletteKind.SHUFFLED,
        help=f"assignment of colours (default: {PaletteKind.SHUFFLED})",
    )
    group.add_argument(
        "--palette-seed", type=count, default=0, metavar="N", help="seed of colours and ids (default: 0)"
    )
    group.add_argument(
        "--nil", choices=["yes", "none"], default="yes", help="none: do not offer waiting as an action (default: yes)"
    )
    group.add_argument("--undo", action="store_true", help="offer ACTION7, which takes back the last action")
    group.add_argument("--fresh-chance", action="store_true", help="different chance events in every play")
    group.add_argument("--plain-ids", action="store_true", help="ids that reveal the games' names, for development")


def add_scoring(group: argparse._ArgumentGroup) -> None:
    """Add the options about scores."""
    group.add_argument(
        "--scoring", choices=[*map(str, Scoring)], default=LATEST, help=f"version of the score (default: {LATEST})"
    )
    group.add_argument(
        "--baselines", default=Source.PLANNER.value, metavar="SOURCE|FILE",
        help=f"what plays are scored against: {Source.PLANNER} or {Source.REPLAY} for bundled games, a .json file of "
        f"arc measure, or the store of a server for the human baselines in it (default: {Source.PLANNER})",
    )  # fmt: skip


def baselines_of(chosen: argparse.Namespace) -> Baselines:
    """The baselines that the options name.

    Raises:
        OptionError: there is no such source or file.
        StoreError: the file is not the store of a server.
    """
    if chosen.baselines in (Source.PLANNER, Source.REPLAY):
        return bundled_baselines(Source(chosen.baselines))
    path = Path(chosen.baselines)
    if not path.is_file():
        sources = f"{Source.PLANNER}, {Source.REPLAY}, a file of arc measure, or the store of a server"
        raise OptionError(f"--baselines must be {sources}; there is no file {path}")
    if path.suffix == ".json":
        return of_file(path)
    with opened(path) as store:
        return of_people(
            Scoring(chosen.scoring),
            [(play.game_id.rpartition("-")[2], run.level_actions) for play, run in first_plays(store)],
        )


def games_of(chosen: argparse.Namespace) -> list[ArcGame]:
    """The games that the options name.

    Raises:
        OptionError: there is no such game, version or folder, or one cannot be offered.
    """
    ways = _ways(chosen.ways)
    options = Options(
        palette=PaletteKind(chosen.palette),
        palette_seed=chosen.palette_seed,
        nil=chosen.nil == "yes",
        undo=chosen.undo,
        fresh_chance=chosen.fresh_chance,
        plain_ids=chosen.plain_ids,
    )
    folder = Path(chosen.games)
    if chosen.games == TESTBED:
        return list(bed_games(plain_ids=chosen.plain_ids))
    try:
        if chosen.games != ALL and os.path.isdir(folder):  # a list may be too long for the name of a folder
            return list(from_folder(folder, ways, options, lambda error: _log.warning("left out: %s", error)))
        if chosen.games != ALL and ("/" in chosen.games or "\\" in chosen.games):
            raise OptionError(f"there is no folder {chosen.games}")
        return select([*bundled(ways, options), *bed_games(plain_ids=chosen.plain_ids)], chosen.games)
    except (UnfitGameError, VGDLError) as error:
        raise OptionError(str(error)) from None


def select(games: Sequence[ArcGame], listed: str) -> list[ArcGame]:
    """Select games by a comma-separated list of ids or bases, or all VGDL games.

    Raises:
        OptionError: there is no such game.
    """
    names = names_of(listed, [name for game in games for name in (game.id, game.base)])
    if names is None:
        return [game for game in games if isinstance(game, VgdlGame)]
    return [game for game in games if {game.id, game.base} & names]


def names_of(listed: str, known: Sequence[str]) -> set[str] | None:
    """The names in a comma-separated list; None for all.

    Raises:
        OptionError: one of them is not known.
    """
    if listed == ALL:
        return None
    names = {name for part in listed.split(",") if (name := part.strip())}
    for name in sorted(names - set(known)):
        raise OptionError(f"there is no game {name!r}{suggestion(name, known)}")
    if not names:
        raise OptionError("--games is empty")
    return names


def _ways(text: str) -> list[Way]:
    try:
        return [Way(part.strip()) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"--ways must be a list of some of {', '.join(Way)}, not {text!r}") from None
