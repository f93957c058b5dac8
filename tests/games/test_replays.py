"""Every level can be won: a recorded play, played again from its seed and actions alone, wins at the same tick."""

from __future__ import annotations

from pathlib import Path

import pytest

from vgdl import games, replay

LEVELS = [level for name in games.names() for level in games.levels(name)]


def recorded(level: Path) -> replay.Replay:
    return replay.read(level.parent / "replays" / f"{level.stem}.json")


@pytest.mark.one_case
@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.stem)
def test_the_recorded_play_of_a_level_wins_it(level: Path) -> None:
    play = recorded(level)
    assert play.level == level.stem
    assert play.result.winners[0] == 1  # of two opponents, the other has lost
    verdict = replay.verify(play, replay.find_board(play))
    assert not verdict.game_changed
    assert not verdict.level_changed
    assert verdict.same


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.stem)
def test_the_recorded_play_wins_with_its_last_action(level: Path) -> None:
    play = recorded(level)
    before = replay.simulate(replay.find_board(play), play.seed, play.actions[:-1])
    assert not before.is_over


def test_every_recorded_play_belongs_to_a_level() -> None:
    kept = {path.stem for name in games.names() for path in (games.path(name).parent / "replays").glob("*.json")}
    assert kept == {level.stem for level in LEVELS}
