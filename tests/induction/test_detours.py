"""Edits of rules that only pay together, and what makes them possible."""

from __future__ import annotations

from collections.abc import Sequence

from lessons import evidence_of, searched
from vgdl.induction import Budget, parts
from vgdl.induction.amounts import amounts_of
from vgdl.induction.edits import Proposer
from vgdl.induction.evidence import Evidence
from vgdl.induction.hypothesis import End, Hypothesis, Kind, Rule
from vgdl.induction.likelihood import Miss
from vgdl.induction.scenes import Scene, _changes, scenes_of
from vgdl.induction.search import Search
from vgdl.induction.signatures import BACK, GONE, MOVED, NEW

PUSHING = """BasicGame
    SpriteSet
        floor > Immovable
        stone > Immovable
        crate > Passive
        you > MovingAvatar
    LevelMapping
        . > floor
        s > floor stone
        c > floor crate
        A > floor you
    InteractionSet
        you stone > stepBack
        crate you > bounceForward
        crate stone > undoAll
        crate crate > undoAll
    TerminationSet
        SpriteCounter stype=you win=False
"""
ROOM = "ssssssss\ns......s\ns.cc...s\ns..A.c.s\ns.c..c.s\ns......s\nssssssss\n"
RAFTS = """BasicGame
    SpriteSet
        water > Immovable
        raft > Immovable
        grass > Immovable
        you > MovingAvatar
    LevelMapping
        ~ > water
        r > water raft
        . > grass
        A > grass you
    InteractionSet
        you raft > shieldFrom stype=water ftype=killSprite
        you water > killSprite
        you EOS > stepBack
    TerminationSet
        SpriteCounter stype=you win=False
"""
RIVER = "......\n..A...\n~r~rr~\n~rr~r~\n......\n"


def _evidence(text: str, level: str, ticks: int) -> tuple[Evidence, dict[str, int]]:
    return evidence_of(ticks, text=text, level=level, longest=40)


def _text(kinds: dict[str, str], names: dict[str, int], rules: Sequence[Rule], dies: str) -> Hypothesis:
    """A hypothesis with these classes, by name, that is lost without the avatar."""
    listed = sorted(names, key=lambda name: names[name])
    end = End("SpriteCounter", (("stype", f"t{names[dies]}"), ("win", "False")))
    return Hypothesis(tuple(Kind(kinds[name]) for name in listed), tuple(rules), (end,))


def test_a_push_is_found_although_it_only_pays_with_what_stops_it() -> None:
    """Crates that stop the avatar explain blocked pushes; pushes without a stop spoil these."""
    evidence, names = _evidence(PUSHING, ROOM, 400)
    you, crate, stone = (names[name] for name in ("you", "crate", "stone"))
    kinds = {"floor": "Immovable", "stone": "Immovable", "crate": "Passive", "you": "MovingAvatar"}
    start = _text(kinds, names, [Rule("stepBack", (), you, stone), Rule("stepBack", (), you, crate)], "you")
    _, rules = searched(evidence, start, 6_000)
    assert f"t{crate} t{you} > bounceForward" in rules
    assert f"t{you} t{crate} > stepBack" not in rules


def test_water_that_kills_is_found_together_with_what_shields_from_it() -> None:
    evidence, names = _evidence(RAFTS, RIVER, 400)
    kinds = {"water": "Immovable", "raft": "Immovable", "grass": "Immovable", "you": "MovingAvatar"}
    you, water, raft = (names[name] for name in ("you", "water", "raft"))
    start = _text(kinds, names, [], "you")
    bits, rules = searched(evidence, start, 6_000)
    shields = [line for line in rules if line.startswith(f"t{you} t{raft} > shieldFrom")]
    assert len(shields) == 1
    assert f"stype=t{water}" in shields[0]
    stuck, _ = searched(evidence, start, 6_000, parts.DETOURS)
    assert bits < stuck / 2


def test_what_prevents_an_effect_is_proposed_before_the_rule_that_it_names() -> None:
    evidence, names = _evidence(RAFTS, RIVER, 40)
    you, water, raft = (names[name] for name in ("you", "water", "raft"))
    rule = Rule("killSprite", (), you, water)
    text = Hypothesis((Kind("Immovable"),) * len(names), (rule,))
    scene = Scene(frozenset({(you, BACK)}), {(you, water): 3.0, (you, raft): 3.0, (raft, you): 3.0}, 0, True)
    found = list(Proposer(evidence, amounts_of(evidence.plays)).preventions(text, scene))
    shield = Rule("shieldFrom", (("ftype", "killSprite"), ("stype", f"t{water}")), you, raft)
    assert [edit.rules for edit in found] == [(shield, rule)]
    elsewhere = Scene(scene.changes, {(you, raft): 3.0}, 0, True)
    assert not list(Proposer(evidence, {}).preventions(text, elsewhere)), "the rule did not make this prediction"


def test_a_sprite_that_was_to_be_where_another_of_its_type_is_may_have_met_it() -> None:
    """A crate that is not pushed onto another one, which stays where it was."""
    evidence, names = _evidence(PUSHING, ROOM, 200)
    you, crate, stone = (names[name] for name in ("you", "crate", "stone"))
    kinds = {"floor": "Immovable", "stone": "Immovable", "crate": "Passive", "you": "MovingAvatar"}
    rules = [Rule("stepBack", (), you, stone), Rule("bounceForward", (), crate, you), Rule("undoAll", (), crate, stone)]
    search = Search(evidence, Budget(10, 10_000))
    judged = search._judged(_text(kinds, names, rules, "you"), float("inf"))
    search.purse.allot(1.0)
    search._spans = evidence.spans()
    judged = search._judged(_text(kinds, names, rules, "you"), float("inf"))
    assert judged is not None
    met = [scene for conflict in judged.report.conflicts for scene in scenes_of(conflict, evidence)]
    assert met
    assert all(scene.pairs.get((crate, crate)) == 1.0 for scene in met if (crate, BACK) in scene.changes)
    assert not any(names["floor"] in pair and chance == 1.0 for scene in met for pair, chance in scene.pairs.items())


def test_a_sprite_that_is_made_again_where_it_went_is_new_as_well() -> None:
    crate = 5
    fate = (crate, 20, 20)
    assert set(_changes(Miss(3, fate, None, fate))) == {(crate, BACK), (crate, NEW)}
    assert set(_changes(Miss(3, fate, (crate, 40, 20), fate))) == {(crate, BACK)}
    assert set(_changes(Miss(3, fate, fate, None))) == {(crate, GONE)}
    assert set(_changes(Miss(3, fate, fate, (crate, 40, 20)))) == {(crate, MOVED)}


def test_amounts_held_in_a_conflict_are_tried_for_a_limit() -> None:
    evidence, _ = _evidence(PUSHING, ROOM, 40)
    proposer = Proposer(evidence, amounts_of(evidence.plays))
    proposer.held = [1]
    scene = Scene(frozenset({(0, GONE)}), {(0, 1): 1.0}, 0, True, {1: (9, 9, 0)})
    limits = {rule.get("limit") for rule in proposer.fitting_rules(scene) if rule.word == "killIfHasMore"}
    assert {8, 9, 10} <= limits


def test_an_end_can_take_the_place_of_another_one() -> None:
    evidence, names = _evidence(RAFTS, RIVER, 200)
    you = names["you"]
    wrong = End("SpriteCounter", (("stype", f"t{names['water']}"), ("win", "True")))
    text = Hypothesis((Kind("Immovable"),) * len(names), (), (wrong,))
    search = Search(evidence, Budget(10, 10_000))
    search._spans = evidence.spans()
    judged = search._judged(text, float("inf"))
    assert judged is not None
    lost = next(conflict for conflict in judged.report.conflicts if conflict.end)
    ends = {edit.ends for edit in Proposer(evidence, {}).ends(text, [lost])}
    right = End("SpriteCounter", (("stype", f"t{you}"), ("win", "False")))
    assert (right,) in ends
    assert (wrong, right) in ends
