"""Acting: what is of interest, what is trusted, what is avoided."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

import vgdl
from vgdl import Action, Winner
from vgdl.controllers import Controller, Timer
from vgdl.induction import Hypothesis, Learner, Observer, act
from vgdl.induction.act import Actor, Ground
from vgdl.induction.hypothesis import End, Kind, Rule
from vgdl.induction.likelihood import World
from vgdl.induction.observations import Frame

GAME = """BasicGame
    SpriteSet
        wall > Immovable
        coin > Resource
        pit > Immovable
        ghost > RandomNPC
        you > MovingAvatar
    LevelMapping
        w > wall
        c > coin
        p > pit
        g > ghost
        A > you
    InteractionSet
        you ghost wall > stepBack
        coin you > collectResource
        you pit > killSprite
    TerminationSet
        SpriteCounter stype=you win=False
        SpriteCounter stype=coin win=True
"""
WORDS = {"wall": "Immovable", "coin": "Resource", "pit": "Immovable", "ghost": "RandomNPC", "you": "MovingAvatar"}


class Play:
    """A play in which a learner's actor knows the rules of the game, or those that it is given."""

    def __init__(self, level: str, rules: tuple[str, ...] = ("stepBack", "killSprite"), planned: int = 150) -> None:
        self.state = vgdl.loads(GAME).start(level, seed=1)
        self.observer, self._learner = Observer(1), Learner(1)
        seen = self._learner.numbered(self.observer.observe(self.state))
        true = {row[0]: row[1] for row in self.state.arrays.tolist()}
        names = {self.state.game.types[true[row[0]]]: row[1] for row in seen.arrays.tolist()}
        self.names = names
        pairs = [("stepBack", "you", "wall"), ("stepBack", "ghost", "wall"), ("collectResource", "coin", "you")]
        pairs.append(("killSprite", "you", "pit"))
        known = [
            Rule(word, (), names[one], names[other])
            for word, one, other in pairs
            if {one, other} <= names.keys() and (word in rules or word == "collectResource")
        ]
        ends = [End("SpriteCounter", (("stype", f"t{names['you']}"), ("win", "False")))]
        if "coin" in names:
            ends.append(End("SpriteCounter", (("stype", f"t{names['coin']}"), ("win", "True"))))
        kinds = tuple(Kind(WORDS[name]) for name in sorted(names, key=lambda name: names[name]))
        self.actor = Actor(random.Random(1), Counter(), planned)
        self.actor.start([hypothesis := Hypothesis(kinds, tuple(known), tuple(ends))], World(hypothesis))
        self.note()

    def begin_again(self) -> None:
        """Begin the second play, in which a controller takes the hypothesis to be true."""
        (hypothesis,) = self.actor._hypotheses
        self.actor.start([hypothesis], World(hypothesis))
        self.note()

    def frame(self) -> Frame:
        return self._learner.numbered(self.observer.observe(self.state))

    def note(self) -> None:
        changing = {self.names[name] for name in ("you", "ghost", "coin") if name in self.names}
        self.actor.note(self.frame(), frozenset(self.names.values()) - changing)

    def act(self) -> Action:
        action = self.actor.act(self.frame())
        self.state.advance(action)
        self.note()
        return action


def test_a_victory_that_was_never_seen_is_of_most_interest() -> None:
    play = Play("wwwwwwwww\nwA     cw\nwwwwwwwww\n")
    while not play.state.is_over:
        assert play.state.tick < 40
        play.act()
    assert play.state.winner is Winner.PLAYER_WINS
    assert play.actor.wins == 1


def test_random_actions_avoid_what_is_known_to_kill() -> None:
    play = Play("wwwwwww\nwpppwcw\nwpApwww\nwpppwww\nwwwwwww\n")
    for _ in range(80):
        assert play.act() in {Action.NIL, Action.USE}
    assert not play.state.is_over


@pytest.mark.parametrize("seed", range(4))
def test_what_chance_may_make_fatal_is_not_followed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(act, "_FUTURES", 64)  # in eight, a chance of a quarter may not show
    play = Play("wwwwwww\nwA g cw\nwwwwwww\n")
    (known,) = play.actor._hypotheses
    deadly = known.with_rules((*known.rules, Rule("killSprite", (), play.names["you"], play.names["ghost"])))
    play.actor.draws.seed(seed)
    play.actor.start([deadly], World(deadly))
    play.note()
    play.actor._random, play.actor._strives = 0.0, False
    assert 0 < play.actor._risk(Action.RIGHT) < 1, "the ghost may come to meet it"
    play.actor._plan.extend([Action.RIGHT] * 3)
    chosen = play.actor.act(play.frame())
    assert chosen != Action.RIGHT
    assert play.actor._risk(chosen) == 0
    assert not play.actor._plan
    play.actor._plan.extend([Action.LEFT] * 3)
    assert play.actor.act(play.frame()) == Action.LEFT


def test_a_victory_that_does_not_come_begins_anew_with_other_guesses() -> None:
    play = Play("wwwwwwwww\nwA     cw\nwwwwwwwww\n")
    (known,) = play.actor._hypotheses
    hope = End("SpriteCounter", (("limit", 1), ("stype", f"t{play.names['coin']}"), ("win", "True")))
    hopeful = known.with_ends((hope,))
    play.actor.start([hopeful], World(hopeful))
    play.note()
    play.act()
    assert play.actor.is_surprised, "there is one coin, and the game goes on"
    play.actor.start([known], World(known), goes_on=True)
    assert not play.actor.is_surprised
    play.note()
    play.act()
    assert not play.actor.is_surprised


def test_trust_is_kept_where_only_others_move_by_chance() -> None:
    play = Play("wwwwwwwww\nwA      w\nw   g   w\nw  g g  w\nw   g www\nwwwwwwwcw\nwwwwwwwww\n")
    for _ in range(60):
        play.act()
    assert play.actor.trust > 0.9


def test_trust_falls_where_the_avatar_moves_in_another_way() -> None:
    play = Play("wwwww\nwAwcw\nwwwww\n", rules=())
    for _ in range(60):
        play.act()
    assert play.actor.trust < 0.7


def test_every_second_play_is_that_of_a_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Straight(Controller):
        def __init__(self, state: vgdl.StateObservation, timer: Timer, *, seed: int) -> None:
            made.append(seed)

        def act(self, state: vgdl.StateObservation, timer: Timer) -> Action:
            assert timer.calls_left == 400
            return Action.RIGHT

    monkeypatch.setattr(act, "load", lambda name: Straight)
    play = Play("wwwwwwwwwwwwwww\nwA           cw\nwwwwwwwwwwwwwww\n", planned=4)
    play.begin_again()
    while not play.state.is_over:
        assert play.act() == Action.RIGHT
    assert len(made) == 1


def test_a_controller_that_fails_on_learnt_rules_ends_no_play(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(Controller):
        def __init__(self, state: vgdl.StateObservation, timer: Timer, *, seed: int) -> None:
            raise vgdl.VGDLRuntimeError("no such rule")

        def act(self, state: vgdl.StateObservation, timer: Timer) -> Action:
            raise AssertionError

    monkeypatch.setattr(act, "load", lambda name: Failing)
    play = Play("wwwwwwwww\nwA     cw\nwwwwwwwww\n")
    play.begin_again()
    while not play.state.is_over:
        assert play.state.tick < 40
        play.act()
    assert play.state.winner is Winner.PLAYER_WINS


def test_a_controller_that_stands_still_may_think_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = itertools.count()

    class Slow(Controller):
        def __init__(self, state: vgdl.StateObservation, timer: Timer, *, seed: int) -> None:
            pass

        def act(self, state: vgdl.StateObservation, timer: Timer) -> Action:
            return Action.RIGHT if next(asked) >= 30 else Action.NIL

    monkeypatch.setattr(act, "load", lambda name: Slow)
    play = Play("wwwwwwwww\nwA     cw\nwwwwwwwww\n", planned=4)
    play.begin_again()
    assert [play.act() for _ in range(2)] == [Action.NIL, Action.RIGHT], "in the first tick, hidden facts change"


def test_a_quick_learner_asks_no_controller() -> None:
    """An agent of the learning track has 40 ms per action."""
    assert Learner(1, is_quick=True)._actor._may_strive is False
    assert Learner(1)._actor._may_strive is True


def test_what_is_only_new_together_is_searched_last() -> None:
    play = Play("wwwwwwwww\nwA     cw\nwwwwwwwww\n")
    assert play.actor._shadow is not None
    state, moving = play.actor._shadow, [(1, 0, 0), (1, 20, 0)]
    seen: set[object] = set()
    assert Actor._news(state, moving, seen) > 2
    assert Actor._news(state, moving, seen) == 0
    assert Actor._news(state, [(1, 40, 0)], seen) == 2
    assert Actor._news(state, [(1, 0, 0), (1, 40, 0)], seen) == 1


def test_meetings_differ_by_place_and_by_what_is_held() -> None:
    observer, state = Observer(1), vgdl.loads(GAME).start("wwwwww\nwAcpcw\nwwwwww\n", seed=1)
    you, wall, pit, coin = (observer.number_of(state.game.types.index(n)) for n in ("you", "wall", "pit", "coin"))

    def met() -> set[tuple[int, int, bool, object]]:
        frame = observer.observe(state)
        ground = Ground(frame, frozenset((wall, pit)))
        return set(ground.met(ground.moving(frame.arrays), frame.avatar))

    def pair(one: int, other: int) -> tuple[int, int]:
        return min(one, other), max(one, other)

    walls = {(*pair(you, wall), False, ()), (*pair(coin, wall), False, ()), (*pair(coin, pit), False, ())}
    assert met() == walls | {(*pair(you, coin), False, ())}
    state.advance(Action.RIGHT)
    holding = ((coin, 1),)
    assert met() == walls | {(*pair(you, pit), False, ())} | {
        (*pair(you, other), False, holding) for other in (wall, pit)
    }
