"""Sprites that become others, lines that are like others, and what numbers of sprites say about the end of a game."""

from __future__ import annotations

import pytest

from lessons import evidence_of
from vgdl.induction import Budget, prior
from vgdl.induction.edits import Proposer
from vgdl.induction.evidence import Evidence
from vgdl.induction.hypothesis import End, Hypothesis, Kind, Rule
from vgdl.induction.likelihood import Beside, Miss, replaces
from vgdl.induction.scenes import scenes_of
from vgdl.induction.search import Search
from vgdl.induction.signatures import GONE, NEW, labels

FILLING = """BasicGame
    SpriteSet
        floor > Immovable
        stone > Immovable
        hole > Immovable
        crate > Passive
        filled > Immovable
        you > MovingAvatar
    LevelMapping
        . > floor
        s > floor stone
        h > floor hole
        c > floor crate
        A > floor you
    InteractionSet
        you stone > stepBack
        crate you > bounceForward
        crate stone > undoAll
        crate crate > undoAll
        crate filled > undoAll
        crate hole > transformTo stype=filled
        you filled > stepBack
    TerminationSet
        SpriteCounterMore stype=filled limit=2 win=True
"""
PADS = """BasicGame
    SpriteSet
        floor > Immovable
        redpad > Immovable
        bluepad > Immovable
        red > MovingAvatar
        blue > MovingAvatar
    LevelMapping
        . > floor
        r > floor redpad
        b > floor bluepad
        A > floor red
    InteractionSet
        red bluepad > transformTo stype=blue
        blue redpad > transformTo stype=red
        red EOS > stepBack
        blue EOS > stepBack
    TerminationSet
        Timeout limit=300 win=True
"""
ROOM = "ssssssss\nsh.h..hs\ns.cc.c.s\ns..A.c.s\ns.c..c.s\nshh.h.hs\nssssssss\n"


@pytest.fixture(scope="module")
def played() -> tuple[Evidence, dict[str, int]]:
    evidence, names = evidence_of(400, text=FILLING, level=ROOM, longest=60)
    (filled,) = set(range(evidence.types)) - set(names.values())
    return evidence, {**names, "filled": filled}


def test_what_is_made_of_others_is_not_taken_to_be_born() -> None:
    """A pad on which the avatar changes its type does not look like one that makes sprites."""
    evidence, names = evidence_of(400, text=PADS, level="......\n.r.b.r\n..A...\n.b.r.b\n......\n", longest=60)
    search = Search(evidence, Budget(2_000, 200_000))
    search.improve()
    kinds = search.beam[0].hypothesis.kinds
    assert {kinds[names[pad]].word for pad in ("redpad", "bluepad")} == {"Immovable"}
    rules = {(rule.word, rule.first, rule.second) for rule in search.beam[0].hypothesis.rules}
    assert ("transformTo", names["red"], names["bluepad"]) in rules


def test_a_sprite_may_have_become_another_one_in_a_cell_next_to_it(played: tuple[Evidence, dict[str, int]]) -> None:
    evidence, names = played
    play, k = next(
        (play, k)
        for play, ticks in enumerate(evidence.changed)
        for k, changed in enumerate(ticks)
        if names["filled"] in changed
    )
    before, after = evidence.plays[play].frames[k : k + 2]
    (made,) = (after.fates[number] for number in after.fates.keys() - before.fates.keys())
    beside = Beside(before, after, frozenset())
    assert replaces(Miss(-1, None, None, made), beside)
    far = made[0], made[1] + 2 * before.block_size, made[2] + 2 * before.block_size
    assert not replaces(Miss(-1, None, None, far), beside)


def test_what_is_where_a_sprite_became_another_one_was_met(played: tuple[Evidence, dict[str, int]]) -> None:
    evidence, names = played
    crate, hole, filled = (names[name] for name in ("crate", "hole", "filled"))
    search = Search(evidence, Budget(10, 10_000))
    search._spans = evidence.spans()
    judged = search._judged(Hypothesis(_kinds(names)), float("inf"))
    assert judged is not None
    scenes = [scene for conflict in judged.report.conflicts for scene in scenes_of(conflict, evidence)]
    made = [scene for scene in scenes if {(crate, GONE), (filled, NEW)} <= scene.changes]
    assert made
    assert all(scene.pairs[crate, hole] == 1.0 for scene in made)


def test_a_line_like_another_one_is_shorter() -> None:
    fast, still = Kind("Missile", (("orientation", "LEFT"), ("speed", 0.25))), Kind("Immovable")
    other = Kind("Missile", (("orientation", "LEFT"), ("speed", 0.35)))
    rules = (Rule("transformTo", (("stype", "t2"),), 0, 2), Rule("transformTo", (("stype", "t2"),), 1, 2))
    same = prior.bits(Hypothesis((fast, fast, still)))
    assert same < prior.bits(Hypothesis((fast, other, still))) - 8
    alike = prior.bits(Hypothesis((fast, fast, still), rules)) - same
    single = prior.bits(Hypothesis((fast, fast, still), rules[:1])) - same
    assert single < alike < 2 * single - 3
    assert prior.kind_bits(still, 3, like=True) <= prior.kind_bits(still, 3)


@pytest.mark.parametrize("label", labels())
def test_what_a_type_is_shown_as_takes_no_bits(label: str) -> None:
    plain, shown = Kind("Immovable"), Kind("Immovable", ((label, True),))
    assert prior.kind_bits(shown, 3) == prior.kind_bits(plain, 3) < prior.kind_bits(Kind("RandomNPC"), 3)


def test_the_end_is_explained_by_numbers_that_only_last_frames_have(played: tuple[Evidence, dict[str, int]]) -> None:
    evidence, names = played
    assert any(play.frames[-1].is_over for play in evidence.plays)
    search = Search(evidence, Budget(10, 10_000))
    search._spans = evidence.spans()
    text = Hypothesis(_kinds(names))
    judged = search._judged(text, float("inf"))
    assert judged is not None
    won = [conflict for conflict in judged.report.conflicts if conflict.end]
    assert {scene.end for conflict in won for scene in scenes_of(conflict, evidence)} >= {4}
    proposed = [edit.ends for edit in Proposer(evidence, {}).ends(text, won)]
    right = End("SpriteCounterMore", (("limit", 2), ("stype", f"t{names['filled']}"), ("win", "True")))
    assert (right,) in proposed
    assert not any(end.types == {names["floor"]} for ends in proposed for end in ends)


def _kinds(names: dict[str, int]) -> tuple[Kind, ...]:
    words = {"crate": "Passive", "you": "MovingAvatar"}
    return tuple(Kind(words.get(name, "Immovable")) for name in sorted(names, key=lambda name: names[name]))
