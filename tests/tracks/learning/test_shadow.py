"""A state of the learnt text beside an observed play."""

from __future__ import annotations

import itertools
import random

import vgdl
from vgdl import Action, ontology
from vgdl.competition.tracks.learning.shadow import Shadow
from vgdl.induction import Budget, Learner, Observer
from vgdl.induction.defaults import default_kind

GAME = """BasicGame
    SpriteSet
        wall > Immovable
        you > MovingAvatar
        goat > Immovable
        gate > SpawnPoint stype=goat cooldown=3 total=1 hidden=True
    LevelMapping
        w > wall
        A > you
        g > gate
    InteractionSet
        you wall > stepBack
    TerminationSet
        Timeout limit=50
"""
WITHOUT = "wwwwww\nwA   w\nwwwwww\n"
WITH = "wwwwww\nwA  gw\nwwwwww\n"


def taught(game: vgdl.Game, observer: Observer) -> tuple[Learner, vgdl.StateObservation]:
    """A learner that has played a level, and the last state."""
    learner = Learner(3, Budget(hypotheses=30, ticks=300))
    state = game.start(WITHOUT, seed=1)
    learner.observe(observer.observe(state), starts=True)
    for _ in range(20):
        state.advance(learner.act())
        learner.observe(observer.observe(state))
    learner.learn()
    return learner, state


def test_a_type_that_was_never_seen_makes_another_board() -> None:
    game, observer = vgdl.loads(GAME), Observer(3)
    learner, _ = taught(game, observer)

    state = game.start(WITH, seed=1)
    shadow = Shadow(learner, observer.observe(state), random.Random(1))
    tables = [shadow.view().tables]
    renewed = []
    for _ in range(10):
        state.advance(Action.NIL)
        renewed.append(shadow.follow(Action.NIL, observer.observe(state)))
        tables.append(shadow.view().tables)
        assert len(shadow.view().arrays) == len(state.arrays)
    assert renewed.count(True) == 1
    assert [one is not other for one, other in itertools.pairwise(tables)] == renewed


def test_a_hidden_avatar_is_a_type_as_well() -> None:
    game = vgdl.loads(GAME.replace("you > MovingAvatar", "you > MovingAvatar hidden=True"))
    observer = Observer(3)
    learner, state = taught(game, observer)
    assert Shadow(learner, observer.observe(state), random.Random(1)).view().avatar is None


def test_a_type_that_no_class_fits_gets_one() -> None:
    classes = {row.name for row in ontology.ALL_SPRITE_CLASSES}
    for category in (None, *range(7)):
        for actions in (None, set(), {"UP"}, {"LEFT", "RIGHT"}):
            assert default_kind(category, actions).word in classes
