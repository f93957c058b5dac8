"""Replays and pictures of a planning competition: files that the site's replay player loads on demand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import vgdl
from vgdl.competition.report.site import PageOptions, Site
from vgdl.competition.store import Store
from vgdl.competition.tracks.planning.pages import film
from vgdl.competition.tracks.planning.pages.facts import Facts
from vgdl.competition.tracks.planning.records import Outcome, PlayResult
from vgdl.competition.tracks.planning.records import actions as actions_in
from vgdl.competition.tracks.planning.records import used as used_in
from vgdl.render import Palette, frame, png

_THUMBNAIL = 12
_OUTCOMES = tuple(Outcome)


def chosen(plays: Sequence[tuple[int, PlayResult]], most: int | None) -> list[int]:
    """Choose the plays to show.

    Args:
        plays: with their numbers, in the order of the plan.
        most: maximum number per controller and game; None for all.
    """
    if most is None:
        return [number for number, _ in plays]
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for number, play in plays:
        keys = [(play.game, player.controller) for player in play.players]
        if any(seen[key] < most for key in keys):
            found.append(number)
            seen.update(keys)
    return found


def write(facts: Facts, store: Store, site: Site, options: PageOptions) -> None:
    """Write the pictures of all games, and replays of some plays; records them in ``facts``.

    Args:
        facts: facts of the store.
        store: the store.
        site: the site to write to.
        options: number of replays, and their colours.
    """
    plays = dict(facts.plays)
    loaded: dict[str, vgdl.Game] = {}
    for name in facts.games:
        game = facts.load(name)
        if game is not None:
            loaded[name] = game
            _draw(facts, site, name, game, options.palette)
    pictures = {name: film.Pictures() for name in loaded}
    todo = [number for number in chosen(facts.plays, options.replays) if plays[number].game in loaded]
    for number in site.progress(todo, "replaying"):
        name = plays[number].game
        _film(facts, store, site, number, loaded[name], pictures[name], options.palette)
    for name, kept in pictures.items():
        if kept.urls:
            file = facts.game_file(name)
            site.script(f"drawings/{file}.js", "vgdl.drawings", file, kept.urls)
    site.script("assets/plays.js", "vgdl.plays", _index(facts))
    site.warnings += [f"{game} has no replays: {reason}" for game, reason in facts.failures.items()]


def _draw(facts: Facts, site: Site, name: str, game: vgdl.Game, palette: Palette) -> None:
    """The picture of a game: the start of its first level."""
    level, *_ = facts.levels(name)
    seed = next(play.seed for _, play in facts.plays if play.game == name)
    state = game.drawn(seed).board(level).start(seed)
    png.write(site.path(facts.picture_target(name)), frame(state, _THUMBNAIL, palette=palette))
    facts.drawn.add(name)


def _film(
    facts: Facts, store: Store, site: Site, number: int, game: vgdl.Game, pictures: film.Pictures, palette: Palette
) -> None:
    """Write the replay of a play, unless it does not lead to the result in the store."""
    play = dict(facts.plays)[number]
    actions = actions_in(store, number)
    board = game.drawn(play.seed).board(play.level)
    taken, final = film.take(board, play.seed, actions, pictures, palette, play.stirring)
    if not _agrees(play, final):
        facts.failures.setdefault(play.game, f"play {number} does not lead to its recorded result")
        return
    used = [used_in(store, number, player) for player in range(len(play.players))]
    shown = taken.facts() | {"actions": _columns(actions, len(play.players)), "used": used}
    site.script(f"replays/{number}.js", "vgdl.film", number, film.packed(shown))
    facts.films.add(number)


def _index(facts: Facts) -> dict[str, Any]:
    """All plays that have a replay, for the lists of the replay player; names are given by their numbers."""
    games = {name: place for place, name in enumerate(facts.games)}
    controllers = {name: place for place, name in enumerate(facts.controllers)}
    plays = [
        [
            number,
            games[play.game],
            play.level,
            play.repeat,
            play.ticks,
            *(
                [controllers[p.controller], _OUTCOMES.index(p.outcome), p.score, p.cause, p.details[-300:]]
                for p in play.players
            ),
        ]
        for number, play in facts.plays
        if number in facts.films
    ]
    limits = facts.plan.rules.limits
    return {
        "games": list(games),
        "files": [facts.game_file(name) for name in games],
        "controllers": list(controllers),
        "outcomes": _OUTCOMES,
        "plays": plays,
        "unit": facts.plan.rules.unit,
        "limits": [limits.action, limits.disqualification],
    }


def _columns(actions: Sequence[Sequence[str | None]], players: int) -> list[list[str]]:
    """The actions of each player; empty if it was not asked."""
    return [[tick[player] or "" for tick in actions] for player in range(players)]


def _agrees(play: PlayResult, final: vgdl.StateObservation) -> bool:
    """Whether a replay leads to the result in the store; a disqualification replaces the game's own result."""
    if final.tick != play.ticks:
        return False
    for player, winner, score in zip(play.players, final.winners, final.scores, strict=True):
        if player.outcome is Outcome.WON:
            same = winner == 1  # a winner's score is raised to at least 1
        elif player.outcome is Outcome.DISQUALIFIED:
            same = True
        else:
            same = winner != 1 and score == player.score
        if not same:
            return False
    return True
