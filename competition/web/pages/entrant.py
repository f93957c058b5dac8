"""Pages for entrants: uploading, watching the evaluation live, and managing their entries."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from vgdl.competition.report.text import minus
from vgdl.competition.web import arenas, competitions, entries, jobs, limits, people, teams
from vgdl.competition.web.accounts import User
from vgdl.competition.web.competitions import State
from vgdl.competition.web.entries import Entry, UploadRefused
from vgdl.competition.web.limits import TooMany
from vgdl.competition.web.pages.common import (
    Form,
    before,
    competition_of,
    described,
    duration,
    form_page,
    redirect,
    render,
    shared,
    user_of,
    wants_json,
)  # fmt: skip

LOOK_S = 1.0
"""Seconds between checks of an entry that is being watched."""

RANKING_S = 15.0
"""Seconds for which the page of an entry that is evaluated waits for the ranking that has it."""

MOST_STREAMS = 6
"""Maximum number of open pages per user that watch entries."""

EXAMPLE = """\
from vgdl.controllers import Controller


class Mine(Controller):
    def act(self, state, timer):
        return max(state.available_actions, key=lambda action: self.value(state, action))

    def value(self, state, action):
        future = state.copy()
        future.advance(action)
        return future.score
"""
"""The smallest controller."""

_streams: Counter[int] = Counter()


def enter(request: Request) -> Response:
    """The form for an upload."""
    return _form(request, user_of(request))


def may_upload(request: Request) -> None:
    """Check that an upload is allowed, before any of it is read."""
    user, common = user_of(request), shared(request)
    competition = competition_of(request)
    entries.check_open(common.database, user, competition)
    if entries.quota_left(common.database, user, competition)[0] < 1:
        waits = entries.next_upload_s(common.database, user, competition)
        raise TooMany(entries.daily_limit(competition), waits)
    limits.spend(common.database, limits.UPLOAD, f"user {user.id}")


@form_page
@before(may_upload)
def enter_done(request: Request, form: Form) -> Response:
    """Accept an upload; answers with a page, or with JSON if the form's script requests it."""
    user, competition = user_of(request), competition_of(request)
    try:
        sent = form.file("file")
        if sent is None:
            raise UploadRefused("choose a file: a zip, or one file with a program")
        filename, content = sent
        data = entries.checked(filename, content, arenas.programs(competition.settings.track))
        name = form.text("name") or entries.default_name(filename)
        entry = entries.upload(
            shared(request).database,
            user,
            competition,
            name,
            data,
            controller=form.text("class"),
            count=form.is_on("count"),
        )
    except (UploadRefused, TooMany) as error:
        status, words, headers = described(error)
        if wants_json(request):
            return Response(json.dumps({"error": words}), status, headers, "application/json")
        response = _form(request, user, error=words, name=form.text("name"), status=status)
        response.headers.update(headers)
        return response
    if wants_json(request):
        return Response(json.dumps({"entry": f"/entries/{entry.id}"}), media_type="application/json")
    return redirect(f"/entries/{entry.id}")


@form_page
def count(request: Request, form: Form) -> Response:
    """Make an entry the counted one."""
    user, entry = _own(request)
    entries.set_counted(shared(request).database, user, entry)
    return redirect(f"/entries/{entry.id}")


@form_page
def delete(request: Request, form: Form) -> Response:
    """Delete an entry."""
    user, entry = _own(request)
    entries.delete(shared(request).database, user, entry)
    return redirect("/account")


@form_page
def restore(request: Request, form: Form) -> Response:
    """Restore a deleted entry."""
    user, entry = _own(request)
    entries.restore(shared(request).database, user, entry)
    return redirect(f"/entries/{entry.id}")


def archive(request: Request) -> Response:
    """The zip file of the user's own entry; organisers and assistants may download all."""
    user, database = user_of(request), shared(request).database
    entry = entries.get(database, request.path_params["number"])
    if not people.may_see(database, user, entry.competition_id):
        entry = entries.own(database, user, entry.id)
    data = entries.zip_of(database, entry)
    headers = {"content-disposition": f'attachment; filename="entry-{entry.id}.zip"', "cache-control": "no-store"}
    return Response(data, media_type="application/zip", headers=headers)


async def watch(request: Request) -> Response:
    """The evaluation of the user's own entry as server-sent events, until it is done."""
    user, entry = await run_in_threadpool(_own, request)
    if _streams[user.id] >= MOST_STREAMS:
        raise HTTPException(429, f"{MOST_STREAMS} pages of yours watch entries already", {"retry-after": "10"})
    last = request.headers.get("last-event-id", request.query_params.get("after", "0"))
    after = int(last) if last.isascii() and last.isdecimal() and len(last) < 15 else 0
    return StreamingResponse(
        _news(request, user, entry.id, after),
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


async def _news(request: Request, user: User, number: int, after: int) -> AsyncIterator[str]:
    _streams[user.id] += 1
    last: dict[str, Any] = {}
    evaluated: float | None = None
    try:
        while not await request.is_disconnected():
            news, state = await run_in_threadpool(_look, request, number, after)
            if state["done"] and not await run_in_threadpool(_is_ranked, request, number):
                evaluated = evaluated or time.monotonic()
                state["done"] = time.monotonic() - evaluated > RANKING_S
            for event in news:
                after = event["id"]
                yield f"id: {after}\nevent: log\ndata: {json.dumps({'at': event['at'], 'words': event['words']})}\n\n"
            if state != last:
                last = state
                yield f"event: state\ndata: {json.dumps(state)}\n\n"
            else:
                yield ":\n\n"  # keeps proxies from closing the connection
            if state["done"]:
                return
            await asyncio.sleep(LOOK_S)
    finally:
        _streams[user.id] -= 1
        if not _streams[user.id]:
            del _streams[user.id]


def _look(request: Request, number: int, after: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    database = shared(request).database
    entry = entries.get(database, number)
    news = [row | {"words": minus(row["words"])} for row in entries.events(database, entry, after)]
    progress = jobs.progress(database, number)
    place = f"place {progress.place} in the queue, about {duration(progress.wait_s)}" if progress.place else ""
    state = {
        "state": entry.state,
        "message": entry.message,
        "place": "" if progress.done else place,
        "plays": progress.done,
        "total": progress.total,
        "done": entry.state.is_outcome or entry.deleted,
    }
    return news, state


def _is_ranked(request: Request, number: int) -> bool:
    """Whether an entry has its place in the rankings, or gets none."""
    common = shared(request)
    entry = entries.get(common.database, number)
    competition = competitions.get(common.database, entry.competition_id)
    if not entry.counted or entry.deleted or competition.state is not State.OPEN:
        return True
    boards = [common.boards.get(competition, one.name) for one in competition.shown_sets]
    return all(any(line.entry.id == number for line in board.lines) for board in boards)


def _own(request: Request) -> tuple[User, Entry]:
    user = user_of(request)
    return user, entries.own(shared(request).database, user, request.path_params["number"])


def _form(request: Request, user: User, *, error: str = "", name: str = "", status: int = 200) -> Response:
    competition = competition_of(request)
    database = shared(request).database
    left, free = entries.quota_left(database, user, competition)
    mine = [one for one in entries.history(database, user) if one.competition_id == competition.id]
    try:
        entries.check_open(database, user, competition)
        closed = ""
    except UploadRefused as refused:
        closed = f"{refused}."
    ends = people.deadline(database, competition, teams.owner_of(database, user, competition.id))
    return render(
        request, "web/enter.html", status=status, title=f"Enter {competition.title}", competition=competition,
        left=left, free=free, error=error, name=name, mine=mine, queue=shared(request).queue.get(),
        closed=closed, ends=ends, extended=ends != competition.closes,
        team=teams.team_of(database, user, competition), programs=arenas.programs(competition.settings.track),
        example=EXAMPLE if competition.settings.is_planning else arenas.entering(competition.settings.track).example,
    )  # fmt: skip
