"""The pages on a competition site: people play two generated levels or games, and say which is better (generation, 7).

A contest is a finished store of the site's boards. Its results can be compared if another process has replayed a win on
each of their levels. Which generator made which side is told after the vote.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

import vgdl
from vgdl import Board, VGDLError, games
from vgdl.competition.errors import CompetitionError
from vgdl.competition.seeds import SEED_BITS
from vgdl.competition.store import Store
from vgdl.competition.tracks.generation import ballots, judging_site
from vgdl.competition.tracks.generation.ballots import StoredBallot
from vgdl.competition.tracks.generation.plan import FOR_NOTHING, Kind, Plan
from vgdl.competition.tracks.generation.rows import TABLES, Generated
from vgdl.competition.tracks.generation.votes import PLAYED_S, Answer, Side, VoteInvalid, strengths_table, write
from vgdl.competition.web.accounts import User
from vgdl.competition.web.pages.common import Form, Shared, before, form_page, redirect, render, user_of, visitor
from vgdl.competition.web.pages.playing import TICKS_PER_S, picture, serve
from vgdl.competition.web.track_boards import TrackBoard

TRACK = "generate"
HOME = f"/tracks/{TRACK}/vote"

SAVED_S = 10
"""Seconds of a play after which they are saved, besides the moment at which they are enough for a vote."""

_NOUNS = {Kind.LEVELS: "level", Kind.RULES: "game", Kind.GAMES: "game"}


@dataclass(frozen=True, slots=True)
class Contest:
    """A store whose results people compare."""

    key: str  #: SHA-256 of its plan
    name: str  #: of its board
    title: str
    path: Path
    kind: Kind
    sides: tuple[Side, ...]  #: the results that can be shown

    @property
    def address(self) -> str:
        """The page for voting."""
        return f"{HOME}/{self.name}"

    @property
    def noun(self) -> str:
        """What is compared."""
        return _NOUNS[self.kind]

    @property
    def generators(self) -> list[str]:
        """The generators that can be compared."""
        return sorted({side.generator for side in self.sides})


def routes() -> Sequence[BaseRoute]:
    """The pages below ``/tracks/generate``."""
    side = "/vote/{name}/{number:int}/{side}/{level:int}"
    return [
        Route("/vote", _overview, methods=["GET"]),
        Route("/vote/{name}", _page, methods=["GET"]),
        Route("/vote/{name}", _vote, methods=["POST"]),
        Route("/vote/{name}/strengths", _strengths, methods=["GET"]),
        Route("/vote/{name}/votes.csv", _csv, methods=["GET"]),
        Route("/vote/{name}/withdraw", _withdraw, methods=["POST"]),
        Route(f"{side}/start.png", _start, methods=["GET"]),
        WebSocketRoute(f"{side}/socket", _socket),
        *judging_site.routes(),
    ]


# ------------------------------------------------------------------------------------------------------------- contests


def _contest(request: HTTPConnection) -> Contest:
    """The contest that an address names.

    Raises:
        HTTPException: there is none.
        StoreError: its store is damaged.
    """
    common: Shared = request.app.state.shared
    board = common.track_boards.get(request.path_params["name"])
    if not _is_finished(board):
        raise HTTPException(404, "there is nothing to vote on: the board is of another track, or not complete")
    return _read(board.name, board.title, board.path, board.state)


def _is_finished(board: TrackBoard) -> bool:
    return board.track == TRACK and not board.is_site and bool(board.facts.get("complete"))


@functools.lru_cache(maxsize=64)
def _read(name: str, title: str, path: Path, state: object) -> Contest:
    """The contest in a store, which is read again when its files have changed."""
    with Store.open_of(TRACK, TABLES, path) as store:
        facts = store.plan
        with store.reading("its plan"):
            plan = Plan.from_facts(facts)
        rows = store.rows(Generated)
    sides = tuple(
        sorted(Side(row.generator, row.subject, row.number) for row in rows if row.verified and not row.cause)
    )
    key = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
    return Contest(key, name, title, path, plan.kind, sides)


def _levels(contest: Contest, side: Side) -> tuple[str, list[str]]:
    """The text of a result's game, and those of its levels.

    Raises:
        HTTPException: the store has changed, and does not have it any more.
    """
    try:
        with Store.open_of(TRACK, TABLES, contest.path) as store, store.reading("what was generated"):
            row = store.one(Generated, generator=side.generator, subject=side.subject, number=side.number)
            return str(row.texts["game"]), [str(level) for level in row.texts["levels"]]
    except CompetitionError:
        raise HTTPException(404, "this result is no longer there: load the page again") from None


def _board(contest: Contest, side: Side, level: int, seed: int) -> Board:
    """A level of a result, with what its game draws by lot drawn.

    Raises:
        HTTPException: it is not there, or cannot be played.
    """
    text, levels = _levels(contest, side)
    if level >= len(levels):
        raise HTTPException(404, "there is no such level")
    try:
        return vgdl.loads(text, name="generated").drawn(seed).board(levels[level])
    except VGDLError as error:
        raise HTTPException(404, f"this level cannot be played: {error.message}") from None


@functools.lru_cache(maxsize=256)
def _first_frame(contest: Contest, side: Side, level: int) -> tuple[bytes, int, int]:
    """The start of a level as a PNG file, its height and its width."""
    return picture(_board(contest, side, level, 0))


def _ballot(request: HTTPConnection, contest: Contest, user: User | None) -> tuple[StoredBallot, Side, int]:
    """The ballot of an address, and the side and level that it names.

    Raises:
        HTTPException: it is not one of this user.
    """
    known = None
    if user is not None:
        known = ballots.find(request.app.state.shared.database, contest.key, user, request.path_params["number"])
    name = request.path_params["side"]
    if known is None or name not in (Answer.LEFT, Answer.RIGHT):
        raise HTTPException(404, "there is no such pair: sign in, and load the page again")
    pair = known.ballot.pair
    return known, pair.left if name == Answer.LEFT else pair.right, request.path_params["level"]


# ---------------------------------------------------------------------------------------------------------------- pages


def _overview(request: Request) -> Response:
    """What can be voted on."""
    common: Shared = request.app.state.shared
    found, problems = [], []
    for board in filter(_is_finished, common.track_boards.every()):
        try:
            contest = _read(board.name, board.title, board.path, board.state)
        except CompetitionError as error:
            problems.append(f"{board.title}: {error}")
            continue
        found.append((contest, ballots.count(common.database, contest.key)))
    return render(
        request, "generation/contests.html", title="Which is better?", section="/tracks", contests=found,
        problems=problems, needed=PLAYED_S,
    )  # fmt: skip


def _page(request: Request) -> Response:
    """The pair that the user is asked about."""
    return _shown(request, _contest(request), user_of(request))


def _shown(request: Request, contest: Contest, user: User, *, error: str = "", status: int = 200) -> Response:
    database = request.app.state.shared.database
    ballot = ballots.current(database, contest.key, contest.sides, user, secrets.randbits(SEED_BITS))
    last = request.query_params.get("voted", "")
    voted = None
    if last.isascii() and last.isdecimal() and len(last) < 18:
        voted = ballots.find(database, contest.key, user, int(last))
    sides: list[dict[str, Any]] = []
    about = rules = ""
    if ballot is not None:
        pair = ballot.ballot.pair
        about, rules = _about(contest, pair.left.subject)
        sides = [
            _side(request, contest, ballot, Answer.LEFT, pair.left, ballot.left_s),
            _side(request, contest, ballot, Answer.RIGHT, pair.right, ballot.right_s),
        ]
    return render(
        request, "generation/vote.html", status=status, title=f"Which {contest.noun} is better?", section="/tracks",
        contest=contest, ballot=ballot, sides=sides, about=about, rules=rules, error=error, needed=PLAYED_S,
        voted=voted if voted is not None and voted.answer else None,
        votes=ballots.count(database, contest.key),
    )  # fmt: skip


def _about(contest: Contest, subject: str) -> tuple[str, str]:
    """What both sides were made for, in words, and how it is played, where that is known."""
    match contest.kind:
        case Kind.LEVELS if subject in games.names() and subject not in games.names("two_player"):
            facts = games.facts(subject)
            return f"Two generators made a level for {facts.title}.", facts.rules
        case Kind.LEVELS:
            return f"Two generators made a level for {subject}.", ""
        case Kind.RULES:
            return f"Two generators made rules for the sprites of {subject}, under other names.", ""
        case _ if subject == FOR_NOTHING:
            return "Two generators made a game.", ""
        case _:
            return f"Two generators made a game for this idea: {subject}", ""


def _side(
    request: Request, contest: Contest, ballot: StoredBallot, name: Answer, side: Side, played: float
) -> dict[str, Any]:
    """What the page shows of a side: nothing that tells its generator."""
    levels = _levels(contest, side)[1]
    wanted = request.query_params.get(str(name), "0")
    level = int(wanted) if wanted.isascii() and wanted.isdecimal() and len(wanted) < 4 else 0
    level = level if level < len(levels) else 0
    _, height, width = _first_frame(contest, side, level)
    return {
        "name": str(name), "level": level, "levels": len(levels), "height": height, "width": width, "played": played,
        "address": f"{contest.address}/{ballot.id}/{name}/{level}",
    }  # fmt: skip


@form_page
@before(user_of)
def _vote(request: Request, form: Form) -> Response:
    """Vote on a pair; the next one follows."""
    contest, user = _contest(request), user_of(request)
    number, text = form.number("ballot"), form.text("answer", 20)
    if text not in list(Answer):
        raise HTTPException(400, f"expected the answer {', '.join(Answer)}")
    try:
        known = ballots.cast(
            request.app.state.shared.database, contest.key, user, number, Answer(text), consent=form.is_on("consent")
        )
    except VoteInvalid as error:
        return _shown(request, contest, user, error=str(error), status=400)
    return redirect(f"{contest.address}?voted={known.id}")


def _start(request: Request) -> Response:
    """The start of a level, as a PNG file: the page shows it until the game runs."""
    contest = _contest(request)
    _, side, level = _ballot(request, contest, user_of(request))
    content, *_ = _first_frame(contest, side, level)
    return Response(content, media_type="image/png", headers={"cache-control": "private, max-age=3600"})


def _strengths(request: Request) -> Response:
    """Whose results people prefer."""
    common: Shared = request.app.state.shared
    contest, user = _contest(request), visitor(request).user
    count = ballots.count(common.database, contest.key)
    shown = common.fragments.get(
        "generation/strengths.html", ("votes", contest.key), count,
        lambda: {"table": strengths_table(ballots.votes(common.database, contest.key))},
    )  # fmt: skip
    published = 0 if user is None else ballots.count_published(common.database, contest.key, user)
    return render(
        request, "generation/people.html", title=f"{contest.title}: votes of people", section="/tracks",
        contest=contest, count=count, strengths=shown, published=published,
    )  # fmt: skip


def _csv(request: Request) -> Response:
    """The votes whose authors agreed that they are published, as CSV."""
    contest, text = _contest(request), io.StringIO()
    write(ballots.votes(request.app.state.shared.database, contest.key), text)
    headers = {"content-disposition": f'attachment; filename="votes-{contest.name}.csv"', "cache-control": "no-cache"}
    return Response(text.getvalue(), media_type="text/csv", headers=headers)


@form_page
@before(user_of)
def _withdraw(request: Request, form: Form) -> Response:
    """None of the user's votes is published any more."""
    contest = _contest(request)
    ballots.withdraw_consent(request.app.state.shared.database, contest.key, user_of(request))
    return redirect(f"{contest.address}/strengths")


# ----------------------------------------------------------------------------------------------------------------- play


async def _socket(socket: WebSocket) -> None:
    """A play of one side over a WebSocket, as of bundled games."""
    await serve(socket, _PlayedSide)


class _PlayedSide:
    """A side of a ballot that is played; the site counts the seconds by the ticks of the game."""

    def __init__(self, socket: WebSocket, user: User | None) -> None:
        """Find it.

        Raises:
            HTTPException: it is none of the user's.
        """
        self._database = socket.app.state.shared.database
        try:
            self._contest = _contest(socket)
        except CompetitionError:
            raise HTTPException(404, "there is nothing to vote on: load the page again") from None
        known, self._side, self._level = _ballot(socket, self._contest, user)
        self._number, self._name = known.id, str(socket.path_params["side"])
        self._counted = known.left_s if self._name == Answer.LEFT else known.right_s  #: seconds in the database
        self._saved = 0.0  #: seconds of this play that have been added to them

    def drawn(self, seed: int) -> Board:
        return _board(self._contest, self._side, self._level, seed)

    def played(self, seconds: int) -> Mapping[str, Any]:
        """Save the seconds when they are enough for a vote, and from time to time; the browser shows them."""
        if seconds - self._saved >= SAVED_S or self._counted < PLAYED_S <= self._counted + seconds - self._saved:
            self._save(seconds)
        return {"played": self._counted + seconds - self._saved}

    def left(self, ticks: int) -> None:
        self._save(ticks / TICKS_PER_S)

    def finished(
        self, seed: int, actions: Sequence[Sequence[str | None]], state: vgdl.StateObservation, *, consent: bool
    ) -> str:
        """Replays are not kept: it is the vote that counts."""
        return ""

    def _save(self, seconds: float) -> None:
        if seconds > self._saved:
            added = ballots.add_played(self._database, self._number, self._name, seconds - self._saved)
            self._counted, self._saved = added or self._counted, seconds
