"""The application: routes and middleware."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import threading
import traceback
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from vgdl.competition.agents.plain_data import printable
from vgdl.competition.errors import CompetitionError
from vgdl.competition.track import find
from vgdl.competition.web import accounts, api, entries, jobs, upkeep
from vgdl.competition.web.database import Database
from vgdl.competition.web.mail import Mail
from vgdl.competition.web.oidc import Provider
from vgdl.competition.web.pages import (
    account,
    common,
    entrant,
    organiser,
    playing,
    provided,
    public,
    runs,
    team,
    tracks,
)
from vgdl.competition.web.pages.common import Fragments, Recent, Shared
from vgdl.competition.web.rankings import Boards
from vgdl.competition.web.run_pages import RunPages
from vgdl.competition.web.security import Application, Cookies, Guard, Receive, Scope, Send, Snapshots
from vgdl.competition.web.track_boards import TrackBoards

MOST_FORMS = 16
"""Maximum number of forms and uploads that are handled at once. They may wait for passwords to be hashed and for
uploads to be checked; the other threads of the server are for readers."""

QUEUE_S = 2.0
"""Seconds for which pages show the same length of the queue and number of entries."""


def make_app(
    database: Database,
    address: str,
    *,
    boards: TrackBoards | None = None,
    mail: Mail | None = None,
    provider: Provider | None = None,
    upkeep_here: bool = True,
) -> Application:
    """Create the application of a site.

    Args:
        database: the database of the site.
        address: address of the site, ``http://…`` or ``https://…``; with the latter, cookies are secure.
        boards: the boards of tracks; the application keeps them up to date while it runs.
        mail: server for links to reset a password.
        provider: provider of OpenID Connect, with whose accounts people sign in.
        upkeep_here: whether a thread of this process does the upkeep.
    """
    logging.getLogger("python_multipart").addHandler(logging.NullHandler())  # malformed forms are no matter of the log
    secure = address.startswith("https://")
    cookies = Cookies(accounts.secret(database), secure=secure)
    boards = boards or TrackBoards()
    installed = tracks.installed()
    own_pages = tracks.own_pages(installed)
    templates = common.make_templates([find(name).templates for name in own_pages])
    shared = Shared(
        database, cookies, Boards(database), mail, address.rstrip("/"), templates, boards,
        Recent(lambda: jobs.status(database), QUEUE_S), Fragments(templates),
        Recent(lambda: entries.ranked_counts(database), QUEUE_S), Recent(lambda: jobs.lanes(database), QUEUE_S),
        installed, provider, asyncio.Semaphore(MOST_FORMS), RunPages(database),
    )  # fmt: skip
    routes = [*_routes(), Mount("/boards/{name}", boards.serve)]
    for name, pages in own_pages.items():
        assets = Mount("/assets", StaticFiles(packages=[(find(name).templates, "static")]))
        routes.append(Mount(f"/tracks/{name}", routes=[*pages, assets]))

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        ended = threading.Event()
        await run_in_threadpool(common.compile_all, templates)
        if upkeep_here:
            threading.Thread(target=_upkeep, args=(database, ended), daemon=True).start()
        threading.Thread(target=boards.run, args=(ended,), daemon=True).start()
        threading.Thread(target=shared.run_pages.run, args=(ended,), daemon=True).start()
        yield
        ended.set()
        await run_in_threadpool(boards.close)
        await run_in_threadpool(shared.run_pages.close)
        await run_in_threadpool(database.close)

    handlers = {
        HTTPException: _problem,
        CompetitionError: _problem,  # not as an Exception: those count as bugs, and uvicorn prints their tracebacks
        ClientDisconnect: _left,
        Exception: _problem,
    }
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    app.state.shared = shared
    return Guard(Snapshots(_Answered(app), cookies.name), cookies.name, secure=secure)


class _Answered:
    """Ends requests whose handler failed: Starlette raises the error once more after it was printed and answered."""

    def __init__(self, inner: Application) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._inner(scope, receive, send)
        except Exception:
            if scope["type"] != "http":
                raise


def _routes() -> list[BaseRoute]:
    def get(path: str, endpoint: object) -> Route:
        return Route(path, endpoint, methods=["GET"])  # type: ignore[arg-type]

    def post(path: str, endpoint: object) -> Route:
        return Route(path, endpoint, methods=["POST"])  # type: ignore[arg-type]

    return [
        get("/", public.home),
        get("/health", _health),
        get("/favicon.ico", _icon),
        get("/queue", public.queue),
        get("/competitions/{slug}", public.competition),
        get("/competitions/{slug}/games/{game}", public.game),
        get("/competitions/{slug}/enter", entrant.enter),
        post("/competitions/{slug}/enter", entrant.enter_done),
        get("/competitions/{slug}/team", team.team),
        post("/competitions/{slug}/team", team.act),
        get("/join-team/{token}", team.join),
        post("/join-team/{token}", team.join_done),
        get("/entries/{number:int}", public.entry),
        get("/entries/{number:int}/events", entrant.watch),
        get("/entries/{number:int}/archive", entrant.archive),
        post("/entries/{number:int}/count", entrant.count),
        post("/entries/{number:int}/delete", entrant.delete),
        post("/entries/{number:int}/restore", entrant.restore),
        get("/plays/{number:int}/", public.replay),
        get("/plays/{number:int}/plays.js", public.replay_index),
        get("/plays/{number:int}/drawings/{file}.js", public.replay_drawings),
        get("/plays/{number:int}/replays/{same}.js", public.replay_film),
        get("/plays/{number:int}/log.csv", public.log),
        get("/runs/{number:int}/", runs.run),
        get("/runs/{number:int}/report/{path:path}", runs.report),
        get("/tracks", tracks.overview),
        get("/tracks/{name}", tracks.page),
        get("/boards/{name}/", tracks.board),
        get("/play", playing.overview),
        get("/play/{game}", playing.page),
        get("/play/{game}/{level:int}/start.png", playing.first_frame),
        WebSocketRoute("/play/{game}/{level:int}/socket", playing.play),
        get("/records/{number:int}/", playing.record),
        get("/records/{number:int}/plays.js", playing.record_index),
        get("/records/{number:int}/drawings/{file}.js", playing.record_drawings),
        get("/records/{number:int}/replays/{same}.js", playing.record_film),
        get("/records/{number:int}/replay.json", playing.replay_file),
        post("/records/{number:int}/delete", playing.withdraw),
        get("/sign-up", account.sign_up),
        post("/sign-up", account.sign_up_done),
        get("/join/{token}", account.join),
        post("/join/{token}", account.join_done),
        get("/sign-in", account.sign_in),
        post("/sign-in", account.sign_in_done),
        get(provided.BEGIN, provided.begin),
        get(provided.DONE, provided.done),
        post("/sign-out", account.sign_out),
        get("/forgot", account.forgot),
        post("/forgot", account.forgot_done),
        get("/link/{token}", account.link),
        post("/link/{token}", account.link_done),
        get("/account", account.account),
        post("/account/token", account.new_token),
        post("/account/password", account.new_password),
        get("/organise", organiser.overview),
        post("/organise", organiser.create),
        post("/organise/entries", organiser.act_on_entry),
        post("/organise/users", organiser.act_on_user),
        post("/organise/course", organiser.course),
        post("/organise/announce", organiser.announce),
        get("/organise/audit", organiser.audit),
        post("/organise/undo", organiser.undo),
        get("/organise/entries/{number:int}/source", organiser.source),
        get("/organise/{slug}/entries.zip", organiser.archives),
        get("/organise/{slug}/copies", organiser.copied),
        get("/organise/{slug}", organiser.manage),
        post("/organise/{slug}", organiser.act),
        get("/organise/{slug}/settings", organiser.settings),
        post("/organise/{slug}/settings", organiser.change),
        post("/organise/{slug}/export", organiser.export),
        get("/api/competitions", api.listed),
        get("/api/competitions/{slug}/ranking", api.ranking),
        post("/api/competitions/{slug}/entries", api.upload),
        get("/api/entries/{number:int}", api.entry),
        get("/api/queue", api.queue),
        Mount("/assets", StaticFiles(packages=list(common.static_folders()))),
    ]


def _health(request: Request) -> Response:
    """Health check for load balancers: whether the database can be reached."""
    common.shared(request).database.now()
    return PlainTextResponse("ok\n", headers={"cache-control": "no-store"})


def _icon(request: Request) -> Response:
    """The icon at the address at which browsers look for it when they show no page, but JSON."""
    return RedirectResponse("/assets/icon.svg", 301)


def _problem(request: Request, error: Exception) -> Response:
    """An error as a page, or as JSON for programs; bugs are printed, without the contents of the request."""
    status = common.described(error)[0]
    if status == 500:
        trace = "".join(traceback.format_exception(error))
        where = getattr(request.scope.get("endpoint"), "__name__", "a page")  # not the path, which may contain a secret
        print(printable(f"{request.method} {where}\n{trace}"), file=sys.stderr, flush=True)
    if request.url.path.startswith("/api/") or common.wants_json(request):
        return api.problem(request, error)
    try:
        return common.problem(request, error)
    except Exception:  # the page needs the database, too
        if status != 500:
            raise
        return PlainTextResponse("an error of ours, which was noted\n", status)


def _left(request: Request, error: Exception) -> Response:
    """The response to a client that disconnected while it sent its request; it is never received."""
    return Response(status_code=400)


def _upkeep(database: Database, ended: threading.Event) -> None:
    """Do the upkeep until the application ends; errors are printed, and do not stop it."""
    while not ended.is_set():
        try:
            upkeep.tick(database)
        except Exception:
            print(printable(traceback.format_exc()), file=sys.stderr, flush=True)
        ended.wait(2.0)
