"""Pages of a running server: cards, replays, and games that people play in the browser."""

from __future__ import annotations

import json
from importlib.resources import files
from types import SimpleNamespace
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from vgdl.competition.report.site import environment
from vgdl.competition.tracks.arc import pages
from vgdl.competition.tracks.arc.frame import CLICK
from vgdl.competition.tracks.arc.playable import ArcGame
from vgdl.competition.tracks.arc.service import ArcService
from vgdl.competition.tracks.arc.session import Session
from vgdl.competition.tracks.arc.store import CardRow, cards, chance, find_card, find_play
from vgdl.competition.tracks.arc.store import plays as plays_of
from vgdl.competition.tracks.arc.store import steps as steps_of

_STATIC = {
    name: (files(package) / "static" / name, kind)
    for package, name, kind in (
        ("vgdl.competition.report", "icon.svg", "image/svg+xml"),
        ("vgdl.competition.report", "style.css", "text/css"),
        ("vgdl.competition.report", "tables.js", "text/javascript"),
        (pages.PACKAGE, "arc.css", "text/css"),
        (pages.PACKAGE, "arc.js", "text/javascript"),
        (pages.PACKAGE, "replay.js", "text/javascript"),
        (pages.PACKAGE, "play.js", "text/javascript"),
        (pages.PACKAGE, "games.js", "text/javascript"),
    )
}

_POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
"""Only own scripts are allowed. Charts and tables of the shared templates have inline styles."""

_HEADERS = {"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}


class LivePages:
    """The pages of a server."""

    def __init__(self, service: ArcService) -> None:
        """Make the pages of a service."""
        self._service = service
        self._templates = environment((pages.PACKAGE, "vgdl.competition.report"))
        self._first_frames: dict[str, str] = {}

    def routes(self) -> list[BaseRoute]:
        """The routes of all pages; a competition has none for its games and replays."""
        routes: list[BaseRoute] = [
            Route("/", self._index),
            Route("/index.html", self._index),
            Route("/cards/{card_id}.html", self._card),
            Route("/assets/{name}", self._asset),
            Route("/favicon.ico", self._icon),
        ]
        if not self._service.settings.competition:
            routes += [
                Route("/games.html", self._games),
                Route("/play/{name}.html", self._play),
                Route("/replays/{guid}.html", self._replay),
                Route("/replays/{guid}.js", self._film),
            ]
        return routes

    async def _index(self, request: Request) -> Response:
        rows: list[CardRow] = await run_in_threadpool(self._service.ledger.call, cards, most=200)
        summaries = [pages.summary(row) for row in rows if row.closed or not row.opening.competition]
        return self._page(request, "index.html", "arc/index.html", "Scorecards", cards=summaries, live=True)

    async def _card(self, request: Request) -> Response:
        def read() -> tuple[dict[str, Any], set[str]] | None:
            card_id = request.path_params["card_id"]
            card = self._service.public_card(card_id)
            row: CardRow | None = self._service.ledger.call(find_card, card_id)
            if card is None or row is None:
                return None
            plays = self._service.ledger.call(plays_of, card_id)
            return card, {play.guid for play in plays if self._is_shown(row, play.game_id)}

        found = await run_in_threadpool(read)
        if found is None:
            raise HTTPException(404)
        card, watched = found
        return self._page(request, "", "arc/card.html", "Scorecard", card=card, watched=watched)

    async def _replay(self, request: Request) -> Response:
        row, guid, game = await self._watched(request)
        return self._page(request, "", "arc/replay.html", "Replay", **pages.replay_facts(row, guid, game.title))

    async def _film(self, request: Request) -> Response:
        _, guid, game = await self._watched(request)

        def make() -> str:
            ledger = self._service.ledger
            film = pages.film(game, ledger.call(steps_of, guid), ledger.call(chance, guid))
            return f"arc.replay({','.join(json.dumps(part, separators=(',', ':')) for part in film)});\n"

        return Response(await run_in_threadpool(make), media_type="text/javascript", headers=_HEADERS)

    async def _watched(self, request: Request) -> tuple[CardRow, str, ArcGame]:
        """Find the play of a replay's request, or raise a 404 error."""
        guid = request.path_params["guid"]

        def read() -> tuple[CardRow, ArcGame] | None:
            play = self._service.ledger.call(find_play, guid)
            row = self._service.ledger.call(find_card, play.card_id) if play else None
            game = self._service.find(play.game_id) if play else None
            return (row, game) if row and game and self._is_shown(row, play.game_id) else None

        found = await run_in_threadpool(read)
        if found is None:
            raise HTTPException(404)
        return found[0], guid, found[1]

    def _is_shown(self, row: CardRow, game_id: str) -> bool:
        """Whether a play has a replay: its game is available, and it is not part of a competition."""
        settings = self._service.settings
        return self._service.find(game_id) is not None and not (settings.competition or row.opening.competition)

    async def _games(self, request: Request) -> Response:
        shown = [(game, await run_in_threadpool(self._first_frame, game)) for game in self._service.games]
        return self._page(request, "games.html", "arc/games.html", "Play", games=shown)

    async def _play(self, request: Request) -> Response:
        game = self._service.find(request.path_params["name"])
        if game is None:
            raise HTTPException(404)
        return self._page(request, "", "arc/play.html", game.title, game=game, clicks=CLICK in game.actions)

    def problem(self, request: Request, status: int, words: str) -> Response:
        """An error as a page.

        Args:
            request: the request that it answers.
            status: the status of the response.
            words: what is wrong.
        """
        title = "Not found" if status == 404 else "This cannot be done"
        return self._page(request, "", "arc/problem.html", title, status, words=words)

    async def _asset(self, request: Request) -> Response:
        return self._file(request.path_params["name"])

    async def _icon(self, request: Request) -> Response:
        """The icon at the address at which browsers look for it when they show no page, but JSON."""
        return self._file("icon.svg")

    def _file(self, name: str) -> Response:
        found = _STATIC.get(name)
        if found is None:
            raise HTTPException(404)
        file, kind = found
        return Response(file.read_bytes(), media_type=kind, headers={**_HEADERS, "Cache-Control": "max-age=300"})

    def _first_frame(self, game: ArcGame) -> str:
        """The first frame of a game, a hexadecimal digit per pixel."""
        if game.id not in self._first_frames:
            layer = Session(game).reset().layers[-1]
            self._first_frames[game.id] = "".join(f"{pixel:x}" for pixel in layer.ravel().tolist())
        return self._first_frames[game.id]

    def _page(
        self, request: Request, target: str, template: str, title: str, status: int = 200, **data: Any
    ) -> Response:
        root = request.scope.get("root_path", "").rstrip("/")
        navigation = [("index.html", "Scorecards")]
        if not self._service.settings.competition:
            navigation.append(("games.html", "Play"))
        footer = f"{len(self._service.games)} games, scores by {self._service.settings.scoring}"
        site = SimpleNamespace(title="ARC games", navigation=navigation, footer=footer)
        text = self._templates.get_template(template).render(
            data, site=site, page={"title": title, "target": target}, url=lambda to: f"{root}/{to}"
        )
        return HTMLResponse(text, status, _HEADERS)
