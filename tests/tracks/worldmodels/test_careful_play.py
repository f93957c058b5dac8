"""Planning on a text that may be wrong: actions that chance may make fatal, and victories that do not come."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

import pytest

import vgdl
from vgdl import Action
from vgdl.competition.tracks.worldmodels.search.play import LearntGame, _cautious
from vgdl.competition.tracks.worldmodels.texts.candidate import Candidate

GAME = """BasicGame square_size=10
    SpriteSet
        hedge > Immovable
        coin > Immovable
        idol > Immovable
        gardener > MovingAvatar
        cat > RandomNPC
        dart > Missile orientation=LEFT
    LevelMapping
        . > hedge
        o > coin
        i > idol
        A > gardener
        c > cat
        d > dart
    InteractionSet
        gardener hedge > stepBack
        cat hedge > stepBack
        coin hedge > stepBack
        gardener cat > killSprite
        gardener dart > killSprite
        coin gardener > killSprite scoreChange=1
    TerminationSet
        SpriteCounter stype=gardener win=False
"""
COINS = "        SpriteCounter stype=coin win=True\n"
IDOLS = "        SpriteCounter stype=idol win=True\n"
DIRECTIONS = (Action.UP, Action.LEFT, Action.DOWN, Action.RIGHT, Action.NIL)


def _learnt(text: str, level: str, actions: Iterable[Action] = (), game: str = GAME) -> LearntGame:
    """A play of the game on a level after some actions, followed with a text."""
    state = vgdl.loads(game).start(level, seed=1)
    names = dict(enumerate(state.game.types))
    learnt = LearntGame(Candidate(text, names), state, seed=1)
    for action in actions:
        state.advance(action)
        learnt.follow(action, state)
    return learnt


def test_an_action_that_chance_may_make_fatal_gives_way_to_one_that_is_safe() -> None:
    learnt = _learnt(GAME, "........\n. A   c.\n........\n")
    assert learnt.danger(Action.RIGHT) == 0
    learnt = _learnt(GAME, "......\n. Ac .\n......\n")
    assert 0 < learnt.danger(Action.NIL) < 1
    assert learnt.danger(Action.LEFT) == 0
    assert {_cautious(learnt, Action.NIL, DIRECTIONS, random.Random(seed)) for seed in range(9)} == {Action.LEFT}


def test_an_action_is_dangerous_if_it_leaves_none_that_is_safe() -> None:
    game = GAME.replace("MovingAvatar", "MovingAvatar speed=0.5").replace("LEFT", "LEFT speed=1.5")
    learnt = _learnt(game, ".........\n.A    d .\n. .......\n.........\n", [Action.NIL, Action.NIL], game)
    assert [learnt.danger(action) for action in DIRECTIONS] == [1, 1, 0, 1, 1], "the dart arrives in two ticks"
    assert _cautious(learnt, Action.RIGHT, DIRECTIONS, random.Random(1)) == Action.DOWN


def _resting(level: str) -> LearntGame:
    """Eight ticks of a play with a text in which nothing moves by itself."""
    restless = GAME.replace("coin > Immovable", "coin > RandomNPC")
    resting = GAME.replace("RandomNPC", "Immovable")
    return _learnt(resting, level, [Action.NIL] * 8, game=restless)


def _perils(learnt: LearntGame, kind: int) -> list[float]:
    """The chance that a sprite meets an avatar in the next tick that is on each side of it, and two cells away."""
    frame = learnt._last
    sprite = frame.arrays[frame.arrays["type"] == kind][0]
    x, y = float(sprite["x"]), float(sprite["y"])
    return [
        learnt._perils.of(frame, (x + 10 * dx, y + 10 * dy)) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (2, 0))
    ]


def test_what_kills_and_moves_otherwise_than_predicted_is_kept_away_from() -> None:
    *beside, far = _perils(_resting("......\n.A.  .\n... c.\n...  .\n......\n"), 6)
    assert far == 0
    assert 0.1 < sum(beside) < 1
    assert max(beside) > 0.1


def test_what_does_not_kill_is_no_peril_however_it_moves() -> None:
    assert _perils(_resting("......\n.A.  .\n... o.\n...  .\n......\n"), 3) == [0.0] * 5


@pytest.mark.parametrize("level", ["......\n. A i.\n......\n", "......\n.oA i.\n......\n"])
def test_a_victory_that_does_not_come_refutes_its_line(level: str) -> None:
    text = GAME + COINS + IDOLS
    learnt = _learnt(text, level, [Action.LEFT, Action.NIL])
    assert learnt.amended == 1
    ahead = learnt.state()
    ahead.advance(Action.NIL)
    assert not ahead.is_over
    assert isinstance(learnt._rules, Candidate)
    assert learnt._rules.source == GAME + IDOLS


def test_the_only_termination_may_be_refuted() -> None:
    text = GAME.replace("        SpriteCounter stype=gardener win=False\n", "") + COINS
    learnt = _learnt(text, "......\n. A i.\n......\n", [Action.LEFT, Action.NIL])
    assert learnt.amended == 1
    assert not learnt.danger(Action.LEFT)


def test_an_avatar_that_is_not_shown_has_no_perils() -> None:
    learnt = _resting("......\n.A.  .\n... c.\n...  .\n......\n")
    assert max(_perils(learnt, 6)) > 0
    learnt._perils.reconsider()
    last = learnt._last
    assert last.avatar is not None
    learnt._last = replace(last, arrays=last.arrays[last.arrays["id"] != last.avatar.id])
    assert _perils(learnt, 6) == [0.0] * 5


def test_lines_that_lose_or_hold_are_kept() -> None:
    level = "......\n.oA i.\n......\n"
    learnt = _learnt(GAME + COINS, level, [Action.LEFT], game=GAME + COINS)
    assert learnt.amended == 0, "the game is won"
    learnt = _learnt(GAME + IDOLS, level, [Action.LEFT, Action.RIGHT])
    assert learnt.amended == 0
    losing = COINS.replace("True", "False")
    assert _learnt(GAME + losing, level, [Action.LEFT, Action.NIL]).amended == 0
