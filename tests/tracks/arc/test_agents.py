"""The agents, on tiny games whose solution is known (arc, 10 to 12, and 13, test 11)."""

from __future__ import annotations

import pytest

from tracks.arc.toys import Buttons, Maze, OneButton, Toy
from vgdl.competition.tracks.arc.agents import Act, create
from vgdl.competition.tracks.arc.agents.playing import Play, play

LIGHT = ("change-cnn-lite", "state-graph", "explorer", "object-planner")


def _play(name: str, toy: Toy, actions: int, seed: int = 1, **options: object) -> Play:
    return play(create(name, toy.task, seed, **options), toy, actions)


@pytest.mark.one_case
@pytest.mark.parametrize("name", LIGHT)
@pytest.mark.parametrize("repairs", [True, False])
def test_finds_the_one_button_within_60_actions(name: str, repairs: bool) -> None:
    options = {} if name == "object-planner" else {"repairs": repairs}
    assert _play(name, OneButton(), 60, **options).levels_completed >= 1


@pytest.mark.parametrize(
    ("name", "within"),
    [
        ("state-graph", 120),
        ("explorer", 60),
        ("object-planner", 60),
        pytest.param("change-cnn-lite", 600, marks=pytest.mark.costly),
    ],
)
def test_clicks_the_buttons_away(name: str, within: int) -> None:
    assert _play(name, Buttons(), within).levels_completed >= 1


@pytest.mark.parametrize(("name", "within"), [("explorer", 900), ("object-planner", 200)])
def test_walks_out_of_the_maze(name: str, within: int) -> None:
    result = _play(name, Maze(), within)
    assert result.won
    assert sum(result.level_actions) == result.actions


def test_what_the_planner_has_learnt_is_kept_from_level_to_level() -> None:
    result = _play("object-planner", Maze(), 100)
    assert result.resets == 1  # what is deadly is deadly in all levels
    assert result.level_actions[1] <= 20
    assert result.level_actions[2] <= 15  # the shortest way has 9 steps


@pytest.mark.one_case
@pytest.mark.parametrize("name", LIGHT)
def test_a_seed_decides_every_action(name: str) -> None:
    def actions(seed: int) -> list[Act]:
        toy = Maze()
        agent = create(name, toy.task, seed)
        taken: list[Act] = []
        frame = toy.reset()
        while len(taken) < 80 and frame.state != "WIN":
            taken.append(agent.act(frame))
            frame = toy.reset() if frame.state == "GAME_OVER" else toy.step(taken[-1].id)
        return taken

    assert actions(3) == actions(3)


@pytest.mark.one_case
@pytest.mark.parametrize("name", LIGHT)
@pytest.mark.parametrize("toy", [OneButton, Buttons, Maze])
def test_takes_only_what_the_game_offers(name: str, toy: type[Toy]) -> None:
    game = toy()
    agent = create(name, game.task, 5)
    frame = game.reset()
    for _ in range(60):
        act = agent.act(frame)
        if frame.state == "GAME_OVER":
            frame = game.reset()
            continue
        assert act.id in game.actions
        assert (act.x is not None) == (act.id == 6) == (act.y is not None)
        frame = game.step(act.id, act.x, act.y)
        if frame.state == "WIN":
            break
