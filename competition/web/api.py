"""The HTTP API for ``vgdl-compete submit --site`` and other programs: JSON, authenticated by the user's token.

| request | does |
|---|---|
| ``GET /api/competitions`` | lists the competitions |
| ``GET /api/competitions/SLUG/ranking?set=NAME`` | the ranking of a set |
| ``POST /api/competitions/SLUG/entries?name=N&filename=F`` | uploads the zip or Python file that is the body |
| ``GET /api/entries/NUMBER`` | state, place in the queue, log and results of the user's own entry |
| ``GET /api/queue`` | the length of the queue |
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from vgdl.competition.web import accounts, arenas, competitions, entries, jobs, limits, runs
from vgdl.competition.web.accounts import User
from vgdl.competition.web.competitions import Competition, State
from vgdl.competition.web.entries import Entry
from vgdl.competition.web.pages.common import Visitor, described, shared
from vgdl.competition.web.pages.entrant import may_upload
from vgdl.competition.web.rankings import Line


def listed(request: Request) -> Response:
    """All competitions but drafts."""
    shown = [one for one in competitions.every(shared(request).database) if one.state is not State.DRAFT]
    return JSONResponse([_competition(one) for one in shown])


def ranking(request: Request) -> Response:
    """The ranking of a set."""
    competition = _competition_of(request)
    if not competition.settings.is_planning:
        return _run_ranking(request, competition)
    shown = [one.name for one in competition.shown_sets]
    wanted = request.query_params.get("set", shown[0] if shown else "")
    if wanted not in shown:
        raise HTTPException(404, "there is no such set in this competition, or it is not shown yet")
    board = shared(request).boards.get(competition, wanted)

    def content() -> str:
        facts = {"set": wanted, "final": board.is_final, "plays": board.plays, "made": board.computed or None,
                 "strengths_made": board.strengths_computed or None}  # fmt: skip
        return json.dumps(facts | {"ranking": [_line(line) for line in board.lines]}, allow_nan=False)

    key = "api", competition.id, wanted, board.is_final
    return Response(
        shared(request).fragments.text(key, board.computed, content), media_type="application/json",
    )  # fmt: skip


def _run_ranking(request: Request, competition: Competition) -> Response:
    """The ranking of a competition of another track: the table of its latest round, or of the deciding run."""
    database = shared(request).database
    run = runs.ranking(database, competition)
    if run is None:
        return JSONResponse({"run": None, "final": False, "ranking": []})
    table, *_ = runs.facts(database, run)["tables"]
    names = [title for title, _ in table["columns"]]
    rows = [{name: key if key is not None else text for name, (text, key) in zip(names, row, strict=True)}
            for row in table["rows"]]  # fmt: skip
    return JSONResponse({"run": run.id, "final": run.phase == jobs.FINAL, "made": run.finished, "ranking": rows})


async def upload(request: Request) -> Response:
    """Accept the body as an entry."""
    user = await run_in_threadpool(_user, request)
    request.state.visitor = Visitor("", user)
    await run_in_threadpool(may_upload, request)
    body = await request.body()
    async with shared(request).forms:
        entry = await run_in_threadpool(_upload, request, user, body)
    return JSONResponse({"entry": entry.id, "url": f"{shared(request).address}/entries/{entry.id}"}, 201)


def entry(request: Request) -> Response:
    """The user's own entry."""
    database, user = shared(request).database, _user(request)
    found = entries.own(database, user, request.path_params["number"])
    log = [{"at": one["at"], "words": one["words"]} for one in entries.events(database, found)]
    return JSONResponse({**asdict(found), "progress": asdict(jobs.progress(database, found.id)), "log": log})


def queue(request: Request) -> Response:
    """The length of the queue."""
    return JSONResponse(asdict(shared(request).queue.get()))


def problem(request: Request, error: Exception) -> Response:
    """An error as JSON."""
    status, words, headers = described(error)
    return JSONResponse({"error": words}, status, headers)


def _upload(request: Request, user: User, body: bytes) -> Entry:
    query = request.query_params
    filename = query.get("filename", "agent.zip")
    competition = _competition_of(request)
    data = entries.checked(filename, body, arenas.programs(competition.settings.track))
    name = query.get("name") or entries.default_name(filename)
    options: dict[str, Any] = {"controller": query.get("class", ""), "count": query.get("count", "1") != "0"}
    return entries.upload(shared(request).database, user, competition, name, data, **options)


def _competition_of(request: Request) -> Competition:
    found = competitions.find(shared(request).database, request.path_params["slug"])
    if found.state is State.DRAFT:
        raise HTTPException(404, "there is no such competition")
    return found


def _user(request: Request) -> User:
    """The user whose token the request contains."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    database = shared(request).database
    user = accounts.token_user(database, token.strip()) if kind.lower() == "bearer" else None
    if user is None:
        address = request.client.host if request.client else "unknown"
        limits.spend(database, limits.SIGN_IN_ADDRESS, limits.network(address))
        problem = "this token is not valid" if token.strip() else "send 'Authorization: Bearer TOKEN'"
        words = f"{problem}; your account page makes a token"
        raise HTTPException(401, words, {"www-authenticate": "Bearer"})
    return user


def _competition(one: Competition) -> dict[str, Any]:
    sets = [{"name": each.name, "role": each.role, "shown": one.shows(each.name)} for each in one.settings.sets]
    return {
        "slug": one.slug, "track": one.settings.track, "title": one.title, "state": one.state, "closes": one.closes,
        "sets": sets,
    }  # fmt: skip


def _line(line: Line) -> dict[str, Any]:
    return {
        "place": line.place, "entry": line.entry.id, "name": line.entry.name, "owner": line.entry.owner,
        "baseline": line.entry.is_baseline, "points": line.points, "points_by_game": dict(line.points_by_game),
        "victories": line.victories, "plays": line.plays, "reliability": asdict(line.reliability),
        "strength": _strength(line), "rating": asdict(line.rating) if line.rating else None,
    }  # fmt: skip


def _strength(line: Line) -> dict[str, Any] | None:
    """A strength as JSON-compatible values, with null for unknown ones."""
    if line.strength is None:
        return None
    facts = asdict(line.strength)
    return {name: None if value in (float("inf"), float("-inf")) else value for name, value in facts.items()}
