"""What a learnt text is measured with: the names of all types, and cells of the observed size."""

from __future__ import annotations

import pickle

import vgdl
from vgdl import Action
from vgdl.competition.tracks.worldmodels.lessons import names_of
from vgdl.competition.tracks.worldmodels.search.play import LearntGame
from vgdl.competition.tracks.worldmodels.texts.candidate import Candidate
from vgdl.induction import Budget, Learner, Observer
from vgdl.placing import open_board, place

GAME = """BasicGame square_size=40
    SpriteSet
        wall > Immovable
        avatar > MovingAvatar
        gem > Immovable
    LevelMapping
        w > wall
        A > avatar
        g > gem
    InteractionSet
        avatar wall > stepBack
    TerminationSet
        SpriteCounter stype=avatar win=False
"""
LESSON = "w" * 20 + "\nwA" + " " * 17 + "w\n" + "w" * 20 + "\n"  # the size of whose cells is that of the engine, too
LEVEL = "wwwww\nwA gw\nwwwww\n"


def _learnt() -> Candidate:
    """Rules that were learnt, in a corridor, of a game whose types are called wall and avatar."""
    game, observer, learner = vgdl.loads(GAME), Observer(1), Learner(1, Budget(400, 40_000), is_quick=True)
    state = game.start(LESSON, seed=1)
    learner.observe(observer.observe(state), starts=True)
    for _ in range(60):
        state.advance(learner.act())
        learner.observe(observer.observe(state))
    learner.learn(is_last=True)
    assert "square_size" not in learner.text
    names = names_of(game, learner, observer)
    assert len(set(names.values())) == len(game.types) == len(names)
    assert {names[game.types.index(name)] for name in ("wall", "avatar")} == {"t0", "t1"}
    return Candidate(learner.text, names)


def test_what_was_learnt_of_walls_and_avatars_is_used_in_cells_of_the_observed_size() -> None:
    state = vgdl.loads(GAME).start(LEVEL, seed=1)
    assert state.block_size == 40 != 800 // 5
    [shadow] = LearntGame(_learnt(), state).shadows
    assert shadow.block_size == 40
    for action, place_ in ((Action.LEFT, (40, 40)), (Action.RIGHT, (80, 40)), (Action.UP, (80, 40))):
        shadow.advance(action)
        assert shadow.avatar is not None
        assert shadow.avatar.position == place_


def test_a_board_has_the_given_size_of_cells_unless_the_rules_set_one() -> None:
    free = vgdl.loads(GAME.replace(" square_size=40", ""))
    board = open_board(free, LEVEL, block_size=64)
    assert board.start(seed=1).block_size == 64
    assert open_board(free, LEVEL).start(seed=1).block_size == 160
    assert open_board(vgdl.loads(GAME), LEVEL, block_size=64).start(seed=1).block_size == 40
    copy = pickle.loads(pickle.dumps(board))
    assert copy.start(seed=1).block_size == 64
    shown = free.start(LEVEL, seed=1)
    assert place(open_board(free, LEVEL, block_size=160), shown).block_size == 160
