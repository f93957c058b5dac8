"""The games of the test bed: recorded plays win, actions are determined, and the games look different."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from vgdl.competition.tracks.arc.baselines import bundled_baselines
from vgdl.competition.tracks.arc.frame import CLICK, SIZE, UNDO, State
from vgdl.competition.tracks.arc.game import bundled
from vgdl.competition.tracks.arc.local import LocalArc
from vgdl.competition.tracks.arc.playable import MOST_LAYERS
from vgdl.competition.tracks.arc.session import Session
from vgdl.competition.tracks.arc.testbed import BedGame, Half, bed_games, families, lay_out
from vgdl.competition.tracks.arc.testbed.pushing import Crates
from vgdl.competition.tracks.arc.testbed.solver import solve

GAMES = bed_games()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_recorded_plays_win_a_game_with_a_full_score(game: BedGame) -> None:
    arc = LocalArc([game], baselines=bundled_baselines())
    environment = arc.make(game.id)
    frame = environment.reset()
    for level in game.levels:
        for move in level.play:
            frame = environment.step(*move)
            assert frame.last.shape == (SIZE, SIZE)
            assert frame.last.max() < 16
            assert len(frame.layers) <= MOST_LAYERS
    assert frame.state == State.WIN
    assert arc.close()["score"] == pytest.approx(100)


def test_all_families_are_offered_in_two_halves_of_similar_size() -> None:
    assert {game.name for game in GAMES} == set(families())
    assert len(GAMES) >= 45
    developed, reported = (len(bed_games(half)) for half in Half)
    assert developed + reported == len(GAMES)
    assert min(developed, reported) >= 20


def test_ids_say_nothing_and_are_unique_beside_those_of_vgdl_games() -> None:
    bases = [*(game.base for game in GAMES), *(game.base for game in bundled())]
    assert len(set(bases)) == len(bases)
    assert not any(one.startswith(other) for one in bases for other in bases if one != other)
    assert not any(game.name[:3] in game.id for game in GAMES)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_same_actions_lead_to_the_same_frames_and_copies_are_independent(game: BedGame) -> None:
    plays = []
    for _ in range(2):
        play, rng = game.begin(3), random.Random(5)
        layers = [play.layer()]
        for _ in range(25):
            action = rng.choice([action for action in game.actions if action != UNDO])
            place = (rng.randrange(SIZE), rng.randrange(SIZE)) if action == CLICK else (None, None)
            before = play.copy()
            outcome = play.act(action, *place)
            assert np.array_equal(before.layer(), layers[-1])
            layers += [outcome.layers[-1]]
            if outcome.ending is not None:
                break
        plays.append(np.stack(layers))
    first, second = plays
    np.testing.assert_array_equal(first, second)


def test_undo_takes_back_an_action_where_it_is_offered() -> None:
    game = next(game for game in GAMES if game.name == "crates")
    session = Session(game)
    first = session.reset().last
    moved = next(key for key in (1, 2, 3, 4) if not np.array_equal(session.act(key).last, first))
    assert moved
    assert np.array_equal(session.act(UNDO).last, first)


def test_some_games_show_steps_between_and_some_end_badly() -> None:
    layers, lost = set(), set()
    for game in GAMES:
        session, rng = Session(game), random.Random(2)
        session.reset()
        for _ in range(60):
            action = rng.choice(game.actions)
            place = rng.choice(list(lay_out(game.name, 0, game.levels[0].seed).targets()) or [(0, 0)])
            frame = session.act(action, *place)
            layers |= {game.name} if len(frame.layers) > 2 else set()
            if frame.state != State.NOT_FINISHED:
                lost |= {game.name} if frame.state == State.GAME_OVER else set()
                break
    assert len(layers) >= 5
    assert len(lost) >= 5


def test_no_two_games_share_their_background_and_cells() -> None:
    """First frames differ in most pixels from each other."""
    first = [game.begin(0).layer() for game in sorted(GAMES, key=lambda game: game.name)]
    assert all((one != other).mean() > 0.05 for one, other in pairwise(first))


def test_the_solver_finds_no_play_where_there_is_none() -> None:
    level = lay_out("crates", 0, 0)
    assert isinstance(level, Crates)
    level.walls |= {(x, y) for x in range(20) for y in range(20)} - {level.at}
    assert solve(level) is None
