"""Pages for teams: creating one, inviting others, joining and leaving."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from vgdl.competition.errors import CompetitionError
from vgdl.competition.web import competitions, limits, teams
from vgdl.competition.web.accounts import User
from vgdl.competition.web.competitions import Competition
from vgdl.competition.web.database import Row
from vgdl.competition.web.pages.common import (
    Form,
    before,
    competition_of,
    form_page,
    redirect,
    render,
    shared,
    user_of,
)  # fmt: skip


def team(request: Request) -> Response:
    """The user's team in a competition, or the form to found one."""
    return _team(request, user_of(request))


@form_page
@before(user_of)
def act(request: Request, form: Form) -> Response:
    """Create a team, make a link to it, or leave it."""
    common, user, competition = shared(request), user_of(request), competition_of(request)
    try:
        match form.text("action"):
            case "create":
                teams.create(common.database, user, competition, form.text("name"))
            case "invite":
                token = teams.invite(common.database, user, competition)
                return _team(request, user, link=f"{common.address}/join-team/{token}")
            case "leave":
                teams.leave(common.database, user, competition)
            case _:
                raise HTTPException(400, "there is no such action")
    except CompetitionError as error:
        return _team(request, user, error=str(error), name=form.text("name"), status=400)
    return redirect(f"/competitions/{competition.slug}/team")


def join(request: Request) -> Response:
    """The page behind the link of a team."""
    user_of(request)
    return _join(request, *_invitation(request))


@form_page
@before(user_of)
def join_done(request: Request, form: Form) -> Response:
    """Join a team."""
    user, database = user_of(request), shared(request).database
    limits.spend(database, limits.JOIN, f"user {user.id}")
    known, competition = _invitation(request)
    try:
        teams.join(database, user, competition, request.path_params["token"])
    except CompetitionError as error:
        return _join(request, known, competition, error=str(error), status=400)
    return redirect(f"/competitions/{competition.slug}/team")


def _invitation(request: Request) -> tuple[Row, Competition]:
    database = shared(request).database
    known = teams.invitation(database, request.path_params["token"])
    if known is None:
        raise HTTPException(404, "this link of a team does not work any more; ask for another")
    return known, competitions.get(database, known["competition_id"])


def _team(
    request: Request, user: User, *, error: str = "", link: str = "", name: str = "", status: int = 200
) -> Response:
    competition, database = competition_of(request), shared(request).database
    found = teams.team_of(database, user, competition)
    return render(
        request, "web/team.html", status=status, title=found["name"] if found else "Teams", competition=competition,
        team=found, members=teams.members(database, found["id"]) if found else [], link=link, error=error, name=name,
    )  # fmt: skip


def _join(request: Request, known: Row, competition: Competition, *, error: str = "", status: int = 200) -> Response:
    return render(
        request, "web/join-team.html", status=status, title=f"Join {known['name']}", competition=competition,
        members=teams.members(shared(request).database, known["id"]), error=error,
    )  # fmt: skip
