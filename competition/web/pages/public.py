"""Pages for everyone: competitions, rankings, games, entries, replays, and the queue."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

import vgdl
from vgdl import games
from vgdl.competition.tracks.planning.pages import film
from vgdl.competition.tracks.planning.records import Outcome
from vgdl.competition.web import arenas, competitions, entries, jobs, people, plays, teams
from vgdl.competition.web.accounts import User
from vgdl.competition.web.competitions import Competition, State
from vgdl.competition.web.entries import Entry
from vgdl.competition.web.pages import runs
from vgdl.competition.web.pages.common import Shared, competition_of, render, shared, visitor
from vgdl.competition.web.plays import StoredPlay
from vgdl.competition.web.rankings import Board

PAGE_LINES = 100
"""Number of lines of a ranking on one page."""

SHOWN_PLAYS = 400
"""Number of an entry's latest plays that its page lists."""

_OUTCOMES = [str(outcome) for outcome in Outcome]


def home(request: Request) -> Response:
    """The home page."""
    common = shared(request)
    user = visitor(request).user
    shown = [
        one
        for one in competitions.every(common.database)
        if one.state is not State.DRAFT or (user is not None and user.is_organiser)
    ]
    return render(
        request,
        "web/home.html",
        title=common.title,
        shown=shown,
        counts=common.counts.get(),
        announced=competitions.announcements(common.database, None),
        queue=common.queue.get(),
        boards=common.track_boards.every(),
        games=len(games.names()),
    )


def competition(request: Request) -> Response:
    """The ranking of a competition, per set."""
    common, found = shared(request), competition_of(request)
    if not found.settings.is_planning:
        return runs.competition(request, found)
    chosen = _chosen_set(request, found)
    board = common.boards.get(found, chosen) if chosen else None
    lines = board.lines if board else []
    page, pages = _page(request, len(lines))
    user = visitor(request).user
    owner = teams.owner_of(common.database, user, found.id) if user is not None else 0
    own = board.by_owner.get(owner) if board else None
    return render(
        request, "web/competition.html", title=found.title, competition=found, chosen=chosen, board=board,
        ranking=_ranking(common, found, board, page), shown_page=page, pages=pages,
        own=None if own is None else lines[own], own_page=None if own is None else own // PAGE_LINES + 1,
        announced=competitions.announcements(common.database, found), queue=common.queue.get(),
        barred=entries.barred(common.database, found), left=_deciding_left(request, found),
        assists=people.may_see(common.database, user, found.id),
    )  # fmt: skip


def _ranking(common: Shared, competition: Competition, board: Board | None, page: int) -> str:
    """A part of the table of a board, which is rendered once for all visitors."""
    if board is None or not board.lines:
        return ""
    lines = board.lines[(page - 1) * PAGE_LINES : page * PAGE_LINES]
    data = {"board": board, "lines": lines, "competition": competition, "chosen": board.set_name,
            "titles": competitions.game_titles()}  # fmt: skip
    name = competition.id, board.set_name, board.is_final, page
    return common.fragments.get("web/ranking.html", name, board.computed, lambda: data)


def _page(request: Request, lines: int) -> tuple[int, int]:
    """The part of a long table that is asked for, and their number; the first part if there is none such."""
    pages = max(1, math.ceil(lines / PAGE_LINES))
    wanted = request.query_params.get("page", "1")
    number = int(wanted) if wanted.isascii() and wanted.isdecimal() and len(wanted) < 7 else 1
    return (number if 1 <= number <= pages else 1), pages


def game(request: Request) -> Response:
    """The ranking in one game of a set."""
    common, found = shared(request), competition_of(request)
    chosen = _chosen_set(request, found)
    name = request.path_params["game"]
    board = common.boards.get(found, chosen) if chosen else None
    if board is None or name not in board.games:
        raise HTTPException(404, "this game has not been played in this set yet")
    is_bundled = name in games.names()
    page, pages = _page(request, len(board.games[name]))
    rows = board.games[name][(page - 1) * PAGE_LINES : page * PAGE_LINES]
    part = found.id, board.set_name, board.is_final, name, page
    data = {"board": board, "game": name, "rows": rows}
    return render(
        request,
        "web/game.html",
        title=name,
        competition=found,
        chosen=chosen,
        board=board,
        game=name,
        standings=common.fragments.get("web/standings.html", part, board.computed, lambda: data),
        shown_page=page,
        pages=pages,
        rules=games.facts(name).rules if is_bundled else "",
        can_play=is_bundled,
    )


def entry(request: Request) -> Response:
    """An entry: its results next to the best and the median, and its plays; for its owner, logs and tracebacks, too."""
    common = shared(request)
    found = entries.get(common.database, request.path_params["number"])
    user = visitor(request).user
    own = entries.is_own(common.database, user, found)
    if not (own or found.counted or found.barred or people.may_see(common.database, user, found.competition_id)):
        raise entries.NotYours("there is no such entry")
    competition = competitions.get(common.database, found.competition_id)
    return render(
        request,
        "web/entry.html",
        title=found.name,
        entry=found,
        own=own,
        members=teams.members(common.database, found.user_id),
        competition=competition,
        results=(_results if competition.settings.is_planning else runs.results)(common, competition, found),
        programs=arenas.programs(competition.settings.track),
        progress=jobs.progress(common.database, found.id) if own else None,
        events=entries.events(common.database, found) if own else [],
    )


def _results(common: Shared, competition: Competition, found: Entry) -> str:
    """The results and plays of an entry in the sets that are shown, rendered once for all visitors."""
    sets = tuple(one.name for one in competition.shown_sets)
    boards = {name: common.boards.get(competition, name) for name in sets}

    def data() -> dict[str, Any]:
        shown = [one for one in plays.of_entry(common.database, found.id) if one.set_name in sets]
        return {
            "competition": competition,
            "sections": [_section(boards[name], found, name, shown) for name in sets],
            "plays": [_row(one, found) for one in reversed(shown[-SHOWN_PLAYS:])],
            "names": _names(common, shown),
            "causes": Counter(player.cause for one in shown for _, player in _own_players(one, found) if player.cause),
        }

    version = (
        plays.version_of_entry(common.database, found.id),
        *((one.is_final, one.computed) for one in boards.values()),
    )
    return common.fragments.get("web/entry-results.html", (found.id, sets), version, data)


def replay(request: Request) -> Response:
    """The replay of a play, in the replay player of the results site."""
    play, _ = _shown_play(request)
    own = own_players(visitor(request).user, request, play)
    return render(
        request,
        "web/replay.html",
        title=f"{play.result.game}, level {play.result.level}",
        play=play,
        names=_names(shared(request), [play]),
        competition=competitions.get(shared(request).database, play.competition_id),
        own=own,
    )


def replay_index(request: Request) -> Response:
    """The list of one play for the replay player, as a script; its owner also sees the last line of a traceback."""
    play, competition = _shown_play(request)
    result = play.result
    names = _names(shared(request), [play])
    own = own_players(visitor(request).user, request, play)
    limits = competition.settings.rules().limits
    row: list[Any] = [play.id, 0, result.level, result.repeat, result.ticks]
    for number, player in enumerate(result.players):
        details = player.details[-300:] if number in own else ""
        row.append([number, _OUTCOMES.index(player.outcome), player.score, player.cause, details])
    index = {
        "games": [result.game],
        "files": [result.game],
        "controllers": [names[entry] for entry in play.entries],
        "outcomes": _OUTCOMES,
        "plays": [row],
        "unit": competition.settings.rules().unit,
        "limits": [limits.action, limits.disqualification],
    }
    return script("vgdl.plays", index)


def replay_film(request: Request) -> Response:
    """The film of a play, as a script."""
    play, competition = _shown_play(request)
    taken, _ = _film(request, play, competition)
    used = plays.used(shared(request).database, play.id)
    recorded = plays.actions(shared(request).database, play.id) or []
    columns = [[tick[player] or "" for tick in recorded] for player in range(len(play.entries))]
    return script("vgdl.film", play.id, film.packed(taken | {"actions": columns, "used": used}))


def replay_drawings(request: Request) -> Response:
    """The pictures that a film needs, as a script."""
    play, competition = _shown_play(request)
    _, pictures = _film(request, play, competition)
    return script("vgdl.drawings", play.result.game, pictures)


def log(request: Request) -> Response:
    """Each answer of the user's own entry in a play, with the budget used, a row per tick."""
    play, _ = _shown_play(request)
    own = own_players(visitor(request).user, request, play)
    if not own:
        raise HTTPException(404, "there is no such log")
    recorded = plays.actions(shared(request).database, play.id) or []
    used = plays.used(shared(request).database, play.id)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["tick", "player", "action", "used"])
    for player in own:
        left = iter(used[player])
        for tick, names in enumerate(recorded, 1):
            if names[player] is not None:
                writer.writerow([tick, player, names[player], next(left, "")])
    headers = {"content-disposition": f'attachment; filename="play-{play.id}.csv"', "cache-control": "no-store"}
    return Response(file.getvalue(), media_type="text/csv", headers=headers)


def queue(request: Request) -> Response:
    """The queue: its length and how it is shared."""
    common = shared(request)
    lanes, done = common.lanes.get()
    return render(request, "web/queue.html", title="Queue", queue=common.queue.get(), lanes=lanes, done=done)


def own_players(user: User | None, request: Request, play: StoredPlay) -> list[int]:
    """The players of a play that are entries of a user."""
    if user is None:
        return []
    mine = {one.id for one in entries.history(shared(request).database, user)}
    return [number for number, one in enumerate(play.entries) if one in mine]


def script(function: str, *arguments: Any) -> Response:
    """A script that passes data to the replay player."""
    handed = ",".join(json.dumps(argument, separators=(",", ":")) for argument in arguments)
    return Response(f"{function}({handed});\n", media_type="text/javascript", headers={"cache-control": "no-cache"})


def _chosen_set(request: Request, competition: Competition) -> str:
    """The requested set, or the first public one; empty if there is none."""
    shown = [one.name for one in competition.shown_sets]
    if competition.state is State.DECIDED:
        shown.sort(key=lambda name: name not in {one.name for one in competition.final_sets})
    wanted = request.query_params.get("set")
    if wanted is not None and wanted not in shown:
        raise HTTPException(404, "there is no such set in this competition, or it is not shown yet")
    return wanted or (shown[0] if shown else "")


def _deciding_left(request: Request, competition: Competition) -> int:
    """Number of deciding plays not yet done."""
    if competition.state is not State.CLOSING:
        return 0
    row = shared(request).database.row(
        "SELECT COUNT(*) AS count FROM jobs WHERE competition_id = ? AND phase = 'final' "
        "AND state IN ('waiting', 'taken')",
        competition.id,
    )
    return int(row["count"]) if row else 0


def _section(board: Board, entry: Entry, set_name: str, played: Sequence[StoredPlay]) -> dict[str, Any]:
    """The games of a set: the results of an entry, and the best and the median of ranked entries."""
    rows = []
    own: dict[str, list[tuple[StoredPlay, Any]]] = {}
    for one in played:
        if one.set_name == set_name:
            own.setdefault(one.result.game, []).extend((one, player) for _, player in _own_players(one, entry))
    for name, pairs in own.items():
        won = sum(player.outcome is Outcome.WON for _, player in pairs)
        mean = sum(player.score for _, player in pairs) / len(pairs)
        others = board.bests.get(name)
        best = board.entries.get(others[0].controller) if others else None
        rows.append(
            {"game": name, "won": won, "plays": len(pairs), "mean": mean, "best": best,
             "best_mean": others[0].mean_score if others else None, "median": others[1] if others else None}
        )  # fmt: skip
    at = board.by_entry.get(entry.id)
    line = None if at is None else board.lines[at]
    return {"name": set_name, "rows": rows, "line": line, "of": len(board.lines)}


def _own_players(play: StoredPlay, entry: Entry) -> list[tuple[int, Any]]:
    return [(at, play.result.players[at]) for at, one in enumerate(play.entries) if one == entry.id]


def _row(play: StoredPlay, entry: Entry) -> dict[str, Any]:
    """A row in an entry's list of plays."""
    at, player = _own_players(play, entry)[0]
    rivals = [one for one in play.entries if one != entry.id]
    return {"play": play, "player": player, "number": at, "rivals": rivals}


def _names(common: Shared, played: Sequence[StoredPlay]) -> dict[int, str]:
    """Names of the entries in some plays."""
    numbers = sorted({one for play in played for one in play.entries})
    marks = ", ".join("?" * len(numbers)) or "NULL"
    rows = common.database.rows(f"SELECT id, name FROM entries WHERE id IN ({marks})", *numbers)
    return {row["id"]: row["name"] for row in rows}


def _shown_play(request: Request) -> tuple[StoredPlay, Competition]:
    """The play in the path, if its set is public.

    Raises:
        HTTPException: there is none, or it is not public; the response does not distinguish the two.
    """
    common = shared(request)
    play = plays.get(common.database, request.path_params["number"])
    if play is not None:
        competition = competitions.get(common.database, play.competition_id)
        user = visitor(request).user
        if user is not None and user.is_organiser:
            return play, competition
        if competition.shows(play.set_name) and _shows_a_player(common, user, play):
            return play, competition
    raise HTTPException(404, "there is no such play")


def _shows_a_player(common: Shared, user: User | None, play: StoredPlay) -> bool:
    """Whether a visitor may see the page of one of a play's entries, and so the play."""
    players = [entries.get(common.database, number) for number in play.entries]
    return any(one.counted or one.barred or entries.is_own(common.database, user, one) for one in players) or (
        people.may_see(common.database, user, play.competition_id)
    )


def _film(request: Request, play: StoredPlay, competition: Competition) -> tuple[dict[str, Any], dict[str, str]]:
    """The film of a play and its pictures."""
    recorded = plays.actions(shared(request).database, play.id)
    if recorded is None:
        raise HTTPException(404, "the replay of this play was deleted with its entry")
    source = competition.settings.set_called(play.set_name)
    paths = {path.stem: str(path) for path in source.game_set().paths}
    if play.result.game not in paths:
        raise HTTPException(404, "the game of this play is not on this machine")
    key = tuple(tuple(tick) for tick in recorded)
    return take_film(paths[play.result.game], play.result.level, play.result.seed, key, play.result.stirring)


@lru_cache(maxsize=64)
def take_film(
    path: str, level: int, seed: int, actions: tuple[tuple[str | None, ...], ...], stirring: str
) -> tuple[dict[str, Any], dict[str, str]]:
    """A play of a game file as a film, and its pictures; recent ones are cached."""
    pictures = film.Pictures()
    board = vgdl.load(path).drawn(seed).board(level)
    taken, _ = film.take(board, seed, actions, pictures, stirring=stirring)
    return taken.facts(), pictures.urls
