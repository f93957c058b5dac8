"""Pages of competitions of the tracks other than planning: rankings, and the runs that they come from."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from vgdl.competition import track as tracks
from vgdl.competition.web import arenas, competitions, entries, people, runs
from vgdl.competition.web.competitions import Competition
from vgdl.competition.web.entries import Entry
from vgdl.competition.web.pages.common import Shared, render, shared, visitor
from vgdl.competition.web.runs import Run


def competition(request: Request, found: Competition) -> Response:
    """The ranking of a competition: that of the latest round, or of the deciding run."""
    common, user = shared(request), visitor(request).user
    run = runs.ranking(common.database, found)
    facts = runs.facts(common.database, run) if run is not None else {"tables": []}
    return render(
        request, "web/run-competition.html", title=found.title, competition=found, run=run,
        table=facts["tables"][0] if facts["tables"] else None,
        entries=[one for one in entries.of_competition(common.database, found, counted=True) if not one.is_baseline],
        playing=runs.in_progress(common.database, found), older=runs.every(common.database, found)[1:],
        programs=arenas.programs(found.settings.track), track=tracks.find(found.settings.track),
        announced=competitions.announcements(common.database, found), queue=common.queue.get(),
        barred=entries.barred(common.database, found), assists=people.may_see(common.database, user, found.id),
    )  # fmt: skip


def results(common: Shared, competition: Competition, entry: Entry) -> Markup:
    """The runs in which an entry takes part, as a part of its page."""
    data = {"runs": runs.of_entry(common.database, entry), "entry": entry, "competition": competition}
    return Markup(common.templates.get_template("web/run-entry.html").render(data))  # escaped by the template


def run(request: Request) -> Response:
    """A run that has ended: its tables, and the way to its pages."""
    common, (found, competition) = shared(request), _shown_run(request)
    pages = common.run_pages.get(found.id)
    response = render(
        request, "web/run.html", title=f"{competition.title}: {_title(common, found)}", competition=competition,
        run=found, facts=runs.facts(common.database, found), ready=isinstance(pages, StaticFiles),
        problem=pages if isinstance(pages, str) else "",
    )  # fmt: skip
    if pages is None:
        response.headers["cache-control"] = "no-store"
        del response.headers["x-snapshot"]  # the next reader may get the pages
    return response


async def report(request: Request) -> Response:
    """A file of a run's pages."""
    found, _ = await run_in_threadpool(_shown_run, request)
    pages = await run_in_threadpool(shared(request).run_pages.get, found.id)
    if not isinstance(pages, StaticFiles):
        return RedirectResponse(f"/runs/{found.id}/", 303)  # it says that they are being written
    return await pages.get_response(request.path_params["path"] or ".", request.scope)


def _title(common: Shared, run: Run) -> str:
    if run.entry_id is not None:
        return f"evaluation of {entries.get(common.database, run.entry_id).name}"
    return run.name


def _shown_run(request: Request) -> tuple[Run, Competition]:
    """The run in the path, if the visitor may see it: rounds, and evaluations of entries whose pages are shown.

    Raises:
        HTTPException: there is none, or it is not shown; the response does not distinguish the two.
    """
    database, user = shared(request).database, visitor(request).user
    found = runs.get(database, request.path_params["number"])
    if found is not None:
        competition: Any = competitions.get(database, found.competition_id)
        if found.entry_id is None:
            return found, competition
        entry = entries.get(database, found.entry_id)
        is_shown = (entry.counted or entry.barred) and not entry.deleted
        if is_shown or entries.is_own(database, user, entry) or people.may_see(database, user, competition.id):
            return found, competition
    raise HTTPException(404, "there is no such run")
