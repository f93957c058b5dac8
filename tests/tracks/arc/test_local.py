"""Games in one process: the interface of agents, scorecards, and what agents must not be told (arc, 4.2, 8, 13)."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tracks.arc import vgdl_games
from vgdl import games
from vgdl.competition.tracks.arc.baselines import Baselines, Source, bundled_baselines
from vgdl.competition.tracks.arc.environment import Arc, Environment
from vgdl.competition.tracks.arc.errors import NotAllowedError
from vgdl.competition.tracks.arc.frame import State
from vgdl.competition.tracks.arc.game import VgdlGame, bundled, from_folder
from vgdl.competition.tracks.arc.local import LocalArc
from vgdl.competition.tracks.arc.measure import recorded_keys
from vgdl.competition.tracks.arc.options import Way
from vgdl.competition.tracks.arc.scorecard import Played, environment
from vgdl.competition.tracks.arc.scoring import Scoring
from vgdl.competition.tracks.arc.session import Run

CONFORMANCE = Path(__file__).resolve().parents[4] / "shared" / "conformance" / "games"
RIGHT, LEFT = 4, 3


@pytest.fixture
def toy(tmp_path: Path) -> VgdlGame:
    return vgdl_games.make(tmp_path, levels=("A.g.t", "A.g.t"))


def arc_of(game: VgdlGame, **options: Any) -> LocalArc:
    return LocalArc([game], baselines=Baselines(Source.REPLAY, {game.version: (2, 2)}), **options)


def play(environment: Environment, *actions: int) -> str:
    environment.reset()
    return [environment.step(action).state for action in actions][-1]


def test_it_is_what_agents_expect(toy: VgdlGame) -> None:
    arc: Arc = arc_of(toy)
    environment: Environment = arc.make(toy.id)
    assert environment.info == arc.games[0] == toy.info
    assert environment.guid == ""
    environment.reset()
    assert len(environment.guid) == 36


def test_a_game_is_found_by_its_id_and_its_base(toy: VgdlGame) -> None:
    arc = arc_of(toy)
    assert arc.make(toy.base).info.game_id == arc.make(toy.id).info.game_id == toy.id
    with pytest.raises(LookupError, match="no game 'nothing'"):
        arc.make("nothing")


def test_the_card_of_the_specification(toy: VgdlGame) -> None:
    """Baselines [2, 2]; a run of 3 and 0 actions, and one of 2 and 2 (arc, 4.2)."""
    arc = arc_of(toy)
    one, two = arc.make(toy.id), arc.make(toy.id)
    play(one, LEFT, RIGHT, RIGHT)
    assert play(two, *[RIGHT] * 4) == State.WIN
    card = arc.scorecard()
    (found,) = card["environments"]
    first, second = found["runs"]
    assert [round(score, 2) for score in first["level_scores"]] == [44.44, 0]
    assert round(first["score"], 2) == 14.81
    assert (second["level_scores"], second["score"]) == ([100, 100], 100)
    assert (found["score"], found["actions"], found["levels_completed"], found["completed"]) == (100, 7, 2, True)
    assert (card["score"], card["total_actions"], card["total_levels_completed"]) == (100, 7, 2)
    assert (card["scoring"], card["baseline"]) == ("rhae-2026-04", "replay")
    assert json.loads(json.dumps(card)) == card


def test_levels_that_were_not_reached_have_no_actions(toy: VgdlGame) -> None:
    found = environment(Played(toy.id, toy.tags, 2, (2, 2), [("g", Run(actions=3))]))
    assert found["runs"][0]["level_actions"] == [3, 0]


def test_without_baselines_the_score_is_0_and_the_card_says_so(toy: VgdlGame) -> None:
    arc = LocalArc([toy])
    play(arc.make(toy.id), *[RIGHT] * 4)
    (run,) = arc.scorecard()["environments"][0]["runs"]
    assert (run["score"], run["level_baseline_actions"]) == (0, [-1, -1])
    assert "not available" in run["message"]


def test_a_card_shows_the_games_played_and_in_competition_all(toy: VgdlGame, tmp_path: Path) -> None:
    other = vgdl_games.make(tmp_path / "other", levels=("A..g",))
    arc = LocalArc([toy, other])
    play(arc.make(toy.id), RIGHT)
    assert [found["id"] for found in arc.scorecard()["environments"]] == [toy.id]
    contest = LocalArc([toy, other], competition=True)
    play(contest.make(toy.id), RIGHT)
    card = contest.close()
    assert {found["id"] for found in card["environments"]} == {toy.id, other.id}
    assert card["competition_mode"] is True
    assert all(found["runs"] for found in card["environments"])


def test_in_competition_a_game_is_played_once(toy: VgdlGame) -> None:
    arc = arc_of(toy, competition=True)
    arc.make(toy.id)
    with pytest.raises(NotAllowedError, match="one play"):
        arc.make(toy.id)


def test_after_the_card_is_closed_nothing_is_played(toy: VgdlGame) -> None:
    arc = arc_of(toy)
    environment = arc.make(toy.id)
    environment.reset()
    arc.close()
    for command in (environment.reset, lambda: environment.step(RIGHT), lambda: arc.make(toy.id)):
        with pytest.raises(NotAllowedError, match="closed"):
            command()


def test_the_same_actions_lead_to_the_same_frames() -> None:
    for game in bundled()[::6]:
        plays = []
        for _ in range(2):
            environment, rng = LocalArc([game]).make(game.id), random.Random(3)
            frame = environment.reset()
            layers = [frame.last]
            for _ in range(60):
                if frame.state == State.GAME_OVER:
                    frame = environment.reset()
                    continue
                action = rng.choice(frame.available_actions)
                frame = environment.step(action, *(rng.choices(range(64), k=2) if action == 6 else ()))
                layers += frame.layers
            plays.append(np.stack(layers))
        first, second = plays
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("scoring", Scoring)
def test_recorded_solutions_score_1_against_themselves(scoring: Scoring) -> None:
    game = next(game for game in bundled() if game.game.name == "sokoban" and game.way is Way.KEYBOARD)
    arc = LocalArc([game], baselines=bundled_baselines(Source.REPLAY), scoring=scoring)
    ids = {action.name: number for number, action in game.keys.items()}
    keys = [ids[key] for level in range(5) for key in recorded_keys(game, level) or ()]
    assert play(arc.make(game.id), *keys) == State.WIN
    assert arc.close()["score"] == 100


def test_every_bundled_game_has_baselines_from_both_sources() -> None:
    for source in (Source.REPLAY, Source.PLANNER):
        found = bundled_baselines(source)
        missing = [game for game in bundled(tuple(Way)) if found.of(game) is None]
        assert missing == []
    with pytest.raises(ValueError, match="people"):
        bundled_baselines(Source.HUMAN)


def test_no_name_of_a_game_or_a_type_is_told() -> None:
    """What reaches an agent: infos, frames and cards (arc, 6.4 and 13)."""
    offered = bundled(tuple(Way))
    arc = LocalArc(offered)
    for game in offered:
        arc.make(game.id).reset()
    told = f"{arc.games} {json.dumps(arc.close())}".lower()
    words = {*games.names(), *games.names("click"), *(name for game in offered for name in game.game.types)}
    allowed = {"wall", "avatar", "score", "hit", "level", "off", "on", "key", "click", "up", "down"}
    assert sorted(word for word in words - allowed if len(word) > 3 and f'"{word}' in told) == []


def test_tags_say_which_games_have_no_chance() -> None:
    tags = {game.game.name: game.tags for game in bundled() if game.way is Way.KEYBOARD}
    assert tags["sokoban"] == ("keyboard", "deterministic")
    assert tags["labyrinth"] == ("keyboard", "deterministic")
    assert tags["butterflies"] == ("keyboard",)


@pytest.mark.everything
@pytest.mark.skipif(not CONFORMANCE.is_dir(), reason="the reference's games are not at hand")
def test_all_grid_games_of_the_reference_load_and_play() -> None:
    offered = from_folder(CONFORMANCE / "gridphysics")
    assert len(offered) == 66
    arc = LocalArc(offered)
    rng = random.Random(1)
    for game in offered:
        environment = arc.make(game.id)
        frame = environment.reset()
        for _ in range(30):
            frame = (
                environment.reset()
                if frame.state != State.NOT_FINISHED
                else environment.step(rng.choice(frame.available_actions))
            )
            assert frame.last.shape == (64, 64)
            assert frame.last.max() < 16
    assert arc.close()["total_actions"] >= 66 * 25
