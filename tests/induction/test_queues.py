"""Sprites that follow each other, so that only their ids tell that they moved; and what excuses a class."""

from __future__ import annotations

import pytest

from lessons import evidence_of
from vgdl.induction import Budget
from vgdl.induction.amounts import amounts_of
from vgdl.induction.edits import Proposer
from vgdl.induction.evidence import Evidence
from vgdl.induction.hypothesis import Hypothesis, Kind, Rule
from vgdl.induction.search import Search

BEAMS = """BasicGame square_size=10
    SpriteSet
        floor > Immovable
        stone > Immovable
        gun > SpawnPoint stype=beam
        lamp > SpawnPoint stype=glow cooldown=7
        glow > Flicker limit=2
        beam > Missile orientation=UP speed=0.5
        you > MovingAvatar
    LevelMapping
        . > floor
        s > stone
        g > floor gun
        l > floor lamp
        A > floor you
    InteractionSet
        you stone > stepBack
        beam stone > killSprite
    TerminationSet
        Timeout limit=300 win=True
"""
HALL = "sssssssss\ns.......s\ns.......s\nsg..A...s\ns......ls\ns.......s\ns.g.g.g.s\nsssssssss\n"


@pytest.fixture(scope="module")
def played() -> tuple[Evidence, dict[str, int]]:
    evidence, names = evidence_of(200, text=BEAMS, level=HALL, longest=60)
    unseen = [kind for kind in range(evidence.types) if kind not in names.values()]
    counts = {kind: amounts_of(evidence.plays)[kind].born for kind in unseen}
    beam, glow = sorted(unseen, key=lambda kind: -counts[kind])
    return evidence, {**names, "beam": beam, "glow": glow}


def _hypothesis(names: dict[str, int], beam: Kind) -> Hypothesis:
    words = {"gun": Kind("SpawnPoint", (("stype", f"t{names['beam']}"),)), "you": Kind("MovingAvatar"), "beam": beam}
    by_number = {number: words.get(name, Kind("Immovable")) for name, number in names.items()}
    return Hypothesis(tuple(by_number[number] for number in sorted(by_number)), square_size=10)


def test_each_sprite_of_a_beam_is_seen_to_move(played: tuple[Evidence, dict[str, int]]) -> None:
    """Another sprite takes the place of each one, so sets of places hardly change."""
    evidence, names = played
    judge = Search(evidence, Budget(10, 10_000)).judge
    wrong = {}
    for beam in (Kind("Immovable"), Kind("Missile", (("orientation", "UP"), ("speed", 0.5)))):
        report = judge.report(judge.world(_hypothesis(names, beam)), [(0, 5, 12)], types={names["beam"]})
        wrong[beam.word] = report.hard[names["beam"]]
    frame = evidence.plays[0].frames[10]
    beams = sum(kind == names["beam"] for kind, _, _ in frame.fates.values())
    assert beams > 15
    assert wrong["Immovable"] > 10 * 7 * (beams / 2)
    assert wrong["Missile"] < wrong["Immovable"] / 10


def test_a_full_beam_counts_as_changing(played: tuple[Evidence, dict[str, int]]) -> None:
    """One sprite appears at its beginning, one vanishes at its end, and all places are taken before and after."""
    evidence, names = played
    assert all(names["beam"] in changed for changed in evidence.changed[0][30:50])


def test_beams_are_learnt_with_their_guns(played: tuple[Evidence, dict[str, int]]) -> None:
    evidence, names = played
    search = Search(evidence, Budget(1_500, 150_000))
    search.improve()
    kinds = search.beam[0].hypothesis.kinds
    assert kinds[names["beam"]] == Kind("Missile", (("orientation", "UP"), ("speed", 0.5)))
    assert kinds[names["gun"]] == Kind("SpawnPoint", (("stype", f"t{names['beam']}"),))


def test_a_class_gives_way_to_a_simpler_one_once_rules_explain_the_rest(
    played: tuple[Evidence, dict[str, int]],
) -> None:
    """A limit of the lives of shots may come before the rule that ends them at a stone."""
    evidence, names = played
    simple = Kind("Missile", (("orientation", "UP"), ("speed", 0.5)))
    limited = Kind("OrientedFlicker", (("limit", 10), ("orientation", "UP"), ("speed", 0.5)))
    rules = [Rule("killSprite", (), names["beam"], names["stone"]), Rule("stepBack", (), names["you"], names["stone"])]
    for known, expected in ((rules, simple), (rules[1:], limited)):
        search = Search(evidence, Budget(300, 100_000))
        search.purse.allot(1.0)
        search._judge_by(evidence.spans(), [_hypothesis(names, limited).with_rules(known)])
        search._proposer = Proposer(evidence, amounts_of(evidence.plays))
        search.simplify()
        assert search.beam[0].hypothesis.kinds[names["beam"]] == expected


def test_new_sprites_beside_others_do_not_make_these_their_makers(played: tuple[Evidence, dict[str, int]]) -> None:
    """A beam that passes a lamp is not judged by the glow that appears on the lamp."""
    evidence, names = played
    search = Search(evidence, Budget(10, 10_000))
    proposer = Proposer(evidence, amounts_of(evidence.plays))
    assert names["glow"] in proposer.amounts[names["beam"]].births_nearby
    search._races.prepare(proposer)
    assert search._races._household(names["lamp"]) == {names["lamp"], names["glow"]}
    assert names["glow"] not in search._races._household(names["beam"])
