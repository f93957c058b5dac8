"""Parts of the search that are exact without a play."""

from __future__ import annotations

import vgdl
from vgdl.induction import Budget, Learner, Observer
from vgdl.induction.amounts import amounts_of
from vgdl.induction.edits import Proposer, Scene, explicable
from vgdl.induction.hypothesis import Hypothesis, Kind, Rule
from vgdl.induction.races import first_of_each
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
