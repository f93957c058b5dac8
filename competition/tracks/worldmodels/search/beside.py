"""Compare learnt rules to the true ones: whether states have the same successors, and whether the rules are equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from vgdl.competition.tracks.worldmodels.search.hypothesis import Layout
from vgdl.competition.tracks.worldmodels.search.records import Play, Rules, observe
from vgdl.competition.tracks.worldmodels.search.verify import Follower, keys, place_frame, same_outcome
from vgdl.game import Board, Game

#: fields of compiled rows that are not part of the rules: positions in tables, line numbers, messages
_NO_RULES = {
    "types": ("messages", "resource_slot", "collision_class", "in_order", "value", "itypes_start", "itypes_len",
              "subtypes_start", "subtypes_len"),
    "effects": ("line", "null_policy", "gate", "hash", "in_batch", "batch"),
    "terminations": ("line",),
}  # fmt: skip
#: fields that refer to types, a single one or with its subtypes
_TYPES = {
    "types": frozenset({"itype", "ammo_id", "resource_type", "shots", "ammos"}),
    "effects": frozenset({"stype", "stype_to", "stype_count", "stype_other", "estype", "spawn_point", "resource",
                          "held_resource", "itype", "skip"}),
    "terminations": frozenset({"stype", "stype2", "stype3"}),
}  # fmt: skip


def same_successors(rules: Rules, game: Game, plays: Sequence[Play]) -> float:
    """Share of recorded ticks after which the learnt and the true rules lead to the same observation.

    Both start from states made from the same observation, with the same seed, and keep their hidden parts. Random
    events are therefore the same if both rules draw the same numbers for the same purposes.
    """
    same = ticks = 0
    seen = [rules.renumbered_play(play) for play in plays]
    boards = zip(Follower(seen).boards(rules), Follower(plays).boards(game), strict=True)
    for play, shown, pair in zip(plays, seen, boards, strict=True):
        states = [place_frame(b, p.frames[0], None, 0) for b, p in zip(pair, (shown, play), strict=True)]
        for k in range(play.ticks):
            for state in states:
                state.advance(play.frames[k].action)
            one, other = observe(states[0]), rules.renumbered(observe(states[1]))
            same += np.array_equal(keys(one.arrays), keys(other.arrays)) and same_outcome(one, other)
            ticks += 1
            states = [
                place_frame(b, p.frames[k + 1], s, k + 1, last=p.frames[k])
                for b, p, s in zip(pair, (shown, play), states, strict=True)
            ]
    return same / ticks if ticks else 1.0


def same_rules(rules: Rules, game: Game) -> bool:
    """Whether the learnt rules are those of the true game, in canonical form.

    The compiled rows are compared: class and parameters of each type that a play can show, the effects of each ordered
    pair of types in their order, those at the edge, and the terminations as a set. Names, images, unused types, the
    order of lines about different pairs, and the grouping of types are ignored.
    """
    true = game.board(0)
    everything = {number: number for number in range(len(game.types))}
    learnt = rules.board(Layout(1, 1, {}))
    numbers = {own: number for number, own in rules.numbers.items()} if rules.numbers else everything
    return canonical(learnt, true, numbers) == canonical(true, true, everything)


def canonical(board: Board, true: Board, numbers: Mapping[int, int]) -> dict[str, Any]:
    """The rules of a board's game in canonical form, limited to types that plays of the true game can show or create.

    Args:
        board: a board of the learnt or the true game.
        true: a board of the true game.
        numbers: type numbers in the true game by those in the board's game.
    """
    tables = board.tables.rules.table
    present = _present(true.game)
    hidden = true.tables.rules.table["types"]["hidden"]
    rows = tables["types"]

    def leaves(number: int) -> set[int]:
        return {numbers[n] for n in _below(tables, number) if numbers.get(n) in present}

    def row(name: str, values: np.void) -> tuple[Any, ...]:
        return _row(tables, name, values, numbers, leaves)

    effects = [row("effects", values) for values in tables["effects"]]
    pairs: dict[tuple[int, int], list[Any]] = {}
    for pair in tables["pairs"]:
        done = _listed(tables, pair["effects_start"], pair["effects_len"])
        for first in leaves(int(pair["first"])):
            for second in leaves(int(pair["second"])):
                pairs.setdefault((first, second), []).extend(effects[k] for k in done)
    for edge in tables["edges"]:
        done = _listed(tables, edge["effects_start"], edge["effects_len"])
        for first in leaves(int(edge["type"])):
            pairs.setdefault((first, -1), []).extend(effects[k] for k in done)
    shown = {numbers.get(n): n for n in range(len(rows))}
    return {
        "types": {n: row("types", rows[shown[n]]) for n in present if n in shown and not hidden[n]},
        "pairs": pairs,
        "terminations": {row("terminations", values) for values in tables["terminations"]},
    }


def _present(game: Game) -> frozenset[int]:
    """The types that sprites of a game can have."""
    named = {name for names in game.level_mapping.values() for name in names}
    return game.created | {n for n, name in enumerate(game.types) if name in named}


def _listed(tables: dict[str, Any], start: int, length: int) -> tuple[int, ...]:
    return tuple(int(number) for number in tables["pool"][start : start + length])


def _below(tables: dict[str, Any], number: int) -> set[int]:
    """A type and its subtypes."""
    rows = tables["types"]
    return {k for k in range(len(rows)) if number in _listed(tables, rows[k]["itypes_start"], rows[k]["itypes_len"])}


def _row(
    tables: dict[str, Any],
    name: str,
    row: np.void,
    numbers: Mapping[int, int],
    leaves: Callable[[int], set[int]],
) -> tuple[Any, ...]:
    """The fields of a row that are part of the rules, with lists for pool positions and with the true type numbers."""
    shown: list[Any] = []
    for field in row.dtype.names or ():
        if field in _NO_RULES[name] or field.endswith("_len"):
            continue
        value = row[field].tolist()
        plain = field.removesuffix("_start")
        if field.endswith("_start"):
            value = _listed(tables, int(value), int(row[plain + "_len"]))
        if plain in _TYPES[name]:
            if isinstance(value, tuple):
                value = tuple(numbers.get(number, -2) for number in value)
            elif value >= 0:
                value = frozenset(leaves(value)) if name == "terminations" else numbers.get(value, -2)
        shown.append((plain, tuple(value) if isinstance(value, list) else value))
    return tuple(shown)
