"""Parts of the search that are exact without a play."""

from __future__ import annotations

import pytest

import vgdl
from lessons import evidence_of
from vgdl.induction import Budget, Learner, Observer
from vgdl.induction.amounts import amounts_of
from vgdl.induction.edits import Proposer, explicable
from vgdl.induction.hypothesis import Hypothesis, Kind, Rule
from vgdl.induction.races import first_of_each
from vgdl.induction.scenes import Scene
from vgdl.induction.search import Judged, Search
from vgdl.induction.signatures import BACK, GONE

CANNON = """BasicGame square_size=10
    SpriteSet
        cannon > FlakAvatar stype=shot
        shot > Missile orientation=UP singleton=True
        wall > Immovable
    LevelMapping
        A > cannon
        w > wall
    InteractionSet
        shot wall > killSprite
        cannon wall > stepBack
    TerminationSet
        Timeout limit=500 win=False
"""
DETOUR = -1  #: in the place of a depth
YARD = """BasicGame square_size=10
    SpriteSet
        wall > Immovable
        you > MovingAvatar
    LevelMapping
        w > wall
        A > you
    InteractionSet
        you wall > stepBack
    TerminationSet
        Timeout limit=500 win=False
"""
LEVEL = "wwwwwww\nw     w\nw     w\nw     w\nw     w\nw  A  w\nwwwwwww\n"


def test_words_are_ranked_by_their_best_variant() -> None:
    """A word of which one variant is the best and another one the worst stays in front."""
    ranked = ["Missile speed=0.25", "RandomMissile", "Chaser", "Missile speed=1", "Chaser cooldown=2", "Missile"]
    found = first_of_each(ranked, key=lambda kind: kind.split()[0])
    assert found == ["Missile speed=0.25", "RandomMissile", "Chaser"]


def _learner() -> Learner:
    """A learner that saw a cannon which has at most one shot on the screen, for 60 ticks, and has not searched yet."""
    game = vgdl.loads(CANNON)
    observer, learner = Observer(1), Learner(1, Budget(300, 30_000), is_quick=True)
    state = game.start(LEVEL, seed=1)
    learner.observe(observer.observe(state), starts=True)
    for _ in range(60):
        state.advance(learner.act())
        learner.observe(observer.observe(state))
    return learner


def test_switches_of_a_made_type_are_settled_with_its_maker() -> None:
    """Whether a second shot can be made is said by the class of the shot, and shown by what the cannon does."""
    learner = _learner()
    proposer = Proposer(learner.evidence, amounts_of(learner.evidence.plays))
    kinds = [Kind("FlakAvatar", (("stype", "t1"),)), Kind("Missile", (("orientation", "UP"),)), Kind("Immovable")]
    found = [option.kinds[1] for option in proposer.made_variants(Hypothesis(tuple(kinds)), 0)]
    assert Kind("Missile", (("orientation", "UP"), ("singleton", True))) in found
    assert list(proposer.made_variants(Hypothesis(tuple(kinds)), 1)) == []


def test_a_rule_can_replace_all_rules_on_its_types() -> None:
    """One line may be what two lines were found for."""
    learner = _learner()
    proposer = Proposer(learner.evidence, amounts_of(learner.evidence.plays))
    rules = (Rule("killSprite", (), 1, 2), Rule("stepBack", (), 0, 2), Rule("killSprite", (), 2, 1))
    scene = Scene(frozenset({(1, GONE), (2, GONE)}), {(1, 2): 1.0}, 0, False)
    found = {edit.rules for edit in proposer.rules(Hypothesis((Kind("Immovable"),) * 3, rules), scene)}
    assert (Rule("killBoth", (), 1, 2), rules[1]) in found


def test_rules_on_types_that_met_in_more_conflicts_may_explain_more() -> None:
    """A type that was beside one of four conflicts explains less than one that was met in all of them."""
    scene = Scene(frozenset({(0, BACK)}), {(0, 1): 4.0, (0, 2): 0.25}, 0, False)
    plain = Hypothesis((Kind("Immovable"),) * 3)
    met, beside = (plain.with_rules([Rule("stepBack", (), 0, other)]) for other in (1, 2))
    assert explicable(plain, met, scene, 4) == 4.0 > explicable(plain, beside, scene, 4) == 0.25


def _search(wrong: int) -> Search:
    """A search whose text does not say that walls stop the avatar, on 64 ticks of which so many show that."""
    evidence, names = evidence_of(400, text=YARD, level="wwwww\nw...w\nw.A.w\nwwwww\n")
    search = Search(evidence, Budget(100, 10_000))
    spots = [(number, k) for number, play in enumerate(evidence.plays) for k in range(play.ticks)]
    kinds = {names["you"]: Kind("MovingAvatar")}
    text = Hypothesis(tuple(kinds.get(number, Kind("Immovable")) for number in range(evidence.types)))
    report = search.judge.report(search.judge.world(text), [(*spot, spot[1] + 1) for spot in spots])
    bad = sorted(report.costs)
    good = [spot for spot in spots if spot not in report.costs]
    chosen = sorted(bad[:wrong] + good[: 64 - wrong])
    search._judge_by([(play, k, k + 1) for play, k in chosen], [text])
    assert search.beam[0].report.wrong == wrong
    return search


def test_a_wrong_tick_costs_more_if_few_are_wrong() -> None:
    """Which two ticks of 64 are wrong is said in five bits each."""
    search = _search(2)
    before = search.beam[0]
    assert search._surprised()
    after = search.beam[0]
    assert search.judge.surprise == 5
    assert after.total == before.total + 2 * 5
    assert after.report.about(range(3)) == before.report.about(range(3)) + 2 * 5
    assert not search._surprised()  # they have been counted


def test_a_wrong_tick_costs_no_more_if_many_are_wrong() -> None:
    search = _search(3)
    assert not search._surprised()
    search.judge.surprise = 5.0  # from a search before, when fewer ticks were known
    assert search._surprised()
    assert search.judge.surprise == 0


def test_detours_come_before_the_deepest_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    search = _search(2)
    tried: list[int] = []

    def starts(*_args: object) -> list[Judged]:
        tried.append(DETOUR)
        return []

    monkeypatch.setattr(Search, "_best_edit", lambda self, best, scene, group, depth: tried.append(depth))
    monkeypatch.setattr(Search, "_starts", starts)
    search.purse.allot(1.0)
    assert not search._improve_once()
    assert list(dict.fromkeys(tried)) in ([0, 1, DETOUR, 2], [1, 0, DETOUR, 2])
