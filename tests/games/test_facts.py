"""The files and facts of the bundled games."""

from __future__ import annotations

import pytest

from vgdl import games

TRAINING = (
    *("aliens", "boulderdash", "butterflies", "chase", "frogs"),
    *("missilecommand", "portals", "sokoban", "survivezombies", "zelda"),
)


def test_the_training_set_has_its_games() -> None:
    assert games.names("training") == TRAINING


def test_without_a_set_all_games_are_named() -> None:
    assert set(games.names()) == {name for set_ in games.SETS for name in games.names(set_)}


def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(LookupError, match="training, validation"):
        games.names("trainning")


def test_an_unknown_game_is_refused_with_a_suggestion() -> None:
    with pytest.raises(LookupError, match="did you mean 'aliens'"):
        games.path("alien")


def test_no_path_outside_the_sets_is_a_game() -> None:
    with pytest.raises(LookupError):
        games.path("../training/aliens")


@pytest.mark.parametrize("name", games.names())
def test_every_game_has_its_text_and_five_levels_in_order(name: str) -> None:
    assert games.path(name).is_file()
    assert [level.stem for level in games.levels(name)] == [f"{name}_lvl{number}" for number in range(5)]


@pytest.mark.parametrize("name", games.names())
def test_every_game_has_complete_facts(name: str) -> None:
    facts = games.facts(name)
    assert facts.set in games.SETS
    assert name in games.names(facts.set)
    assert facts.title
    assert facts.score_system in {"B", "I", "D"}
    assert set(facts.npcs) <= {"enemies", "friendly"}
    assert facts.terminations
    assert set(facts.terminations) <= {"counters", "timeout", "exit"}
    assert facts.actions in games.ACTION_SETS
    assert len(facts.rules.split()) > 20
