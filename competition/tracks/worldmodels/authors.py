"""Authors of world models, by the name that ``--author`` takes."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from dataclasses import dataclass

from vgdl.language import nearest

Compete = Callable[[argparse.Namespace], int]
"""Learns and plays the games of a command line; returns the exit status."""


@dataclass(frozen=True, slots=True)
class AuthorKind:
    """A kind of author."""

    name: str  #: what stands before the colon in ``--author NAME:DETAILS``
    form: str  #: how it is written on the command line
    summary: str
    command: str  #: ``module:function`` of type `Compete`
    track: str = "worldmodels"  #: what the plans of its stores say, so that a store is resumed by whom it was begun

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


def of_store(track: object) -> AuthorKind:
    """The kind of author whose stores have a track in their plans.

    Raises:
        LookupError: there is none.
    """
    for kind in AUTHORS:
        if kind.track == track:
            return kind
    raise LookupError("it is not a store of world models")


def find(text: str) -> AuthorKind:
    """The kind of author that the value of ``--author`` asks for.

    Raises:
        LookupError: there is none; the message says which there are.
    """
    if "://" in text:
        return AUTHORS[0]
    name = text.partition(":")[0]
    for kind in AUTHORS:
        if kind.name == name:
            return kind
    near = nearest(name, [kind.name for kind in AUTHORS])
    hint = f" (did you mean {near!r}?)" if near else ""
    raise LookupError(f"there is no author {name!r}{hint}: write {' or '.join(kind.form for kind in AUTHORS)}")
