"""Guesses types whose sprites all hide at once, and appear again: `transformToAll` into a type that is never seen."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from vgdl.competition.tracks.worldmodels.search.contacts import DEAD, Moment, Table
from vgdl.competition.tracks.worldmodels.search.floors import unseen_numbers
from vgdl.competition.tracks.worldmodels.search.hypothesis import Hypothesis, Rule, children_of, name_of
from vgdl.competition.tracks.worldmodels.search.lives import Lives
from vgdl.competition.tracks.worldmodels.search.remote import count_at, likely_cause
from vgdl.competition.tracks.worldmodels.search.verify import Follower

_FEWEST = 3  #: ticks in which all sprites of a type vanished, and ticks in which some appeared again
_USUALLY = 0.8  #: share of the returns in which the same sprite turned


def with_hiding(lives: Lives, table: Table, follower: Follower, hypothesis: Hypothesis) -> Hypothesis:
    """Try to hide all sprites of a type where they vanish at once, at the same meeting of others.

    They move on unseen. What then seemed to kill them does not, unless it does so at other times, too. They come back
    where another sprite turns, if that is when they appear. Sprites that are made again and again do not hide.
    """
    made = children_of(hypothesis.kinds)
    for number, kind in list(hypothesis.kinds.items()):
        if number not in lives.tracks or number in lives.avatars or number in made:
            continue
        gone, back = _changes(lives, number)
        if min(len(gone), len(back)) < _FEWEST:
            continue
        cause = likely_cause(lives, table, number, gone, set(lives.avatars))
        if cause is None:
            continue
        new = unseen_numbers(hypothesis)[0]
        names = ("stype", name_of(number)), ("stype", name_of(new))
        hide = Rule(*cause[0], "transformToAll", (names[0], ("stypeTo", name_of(new))))
        rules = [rule for rule in hypothesis.rules if not _is_explained(table, rule, number, gone)]
        kinds = {**hypothesis.kinds, new: kind.but(hidden="True")}
        for turn in _turns(lives, table, hypothesis, number, back):
            show = Rule(turn.first, turn.second, "transformToAll", (names[1], ("stypeTo", name_of(number))))
            rules.insert(rules.index(turn), show)
        # all rules of an ordered pair apply at the place of the first
        place = next((k for k, rule in enumerate(rules) if (rule.first, rule.second) == cause[0]), 0)
        rules.insert(place, hide)
        option = replace(hypothesis, kinds=kinds, rules=tuple(rules))
        # where they come back cannot be known, and a wrong place counts twice
        if follower.follow(option).loss < follower.follow(hypothesis).loss + len(back):
            hypothesis = option
    return hypothesis


def _changes(lives: Lives, number: int) -> tuple[set[Moment], set[Moment]]:
    """The ticks in which all sprites of a type vanished, and those in which some appeared again."""
    gone: set[Moment] = set()
    back: set[Moment] = set()
    for play, recorded in enumerate(lives.plays):
        for k in range(recorded.ticks):
            before, after = (count_at(lives, (play, at), number) for at in (k, k + 1))
            if not recorded.frames[k + 1].is_over and bool(before) != bool(after):
                (back if after else gone).add((play, k))
    return gone, back


def _is_explained(table: Table, rule: Rule, number: int, gone: Set[Moment]) -> bool:
    """Whether a rule removes sprites of a type that hid instead."""
    deaths = [m for m in table.pairs.get((rule.first, rule.second), ()) if m.outcome == DEAD]
    return (
        rule.first == number
        and rule.effect == "killSprite"
        and bool(deaths)
        and all((m.play, m.index) in gone for m in deaths)
    )


def _turns(lives: Lives, table: Table, hypothesis: Hypothesis, number: int, back: Set[Moment]) -> list[Rule]:
    """The transformation at a hidden place that took place whenever sprites of a type appeared again, if any."""
    for rule in hypothesis.rules:
        into = next((k for k in hypothesis.kinds if ("stype", name_of(k)) in rule.parameters), None)
        if rule.effect == "transformTo" and into is not None:
            moments = {at for at in table.alone.get((rule.first, into), ()) if not count_at(lives, at, number)}
            if len(moments & back) >= _USUALLY * max(len(back), len(moments)):
                return [rule]
    return []
