"""The learnt text beside the true one: whether states have the same successors, and whether the rules are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Layout
from vgdl.competition.tracks.worldmodels.search.records import Play
from vgdl.competition.tracks.worldmodels.search.verify import Follower, keys, place_frame, same_outcome
from vgdl.game import Board, Game

#: what a compiled row holds that is no rule: places in tables, numbers of lines, messages
_NO_RULES = {
    "types": ("messages", "resource_slot", "collision_class", "in_order", "value", "itypes_start", "itypes_len",
              "subtypes_start", "subtypes_len"),
    "effects": ("line", "null_policy", "gate", "hash", "in_batch", "batch"),
    "terminations": ("line",),
}  # fmt: skip
_TYPES = frozenset({"stype", "stype_to", "stype_count", "stype_other", "estype", "spawn_point", "stype2", "stype3"})


def same_successors(hypothesis: Hypothesis, game: Game, plays: Sequence[Play]) -> float:
    """Share of recorded ticks after which the learnt and the true rules lead to the same observation.

    Both start from states made from the same observation, with the same seed, and keep what cannot be observed. Chance
    therefore falls the same way wherever both rules draw the same numbers for the same purpose.
    """
    follower = Follower(plays)
    same = ticks = 0
    for play, learnt, true in zip(plays, follower.boards(hypothesis), follower.boards(game), strict=True):
        states = [place_frame(board, play.frames[0], None, 0) for board in (learnt, true)]
        for k in range(play.ticks):
            for state in states:
                state.advance(play.frames[k].action)
            one, other = states
            same += np.array_equal(keys(one.arrays), keys(other.arrays)) and same_outcome(one, other)
            ticks += 1
            after = play.frames[k + 1]
            boards = (learnt, true)
            states = [place_frame(b, after, s, k + 1) for b, s in zip(boards, states, strict=True)]
    return same / ticks if ticks else 1.0


def same_rules(hypothesis: Hypothesis, game: Game) -> bool:
    """Whether the learnt rules are those of the true game, in canonical form.

    Compared are the compiled rows: class and parameters of every type that a play can show, the effects of every
    ordered pair of types in their order, those at the edge, and the terminations as a set. Names, pictures, unused
    types, the order of lines about different pairs, and how types are grouped do not count.
    """
    true = game.board(0)
    layout = Layout(1, 1, {})
    return canonical(hypothesis.board(layout), true) == canonical(true, true)


def canonical(board: Board, true: Board) -> dict[str, Any]:
    """The rules of a board's game, as far as they are about types that plays of the true game can show or create."""
    tables = board.tables.rules.table
    present = _present(true.game)
    hidden = true.tables.rules.table["types"]["hidden"]
    rows = tables["types"]
    effects = [_row(tables, "effects", row) for row in tables["effects"]]
    pairs: dict[tuple[int, int], list[Any]] = {}
    for pair in tables["pairs"]:
        done = _listed(tables, pair["effects_start"], pair["effects_len"])
        for first in _leaves(tables, int(pair["first"])) & present:
            for second in _leaves(tables, int(pair["second"])) & present:
                pairs.setdefault((first, second), []).extend(effects[k] for k in done)
    for edge in tables["edges"]:
        done = _listed(tables, edge["effects_start"], edge["effects_len"])
        for first in _leaves(tables, int(edge["type"])) & present:
            pairs.setdefault((first, -1), []).extend(effects[k] for k in done)
    return {
        "types": {n: _row(tables, "types", rows[n]) for n in present if n < len(rows) and not hidden[n]},
        "pairs": pairs,
        "terminations": {_row(tables, "terminations", row) for row in tables["terminations"]},
    }


def _present(game: Game) -> frozenset[int]:
    """The types that sprites of a game can be of."""
    named = {name for names in game.level_mapping.values() for name in names}
    return game.created | {n for n, name in enumerate(game.types) if name in named}


def _listed(tables: dict[str, Any], start: int, length: int) -> tuple[int, ...]:
    return tuple(int(number) for number in tables["pool"][start : start + length])


def _leaves(tables: dict[str, Any], number: int) -> set[int]:
    """A type and all those below it."""
    rows = tables["types"]
    return {k for k in range(len(rows)) if number in _listed(tables, rows[k]["itypes_start"], rows[k]["itypes_len"])}


def _row(tables: dict[str, Any], name: str, row: np.void) -> tuple[Any, ...]:
    """The fields of a row that are rules, with lists instead of places in the pool."""
    shown: list[Any] = []
    for field in row.dtype.names or ():
        if field in _NO_RULES[name] or field.endswith("_len"):
            continue
        value = row[field].tolist()
        if field.endswith("_start"):
            value = _listed(tables, int(value), int(row[field.removesuffix("_start") + "_len"]))
        elif name == "terminations" and field in _TYPES and value >= 0:
            value = frozenset(_leaves(tables, value))
        shown.append((field, tuple(value) if isinstance(value, list) else value))
    return tuple(shown)
