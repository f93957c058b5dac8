"""Guesses effects on sprites that meet nothing: all sprites of a type turn into another type at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from vgdl.competition.tracks.worldmodels.search.contacts import Meeting, Moment, Table
from vgdl.competition.tracks.worldmodels.search.deaths import Found, Pair
from vgdl.competition.tracks.worldmodels.search.hypothesis import EDGE, Rule, name_of
from vgdl.competition.tracks.worldmodels.search.lives import Lives

_USUALLY = 0.9  #: share of the changes that a pair must explain, and of its meetings that must be followed by one


def with_remote(lives: Lives, table: Table, rules: Sequence[Found], avatars: Set[int]) -> list[Found]:
    """Add `transformToAll` where it explains changes, and drop the `transformTo` lines that it replaces."""
    kept = list(rules)
    for (old, new), moments in table.turned.items():
        whole = {at for at in moments if count_at(lives, at, old) and not count_at(lives, (at[0], at[1] + 1), old)}
        if old in avatars or len(whole) < _USUALLY * len(moments):
            continue  # some of them did not change
        rule = likely_cause(lives, table, old, whole, avatars)
        if rule is not None:
            stypes = (("stype", name_of(old)), ("stypeTo", name_of(new)))
            kept = [f for f in kept if not _is_local(f, old, new, whole)]
            kept.append(Found(Rule(*rule[0], "transformToAll", stypes), rule[1]))
    return kept


def likely_cause(
    lives: Lives, table: Table, old: int, moments: Set[Moment], avatars: Set[int]
) -> tuple[Pair, tuple[Meeting, ...]] | None:
    """The pair of types that met in nearly all ticks of a change, and in few others in which it could have happened."""
    best: tuple[tuple[float, bool, int], Pair, tuple[Meeting, ...]] | None = None
    for pair, meetings in table.pairs.items():
        if EDGE in pair or old in pair:
            continue
        possible = {at for m in meetings if count_at(lives, at := (m.play, m.index), old)}
        hits = possible & moments
        if len(hits) >= _USUALLY * len(moments) and len(hits) >= _USUALLY * len(possible):
            rank = (len(hits) / len(possible), pair[0] in avatars, -len(meetings))
            if best is None or rank > best[0]:
                best = rank, pair, tuple(m for m in meetings if (m.play, m.index) in hits)
    return None if best is None else best[1:]


def _is_local(candidate: Found, old: int, new: int, moments: Set[Moment]) -> bool:
    """Whether a rule explains by single meetings a change of all sprites of a type."""
    rule = candidate.rule
    turns: Mapping[str, object] = dict(rule.parameters)
    local = rule.effect == "transformTo" and rule.first == old and turns.get("stype") == name_of(new)
    return local and all((m.play, m.index) in moments for m in candidate.meetings)


def count_at(lives: Lives, at: Moment, kind: int) -> int:
    """The number of sprites of a type before a tick."""
    play, k = at
    return sum(1 for shown, _ in lives.rows[play][k].values() if shown == kind) if k < len(lives.rows[play]) else 0
