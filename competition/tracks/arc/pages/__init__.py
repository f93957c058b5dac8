"""Pages about the cards of an ARC server, shared by a running server and a static site (arc, 4 and 5).

A replay is a script that passes frames to ``arc.replay``, because pages opened as files cannot fetch data. Frames are
computed from the actions, so a replay needs its game in the version that was played.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from vgdl.cli import counted
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.report.site import PageOptions, Site
from vgdl.competition.store import Store
from vgdl.competition.tracks.arc.cards import Step
from vgdl.competition.tracks.arc.errors import CommandError
from vgdl.competition.tracks.arc.frame import RESET, Frame, Layer, State
from vgdl.competition.tracks.arc.game import bundled
from vgdl.competition.tracks.arc.options import Way
from vgdl.competition.tracks.arc.playable import ArcGame
from vgdl.competition.tracks.arc.protocol import ACTIONS
from vgdl.competition.tracks.arc.session import Session
from vgdl.competition.tracks.arc.store import CardRow, cards, chance, plays, steps

PACKAGE = "vgdl.competition.tracks.arc.pages"

MOST_STEPS = 5000
"""Most commands of a replay."""

STATES = {
    State.NOT_PLAYED: ("not played", "neutral"),
    State.NOT_FINISHED: ("not finished", "neutral"),
    State.WIN: ("won", "good"),
    State.GAME_OVER: ("game over", "bad"),
}
"""The text of each state and the kind of its chip."""

Find = Callable[[str], ArcGame | None]


def write_pages(store: Store, site: Site, options: PageOptions) -> None:
    """Write the pages of a store.

    Args:
        store: the store.
        site: the site to write to.
        options: title, and the number of plays of each game that get a replay.

    Raises:
        StoreError: the store cannot be read.
        SiteError: a template is wrong.
    """
    games = {game.id: game for game in bundled(ways=tuple(Way))}
    rows = cards(store, closed=True)
    site.title = options.title or "ARC scorecards"
    site.navigation = (("index.html", "Scorecards"),)
    site.footer = counted(len(rows), "closed card")
    site.page("index.html", "arc/index.html", title=site.title, cards=[summary(row) for row in rows], live=False)
    left: dict[str, int | None] = dict.fromkeys(games, options.replays)
    for at in site.progress(range(len(rows)), "cards"):
        row = rows[at]
        watched = list(_watched(store, row, games.get, left))
        known = {guid for guid, _ in watched}
        site.page(f"cards/{row.card_id}.html", "arc/card.html", title="Scorecard", card=row.final, watched=known)
        for guid, game in watched:
            facts = replay_facts(row, guid, game.title)
            site.page(f"replays/{guid}.html", "arc/replay.html", title="Replay", **facts)
            site.script(f"replays/{guid}.js", "arc.replay", *film(game, steps(store, guid), chance(store, guid)))


def summary(row: CardRow) -> dict[str, Any]:
    """The data of a card for the list of cards."""
    final = row.final or {}
    return {
        "card_id": row.card_id,
        "opened": row.opened[:16].replace("T", " "),
        "closed": row.closed is not None,
        "tags": [printable(tag, 40) for tag in row.opening.tags],
        "competition": row.opening.competition,
        **{name: final.get(name, 0) for name in ("score", "total_levels_completed", "total_levels", "total_actions")},
        "games": final.get("total_environments", 0),
        "scoring": final.get("scoring", ""),
    }


def replay_facts(row: CardRow, guid: str, title: str) -> dict[str, Any]:
    """The data of a replay's page besides the frames."""
    return {"card_id": row.card_id, "guid": guid, "game_title": title, "tags": row.opening.tags}


def film(game: ArcGame, played: Sequence[Step], chance: int | None) -> tuple[list[list[Any]], bool]:
    """A play in the format of the replay page.

    Args:
        game: the game that was played.
        played: the commands.
        chance: seed of fresh chance events, if there was one.

    Returns:
        The commands, and whether there were more. A command is ``[name, x, y, state, levels completed, levels,
        reasoning, layers]``. The first layer is a text of 4,096 hexadecimal digits; each later one lists the changed
        pixels: position, colour, position, colour ...
    """
    session = Session(game, competition=_was_competition(played), chance=chance)
    commands: list[list[Any]] = []
    before: Layer | None = None
    for step in played[:MOST_STEPS]:
        try:
            frame = session.reset() if step.action == RESET else session.act(step.action, step.x, step.y)
        except CommandError:
            break  # the store may come from an untrusted source
        layers, before = _changes(frame, before)
        commands.append(
            [
                ACTIONS[step.action], step.x, step.y, STATES[State(frame.state)][0], frame.levels_completed,
                frame.win_levels, _reasoning(step), layers,
            ]
        )  # fmt: skip
    return commands, len(played) > MOST_STEPS


def _was_competition(played: Sequence[Step]) -> bool:
    """Whether a play may have been in competition mode, where only the first RESET is a full one."""
    return not any(step.full_reset for step in played[1:])


def _changes(frame: Frame, before: Layer | None) -> tuple[list[Any], Layer]:
    encoded: list[Any] = []
    for layer in frame.layers:
        if before is None:
            encoded.append("".join(f"{pixel:x}" for pixel in layer.ravel().tolist()))
        else:
            places = np.flatnonzero(layer != before)
            encoded.append(np.stack([places, layer.ravel()[places]], axis=1).ravel().tolist())
        before = layer
    assert before is not None
    return encoded, before


def _reasoning(step: Step) -> str:
    """A player's reasoning about a command, as text."""
    if step.reasoning is None:
        return ""
    text = step.reasoning if isinstance(step.reasoning, str) else json.dumps(step.reasoning, ensure_ascii=False)
    return printable(text, 2000)


def _watched(store: Store, row: CardRow, find: Find, left: dict[str, int | None]) -> Iterable[tuple[str, ArcGame]]:
    """The plays of a card that get a page, with their games."""
    for play in plays(store, row.card_id):
        game = find(play.game_id)
        if game is None or left[game.id] == 0:
            continue
        remaining = left[game.id]
        left[game.id] = None if remaining is None else remaining - 1
        yield play.guid, game
