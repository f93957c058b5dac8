"""What a learner makes of ends that it did not foresee, and of what has killed it."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

import vgdl
from lessons import evidence_of
from vgdl import Action
from vgdl.induction import Budget, Learner, Observer
from vgdl.induction.act import Actor
from vgdl.induction.evidence import Evidence, ahead
from vgdl.induction.goal import with_goal
from vgdl.induction.hypothesis import End, Hypothesis, Kind, Rule
from vgdl.induction.likelihood import World
from vgdl.induction.search import Search

BOOTS = """BasicGame
    SpriteSet
        wall > Immovable
        ice > Immovable
        fire > Immovable
        boots > Resource
        you > MovingAvatar
    LevelMapping
        w > wall
        i > ice
        f > fire
        b > boots
        A > you
    InteractionSet
        you wall > stepBack
        boots you > collectResource
        you ice > killSprite
        you fire > killIfHasLess resource=boots
    TerminationSet
        SpriteCounter stype=you win=False
"""
CORRIDOR = "wwwwwww\nwb A fw\nwwwwwww\n"


class Corridor:
    """Plays of a level with an actor that takes fire to kill in any case."""

    def __init__(self) -> None:
        self.game, self.observer, self.learner = vgdl.loads(BOOTS), Observer(1), Learner(1)
        self.begin()
        known = [("stepBack", "you", "wall"), ("collectResource", "boots", "you"), ("killSprite", "you", "fire")]
        words = {"wall": "Immovable", "fire": "Immovable", "boots": "Resource", "you": "MovingAvatar"}
        kinds = tuple(Kind(words[name]) for name in sorted(self.names, key=self.names.__getitem__))
        rules = tuple(Rule(word, (), self.names[one], self.names[other]) for word, one, other in known)
        end = End("SpriteCounter", (("stype", f"t{self.names['you']}"), ("win", "False")))
        self.hypothesis = Hypothesis(kinds, rules, (end,))
        self.actor = Actor(random.Random(1), Counter(), 200)
        self.start()

    def begin(self) -> None:
        self.state = self.game.start(CORRIDOR, seed=1)
        seen = self.learner.numbered(self.observer.observe(self.state))
        true = {row[0]: row[1] for row in self.state.arrays.tolist()}
        self.names = {self.game.types[true[row[0]]]: row[1] for row in seen.arrays.tolist()}

    def start(self) -> None:
        self.actor.start([self.hypothesis], World(self.hypothesis))
        self.note()

    def note(self) -> None:
        frame = self.learner.numbered(self.observer.observe(self.state))
        self.actor.note(frame, frozenset(self.names[name] for name in ("wall", "fire")))
        self.frame = frame

    def take(self, action: Action | None = None) -> None:
        chosen = self.actor.act(self.frame) if action is None else action
        if action is not None:
            self.actor.act(self.frame)
            assert self.actor._last is not None
            self.actor._last = replace(self.actor._last, action=action)
        self.state.advance(chosen)
        self.note()

    def meeting(self, *held: tuple[int, int]) -> tuple[int, int, bool, tuple[tuple[int, int], ...]]:
        you, fire = self.names["you"], self.names["fire"]
        return min(you, fire), max(you, fire), True, held


def test_what_has_killed_counts_as_met() -> None:
    """So it becomes less interesting, whether the rules know that it kills or not."""
    corridor = Corridor()
    for _ in range(2):
        corridor.take(Action.RIGHT)
    assert corridor.state.is_over
    assert corridor.actor.meetings[corridor.meeting()] == 1


def test_what_has_killed_is_met_again_with_something_new_in_hand() -> None:
    corridor = Corridor()
    for _ in range(60):
        corridor.take()
    held = (
        {kind for kind, amount in corridor.state.avatar.resources.items() if amount} if corridor.state.avatar else set()
    )
    assert held
    assert corridor.actor.meetings[corridor.meeting((corridor.names["boots"], 1))] > 0, "fire was tried with boots"
    assert not corridor.state.is_over, "the boots save it, against what the text says"


def test_what_has_killed_without_anything_in_hand_is_avoided() -> None:
    corridor = Corridor()
    corridor.actor.meetings[corridor.meeting((corridor.names["boots"], 1))] = 1
    for _ in range(60):
        corridor.take()
    assert corridor.actor.meetings[corridor.meeting()] == 0
    assert not corridor.state.is_over


def _evidence(level: str) -> tuple[Evidence, dict[str, int]]:
    return evidence_of(150, text=BOOTS, level=level, longest=40)


def test_what_has_killed_is_no_place_to_reach() -> None:
    """No avatar has been seen on it, but it has been reached."""
    evidence, names = _evidence("wwwwwww\nw  A iw\nwwwwwww\n")
    kinds = tuple(Kind("MovingAvatar" if k == names["you"] else "Immovable") for k in range(evidence.types))
    wall = Rule("stepBack", (), names["you"], names["wall"])
    assert any(play.frames[-1].is_over for play in evidence.plays)
    assert not [end for end in with_goal(Hypothesis(kinds, (wall,)), evidence).ends if end.get("win") == "True"]


def test_deaths_at_different_things_are_all_judged() -> None:
    """What happens looks the same, but what the avatar has met does not."""
    evidence, names = _evidence("wwwwwww\nwf A iw\nwwwwwww\n")
    last = [(number, play.ticks - 1) for number, play in enumerate(evidence.plays) if play.frames[-1].is_over]
    causes = {number: ahead(evidence.plays[number].frames[k]) for number, k in last}
    assert {names["ice"] in cause for cause in causes.values()} == {True, False}
    judged = {(play, k) for play, a, z in evidence.spans(40) for k in range(a, z)}
    shown = [causes[number] for number, k in last if (number, k) in judged]
    assert any(names["ice"] in cause for cause in shown)
    assert any(names["fire"] in cause for cause in shown)


def test_so_many_ticks_are_judged_as_there_may_be() -> None:
    """Plays that are shorter than a block do not count as a whole one."""
    evidence, _ = _evidence("wwwww\nwfAiw\nwwwww\n")
    assert max(play.ticks for play in evidence.plays) < 20
    assert sum(z - a for _, a, z in evidence.spans(100)) > 90


def test_ticks_that_were_predicted_badly_are_added() -> None:
    evidence, _ = _evidence("wwwwwwwww\nwf  A  iw\nwwwwwwwww\n")
    search = Search(evidence, Budget(10, 10_000))
    search._judge_by([(0, 0, 1)], [Hypothesis(tuple(Kind("Immovable") for _ in range(evidence.types)))])
    before = len(search._judged_spots)
    assert search._widened()
    assert len(search._judged_spots) > before
    assert not search._widened(), "all are judged by now"


def test_an_end_that_was_not_foreseen_is_learnt_from_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    game, observer, learner = vgdl.loads(BOOTS), Observer(1), Learner(1, Budget(2_000, 100_000))
    searches: list[int] = []
    improve = learner.search.improve

    def noted(share: float = 1.0) -> None:
        searches.append(learner.evidence.ticks)
        improve(share)

    monkeypatch.setattr(learner.search, "improve", noted)
    level = "wwwwwwwwww\nwf      iw\nw    A   w\nwi   b  fw\nwwwwwwwwww\n"
    while learner.evidence.ticks < 290:
        state = game.start(level, seed=1)
        learner.observe(observer.observe(state), starts=True)
        for _ in range(100):
            if state.is_over:
                break
            state.advance(learner.act())
            learner.observe(observer.observe(state))
    assert searches[0] >= 100
    assert len(searches) > 1, "without an end, the next search would begin after 300 ticks"
