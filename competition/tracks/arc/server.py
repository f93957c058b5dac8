"""The server process: the application, its store, the clean-up of stale cards, and uvicorn (extra ``web``)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.concurrency import run_in_threadpool

from vgdl.competition.errors import CompetitionError, using
from vgdl.competition.listening import HEAD_BYTES, listening, patient_protocol
from vgdl.competition.tracks.arc.baselines import Baselines, bundled_baselines
from vgdl.competition.tracks.arc.pages.live import LivePages
from vgdl.competition.tracks.arc.playable import ArcGame
from vgdl.competition.tracks.arc.recording import Recorder
from vgdl.competition.tracks.arc.scoring import LATEST, Scoring
from vgdl.competition.tracks.arc.service import ArcService, Settings
from vgdl.competition.tracks.arc.store import Ledger
from vgdl.competition.tracks.arc.web import Api, application

KEEP_ALIVE_S = 75
"""Seconds that an idle connection stays open: agents need time between their actions."""

CLEANING_S = 30.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of a server.

    Attributes:
        host: the address to listen on.
        port: the port; 0 for any.
        store: file of the cards; None keeps them in memory.
        keys: API keys that are accepted; None: any.
        rpm: requests per minute and key; None: any number.
        recordings: folder for recordings of all plays.
        competition: see ``service.Settings``, also for the following ones.
        baselines: the baselines of scores; by default those of planners.
    """

    host: str = "127.0.0.1"
    port: int = 0
    store: Path | None = None
    keys: frozenset[str] | None = None
    rpm: int | None = None
    recordings: Path | None = None
    competition: bool = False
    stale_minutes: float = 15.0
    most_hours: float = 24.0
    show_baselines: bool = False
    scoring: Scoring = LATEST
    baselines: Baselines | None = None


def prepare(games: Iterable[ArcGame]) -> None:
    """Initialise the lazily computed parts of games, so that a server answers the first requests quickly.

    This takes up to half a second for a game that is not bundled.
    """
    for game in games:
        game.begin(0).layer()
        _ = game.tags


def run(
    games: Sequence[ArcGame],
    settings: ServerSettings,
    ledger: Ledger,
    listening: socket.socket,
    started: Callable[[], None],
) -> None:
    """Serve games until SIGINT or SIGTERM, and then close open cards.

    Args:
        games: the games to serve; see ``prepare``.
        settings: the settings of the server.
        ledger: the open store of the cards.
        listening: the listening socket.
        started: called when the server is ready for requests.

    Raises:
        StoreError: the store cannot be used.
    """
    _server(games, settings, ledger, started).run(sockets=[listening])


@contextlib.contextmanager
def background(games: Sequence[ArcGame], settings: ServerSettings | None = None) -> Iterator[str]:
    """Serve games in a thread during the ``with`` block.

    Yields:
        The URL of the server.
    """
    settings = settings or ServerSettings()
    started = threading.Event()
    prepare(games)
    with listening(settings.host, settings.port) as place, contextlib.closing(Ledger(settings.store)) as ledger:
        server = _server(games, settings, ledger, started.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]}, name="arc-server")
        thread.start()
        started.wait()
        try:
            yield url_of(place)
        finally:
            server.should_exit = True
            thread.join()


def url_of(place: socket.socket) -> str:
    """The URL of a server that listens on a socket."""
    host, port = place.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _server(
    games: Sequence[ArcGame], settings: ServerSettings, ledger: Ledger, started: Callable[[], None]
) -> uvicorn.Server:
    if settings.recordings:
        with using(settings.recordings):
            settings.recordings.mkdir(parents=True, exist_ok=True)
    known = settings.baselines or bundled_baselines()
    rules = Settings(
        competition=settings.competition,
        stale_minutes=settings.stale_minutes,
        most_hours=settings.most_hours,
        show_baselines=settings.show_baselines,
        scoring=settings.scoring,
        source=known.source,
    )
    levels = {game.id: found for game in games if (found := known.of(game))}
    recorder = Recorder(settings.recordings) if settings.recordings else None
    service = ArcService(games, ledger, rules, levels, recorder)
    pages = LivePages(service)
    api = Api(service, settings.keys, settings.rpm)
    app = application(api, pages.routes(), _cleaning(service, started), pages.problem)
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=5, h11_max_incomplete_event_size=HEAD_BYTES, http=patient_protocol(),
    )  # fmt: skip
    return uvicorn.Server(config)


def _cleaning(
    service: ArcService, started: Callable[[], None]
) -> Callable[[object], contextlib.AbstractAsyncContextManager[None]]:
    """Close stale cards while the application runs, and all cards when it ends."""

    @contextlib.asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        async def clean() -> None:
            while True:
                await asyncio.sleep(min(CLEANING_S, 15 * service.settings.stale_minutes))
                try:
                    await run_in_threadpool(service.close_stale)
                except CompetitionError as error:
                    _log.error("%s", error)

        task = asyncio.create_task(clean())
        started()
        try:
            yield
        finally:
            task.cancel()
            await run_in_threadpool(service.close_all)

    return lifespan
