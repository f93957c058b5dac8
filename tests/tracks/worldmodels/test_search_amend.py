"""Rules that are amended during a play, actions that are replaced, and switches and trails that rules are learnt from."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

import vgdl
from tracks.worldmodels.small import frame_of, lives_of, random_plays, small_game
from vgdl import Action
from vgdl.competition.tracks.worldmodels.search.amend import Evidence
from vgdl.competition.tracks.worldmodels.search.author import learn
from vgdl.competition.tracks.worldmodels.search.contacts import Table
from vgdl.competition.tracks.worldmodels.search.hypothesis import End, Hypothesis, Kind, Rule
from vgdl.competition.tracks.worldmodels.search.play import LearntGame, _cautious, play
from vgdl.competition.tracks.worldmodels.search.unseen import inherited

pytestmark = pytest.mark.costly

_BOXES = """
BasicGame square_size=20
    SpriteSet
        pusher > MovingAvatar
        box > Passive
        crate > Passive
        hole > Immovable
    LevelMapping
        A > pusher
        b > box
        c > crate
        o > hole
    InteractionSet
        pusher wall > stepBack
        box pusher > bounceForward
        crate pusher > bounceForward
        box wall crate > undoAll
        crate wall > undoAll
        pusher hole > killSprite
    TerminationSet
        SpriteCounter stype=pusher win=False
        SpriteCounter stype=box win=True
"""
_ROOM = "wwwwwwww\nwA bc  w\nwwwwwwww\n"


def _boxes(game: vgdl.Game, *left_out: tuple[str, str]) -> Hypothesis:
    """The rules of the game, without those of some pairs."""
    pusher, box, crate, hole = (game.types.index(name) for name in ("pusher", "box", "crate", "hole"))
    kinds = {0: Kind("Immovable"), pusher: Kind("MovingAvatar"), hole: Kind("Immovable")}
    kinds |= {box: Kind("Passive"), crate: Kind("Passive")}
    rules = [Rule(pusher, 0, "stepBack"), Rule(box, pusher, "bounceForward"), Rule(crate, pusher, "bounceForward")]
    rules += [Rule(box, 0, "undoAll"), Rule(box, crate, "undoAll"), Rule(crate, 0, "undoAll")]
    rules += [Rule(pusher, hole, "killSprite")]
    unknown = [tuple(map(game.types.index, pair)) for pair in left_out]
    rules = [rule for rule in rules if (rule.first, rule.second) not in unknown]
    ends = (End("SpriteCounter", (("stype", f"t{pusher}"), ("win", "False"))),)
    return Hypothesis(kinds, tuple(rules), ends, square_size=20)


def _evidence(*met: tuple[int, int]) -> Evidence:
    return Evidence(frozenset(range(6)), frozenset(met))


def _following(game: vgdl.Game, rules: Hypothesis, evidence: Evidence | None, *actions: Action) -> LearntGame:
    state = game.start(0, seed=1)
    learnt = LearntGame(rules, state, evidence=evidence)
    for action in actions:
        state.advance(action)
        learnt.follow(action, state)
    return learnt


def test_a_stop_that_no_recorded_play_showed_is_added_when_it_shows(tmp_path: Path) -> None:
    game = small_game(tmp_path, _BOXES, _ROOM)
    pusher, box, crate = map(game.types.index, ("pusher", "box", "crate"))
    rules = _boxes(game, ("box", "crate"))
    known = _evidence((box, crate), (crate, box), (pusher, box))
    actions = [Action.RIGHT] * 2 + [Action.NIL] * 3
    learnt = _following(game, rules, _evidence(), *actions)
    assert learnt.amended == 1
    state = learnt.state()
    before = state.arrays
    state.advance(Action.RIGHT)
    assert (state.arrays == before).all()  # the box stays, and so does who pushes it
    assert _following(game, rules, None, *actions).amended == 0
    assert _following(game, rules, known, *actions).amended == 0


def test_an_assumed_effect_that_did_not_occur_is_dropped(tmp_path: Path) -> None:
    game = small_game(
        tmp_path, _BOXES.replace("pusher hole > killSprite", "box hole > killSprite"), "wwwwww\nwAo bw\nwwwwww\n"
    )
    pusher, hole = map(game.types.index, ("pusher", "hole"))
    learnt = _following(game, _boxes(game), _evidence(), Action.RIGHT, *[Action.NIL] * 3)
    assert learnt.amended == 1
    assert learnt.danger(Action.NIL) == 0
    left = learnt._amendments.rules.rules if learnt._amendments is not None else ()
    assert not [rule for rule in left if (rule.first, rule.second) == (pusher, hole)]


def test_a_termination_that_was_reached_while_the_play_went_on_counts_another_type_too(tmp_path: Path) -> None:
    game = small_game(tmp_path, _BOXES, "wwwwwwww\nwA b  ow\nwwwwwwww\n")
    box, crate = map(game.types.index, ("box", "crate"))
    rules = _boxes(game)
    won = End("SpriteCounter", (("stype", f"t{crate}"), ("win", "True")))
    learnt = _following(game, replace(rules, ends=(*rules.ends, won)), _evidence(), *[Action.NIL] * 8)
    assert learnt.amended == 1
    state = learnt.state()
    state.advance(Action.NIL)
    assert not state.is_over
    assert learnt._amendments is not None
    both = (("stype1", f"t{crate}"), ("stype2", f"t{box}"), ("win", "True"))
    assert learnt._amendments.rules.ends == (*rules.ends, End("MultiSpriteCounter", both))


@pytest.mark.parametrize(("word", "line"), [("MovingAvatar", "avatar >"), ("Chaser", "t4 > Immovable")])
def test_a_type_that_was_taken_for_a_hidden_parent_may_show_in_another_level(word: str, line: str) -> None:
    kinds = {0: Kind("Immovable"), 5: Kind(word), 6: Kind(word)}
    ends = (End("SpriteCounter", (("stype", "t4"), ("win", "False"))),)
    rules = Hypothesis(kinds, ends=ends, groups={4: (5, 6)})
    assert "t4 >" in [each.strip() for each in rules.text().splitlines()]
    lines = [each.strip() for each in rules.text([(0,), (4,)]).splitlines()]
    assert line in lines
    assert "t4 > Immovable" in lines
    assert f"SpriteCounter stype={'avatar' if word == 'MovingAvatar' else 't5'} win=False" in lines
    rules.game([(0,), (4,)])


_HUNT = """
BasicGame square_size=20
    SpriteSet
        runner > MovingAvatar
        dog > Chaser stype=runner cooldown=2
    LevelMapping
        A > runner
        d > dog
    InteractionSet
        runner dog wall > stepBack
        dog wall > stepBack
    TerminationSet
        Timeout limit=100 win=False
"""


@pytest.mark.parametrize("known", [False, True])
def test_a_type_that_no_recorded_play_showed_gets_the_class_of_its_moves(tmp_path: Path, known: bool) -> None:
    game = small_game(tmp_path, _HUNT, "w" * 30 + "\nwA" + " " * 26 + "dw\n" + "w" * 30 + "\n")
    runner, dog = map(game.types.index, ("runner", "dog"))
    kinds = {0: Kind("Immovable"), runner: Kind("MovingAvatar"), dog: Kind("Missile", {"orientation": "RIGHT"})}
    rules = Hypothesis(kinds, (Rule(runner, 0, "stepBack"), Rule(dog, 0, "stepBack")), square_size=20)
    evidence = Evidence(frozenset({0, runner, *([dog] if known else [])}), frozenset())
    learnt = _following(game, rules, evidence, *[Action.RIGHT, Action.NIL, Action.NIL, Action.LEFT] * 6)
    assert (learnt.amended > 0) != known
    first = learnt.state().arrays
    state = learnt.state()
    for _ in range(4):
        state.advance(Action.NIL)
    moved = first["x"][first["type"] == dog] - state.arrays["x"][state.arrays["type"] == dog]
    assert moved[0] == (80 if known else 40)  # a step in every tick, or in every other one


_STALK = """
BasicGame square_size=20
    SpriteSet
        lawn > Immovable
        runner > MovingAvatar
        dog > Chaser stype=runner cooldown=6
    LevelMapping
        . > lawn
        A > lawn runner
        d > lawn dog
    InteractionSet
        runner dog wall > stepBack
    TerminationSet
        Timeout limit=100 win=False
"""


def test_the_pace_of_a_slow_chaser_that_no_recorded_play_showed_is_recognized(tmp_path: Path) -> None:
    game = small_game(tmp_path, _STALK, "w" * 30 + "\nwA" + "." * 26 + "dw\n" + "w" * 30 + "\n")
    lawn, runner, dog = map(game.types.index, ("lawn", "runner", "dog"))
    kinds = {0: Kind("Immovable"), lawn: Kind("Immovable"), runner: Kind("MovingAvatar")}
    rules = Hypothesis(kinds, (Rule(runner, 0, "stepBack"),), square_size=20)
    evidence = Evidence(frozenset({0, lawn, runner}), frozenset({(runner, 0), (runner, lawn)}))
    learnt = _following(game, rules, evidence, *[Action.NIL] * 30)
    steps: list[int] = []
    for _ in range(8):
        state = learnt.state()
        before = state.arrays["x"][state.arrays["type"] == dog][0]
        for _ in range(12):
            state.advance(Action.NIL)
        steps.append(int(before - state.arrays["x"][state.arrays["type"] == dog][0]))
    assert steps == [40] * 8  # two cells towards the avatar, in every future


def test_vain_and_dangerous_actions_are_replaced_by_others(tmp_path: Path) -> None:
    game = small_game(tmp_path, _BOXES, "wwwwww\nwAowbw\nwowwww\nwwwwww\n")
    rules = _boxes(game, ("pusher", "wall"))  # walls stop nothing
    learnt = _following(game, rules, None, Action.UP, Action.LEFT)
    assert learnt.is_vain(Action.UP)
    assert learnt.is_vain(Action.LEFT)
    assert learnt.danger(Action.RIGHT) == 1
    actions = [Action.UP, Action.LEFT, Action.DOWN, Action.RIGHT, Action.NIL]
    chosen = {_cautious(learnt, Action.UP, actions, random.Random(seed)) for seed in range(20)}
    assert chosen == {Action.NIL}
    assert len({_cautious(learnt, Action.UP, actions[:-1], random.Random(seed)) for seed in range(20)}) > 1


@pytest.mark.parametrize("seed", [0, 1])
def test_a_controller_plans_around_a_stop_that_it_has_met(tmp_path: Path, seed: int) -> None:
    level = "wwwwwwwwwww\nw         w\nw     c   w\nwA b  c  ow\nw     c   w\nw         w\nwwwwwwwwwww\n"
    game = small_game(tmp_path, _BOXES.replace("pusher hole > killSprite", "box hole > killSprite"), level)
    box, hole = map(game.types.index, ("box", "hole"))
    rules = _boxes(game, ("box", "crate"), ("pusher", "hole"))  # the box seems to pass the crate
    won = End("SpriteCounter", (("stype", f"t{box}"), ("win", "True")))
    rules = replace(rules, rules=(*rules.rules, Rule(box, hole, "killSprite")), ends=(*rules.ends, won))
    assert not play(game, 0, "champion", rules, seed=seed, calls=300, most=60).won
    assert play(game, 0, "champion", rules, seed=seed, calls=300, most=60, evidence=_evidence()).won


_SWITCHES = """
BasicGame square_size=20
    SpriteSet
        walker > MovingAvatar
        red > MovingAvatar
        switch > Immovable
        stone > Immovable
    LevelMapping
        A > walker
        s > switch
        o > stone
    InteractionSet
        walker wall stone > stepBack
        red wall stone > stepBack
        walker switch > transformTo stype=red
        red switch > transformTo stype=red
    TerminationSet
        Timeout limit=100 win=False
"""


def test_who_stands_on_a_switch_and_is_stopped_is_turned_by_the_switch(tmp_path: Path) -> None:
    game, plays = random_plays(tmp_path, _SWITCHES, "wwwww\nwwsww\nwoAow\nwwoww\n", ticks=60)
    walker, red, switch, stone = map(game.types.index, ("walker", "red", "switch", "stone"))
    rules = learn(plays, seconds=0).hypothesis.rules
    turns = {(rule.first, rule.second) for rule in rules if rule.effect == "transformTo"}
    assert turns == {(walker, switch), (red, switch)}
    assert Rule(red, 0, "stepBack") in rules
    assert Rule(red, stone, "stepBack") in rules


_TRAIL = """
BasicGame square_size=20
    SpriteSet
        trail > Immovable
        rider > OngoingTurningAvatar spawnBehind=trail
    LevelMapping
        A > rider
    InteractionSet
        rider wall trail > killSprite scoreChange=-1
    TerminationSet
        SpriteCounter stype=rider win=False
"""


def test_an_avatar_that_leaves_an_unpredictable_trail_keeps_its_class(tmp_path: Path) -> None:
    room = ["w" * 12, *["w          w"] * 8, "w" * 12]
    room[4] = "w    A     w"
    game, plays = random_plays(tmp_path, _TRAIL, "\n".join(room) + "\n", ticks=400)
    rider, trail = map(game.types.index, ("rider", "trail"))
    learnt = learn(plays, seconds=0).hypothesis
    assert learnt.kinds[rider].word == "OngoingTurningAvatar"
    deadly = {rule.second for rule in learnt.rules if rule.first == rider and rule.effect == "killSprite"}
    assert deadly == {0, trail}


@pytest.mark.parametrize("scores", [(0, -1), (-1, 0)])
def test_a_death_is_inherited_once_even_if_it_has_several_scores(scores: tuple[int, int]) -> None:
    kinds = {9: Kind("MovingAvatar"), **dict.fromkeys((5, 6, 7), Kind("RandomNPC"))}
    rules = [Rule(9, other, "killSprite").scoring(score) for other, score in zip((5, 6), scores, strict=True)]
    frame = frame_of(5, 6, 7, 9)
    added = inherited(lives_of(frame, frame), Table(), rules, kinds)
    assert [rule.effect for rule in added if (rule.first, rule.second) == (9, 7)] == ["killSprite"]
