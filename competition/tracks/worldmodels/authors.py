"""Authors of world models, by the name that ``--author`` takes."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from vgdl import games
from vgdl.competition.options import OptionError
from vgdl.competition.tracks.worldmodels.worlds import WORLDS
from vgdl.language import suggestion

Compete = Callable[[argparse.Namespace], int]
"""Learns and plays the games of a command line; returns the exit status."""


@dataclass(frozen=True, slots=True)
class AuthorKind:
    """A kind of author."""

    name: str  #: the part before the colon in ``--author NAME:DETAILS``
    form: str  #: form on the command line
    summary: str
    command: str  #: ``module:function`` of type `Compete`
    track: str = "worldmodels"  #: recorded in the plan of a store, to resume it with the same author

    def load(self) -> Compete:
        """Import the function that runs the command."""
        module, _, function = self.command.partition(":")
        found: Compete = getattr(importlib.import_module(module), function)
        return found


_TRACK = "vgdl.competition.tracks.worldmodels"

AUTHORS: tuple[AuthorKind, ...] = (
    AuthorKind("chat", "[NAME=]URL#MODEL", "a model behind an OpenAI-compatible endpoint", f"{_TRACK}.arena:compete"),
    AuthorKind(
        "scripted", "scripted[:SET]", "prepared answers, good and bad ones, for tests", f"{_TRACK}.arena:compete"
    ),
    AuthorKind(
        "search", "search", "no model: a search for rules that agree with plays", f"{_TRACK}.search.command:compete",
        track="worldmodels search",
    ),
)
"""All kinds of authors."""

TEXTS = AuthorKind("texts", "", "", f"{_TRACK}.texts.command:compete", track="worldmodels texts")
"""Authors that answer prompts, for VGDL games."""


def of_store(track: object) -> AuthorKind:
    """Return the kind of author for the track in a store's plan.

    Raises:
        LookupError: there is none.
    """
    for kind in (*AUTHORS, TEXTS):
        if kind.track == track:
            return kind
    raise LookupError("not a store of world models")


def find(text: str, learnt: Sequence[str] = ()) -> AuthorKind:
    """Return the kind of author for a value of ``--author``.

    Args:
        text: the value.
        learnt: the games to learn; a run takes either VGDL games or others, not both.

    Raises:
        LookupError: there is no such author; the message lists the known ones.
        OptionError: the games are of both kinds.
    """
    name = "chat" if "://" in text else text.partition(":")[0]
    for kind in AUTHORS:
        if kind.name == name:
            return kind if kind.name == "search" or not _are_vgdl(learnt) else TEXTS
    hint = suggestion(name, [kind.name for kind in AUTHORS])
    raise LookupError(f"there is no author {name!r}{hint}: expected {' or '.join(kind.form for kind in AUTHORS)}")


def _are_vgdl(names: Sequence[str]) -> bool:
    """Whether games are VGDL games: bundled ones, or paths of game files.

    Raises:
        OptionError: some are, and some are not.
    """
    bundled = set(games.names()) - set(WORLDS)
    found = [name for name in names if name in bundled or (name.endswith(".txt") and Path(name).is_file())]
    if found and len(found) < len(names):
        other = next(name for name in names if name not in found)
        raise OptionError(f"{found[0]} is a VGDL game and {other} is not: learn them in separate runs")
    return bool(found)
