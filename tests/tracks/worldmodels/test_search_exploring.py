"""Plays that show nothing new are explored: the learnt rules may lack what leads on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracks.worldmodels.small import small_game
from vgdl import Action, StateObservation
from vgdl.competition.tracks.worldmodels.search.exploring import PATIENCE, STRETCH, Explorer
from vgdl.competition.tracks.worldmodels.search.hypothesis import End, Hypothesis, Kind, Rule
from vgdl.competition.tracks.worldmodels.search.play import LearntGame
from vgdl.competition.tracks.worldmodels.texts.candidate import Candidate
from vgdl.controllers import Timer

_ROOM = """
BasicGame square_size=20
    SpriteSet
        door > Immovable
        goal > Door
        walker > MovingAvatar
    LevelMapping
        A > walker
        d > door
        g > goal
    InteractionSet
        walker wall door > stepBack
        goal walker > killSprite
    TerminationSet
        SpriteCounter stype=goal win=True
"""
_WON = End("SpriteCounter", (("stype", "t3"), ("win", "True")))


def _room(folder: Path, *ends: End) -> tuple[Hypothesis, StateObservation]:
    """The rules of a room whose exit is locked, and its first state."""
    game = small_game(folder, _ROOM, "wwwwwwwww\nw A   dgw\nwwwwwwwww\n")
    kinds = {0: Kind("Immovable"), 2: Kind("Immovable"), 3: Kind("Door"), 4: Kind("MovingAvatar")}
    rules = Rule(4, 0, "stepBack"), Rule(4, 2, "stepBack"), Rule(3, 4, "killSprite")
    return Hypothesis(kinds, rules, ends, square_size=20), game.start(0, seed=1)


def test_a_play_that_shows_nothing_new_is_explored(tmp_path: Path) -> None:
    rules, state = _room(tmp_path, _WON)
    explorer = Explorer(rules, seed=1)
    for _ in range(PATIENCE):
        explorer.note(state)
        assert not explorer.is_active
    explorer.note(state)
    entered, ticks = set(), 0
    while explorer.is_active:
        state.advance(explorer.act(state.copy(), Timer(1000.0), state.actions_of(0, nil=True)))
        assert state.avatar is not None
        entered.add(state.avatar.position[0] // 20)
        explorer.note(state)
        ticks += 1
    assert entered == {1, 2, 3, 4, 5}
    assert ticks == STRETCH


def test_who_stands_still_to_think_is_not_disturbed(tmp_path: Path) -> None:
    """A try could spoil a puzzle, by pushing a box into a corner."""
    rules, state = _room(tmp_path, _WON)
    explorer = Explorer(rules, seed=1)
    for _ in range(2 * PATIENCE):
        explorer.note(state, waits=True)
        assert not explorer.is_active
    for _ in range(PATIENCE + 1):
        explorer.note(state)
    assert explorer.is_active


@pytest.mark.parametrize("ends", [(), (_WON, End("Timeout", (("limit", 500), ("win", "True"))))])
def test_where_no_deed_is_known_to_win_nothing_is_explored(tmp_path: Path, ends: tuple[End, ...]) -> None:
    rules, state = _room(tmp_path, *ends)
    explorer = Explorer(rules, seed=1)
    eager = Explorer(rules, seed=1, patience=5, always=True)
    for _ in range(2 * PATIENCE):
        explorer.note(state)
    for _ in range(6):
        eager.note(state)
    assert not explorer.is_active
    assert eager.is_active


@pytest.mark.parametrize(
    ("ends", "is_explored"),
    [
        ("SpriteCounter stype=goal win=True", True),
        ("SpriteCounter stype=goal win=true  # reached", True),
        ("SpriteCounter stype=goal win=False  # not win=True", False),
        ("Timeout limit=500 win=True", False),
    ],
)
def test_texts_of_other_authors_are_explored_as_well(tmp_path: Path, ends: str, is_explored: bool) -> None:
    _, state = _room(tmp_path)
    text = _ROOM.replace("SpriteCounter stype=goal win=True", ends)
    explorer = Explorer(Candidate(text, dict(enumerate(state.game.types))), seed=1)
    for _ in range(PATIENCE + 1):
        explorer.note(state)
    assert explorer.is_active == is_explored


def test_goals_of_an_exploration_that_are_missed_are_given_up(tmp_path: Path) -> None:
    rules, state = _room(tmp_path, _WON)
    passable = rules.with_rules(rule for rule in rules.rules if rule.second != 2)  # the door seems to be open
    explorer = Explorer(passable, seed=1)
    learnt = LearntGame(passable, state)
    for _ in range(PATIENCE + 1):
        explorer.note(state)
    tried = 0
    while explorer.is_active:
        action = explorer.act(learnt.state(), Timer(1000.0), state.actions_of(0, nil=True))
        assert state.avatar is not None
        tried += action == Action.RIGHT and state.avatar.position[0] == 100
        state.advance(action)
        learnt.follow(action, state)
        explorer.note(state)
    assert 1 <= tried <= 4
