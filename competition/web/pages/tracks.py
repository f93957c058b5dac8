"""The tracks and their boards: nothing here knows a particular track."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from vgdl.competition import track as registry
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.track import Track, TrackNotFound
from vgdl.competition.web import competitions
from vgdl.competition.web.competitions import State
from vgdl.competition.web.pages.common import render, shared
from vgdl.competition.web.track_boards import TrackBoard

SECTION = "/tracks"
"""The page that the navigation marks on all of these."""


@dataclass(frozen=True, slots=True)
class Card:
    """A track as the pages show it."""

    name: str
    title: str
    summary: str
    links: tuple[tuple[str, str], ...]  #: what people can do: words and address
    boards: tuple[TrackBoard, ...]


def overview(request: Request) -> Response:
    """All tracks that are installed, with what can be done in each, and the boards whose track is not known."""
    boards = shared(request).track_boards.every()
    cards = [_card(found, boards) for found in shared(request).tracks]
    known = {card.name for card in cards}
    rest = [board for board in boards if board.track not in known]
    return render(request, "web/tracks.html", title="Tracks", section=SECTION, tracks=cards, rest=rest)


def page(request: Request) -> Response:
    """One track."""
    try:
        found = registry.find(request.path_params["name"])
    except TrackNotFound:
        raise HTTPException(404, "there is no such track") from None
    card = _card(found, shared(request).track_boards.every())
    own = [
        one
        for one in competitions.every(shared(request).database)
        if one.settings.track == found.name and one.state is not State.DRAFT
    ]
    return render(request, "web/track.html", title=card.title, section=SECTION, track=card, competitions=own)


async def board(request: Request) -> Response:
    """The board of a store: the tables of its results, and the way to its pages."""
    found = shared(request).track_boards.get(request.path_params["name"])
    if found.is_site and found.report is not None:
        return await found.report.get_response(".", request.scope)
    return await run_in_threadpool(_board, request, found)


def _board(request: Request, board: TrackBoard) -> Response:
    card = next((_card(track, ()) for track in shared(request).tracks if track.name == board.track), None)
    return render(request, "web/board.html", title=board.title, section=SECTION, board=board, track=card)


def own_pages(installed: Sequence[Track[Any]]) -> dict[str, Sequence[BaseRoute]]:
    """The routes of tracks with pages of their own, by the track's name; of one that fails, an error is printed."""
    found: dict[str, Sequence[BaseRoute]] = {}
    for track in installed:
        if track.on_site.pages:
            module, _, function = track.on_site.pages.partition(":")
            try:
                found[track.name] = getattr(import_module(module), function)()
            except Exception as error:  # a package is an arbitrary program
                words = printable(f"{error!r:.300}")
                print(f"the pages of the track {track.name} are missing: {words}", file=sys.stderr)
    return found


def installed() -> list[Track[Any]]:
    """The tracks that can be loaded; looking for them takes long."""
    found = []
    for name in registry.names():
        try:
            found.append(registry.find(name))
        except TrackNotFound:
            continue
    return found


def _card(track: Track[Any], boards: Sequence[TrackBoard]) -> Card:
    own = track.on_site
    places = (
        ("Play", own.play),
        ("Watch", own.watch),
        ("Vote", own.vote),
        ("Enter", own.enter),
        ("Have a game judged", own.judge),
    )
    links = tuple((words, address) for words, address in places if address)
    return Card(
        track.name,
        track.title or track.name.capitalize(),
        track.summary,
        links,
        tuple(one for one in boards if one.track == track.name),
    )
