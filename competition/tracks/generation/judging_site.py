"""The pages on a competition site where people have a game of theirs judged (generation, 6).

A game is only read by the isolated processes of a worker; the site passes texts and pictures on. Anyone who has the
address of a judgement can read it.
"""

from __future__ import annotations

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from vgdl.competition.report.charts import Bar
from vgdl.competition.tracks.generation import judgements
from vgdl.competition.tracks.generation.judgements import GameRefused, Judgement
from vgdl.competition.tracks.generation.referee import MOST_LEVELS, MOST_TEXT
from vgdl.competition.web.limits import TooMany
from vgdl.competition.web.pages.common import Form, Shared, before, form_page, redirect, render, user_of
from vgdl.judging.feasibility import CONSTRAINTS

HOME = "/tracks/generate/judge"
RELOAD_S = 5
"""Seconds after which the page of a game that waits is loaded again."""

_FILES = {"picture": ("png", "image/png"), "film": ("gif", "image/gif"), "replay": ("json", "application/json")}


def routes() -> Sequence[BaseRoute]:
    """The pages below ``/tracks/generate``."""
    files = [
        Route(f"/judge/{{key}}/{kind}-{{level:int}}.{suffix}", _file, methods=["GET"], name=kind)
        for kind, (suffix, _) in _FILES.items()
    ]
    return [
        Route("/judge", _page, methods=["GET"]),
        Route("/judge", _ask, methods=["POST"]),
        Route("/judge/{key}", _judgement, methods=["GET"]),
        *files,
    ]


def _page(request: Request) -> Response:
    """The form, and the user's latest games."""
    return _shown(request)


def _shown(request: Request, *, game: str = "", levels: str = "", error: str = "", status: int = 200) -> Response:
    user = user_of(request)
    common: Shared = request.app.state.shared
    return render(
        request, "generation/judge.html", status=status, title="Have a game judged", section="/tracks", game=game,
        levels=levels, error=error, mine=judgements.of(common.database, user), home=HOME, most_levels=MOST_LEVELS,
        effort=judgements.EFFORT,
    )  # fmt: skip


@form_page
@before(user_of)
def _ask(request: Request, form: Form) -> Response:
    """Put a game into the queue."""
    game, levels = form.text("game", MOST_TEXT), form.lines("levels", MOST_TEXT)
    try:
        key = judgements.ask(request.app.state.shared.database, user_of(request), game, levels)
    except GameRefused as error:
        return _shown(request, game=game, levels=levels, error=str(error), status=400)
    except TooMany as error:
        return _shown(request, game=game, levels=levels, error=str(error), status=429)
    return redirect(f"{HOME}/{key}")


def _find(request: Request) -> Judgement:
    found = judgements.find(request.app.state.shared.database, str(request.path_params["key"]))
    if found is None:
        raise HTTPException(404, "there is no such judgement: they are kept for 90 days")
    return found


def _judgement(request: Request) -> Response:
    """What the judges found."""
    found = _find(request)
    levels = []
    for number, facts in enumerate(found.facts.get("judgement", {}).get("levels", ())):
        levels.append(
            {
                **facts,
                "bars": [Bar(str(one["judge"]), one["wins"] / max(1, one["plays"])) for one in facts["judges"]],
                "broken": [CONSTRAINTS[name] for name, share in facts["constraints"].items() if share < 1.0],
                "text": found.levels[number],
                "files": {kind: f"{HOME}/{found.key}/{kind}-{number}.{suffix}" for kind, (suffix, _) in _FILES.items()
                          if found.file(number, kind)},
            }
        )  # fmt: skip
    response = render(
        request, "generation/judged.html", title="A game, judged", section="/tracks", judgement=found, levels=levels,
        home=HOME, effort=judgements.EFFORT,
    )  # fmt: skip
    if not found.is_done:
        response.headers["refresh"] = str(RELOAD_S)
        response.headers["cache-control"] = "no-store"
    return response


def _file(request: Request) -> Response:
    """A picture, a film or a replay of a level."""
    kind = str(request.scope["route"].name)
    content = _find(request).file(int(request.path_params["level"]), kind)
    if not content:
        raise HTTPException(404, "there is no such file")
    headers = {"cache-control": "private, max-age=3600", "x-content-type-options": "nosniff"}
    if kind == "replay":
        headers["content-disposition"] = 'attachment; filename="win.json"'
    return Response(content, media_type=_FILES[kind][1], headers=headers)
