"""The judge finds nothing in the bundled games that is not known."""

from __future__ import annotations

import pytest

import vgdl
from vgdl import games
from vgdl.judging.description import describe
from vgdl.judging.exploring import explore
from vgdl.judging.feasibility import HELD_SHARE, held_wins
from vgdl.judging.plays import DO_NOTHING, Effort, play

WON_WITHOUT_SKILL = {"pong", "surround2", "meteors"}
"""Games that are for two, where the other player acts at random, or for the mouse, which judges do not use."""


@pytest.mark.parametrize("name", [*games.names(), *games.names("click")])
@pytest.mark.sampled(6)
def test_no_level_is_won_without_skill_and_none_is_impossible(name: str) -> None:
    game = vgdl.load(name)
    description = describe(game)
    for level in range(len(game.levels)):
        board = game.board(level)
        idle = play(board, DO_NOTHING, 1, Effort())
        assert idle.outcome != "failed"
        if name not in WON_WITHOUT_SKILL:
            assert not idle.won
            assert max(held_wins(board, 1, seeds=10).values()) <= HELD_SHARE
        found = explore(board.start(1), description, 5000)
        assert found.plan is not None or not found.exhausted
