"""One play of a game: every row of RESET and counting (arc, 3), levels, ends, chance and undo (arc, 6.1)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tracks.arc import vgdl_games
from vgdl.competition.tracks.arc.errors import BadActionError, NotAllowedError, NotStartedError
from vgdl.competition.tracks.arc.frame import Frame, State
from vgdl.competition.tracks.arc.game import VgdlGame, bundled
from vgdl.competition.tracks.arc.options import Options
from vgdl.competition.tracks.arc.session import Session

RIGHT, LEFT, WAIT = 4, 3, 5
TWO = ("A.g.t", "A..gt")


@pytest.fixture
def game(tmp_path: Path) -> VgdlGame:
    return vgdl_games.make(tmp_path, levels=TWO)


def started(game: VgdlGame, *actions: int, competition: bool = False) -> tuple[Session, Frame]:
    session = Session(game, competition=competition)
    frame = session.reset()
    for action in actions:
        frame = session.act(action)
    return session, frame


def same(first: Frame, second: Frame) -> bool:
    return len(first.layers) == len(second.layers) and all(map(np.array_equal, first.layers, second.layers))


# RESET


def test_the_first_reset_starts_a_run_of_no_actions(game: VgdlGame) -> None:
    session, frame = started(game)
    assert frame.full_reset
    assert (frame.state, frame.levels_completed, frame.win_levels) == (State.NOT_FINISHED, 0, 2)
    assert [(run.actions, run.resets) for run in session.runs] == [(0, 0)]


def test_a_reset_after_an_action_resets_the_level_and_counts(game: VgdlGame) -> None:
    session, _ = started(game, RIGHT, RIGHT, RIGHT)
    assert session.run.levels_completed == 1
    frame = session.reset()
    assert not frame.full_reset
    assert frame.levels_completed == 1
    assert same(frame, Session(game).reset()) is False, "level 2, not level 1"
    assert [(run.actions, run.resets) for run in session.runs] == [(4, 1)]


def test_a_reset_in_game_over_resets_the_level(tmp_path: Path) -> None:
    game = vgdl_games.make(tmp_path, levels=("A.g", "At..g"))
    session, frame = started(game, RIGHT, RIGHT, RIGHT)
    assert frame.state == State.GAME_OVER
    frame = session.reset()
    assert (frame.state, frame.levels_completed, frame.full_reset) == (State.NOT_FINISHED, 1, False)


@pytest.mark.parametrize("actions", [(), (RIGHT, RIGHT)], ids=["at the start", "after a level change"])
def test_a_reset_without_an_action_starts_a_new_run(game: VgdlGame, actions: tuple[int, ...]) -> None:
    session, _ = started(game, *actions)
    guid = session.guid
    frame = session.reset()
    assert frame.full_reset
    assert frame.levels_completed == 0
    assert session.guid == guid
    assert [run.actions for run in session.runs] == [len(actions), 0]


def test_two_resets_in_a_row_start_a_new_run(game: VgdlGame) -> None:
    session, _ = started(game, RIGHT)
    session.reset()
    assert session.reset().full_reset
    assert [(run.actions, run.resets) for run in session.runs] == [(2, 1), (0, 0)]


def test_a_reset_after_a_win_starts_a_new_run(game: VgdlGame) -> None:
    session, frame = started(game, *[RIGHT] * 5)
    assert frame.state == State.WIN
    assert session.reset().full_reset
    assert [run.levels_completed for run in session.runs] == [2, 0]


def test_in_competition_a_reset_without_an_action_changes_nothing_but_counts(game: VgdlGame) -> None:
    session, first = started(game, competition=True)
    frame = session.reset()
    assert same(frame, first)
    assert not frame.full_reset
    assert [(run.actions, run.resets) for run in session.runs] == [(1, 1)]


def test_in_competition_there_is_no_reset_after_a_win(game: VgdlGame) -> None:
    session, _ = started(game, *[RIGHT] * 5, competition=True)
    with pytest.raises(NotAllowedError):
        session.reset()
    assert session.run.actions == 5


# Actions and counts


def test_actions_of_a_level_include_failed_attempts_and_resets(game: VgdlGame) -> None:
    session, _ = started(game, RIGHT, LEFT)
    session.reset()
    for action in (RIGHT, RIGHT, RIGHT, RIGHT, RIGHT):
        frame = session.act(action)
    assert frame.state == State.WIN
    assert session.run.level_actions == [5, 3]
    assert session.run.actions == 8


def test_an_action_that_the_game_does_not_offer_counts_and_does_nothing(game: VgdlGame) -> None:
    session, first = started(game)
    assert 7 not in first.available_actions
    for frame in (session.act(7), session.act(6, 3, 3)):
        assert same(frame, first)
    assert session.run.actions == 2
    assert session.reset().full_reset is False


@pytest.mark.parametrize(
    ("level", "state"), [("A.g", State.WIN), ("A.t..g", State.GAME_OVER)], ids=["WIN", "GAME_OVER"]
)
def test_after_the_end_only_reset_is_valid(tmp_path: Path, level: str, state: State) -> None:
    session, frame = started(vgdl_games.make(tmp_path, levels=(level,)), RIGHT, RIGHT)
    assert frame.state == state
    with pytest.raises(NotStartedError, match=state):
        session.act(RIGHT)
    assert session.run.actions == 2


def test_there_is_no_action_before_the_first_reset(game: VgdlGame) -> None:
    with pytest.raises(NotStartedError, match="NOT_PLAYED"):
        Session(game).act(RIGHT)


@pytest.mark.parametrize(
    "command",
    [
        lambda session: session.act(8),
        lambda session: session.act(0),
        lambda session: session.act(True),
        lambda session: session.act(6),
        lambda session: session.act(6, 3),
        lambda session: session.act(6, 64, 3),
        lambda session: session.act(6, 3, -1),
        lambda session: session.act(6, 3.0, 1),
    ],
)
def test_a_bad_action_is_refused_and_not_counted(game: VgdlGame, command: Callable[[Session], Frame]) -> None:
    session, _ = started(game)
    with pytest.raises(BadActionError, match=r"expected|needs"):
        command(session)
    assert session.run.actions == 0


# Levels and ends


def test_a_won_level_answers_with_its_last_layer_and_the_first_of_the_next(game: VgdlGame) -> None:
    session, frame = started(game, RIGHT, RIGHT)
    assert (frame.levels_completed, frame.state, len(frame.layers)) == (1, State.NOT_FINISHED, 2)
    assert not np.array_equal(frame.layers[0], frame.layers[1])
    assert same(frame, session.frame or frame)


def test_the_last_level_answers_with_one_layer(game: VgdlGame) -> None:
    _, frame = started(game, *[RIGHT] * 5)
    assert (frame.levels_completed, frame.state, len(frame.layers)) == (2, State.WIN, 1)


def test_a_level_that_ends_by_the_last_tick_is_lost(tmp_path: Path) -> None:
    game = vgdl_games.make(tmp_path, vgdl_games.BUTTON + "        Timeout limit=3 win=False\n")
    _, frame = started(game, WAIT, WAIT, WAIT, WAIT)
    assert frame.state == State.GAME_OVER


def test_a_level_that_ends_without_a_winner_is_lost(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A game that fails is over, and the log says why."""
    text = vgdl_games.BUTTON.replace("goal avatar > killSprite", "avatar goal > spawn stype=group")
    text = text.replace("trap > Immovable", "group >\n            trap > Immovable")
    game = vgdl_games.make(tmp_path, text)
    _, frame = started(game, RIGHT, RIGHT)
    assert frame.state == State.GAME_OVER
    assert game.id in caplog.text
    assert game.game.name not in caplog.text


# Chance


RANDOM = """
BasicGame
    SpriteSet
        floor > Immovable hidden=True
        fly > RandomNPC
        avatar > MovingAvatar
    LevelMapping
        . > floor
        f > floor fly
        A > floor avatar
    InteractionSet
        fly EOS > stepBack
        avatar EOS > stepBack
    TerminationSet
        SpriteCounter stype=fly win=True
"""


def test_every_play_and_every_reset_of_a_level_meets_the_same_chance(tmp_path: Path) -> None:
    game = vgdl_games.make(tmp_path, RANDOM, ("A......../....f..../.........",))
    session, first = started(game)
    actions = [1, 2, 3, 4, WAIT] * 4
    seen = [first, *(session.act(action) for action in actions)]
    again = [session.reset(), *(session.act(action) for action in actions)]
    other = Session(game)
    third = [other.reset(), *(other.act(action) for action in actions)]
    assert all(map(same, seen, again))
    assert all(map(same, seen, third))


def test_fresh_chance_differs_between_plays_but_not_between_resets(tmp_path: Path) -> None:
    game = vgdl_games.make(tmp_path, RANDOM, ("A......../....f..../.........",), options=Options(fresh_chance=True))
    plays = []
    for _ in range(4):
        session, _ = started(game)
        play = [session.act(WAIT) for _ in range(20)]
        session.reset()
        assert all(map(same, play, [session.act(WAIT) for _ in range(20)]))
        plays.append(play)
    assert not all(all(map(same, plays[0], play)) for play in plays)


# Undo


def test_undo_takes_back_one_action_and_costs_one(tmp_path: Path) -> None:
    game = vgdl_games.make(tmp_path, levels=TWO, options=Options(undo=True))
    session, first = started(game)
    assert first.available_actions == (1, 2, 3, 4, 5, 7)
    moved = session.act(RIGHT)
    session.act(LEFT)
    assert same(session.act(7), moved)
    assert same(session.act(7), first)
    assert same(session.act(7), first), "there is nothing left to take back"
    assert session.run.actions == 5


def test_undo_does_not_go_back_beyond_a_level_or_a_reset(tmp_path: Path) -> None:
    game = vgdl_games.make(tmp_path, levels=TWO, options=Options(undo=True))
    session, frame = started(game, RIGHT, RIGHT)
    assert session.act(7).levels_completed == 1
    assert np.array_equal(session.act(7).last, frame.last)
    session.act(RIGHT)
    reset = session.reset()
    assert same(session.act(7), reset)


def test_undo_is_not_valid_in_game_over(tmp_path: Path) -> None:
    game = vgdl_games.make(tmp_path, levels=("A.t..g",), options=Options(undo=True))
    session, _ = started(game, RIGHT, RIGHT)
    with pytest.raises(NotStartedError):
        session.act(7)


# Whole games


def test_the_recorded_solutions_of_sokoban_win_all_its_levels() -> None:
    from vgdl.competition.tracks.arc.measure import recorded_keys

    game = next(game for game in bundled() if game.game.name == "sokoban" and game.clicks is None)
    ids = {action.name: number for number, action in game.keys.items()}
    session, frame = started(game)
    for level in range(5):
        for key in recorded_keys(game, level) or ():
            frame = session.act(ids[key])
    assert (frame.state, frame.levels_completed) == (State.WIN, 5)
