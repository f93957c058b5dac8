"""Sprites that make others, those that end by themselves, and edits that change what other types meet."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from lessons import evidence_of
from vgdl.induction import Budget
from vgdl.induction.amounts import Amounts, amounts_of
from vgdl.induction.edits import Proposer, touched
from vgdl.induction.evidence import Evidence
from vgdl.induction.hypothesis import Hypothesis, Kind, Rule, name_of
from vgdl.induction.races import _makers
from vgdl.induction.scenes import scenes_of
from vgdl.induction.search import Judged, Search
from vgdl.induction.signatures import GONE
from vgdl.ontology import ALL_SPRITE_CLASSES

HUNT = """BasicGame square_size=10
    SpriteSet
        floor > Immovable
        stone > Immovable
        burrow > SpawnPoint stype=mole cooldown=12
        den > SpawnPoint stype=mole cooldown=31
        mole > Flicker limit=9
        cat > Chaser stype=mole cooldown=3
        arrow > Missile speed=0.5
        you > ShootAvatar stype=arrow
    LevelMapping
        . > floor
        s > floor stone
        b > floor burrow
        d > floor den
        c > floor cat
        A > floor you
    InteractionSet
        you stone > stepBack
        cat stone > stepBack
        arrow stone > killSprite
        mole cat > killSprite scoreChange=-1
        mole you > killSprite scoreChange=1
    TerminationSet
        SpriteCounter stype=you win=False
"""
GARDEN = "ssssssssss\ns........s\ns.b....d.s\ns...A....s\ns........s\ns..c..b..s\ns........s\nssssssssss\n"


@pytest.fixture(scope="module")
def played() -> tuple[Evidence, dict[str, int]]:
    evidence, names = evidence_of(300, text=HUNT, level=GARDEN, longest=100)
    shown = amounts_of(evidence.plays)
    (arrow,) = [k for k in range(evidence.types) if k not in names.values() and shown[k].steps]
    (mole,) = [k for k in range(evidence.types) if k not in names.values() and k != arrow]
    return evidence, {**names, "arrow": arrow, "mole": mole}


@pytest.fixture(scope="module")
def search(played: tuple[Evidence, dict[str, int]]) -> Search:
    found = Search(played[0], Budget(3_000, 300_000))
    found.improve()
    return found


def test_a_maker_is_judged_by_what_it_makes() -> None:
    """Another ``stype`` changes which sprites appear, so both types have to be looked at."""
    kinds = (Kind("ShootAvatar", (("stype", "t1"),)), Kind("Missile"), Kind("Missile"), Kind("Immovable"))
    before = Hypothesis(kinds)
    after = before.with_kind(0, kinds[0].but("stype", "t2"))
    assert touched(before, after) == {0, 1, 2}
    assert touched(before, before.with_kind(3, Kind("Passive"))) == {3}


def test_a_maker_that_looks_like_a_portal_is_found() -> None:
    """No game of the counted half has such a line, so only what the switch does tells that it is possible."""
    text = HUNT.replace("stype=mole cooldown=12", "stype=mole cooldown=12 portal=True")
    evidence, names = evidence_of(200, text=text, level=GARDEN, longest=100)
    search = Search(evidence, Budget(1_500, 150_000))
    search.improve()
    burrow = search.beam[0].hypothesis.kinds[names["burrow"]]
    assert (burrow.word, burrow.get("cooldown"), burrow.get("portal")) == ("SpawnPoint", 12, True)


def test_makers_are_those_that_explain_births() -> None:
    lamp, beam, floor, den, burrow = range(5)
    glow = {lamp: 60, beam: 26}  # floors do not count
    assert beam not in _makers(glow, Counter({frozenset((lamp, beam, floor)): 26, frozenset((lamp, floor)): 4}))
    moles = {burrow: 300, den: 14}
    assert _makers(moles, Counter({frozenset((burrow,)): 150, frozenset((den,)): 7})) == {burrow, den}
    assert _makers(moles, Counter({frozenset((burrow, den)): 7, frozenset((burrow,)): 150})) == {burrow}
    assert _makers(moles, Counter({frozenset((den,)): 1, frozenset((burrow,)): 150})) == {burrow}


def test_the_longest_life_shows_a_limit() -> None:
    """Most sprites end earlier, where they meet others; a single one may have been held up."""
    amounts = Amounts(lives=Counter({7: 18, 3: 14, 30: 12, 31: 1}))
    assert list(amounts.ages) == [28, 29, 30, 31, 5, 6, 7, 8]


def test_two_kinds_of_dens_the_moles_and_the_shots_are_told_apart(
    search: Search, played: tuple[Evidence, dict[str, int]]
) -> None:
    _, names = played
    kinds = search.beam[0].hypothesis.kinds
    assert kinds[names["you"]].get("stype") == name_of(names["arrow"])
    for den in ("burrow", "den"):
        assert kinds[names[den]].get("stype") == name_of(names["mole"])
    assert kinds[names["mole"]].word in {row.name for row in ALL_SPRITE_CLASSES if row.name.endswith("Flicker")}
    assert kinds[names["mole"]].get("limit") == 9


def test_bits_are_those_of_the_whole_text(search: Search) -> None:
    """Where a cat goes decides which moles it meets: their bits are not those of the text before."""
    best = search.beam[0]
    whole = search._judged(best.hypothesis, math.inf)
    assert whole is not None
    assert whole.report.hard == best.report.hard


def test_rules_are_copied_for_other_types(played: tuple[Evidence, dict[str, int]]) -> None:
    """What is known of one pair of types is proposed for another with all its parameters."""
    evidence, names = played
    search = Search(evidence, Budget(100, 100_000))
    search._spans = evidence.spans()
    proposer = Proposer(evidence, amounts_of(evidence.plays))
    known = Rule("killSprite", (("scoreChange", 7),), names["mole"], names["cat"])
    plain = Hypothesis(tuple(Kind("Immovable") for _ in range(evidence.types)), (known,))
    judged = search._judged(plain, math.inf)
    assert judged is not None
    wanted = Rule("killSprite", (("scoreChange", 7),), names["mole"], names["you"])
    scenes = [scene for conflict in judged.report.conflicts for scene in scenes_of(conflict, evidence)]
    met = [s for s in scenes if (names["mole"], GONE) in s.changes and (names["mole"], names["you"]) in s.pairs]
    assert any(wanted in edit.rules for scene in met for edit in proposer.rules(plain, scene))


def test_edits_of_rules_are_tried_where_their_types_are_near(
    search: Search, played: tuple[Evidence, dict[str, int]]
) -> None:
    """A rule that fires too often shows where its types meet and nothing happens, not where they change."""
    evidence, names = played
    pair = names["you"], names["stone"]
    scene = next(s for c in search.beam[0].report.costs.values() for s in scenes_of(c, evidence))
    spots = [(play, k) for play, k, _ in search._controls(search.beam[0], scene, pair)]
    assert spots
    assert set(spots) <= set(evidence.near(*pair))


def test_the_search_goes_on_after_superfluous_rules_are_gone(played: tuple[Evidence, dict[str, int]]) -> None:
    evidence, names = played
    search = Search(evidence, Budget(3_000, 300_000))
    search._spans = evidence.spans()
    search._proposer = Proposer(evidence, amounts_of(evidence.plays))
    search.purse.allot(1.0)
    vain = Rule("undoAll", (), names["burrow"], names["den"])
    text = Hypothesis(tuple(Kind("Immovable") for _ in range(evidence.types)), (vain,))
    best = search._judged(text, math.inf)
    assert isinstance(best, Judged)
    search.beam = [best]
    assert search._pruned()
    assert search.beam[0].hypothesis.rules == ()
    assert not search._pruned()
