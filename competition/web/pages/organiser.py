"""Pages for organisers, which call the same functions as ``vgdl-compete site``."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from vgdl.competition.options import OWN_ERRORS
from vgdl.competition.submissions.queue import State as EntryState
from vgdl.competition.tracks.planning.game_set import bundled_sets
from vgdl.competition.web import (
    accounts,
    arenas,
    competitions,
    copies,
    courses,
    entries,
    jobs,
    organising,
    people,
    teams,
    undoing,
)
from vgdl.competition.web.competitions import PLANNING, Competition, Role, SetOfGames, Settings, SettingsError
from vgdl.competition.web.database import Database
from vgdl.competition.web.pages.common import (
    Form,
    before,
    competition_of,
    form_page,
    organiser_of,
    redirect,
    render,
    seen_by,
    shared,
)  # fmt: skip
from vgdl.controllers import registry

MOST_PAIRS = 200
"""Maximum number of pairs with shared code on a page."""

SETS_IN_FORM = 4
"""Maximum number of sets of games in the form; the command line has no limit."""


def overview(request: Request) -> Response:
    """The overview for organisers."""
    return _overview(request)


@form_page
@before(organiser_of)
def create(request: Request, form: Form) -> Response:
    """Create a competition, as a draft."""
    actor = organiser_of(request).name
    try:
        made = competitions.create(
            shared(request).database, actor, form.text("slug"), form.text("title"), _settings(form),
            text=form.text("text", competitions.MOST_TEXT), opens=_date(form, "opens"), closes=_date(form, "closes"),
        )  # fmt: skip
    except (*OWN_ERRORS, ValueError) as error:
        return _overview(request, error=str(error), status=400)
    return redirect(f"/organise/{made.slug}")


def settings(request: Request) -> Response:
    """The form for changing what was entered when a competition was created."""
    return _change(request)


@form_page
@before(organiser_of)
def change(request: Request, form: Form) -> Response:
    """Change the settings of a competition."""
    actor, competition = organiser_of(request).name, competition_of(request)
    try:
        competitions.change(
            shared(request).database, actor, competition, form.text("title"), _settings(form, competition.settings),
            text=form.text("text", competitions.MOST_TEXT), opens=_date(form, "opens"), closes=_date(form, "closes"),
        )  # fmt: skip
    except (*OWN_ERRORS, ValueError) as error:
        return _change(request, error=str(error), status=400)
    return redirect(f"/organise/{competition.slug}")


@form_page
@before(organiser_of)
def undo(request: Request, form: Form) -> Response:
    """Take an action back."""
    undoing.undo(shared(request).database, organiser_of(request).name, form.number("number"))
    return redirect("/organise#undo")


def manage(request: Request) -> Response:
    """One competition."""
    return _manage(request)


@form_page
@before(organiser_of)
def act(request: Request, form: Form) -> Response:
    """Open or close a competition, publish an announcement on its page, or publish its test sets."""
    actor, common, competition = organiser_of(request).name, shared(request), competition_of(request)
    try:
        match form.text("action"):
            case "open":
                confirmed = form.text("confirm") == competition.slug
                organising.open_competition(common.database, actor, competition, confirmed=confirmed)
            case "delete":
                organising.delete_draft(common.database, actor, competition)
                return redirect("/organise")
            case "close":
                organising.close_competition(common.database, actor, competition)
            case "show":
                competitions.show_test(common.database, actor, competition, shown=True)
            case "hide":
                competitions.show_test(common.database, actor, competition, shown=False)
            case "announce":
                words = form.text("words", competitions.MOST_TEXT)
                competitions.announce(common.database, actor, competition, form.text("title"), words)
            case "assist" | "no-assistant" | "extend" | "no-extension" | "leave-team" as action:
                _act_on_person(common.database, actor, competition, action, form)
            case _:
                raise HTTPException(400, "there is no such action")
    except OWN_ERRORS as error:
        return _manage(request, error=str(error), status=400)
    return redirect(f"/organise/{competition.slug}")


def _act_on_person(database: Database, actor: str, competition: Competition, action: str, form: Form) -> None:
    """Change what a user, or a team, may do in a competition."""
    name = form.text("user")
    match action:
        case "assist":
            people.add_assistant(database, actor, competition, accounts.find_user(database, name))
        case "no-assistant":
            people.remove_assistant(database, actor, competition, accounts.find_user(database, name))
        case "leave-team":
            teams.remove(database, actor, accounts.find_user(database, name), competition)
        case "no-extension":
            people.end_extension(database, actor, competition, teams.owner_called(database, name, competition))
        case _:
            until = _date(form, "until")
            if until is None:
                raise SettingsError("an extension needs a date")
            owner = teams.owner_called(database, name, competition)
            people.extend(database, actor, competition, owner, until)


@form_page
@before(organiser_of)
def act_on_entry(request: Request, form: Form) -> Response:
    """Disqualify, re-run or promote an entry."""
    actor, database = organiser_of(request).name, shared(request).database
    entry = entries.get(database, form.number("entry"))
    match form.text("action"):
        case "disqualify":
            if not form.text("reason"):
                raise HTTPException(400, "say why: everyone can read it")
            organising.disqualify(database, actor, entry, form.text("reason"))
        case "readmit":
            organising.disqualify(database, actor, entry, "")
        case "rerun":
            organising.rerun(database, actor, entry)
        case "promote":
            organising.promote_entry(database, actor, entry)
        case _:
            raise HTTPException(400, "there is no such action")
    return redirect(f"/organise/{competitions.get(database, entry.competition_id).slug}#entries")


@form_page
@before(organiser_of)
def act_on_user(request: Request, form: Form) -> Response:
    """Create a link for a user's new password, or make the user an organiser."""
    actor, common = organiser_of(request).name, shared(request)
    try:
        user = accounts.find_user(common.database, form.text("user"))
    except accounts.AccountError as error:
        return _overview(request, error=str(error), status=400)
    match form.text("action"):
        case "reset":
            link = f"{common.address}/link/{organising.reset_link(common.database, actor, user)}"
            return _overview(request, link=link, link_for=user.name)
        case "promote":
            organising.promote_user(common.database, actor, user)
        case _:
            raise HTTPException(400, "there is no such action")
    return redirect("/organise#users")


@form_page
@before(organiser_of)
def course(request: Request, form: Form) -> Response:
    """Make the link of a course, or accounts from a list of names, with a link for each."""
    actor, common = organiser_of(request).name, shared(request)
    try:
        if form.text("action") == "link":
            words = form.text("words")
            token = courses.invite(common.database, actor, words, form.number("people"))
            return _overview(request, link=f"{common.address}/join/{token}", link_for=f"{words} (everybody in it)")
        made = courses.add_people(common.database, actor, form.text("names", courses.MOST_TEXT))
    except accounts.AccountError as error:
        return _overview(request, error=str(error), status=400)
    content = organising.as_table(("name", "link"), [(name, f"{common.address}/link/{token}") for name, token in made])
    headers = {"content-disposition": 'attachment; filename="links.csv"', "cache-control": "no-store"}
    return Response(content, media_type="text/csv", headers=headers)


@form_page
@before(organiser_of)
def announce(request: Request, form: Form) -> Response:
    """Publish an announcement on the home page."""
    words = form.text("words", competitions.MOST_TEXT)
    competitions.announce(shared(request).database, organiser_of(request).name, None, form.text("title"), words)
    return redirect("/organise")


def audit(request: Request) -> Response:
    """The audit log."""
    organiser_of(request)
    lines = competitions.audit(shared(request).database)
    return render(request, "web/audit.html", title="Audit log", lines=lines)


@form_page
@before(organiser_of)
def export(request: Request, form: Form) -> Response:
    """All results of a competition as a file."""
    actor, competition = organiser_of(request).name, competition_of(request)
    exported = organising.export(shared(request).database, actor, competition)
    is_csv = form.text("format") == "csv"
    content = organising.as_csv(exported) if is_csv else organising.as_json(exported)
    name = f"{competition.slug}.{'csv' if is_csv else 'json'}"
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(content, media_type="text/csv" if is_csv else "application/json", headers=headers)


def archives(request: Request) -> Response:
    """The zips of all entries of a competition, or of its winners, in one zip file."""
    competition = competition_of(request)
    actor = seen_by(request, competition.id).name
    winners = request.query_params.get("of") == "winners"
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it has been sent
    organising.write_archives(shared(request).database, actor, competition, file, winners=winners)
    file.seek(0)
    name = f"{competition.slug}-{'winners' if winners else 'entries'}.zip"
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    blocks = iter(lambda: file.read(1 << 20), b"")
    return StreamingResponse(
        blocks, media_type="application/zip", headers=headers, background=BackgroundTask(file.close)
    )


def source(request: Request) -> Response:
    """The Python files of an entry, with line numbers."""
    database = shared(request).database
    entry = entries.get(database, request.path_params["number"])
    seen_by(request, entry.competition_id)
    if entry.state in (EntryState.WAITING, EntryState.REFUSED):
        raise SettingsError(f"the archive of entry {entry.id} is {entry.state}: it is not opened here")
    files = [(name, text.splitlines()) for name, text in copies.sources(entries.zip_of(database, entry))]
    competition = competitions.get(database, entry.competition_id)
    return render(
        request, "web/source.html", title=f"Source of {entry.name}", entry=entry, files=files, competition=competition
    )


def copied(request: Request) -> Response:
    """The pairs of entries that share code."""
    competition, database = competition_of(request), shared(request).database
    seen_by(request, competition.id)
    return render(
        request, "web/copies.html", title=f"Copied code in {competition.title}", competition=competition,
        pairs=copies.of_competition(database, competition.id)[:MOST_PAIRS],
        entries={one.id: one for one in entries.of_competition(database, competition)},
    )  # fmt: skip


def _overview(request: Request, *, error: str = "", link: str = "", link_for: str = "", status: int = 200) -> Response:
    organiser_of(request)
    database = shared(request).database
    return render(
        request, "web/organise.html", status=status, title="Organise", competitions=competitions.every(database),
        users=accounts.users(database), error=error, link=link, link_for=link_for, undos=undoing.possible(database),
        queue=shared(request).queue.get(), offers=_offers(), **_choices(Settings(())),
    )  # fmt: skip


def _manage(request: Request, *, error: str = "", status: int = 200) -> Response:
    competition, database = competition_of(request), shared(request).database
    user = seen_by(request, competition.id)
    return render(
        request, "web/manage.html", status=status, title=f"Organise {competition.title}", competition=competition,
        entries=entries.of_competition(database, competition), error=error, queue=shared(request).queue.get(),
        announced=competitions.announcements(database, competition), rankable=jobs.RANKABLE,
        left=_left(database, competition), decides=user.is_organiser,
        assistants=people.assistants(database, competition), extensions=people.extensions(database, competition),
        teams=teams.every(database, competition),
    )  # fmt: skip


def _left(database: Database, competition: Competition) -> int:
    row = database.row(
        "SELECT COUNT(*) AS count FROM jobs WHERE competition_id = ? AND state IN ('waiting', 'taken')", competition.id
    )
    return int(row["count"]) if row else 0


def _change(request: Request, *, error: str = "", status: int = 200) -> Response:
    organiser_of(request)
    competition = competition_of(request)
    return render(
        request, "web/settings.html", status=status, title=f"Settings of {competition.title}", competition=competition,
        error=error, offers=_offers(competition.settings), **_choices(competition.settings),
    )  # fmt: skip


def _choices(shown: Settings) -> dict[str, Any]:
    """What the form for settings shows, and offers."""
    return {
        "sets": bundled_sets(), "roles": list(Role), "rows": range(1, max(SETS_IN_FORM, len(shown.sets)) + 1),
        "controllers": registry.names(), "defaults": shown,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Offer:
    """What a form for competitions of a track besides planning shows."""

    track: str
    summary: str
    known: str  #: the bundled programs
    settings: Settings


def _offers(shown: Settings | None = None) -> list[Offer]:
    """The forms for other tracks: with what these suggest, or with the settings of a competition."""
    if shown is not None and shown.is_planning:
        return []
    offers = []
    for name in arenas.enterable() if shown is None else [shown.track]:
        found = arenas.entering(name)
        suggested = Settings((), track=name, baselines=found.baselines, options=found.options)
        known = ", ".join(found.registry.names())
        offers.append(Offer(name, arenas.played(name).summary, known, shown or suggested))
    return offers


def _settings(form: Form, old: Settings | None = None) -> Settings:
    """The settings that the form describes; those that it does not contain are the old ones."""
    track = old.track if old is not None else form.text("track") or PLANNING
    return _planning_settings(form, old) if track == PLANNING else _track_settings(form, old, track)


def _track_settings(form: Form, old: Settings | None, track: str) -> Settings:
    """The settings of a competition of another track."""
    options, final = (
        tuple(line.strip() for line in form.text(name, 4000).splitlines() if line.strip())
        for name in ("options", "final_options")
    )
    return replace(
        old or Settings((), track=track),
        options=options,
        final_options=final,
        per_day=form.number("per_day"),
        storage_mb=form.number("storage_mb"),
        baselines=_names(form, "baselines"),
        team_size=form.number("team_size"),
    )


def _names(form: Form, name: str) -> tuple[str, ...]:
    """A field with names between commas."""
    return tuple(each.strip() for each in form.text(name, 1000).split(",") if each.strip())


def _planning_settings(form: Form, old: Settings | None) -> Settings:
    standard = old or Settings(())
    sets = []
    for row in range(1, max(SETS_IN_FORM, len(standard.sets)) + 1):
        source = form.text(f"source{row}", 500)
        if source:
            games = tuple(name.strip() for name in form.text(f"games{row}", 2000).split(",") if name.strip())
            name = form.text(f"name{row}") or source.rstrip("/").rpartition("/")[2]
            sets.append(SetOfGames(name, Role(form.text(f"role{row}")), source, games))
    levels = {(one.name, one.source, one.games): one.levels for one in standard.sets}
    chosen = tuple(replace(one, levels=levels.get((one.name, one.source, one.games), ())) for one in sets)
    return replace(
        standard,
        sets=chosen,
        repeats=form.number("repeats"),
        budget=form.text("budget"),
        per_day=form.number("per_day"),
        storage_mb=form.number("storage_mb"),
        baselines=_names(form, "baselines"),
        final_plays=form.number("final_plays"),
        final_plays_top=form.number("final_plays_top"),
        team_size=form.number("team_size"),
        restrictions=replace(standard.restrictions, memory_mb=form.number("memory_mb")),
    )


def _date(form: Form, name: str) -> float | None:
    """A date in UTC; None if none is given."""
    text = form.text(name)
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        raise SettingsError(f"{text!r:.40} is not a date; write 2026-05-31T12:00, in UTC") from None
