"""Edits of which each explains a part only, and what brings them to the front."""

from __future__ import annotations

import pytest

from lessons import evidence_of, searched
from vgdl.induction.amounts import amounts_of
from vgdl.induction.edits import Proposer, explicable
from vgdl.induction.hypothesis import End, Hypothesis, Kind, Rule
from vgdl.induction.likelihood import Miss
from vgdl.induction.scenes import Scene, _moved_on
from vgdl.induction.signatures import BACK, GONE, MOVED, NEW

HEADER = """BasicGame
    SpriteSet
        stone > Immovable
        heap > Immovable
        crate > Passive
        you > MovingAvatar
    LevelMapping
        s > stone
        h > heap
        c > crate
        A > you
    InteractionSet
        you stone > stepBack
        you heap > stepBack
        crate you > bounceForward
"""
TRAIN = (
    HEADER
    + "        crate crate > bounceForward repeat=8\n        crate stone > undoAll\n        crate heap > undoAll\n"
)
STACK = HEADER + (
    "        crate crate > undoAll\n        crate stone > undoAll\n"
    "        crate heap > transformTo stype=heap scoreChange=1\n        heap heap > stepBack\n"
)
END = "    TerminationSet\n        SpriteCounter stype=you win=False\n"
ROWS = "ssssssssss\ns        s\ns  cc    s\ns Ac ccc s\ns  ccc   s\ns  c h   s\ns        s\nssssssssss\n"
HEAPS = "ssssssss\ns      s\ns c hAcs\ns c  h s\ns h c  s\ns      s\nssssssss\n"
HUNT = """BasicGame
    SpriteSet
        wall > Immovable
        post > Immovable
        bush > Immovable
        hole > Immovable
        coin > Immovable
        hound > Chaser stype=coin
        you > MovingAvatar
    LevelMapping
        w > wall
        p > post
        b > bush
        o > hole
        c > coin
        h > hound
        A > you
    InteractionSet
        you wall > stepBack
        hound wall > stepBack
        coin hound > killSprite
    TerminationSet
        SpriteCounter stype=you win=False
"""
FIELD = "wwwwwwwwwwww\nwh  p   o cw\nw       b  w\nwA    p    w\nw   b    o w\nwc        hw\nwwwwwwwwwwww\n"
CLASSES = {"stone": "Immovable", "heap": "Immovable", "crate": "Passive", "you": "MovingAvatar"}


def _hypothesis(names: dict[str, int], *rules: tuple[str, str, str]) -> Hypothesis:
    known = [("stepBack", "you", "stone"), ("stepBack", "you", "heap"), ("bounceForward", "crate", "you")]
    end = End("SpriteCounter", (("stype", f"t{names['you']}"), ("win", "False")))
    kinds = tuple(Kind(CLASSES[name]) for name in sorted(names, key=names.__getitem__))
    lines = (Rule(word, (), names[one], names[other]) for word, one, other in (*known, *rules))
    return Hypothesis(kinds, tuple(lines), (end,))


def test_a_row_of_crates_is_pushed_by_a_rule_that_runs_several_times() -> None:
    """The rule that puts crates back has to go, and the new one has to come before those that stop a crate."""
    evidence, names = evidence_of(500, text=TRAIN + END, level=ROWS, longest=50)
    crate = names["crate"]
    start = _hypothesis(names, ("undoAll", "crate", "stone"), ("undoAll", "crate", "crate"))
    _, rules = searched(evidence, start, 4_000)
    assert any(line.startswith(f"t{crate} t{crate} > bounceForward repeat=") for line in rules)
    assert f"t{crate} t{crate} > undoAll" not in rules


def test_what_becomes_of_a_crate_is_found_together_with_where_it_goes() -> None:
    """With either rule alone, a new heap is in the wrong place or there is none."""
    evidence, names = evidence_of(800, text=STACK + END, level=HEAPS, longest=50)
    crate, heap = names["crate"], names["heap"]
    known = [("undoAll", "crate", "crate"), ("undoAll", "crate", "stone")]
    start = _hypothesis(names, *known)
    kills = Rule("killSprite", (("scoreChange", 1),), crate, heap)
    _, rules = searched(evidence, start.with_rules((*start.rules, kills)), 4_000)
    assert any(line.startswith(f"t{crate} t{heap} > transformTo") and f"stype=t{heap}" in line for line in rules)
    assert any(line.startswith(f"t{heap} t{heap} > ") for line in rules)


def test_a_rule_may_make_sprites_of_a_type_that_meets() -> None:
    crate, heap = 0, 1
    text = Hypothesis((Kind("Passive"), Kind("Immovable")))
    becomes = text.with_rules((Rule("transformTo", (("stype", "t1"),), crate, heap),))
    scene = Scene(frozenset({(heap, NEW)}), {(crate, heap): 4.0}, 0, 0)
    assert explicable(text, becomes, scene, 4) == 4.0
    assert explicable(text, text.with_rules((Rule("killSprite", (), crate, heap),)), scene, 4) == 0.0


def test_a_rule_in_the_place_of_another_one_keeps_its_score() -> None:
    """The points were predicted; what was not is that a sprite appears."""
    evidence, names = evidence_of(60, text=STACK + END, level=HEAPS, longest=50)
    crate, heap = names["crate"], names["heap"]
    kills = Rule("killSprite", (("scoreChange", 1),), crate, heap)
    scene = Scene(frozenset({(heap, NEW), (crate, GONE)}), {(crate, heap): 2.0}, 0, 0)
    proposer = Proposer(evidence, amounts_of(evidence.plays))
    start = _hypothesis(names)
    found = [edit.rules for edit in proposer.rules(start.with_rules((*start.rules, kills)), scene)]
    becomes = Rule("transformTo", (("scoreChange", 1), ("stype", f"t{heap}")), crate, heap)
    assert (*start.rules, becomes) in found


def test_a_new_sprite_elsewhere_than_predicted_may_have_been_put_there() -> None:
    kind, here, there = 3, (3, 20, 20), (3, 40, 20)
    assert _moved_on([Miss(-1, None, here, None), Miss(-1, None, None, there)]) == {(kind, BACK)}
    assert _moved_on([Miss(-1, None, None, there)]) == set()
    assert _moved_on([Miss(7, there, here, there)]) == set()


@pytest.mark.parametrize(("word", "place"), [("bounceForward", 1), ("killSprite", None)])
def test_what_moves_sprites_is_tried_before_what_puts_them_back(word: str, place: int | None) -> None:
    evidence, names = evidence_of(60, text=TRAIN + END, level=ROWS, longest=50)
    crate, stone, you = (names[name] for name in ("crate", "stone", "you"))
    check = Rule("undoAll", (), crate, stone)
    text = Hypothesis((Kind("Immovable"),) * len(names), (Rule("killSprite", (), stone, you), check))
    new = Rule(word, (), crate, crate)
    scene = Scene(frozenset({(crate, MOVED), (crate, GONE)}), {(crate, crate): 1.0}, 0, 0)
    places = {edit.rules.index(new) for edit in Proposer(evidence, {}).rules(text, scene) if new in edit.rules}
    assert {0, 2} <= places
    assert place is None or place in places


def test_what_sprites_move_towards_is_what_they_may_seek() -> None:
    """Of many types, only a few are tried, and coins are neither an avatar nor the first type seen."""
    evidence, names = evidence_of(60, text=HUNT, level=FIELD)
    shown = amounts_of(evidence.plays)
    hound, coin = names["hound"], names["coin"]
    assert max(names.values(), key=shown[hound].drawn) == coin
    chasers = [kind for kind in Proposer(evidence, shown).fresh_kinds(hound) if kind.word == "Chaser"]
    assert chasers[0].get("stype") == f"t{coin}"
