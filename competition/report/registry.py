"""The kinds of results stores, and the packages that write their pages."""

from __future__ import annotations

import importlib
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vgdl.competition.results.store import reader
from vgdl.render import Palette

if TYPE_CHECKING:
    from vgdl.competition.report.site import Site


@dataclass(frozen=True, slots=True)
class Options:
    """Options for the pages."""

    title: str | None = None  #: title of the site; None: the store's own
    replays: int | None = None  #: plays to show per competitor in each game; None: all
    palette: Palette = Palette.STANDARD  #: colours of the games


PageWriter = Callable[[Path, "Site", Options], None]
"""Writes all pages of a store to a site.

Raises:
    SiteError, StoreError: the store cannot be read, or lacks what a page needs.
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of results store."""

    package: str  #: has ``write_pages``, and the folders ``templates`` and ``static``
    table: str  #: a table in which only stores of this kind have rows
    standings: str = ""  #: module whose ``show_standings`` prints a store; empty: that of the planning track

    def load(self) -> PageWriter:
        """Import the function that writes the pages."""
        writer: PageWriter = importlib.import_module(self.package).write_pages
        return writer


PLANNING = Kind("vgdl.competition.report.planning", "plays")

GAMEBOT = Kind("vgdl.competition.tracks.gamebot.pages", "gamebot_matches", "vgdl.competition.tracks.gamebot.command")

OTHELLO = Kind(
    "vgdl.competition.tracks.othello.pages", "othello_analyses", "vgdl.competition.tracks.othello.command"
)

ARC = Kind("vgdl.competition.tracks.arc.pages", "arc_cards", "vgdl.competition.tracks.arc.standings")

WORLDMODELS = Kind(
    "vgdl.competition.tracks.worldmodels.pages",
    "worldmodels_syntheses",
    "vgdl.competition.tracks.worldmodels.command",
)

WORLDMODEL_TEXTS, WORLDMODEL_SEARCH = (
    replace(WORLDMODELS, table=table) for table in ("worldmodels_texts", "worldmodels_search")
)

KINDS: tuple[Kind, ...] = (PLANNING, GAMEBOT, OTHELLO, ARC, WORLDMODELS, WORLDMODEL_TEXTS, WORLDMODEL_SEARCH)
"""All kinds. Tracks add theirs."""


def kind_of(store: Path) -> Kind:
    """The kind of a store: the first one that has rows in its table, or else a planning competition.

    Args:
        store: file of the store. One that cannot be read counts as a planning competition, whose package explains why.
    """
    try:
        with closing(reader(store)) as connection:
            present = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            for kind in KINDS:
                if kind.table in present and connection.execute(f'SELECT 1 FROM "{kind.table}" LIMIT 1').fetchone():
                    return kind
    except (sqlite3.Error, OSError):
        pass
    return PLANNING
