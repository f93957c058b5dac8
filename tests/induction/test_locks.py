"""Guesses of what opens, and own play that follows them."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import vgdl
from vgdl import Action, Winner
from vgdl.induction import Hypothesis, Learner, Observer
from vgdl.induction.act import Actor, Meeting
from vgdl.induction.evidence import Evidence
from vgdl.induction.goal import with_goal
from vgdl.induction.hypothesis import End, Kind, Rule
from vgdl.induction.likelihood import World
from vgdl.induction.locks import locks

GAME = """BasicGame
    SpriteSet
        wall > Immovable
        gate > Immovable
        coin > Resource limit=9
        you > MovingAvatar
    LevelMapping
        w > wall
        g > gate
        c > coin
        A > you
    InteractionSet
        you wall > stepBack
        coin you > collectResource
        gate you > killIfOtherHasMore resource=coin limit=3
        you gate > stepBack
    TerminationSet
        SpriteCounter stype=gate win=True
"""
ROOM = "wwwwwwww\nw Agcccw\nw      w\nwwwwwwww\n"
HALL = "\n".join(
    ("w" * 20, *["w" + " " * 18 + "w"] * 3, "wg" + " " * 12 + "Accc w", *["w" + " " * 18 + "w"] * 3, "w" * 20, "")
)
RIGHT, LEFT, UP, DOWN = Action.RIGHT, Action.LEFT, Action.UP, Action.DOWN
COLLECT = (DOWN, RIGHT, RIGHT, UP)  #: leads to the first coin of ROOM
STOPS = {"wall", "gate"}


class Familiar(Counter[Meeting]):
    """Meetings that were all seen often."""

    def __getitem__(self, key: Meeting) -> int:
        return 1000


class Play:
    """A play of some actions, as a learner sees it."""

    def __init__(self, level: str, *actions: Action) -> None:
        self.learner, self.evidence = Learner(1), Evidence()
        observer, state = Observer(1), vgdl.loads(GAME).start(level, seed=1)
        self.names: dict[str, int] = {}
        for k, action in enumerate((*actions, Action.NIL)):
            seen = self.learner.numbered(observer.observe(state))
            true = {row[0]: state.game.types[row[1]] for row in state.arrays.tolist()}
            self.names |= {true[row[0]]: row[1] for row in seen.arrays.tolist()}
            self.evidence.add(seen, starts=k == 0)
            self.evidence.act(action)
            state.advance(action)
        words = {"coin": Kind("Resource", (("limit", 9),)), "you": Kind("MovingAvatar")}
        by_number = sorted(self.names, key=lambda name: self.names[name])
        rules = [Rule("stepBack", (), self.names["you"], self.names[name]) for name in by_number if name in STOPS]
        rules.append(Rule("collectResource", (), self.names["coin"], self.names["you"]))
        self.known = Hypothesis(tuple(words.get(name, Kind("Immovable")) for name in by_number), tuple(rules))

    def guesses(self) -> set[tuple[str, int]]:
        """What may open, and with how many coins."""
        named = {number: name for name, number in self.names.items()}
        found = locks(self.known, self.evidence)
        assert {rule.word for rule in found} <= {"killIfOtherHasMore"}
        assert all(rule.get("resource") == f"t{self.names['coin']}" for rule in found)
        return {(named[rule.first], int(rule.get("limit") or 0)) for rule in found}


@pytest.mark.parametrize(
    ("actions", "needed"),
    [
        ((RIGHT, *COLLECT), {1}),  # nothing was in hand when it ran into the gate
        ((RIGHT, *COLLECT, LEFT), {3}),  # one coin did not open it, so all of them may
        ((RIGHT, *COLLECT, RIGHT, LEFT, LEFT), {3}),
        ((RIGHT, DOWN, DOWN), set()),  # nothing that can be collected is known yet
    ],
)
def test_what_stops_the_avatar_may_open_with_more_than_was_tried(actions: tuple[Action, ...], needed: set[int]) -> None:
    assert Play(ROOM, *actions).guesses() == {("gate", number) for number in needed}


def test_a_gate_that_opened_needs_what_was_held_then() -> None:
    """One event does not pay for a rule."""
    play = Play(ROOM, RIGHT, *COLLECT, LEFT, RIGHT, RIGHT, RIGHT, LEFT, LEFT, LEFT)
    assert play.evidence.plays[0].frames[-1].winner == Winner.PLAYER_WINS
    assert play.guesses() == {("gate", 3)}


def test_what_was_pushed_or_is_everywhere_is_no_lock() -> None:
    play = Play(ROOM, RIGHT, *COLLECT)
    play.evidence.changing.add(play.names["gate"])
    assert play.guesses() == set()


def test_a_resource_of_which_the_use_is_known_opens_nothing_else() -> None:
    play = Play(ROOM, RIGHT, *COLLECT)
    coin, wall, you = (play.names[name] for name in ("coin", "wall", "you"))
    use = Rule("killIfOtherHasMore", (("limit", 1), ("resource", f"t{coin}")), wall, you)
    play.known = play.known.with_rules((*play.known.rules, use))
    assert play.guesses() == set()


def test_a_gate_in_every_level_is_where_the_game_is_won_if_nothing_else_is() -> None:
    play = Play(ROOM, RIGHT, *COLLECT)
    (end,) = with_goal(play.known, play.evidence).ends
    assert end.types == {play.names["gate"]}


def _striving(needed: int, meetings: Counter[Meeting], ticks: int) -> tuple[vgdl.StateObservation, Counter[object]]:
    """The last state of a second play, in which a controller takes guesses to be true, and ticks by place."""
    observer, state = Observer(1), vgdl.loads(GAME).start(HALL, seed=1)
    play = Play(HALL)
    you, coin, wall, gate = (play.names[name] for name in ("you", "coin", "wall", "gate"))
    opening = Rule("killIfOtherHasMore", (("limit", needed), ("resource", f"t{coin}")), gate, you)
    ends = (End("SpriteCounter", (("stype", f"t{gate}"), ("win", "True"))),)
    world = World(play.known.with_rules((opening, *play.known.rules)).with_ends(ends))
    actor = Actor(random.Random(1), meetings, 40)
    for _ in range(2):
        actor.start([play.known], world)
    places = Counter[object]()
    while not state.is_over and state.tick < ticks:
        frame = play.learner.numbered(observer.observe(state))
        actor.note(frame, frozenset({wall, gate}))
        places[frame.avatar and frame.avatar.position] += 1
        state.advance(actor.act(frame))
    return state, places


def test_own_play_collects_what_a_guess_requires_and_brings_it() -> None:
    """A plan sees a few cells ahead, and nothing new there."""
    state, _ = _striving(3, Familiar(), 60)
    assert state.winner is Winner.PLAYER_WINS


def test_a_play_on_wrong_rules_is_given_up() -> None:
    """The gate does not open with nothing in hand; what bumps into it for ever learns nothing."""
    _, places = _striving(0, Counter(), 150)
    assert places.most_common(1)[0][1] < 75
