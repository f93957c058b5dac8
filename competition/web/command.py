"""The commands for organisers, ``vgdl-compete site``, and for entrants, ``vgdl-compete submit --site``.

They call the same functions as the pages, so everything done here appears in the audit log, too.
"""

from __future__ import annotations

import argparse
import getpass
import http.client
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from rich.console import Console
from rich.table import Table

from vgdl.cli import counted, program
from vgdl.competition import options
from vgdl.competition.addresses import is_http_address
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.errors import CompetitionError, using
from vgdl.competition.submissions import archive
from vgdl.competition.tracks.planning.game_set import bundled_sets
from vgdl.competition.web import (
    accounts,
    arenas,
    competitions,
    courses,
    entries,
    jobs,
    organising,
    people,
    teams,
    undoing,
)
from vgdl.competition.web.competitions import PLANNING, Role, SetOfGames, Settings
from vgdl.competition.web.database import Database, open_database

TOKEN = "VGDL_TOKEN"
"""The environment variable with the token of an entrant."""

REFUSED = 1


def main(arguments: Sequence[str]) -> int:
    """Run ``vgdl-compete site``; returns the exit status: 0, or 2 for wrong arguments."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        with open_database(chosen.store) as database:
            _ACTIONS[chosen.action](database, chosen)
    except options.OWN_ERRORS as error:
        parser.error(str(error))
    return 0


def submit_to_site(arguments: Sequence[str]) -> int:
    """Run ``vgdl-compete submit --site``; returns the exit status: 0, 1 if it is refused, 2 for wrong arguments."""
    parser = options.Parser(
        prog=f"{program('compete')} submit --site",
        description="Send a zip, or one file with a program, to a competition site. Your account page makes a token; "
        f"put it into the environment variable {TOKEN}, or type it when asked.",
    )
    parser.add_argument("zip", metavar="AGENT.zip|AGENT.py|AGENT.js", help="the entry")
    parser.add_argument("--site", required=True, metavar="URL", help="of the site, such as https://compete.example.org")
    parser.add_argument("--competition", required=True, metavar="NAME", help="as it is in the address of its page")
    parser.add_argument("--name", help="what it is called in rankings (default: the name of the file)")
    parser.add_argument("--controller", metavar="FILE.py:CLASS", help="which class, if there are several")
    chosen = parser.parse_args(arguments)
    path = Path(chosen.zip)
    try:
        with using(path):
            if path.stat().st_size > archive.STANDARD.packed_bytes:
                raise CompetitionError(f"{path.name} is larger than {archive.STANDARD.packed_bytes // archive.MIB} MiB")
            data = path.read_bytes()
        checked = entries.checked(path.name, data, arenas.any_programs())
        answer = _post(chosen, path, checked, _token())
    except entries.UploadRefused as error:
        print(f"{path.name} is refused: {error}", file=sys.stderr)
        return REFUSED
    except CompetitionError as error:
        parser.error(str(error))
    if "error" in answer:
        print(f"{path.name} is refused: {printable(str(answer['error']), 1000)}", file=sys.stderr)
        return REFUSED
    print(f"entry {answer.get('entry')}: {printable(str(answer.get('url')), 300)}")
    return 0


def _token() -> str:
    """The user's token, from the environment or typed in."""
    try:
        return os.environ.get(TOKEN) or getpass.getpass("token: ")
    except EOFError:
        raise CompetitionError(f"no token: put the token of your account page into the variable {TOKEN}") from None


def _post(chosen: argparse.Namespace, path: Path, data: bytes, token: str) -> dict[str, object]:
    """Send an entry; returns the site's answer."""
    if not is_http_address(chosen.site):
        raise CompetitionError(f"{chosen.site!r:.100} is not the address of a site")
    query = {"name": chosen.name or path.stem, "filename": f"{path.stem}.zip", "class": chosen.controller or ""}
    url = f"{chosen.site.rstrip('/')}/api/competitions/{quote(chosen.competition, safe='')}/entries?{urlencode(query)}"
    headers = {"authorization": f"Bearer {token.strip()}", "content-type": "application/zip"}
    request = urllib.request.Request(url, data, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            answer = json.loads(response.read(1 << 20))
    except urllib.error.HTTPError as error:
        try:
            answer = json.loads(error.read(1 << 20))
        except ValueError:
            answer = {"error": f"the site answers {error.code}"}
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        words = reason.strerror if isinstance(reason, OSError) else None
        raise CompetitionError(f"cannot reach {urlsplit(chosen.site).netloc}: {words or reason}") from None
    return answer if isinstance(answer, dict) else {"error": "the site answers nonsense"}


def _parser() -> options.Parser:
    parser = options.Parser(
        prog=f"{program('compete')} site",
        description="Organise the competitions of a site; the pages for organisers do the same. Everything that is "
        "changed is in the audit log.",
    )
    parser.add_argument("--store", required=True, metavar="FILE|URL", help="the database of the site")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=options.Parser)
    actions.add_parser("status", help="competitions, entries and the queue")
    actions.add_parser("audit", help="who did what")
    create = actions.add_parser("create", help="make a competition, as a draft")
    create.add_argument("competition", metavar="NAME", help="in addresses: lower-case letters, digits and hyphens")
    create.add_argument("--title", required=True, metavar="TEXT", help="on its pages")
    create.add_argument("--text", default="", help="a description")
    create.add_argument(
        "--set", action="append", default=[], metavar="ROLE=SOURCE[:GAME,GAME…]", type=_set,
        help=f"games to play, once or more, in the track planning: the role ({', '.join(Role)}), and a bundled set "
        f"({', '.join(bundled_sets())}) or a folder",
    )  # fmt: skip
    create.add_argument(
        "--track", default=PLANNING, choices=[PLANNING, *arenas.enterable()],
        help=f"what is played (default: {PLANNING})",
    )  # fmt: skip
    create.add_argument(
        "--option", action="append", metavar="NAME=VALUE",
        help="of another track, once or more: an option of vgdl-compete TRACK (default: those that it suggests)",
    )  # fmt: skip
    create.add_argument(
        "--final-option", action="append", default=[], metavar="NAME=VALUE", help="one that differs in the deciding run"
    )
    _add_settings(create)
    for word, text in (
        ("open", "let entries come"), ("close", "lock uploads, and play the deciding plays"),
        ("show-test", "show rankings and replays of the test sets"), ("hide-test", "hide them"),
        ("export", "write all results as JSON, or as CSV"),
    ):  # fmt: skip
        one = actions.add_parser(word, help=text)
        one.add_argument("competition", metavar="NAME")
        if word == "open":
            one.add_argument(
                "--confirm", metavar="NAME", help="the name again: delete the deciding plays of a decided one"
            )
        if word == "export":
            one.add_argument("--csv", action="store_true", help="a row per play and player, instead of JSON")
    announce = actions.add_parser("announce", help="tell everyone something")
    announce.add_argument("title")
    announce.add_argument("words", nargs="?", default="")
    announce.add_argument("--competition", metavar="NAME", help="on its page (default: on the home page)")
    for word, text in (
        ("disqualify", "take an entry out of the rankings"), ("readmit", "undo that"),
        ("rerun", "evaluate an entry anew"), ("promote", "make an entry the counted one of its user"),
    ):  # fmt: skip
        one = actions.add_parser(word, help=text)
        one.add_argument("entry", type=options.positive, metavar="NUMBER")
        if word == "disqualify":
            one.add_argument("reason", help="everyone can read it")
    undo = actions.add_parser("undo", help="take an action of the last week back; without a number, list them")
    undo.add_argument("number", nargs="?", type=options.positive, metavar="NUMBER")
    one = actions.add_parser("delete-draft", help="delete a competition that was never opened")
    one.add_argument("competition")
    one = actions.add_parser("course-link", help="a link by which the members of a course sign up")
    one.add_argument("course", help="its name")
    one.add_argument("people", type=options.positive, metavar="N", help="how many may sign up")
    one = actions.add_parser("add-users", help="create accounts from a list; prints a link for each password as CSV")
    one.add_argument("names", type=Path, metavar="FILE.csv", help="a name, and an e-mail address if known, in each row")
    for word, text in (
        ("assistant", "let a user see the entries of a competition and their sources"),
        ("no-assistant", "undo that"), ("extend", "give a user or a team more time"), ("no-extension", "undo that"),
        ("leave-team", "take a user out of a team; the entries stay"),
    ):  # fmt: skip
        one = actions.add_parser(word, help=text)
        one.add_argument("competition", metavar="NAME")
        one.add_argument("user", help="or the team" if word in ("extend", "no-extension") else None)
        if word == "extend":
            one.add_argument("until", type=_date, metavar="DATE", help="like 2026-05-01T12:00 in UTC")
    for word, text in (("reset-link", "a link by which a user can set a new password"),
                       ("make-organiser", "let a user organise")):  # fmt: skip
        actions.add_parser(word, help=text).add_argument("user")
    actions.add_parser("organiser-link", help="a link by which someone can sign up as an organiser")
    return parser


def _add_settings(create: argparse.ArgumentParser) -> None:
    standard = Settings(())
    create.add_argument(
        "--repeats", type=options.positive, default=standard.repeats, metavar="N",
        help=f"plays per level (default: {standard.repeats})",
    )  # fmt: skip
    create.add_argument(
        "--budget", default=standard.budget, metavar="B",
        help=f"per action: a time like 40ms, or a number like calls:900 (default: {standard.budget})",
    )  # fmt: skip
    create.add_argument("--construction", default="", metavar="B", help="to get ready (default: 1s)")
    create.add_argument(
        "--per-day", type=options.positive, default=standard.per_day, metavar="N",
        help=f"entries of a user in 24 hours (default: {standard.per_day})",
    )  # fmt: skip
    create.add_argument(
        "--baselines", type=options.name_list, metavar="A,B,…",
        help=f"bundled programs to be compared with (default: {','.join(standard.baselines)}; in another track, those "
        "that it suggests)",
    )  # fmt: skip
    create.add_argument(
        "--final-plays", type=options.positive, default=standard.final_plays, metavar="N",
        help=f"deciding plays of each counted entry (default: {standard.final_plays})",
    )  # fmt: skip
    create.add_argument(
        "--final-plays-top", type=options.positive, default=standard.final_plays_top, metavar="N",
        help=f"of the first {standard.top} (default: {standard.final_plays_top})",
    )  # fmt: skip
    create.add_argument(
        "--team-size", type=options.positive, default=standard.team_size, metavar="N",
        help="members of a team, who share their entries (default: 1, no teams)",
    )  # fmt: skip
    create.add_argument("--opens", type=_date, metavar="DATE", help="open it by itself, like 2026-05-01T12:00 in UTC")
    create.add_argument("--closes", type=_date, metavar="DATE", help="close it by itself")


def _create(database: Database, chosen: argparse.Namespace) -> None:
    offered = arenas.entering(chosen.track) if chosen.track != PLANNING else None
    baselines = chosen.baselines or (offered.baselines if offered else Settings(()).baselines)
    settings = Settings(
        tuple(chosen.set),
        track=chosen.track,
        options=tuple(chosen.option or (offered.options if offered else ())),
        final_options=tuple(chosen.final_option),
        repeats=chosen.repeats,
        budget=chosen.budget,
        construction=chosen.construction,
        per_day=chosen.per_day,
        baselines=tuple(baselines),
        final_plays=chosen.final_plays,
        final_plays_top=chosen.final_plays_top,
        team_size=chosen.team_size,
    )
    made = competitions.create(
        database, _actor(), chosen.competition, chosen.title, settings,
        text=chosen.text, opens=chosen.opens, closes=chosen.closes,
    )  # fmt: skip
    print(f"{made.slug} is a draft; vgdl-compete site --store … open {made.slug} lets entries come")


def _open(database: Database, chosen: argparse.Namespace) -> None:
    found = competitions.find(database, chosen.competition)
    organising.open_competition(database, _actor(), found, confirmed=chosen.confirm == found.slug)


def _close(database: Database, chosen: argparse.Namespace) -> None:
    number = organising.close_competition(database, _actor(), competitions.find(database, chosen.competition))
    found = competitions.find(database, chosen.competition)
    what = "deciding play" if found.settings.is_planning else "deciding run"
    print(f"uploads are locked; {counted(number, what)} queued")


def _show_test(database: Database, chosen: argparse.Namespace) -> None:
    found = competitions.find(database, chosen.competition)
    shown = chosen.action == "show-test"
    competitions.show_test(database, _actor(), found, shown=shown)
    tests = sum(1 for one in found.settings.sets if one.role is competitions.Role.TEST)
    print(f"{counted(tests, 'test set')} of {found.slug}: {'shown' if shown else 'hidden'}")


def _export(database: Database, chosen: argparse.Namespace) -> None:
    exported = organising.export(database, _actor(), competitions.find(database, chosen.competition))
    sys.stdout.write(organising.as_csv(exported) if chosen.csv else organising.as_json(exported))


def _announce(database: Database, chosen: argparse.Namespace) -> None:
    found = competitions.find(database, chosen.competition) if chosen.competition else None
    competitions.announce(database, _actor(), found, chosen.title, chosen.words)


def _disqualify(database: Database, chosen: argparse.Namespace) -> None:
    reason = chosen.reason if chosen.action == "disqualify" else ""
    organising.disqualify(database, _actor(), entries.get(database, chosen.entry), reason)


def _course_link(database: Database, chosen: argparse.Namespace) -> None:
    token = courses.invite(database, _actor(), chosen.course, chosen.people)
    print(f"below the address of the site, for 60 days: /join/{token}")


def _add_users(database: Database, chosen: argparse.Namespace) -> None:
    with using(chosen.names):
        text = chosen.names.read_text(encoding="utf-8-sig")
    made = courses.add_people(database, _actor(), text)
    sys.stdout.write(organising.as_table(("name", "link"), [(name, f"/link/{token}") for name, token in made]))


def _act_on_person(database: Database, chosen: argparse.Namespace) -> None:
    found, actor = competitions.find(database, chosen.competition), _actor()
    match chosen.action:
        case "assistant":
            people.add_assistant(database, actor, found, accounts.find_user(database, chosen.user))
        case "no-assistant":
            people.remove_assistant(database, actor, found, accounts.find_user(database, chosen.user))
        case "leave-team":
            teams.remove(database, actor, accounts.find_user(database, chosen.user), found)
        case "no-extension":
            people.end_extension(database, actor, found, teams.owner_called(database, chosen.user, found))
        case _:
            people.extend(database, actor, found, teams.owner_called(database, chosen.user, found), chosen.until)


def _undo(database: Database, chosen: argparse.Namespace) -> None:
    if chosen.number is not None:
        undoing.undo(database, _actor(), chosen.number)
        return
    for row in undoing.possible(database):
        at = datetime.fromtimestamp(row["at"], UTC).strftime("%Y-%m-%d %H:%M")
        print(printable(f"{row['id']}: {at}  {row['actor']}: {row['action']} {row['subject']}"))


def _delete_draft(database: Database, chosen: argparse.Namespace) -> None:
    organising.delete_draft(database, _actor(), competitions.find(database, chosen.competition))


def _rerun(database: Database, chosen: argparse.Namespace) -> None:
    organising.rerun(database, _actor(), entries.get(database, chosen.entry))


def _promote(database: Database, chosen: argparse.Namespace) -> None:
    organising.promote_entry(database, _actor(), entries.get(database, chosen.entry))


def _reset_link(database: Database, chosen: argparse.Namespace) -> None:
    token = organising.reset_link(database, _actor(), accounts.find_user(database, chosen.user))
    print(f"below the address of the site, works once: /link/{token}")


def _make_organiser(database: Database, chosen: argparse.Namespace) -> None:
    organising.promote_user(database, _actor(), accounts.find_user(database, chosen.user))


def _organiser_link(database: Database, chosen: argparse.Namespace) -> None:
    with database.transaction() as transaction:
        competitions.note(transaction, database.now(), _actor(), "make organiser link", "")
    print(f"below the address of the site, works once: /link/{accounts.make_link(database, 'organiser')}")


def _status(database: Database, chosen: argparse.Namespace) -> None:
    console = Console()
    queue = jobs.status(database)
    waiting = f"{counted(queue.checks, 'check')}, {counted(queue.plays, 'play')}"
    print(f"{counted(queue.workers, 'play')} in parallel; waiting: {waiting}")
    for one in competitions.every(database):
        table = Table(title=f"{one.title} ({one.slug}): {one.state}", title_justify="left")
        for column in ("", "entry", "user", "state", "counted", "outcome"):
            table.add_column(column, overflow="fold")
        for entry in entries.of_competition(database, one):
            is_counted = "yes" if entry.counted else ""
            outcome = entry.barred or entry.message
            table.add_row(str(entry.id), *map(printable, (entry.name, entry.owner, entry.state, is_counted, outcome)))
        console.print(table)


def _audit(database: Database, chosen: argparse.Namespace) -> None:
    for line in reversed(competitions.audit(database)):
        at = datetime.fromtimestamp(line["at"], UTC).strftime("%Y-%m-%d %H:%M")
        print(printable(f"{at}  {line['actor']}: {line['action']} {line['subject']} {line['details']}".rstrip()))


_ACTIONS = {
    "status": _status, "audit": _audit, "create": _create, "open": _open, "close": _close, "show-test": _show_test,
    "hide-test": _show_test, "export": _export, "announce": _announce, "disqualify": _disqualify,
    "readmit": _disqualify,
    "rerun": _rerun, "promote": _promote, "reset-link": _reset_link, "make-organiser": _make_organiser,
    "organiser-link": _organiser_link, "undo": _undo, "course-link": _course_link,
    **dict.fromkeys(("assistant", "no-assistant", "extend", "no-extension", "leave-team"), _act_on_person),
    "add-users": _add_users, "delete-draft": _delete_draft,
}  # fmt: skip


def _actor() -> str:
    """The user of the command line, as named in the audit log."""
    try:
        return f"{getpass.getuser()} (command line)"
    except (KeyError, OSError):
        return "command line"


def _set(text: str) -> SetOfGames:
    role, found, source = text.partition("=")
    source, _, names = source.partition(":")
    if not found or role not in list(Role) or not source:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not ROLE=SOURCE, with a role of {', '.join(Role)}")
    games = tuple(name.strip() for name in names.split(",") if name.strip())
    name = source.rstrip("/").rpartition("/")[2]
    return SetOfGames(name, Role(role), source if source in bundled_sets() else str(Path(source).resolve()), games)


def _date(text: str) -> float:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a date; write 2026-05-31T12:00, in UTC") from None
