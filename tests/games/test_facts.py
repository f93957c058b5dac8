"""The files and facts of the bundled games; facts are checked against the rules and the recorded wins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest

import vgdl
from vgdl import Action, games, replay
from vgdl.language import InteractionLine, SectionKind, SpriteLine, TerminationLine, parse_file

THIRTY = {
    "training": "aliens boulderdash butterflies chase frogs missilecommand portals sokoban survivezombies zelda",
    "validation": "camelrace digdug eggomania firecaster firestorms infection overload pacman seaquest whackamole",
    "test": "boulderchase catapults escape jaws labyrinth lemmings plants plaqueattack roguelike surround",
}


@pytest.mark.parametrize("set_", THIRTY)
def test_each_set_of_the_competition_has_its_ten_games(set_: str) -> None:
    assert " ".join(games.names(set_)) == THIRTY[set_]


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


@dataclass(frozen=True)
class Seen:
    """Observations of a game's recorded wins."""

    npcs: frozenset[int]  #: types seen among the NPCs
    gains: tuple[float, ...]  #: of player 0, tick by tick, where there was one
    early_gains: int  #: those before the last tick of a play


@cache
def seen(name: str) -> Seen:
    npcs: set[int] = set()
    gains: list[float] = []
    early = 0
    for level in games.levels(name):
        play = replay.read(level.parent / "replays" / f"{level.stem}.json")
        state = replay.find_board(play).start(play.seed)
        for tick in play.actions:
            before = state.score
            state.advance([None if action is None else Action[action] for action in tick])
            npcs.update(npc.type for group in state.npcs for npc in group)
            if state.score > before:
                gains.append(state.score - before)
                early += not state.is_over
    return Seen(frozenset(npcs), tuple(gains), early)


def classes(name: str) -> set[str]:
    """The sprite classes that a game's text names."""
    lines = [
        line for line in parse_file(games.path(name))[0].entries(SectionKind.SPRITES) if isinstance(line, SpriteLine)
    ]
    for line in lines:  # grows while it is walked
        lines.extend(child for child in line.children if isinstance(child, SpriteLine))
    return {str(line.class_name) for line in lines}


@pytest.mark.parametrize("name", games.names())
def test_the_action_set_is_what_the_avatar_can_do(name: str) -> None:
    state = vgdl.load(name).start(level=0, seed=1)
    assert {action.name for action in state.actions_of(0)} - {"NIL"} == games.ACTION_SETS[games.facts(name).actions]


@pytest.mark.one_case
@pytest.mark.parametrize("name", games.names())
def test_games_with_characters_show_them(name: str) -> None:
    facts = games.facts(name)
    assert bool(facts.npcs) == bool(seen(name).npcs)
    assert len(seen(name).npcs) >= 2 or not facts.several_npc_types


@pytest.mark.parametrize("name", games.names())
def test_resources_are_collected_types(name: str) -> None:
    lines = parse_file(games.path(name))[0].entries(SectionKind.INTERACTIONS)
    effects = {str(line.effect) for line in lines if isinstance(line, InteractionLine)}
    assert games.facts(name).resources == ("collectResource" in effects)


@pytest.mark.parametrize("name", games.names())
def test_terminations_are_those_of_the_game_text(name: str) -> None:
    lines = parse_file(games.path(name))[0].entries(SectionKind.TERMINATIONS)
    ends = {str(line.class_name) for line in lines if isinstance(line, TerminationLine)}
    facts = games.facts(name)
    assert ("timeout" in facts.terminations) == ("Timeout" in ends)
    assert "Door" in classes(name) or "exit" not in facts.terminations
    assert "counters" not in facts.terminations or ends - {"Timeout"}


@pytest.mark.parametrize("name", [name for name in games.names() if games.facts(name).set != "two_player"])
def test_the_score_system_shows_in_the_points_of_a_win(name: str) -> None:
    """Binary: nothing before the end. Discontinuous: a step of 100 or more among small ones. Incremental: small steps."""
    system = "B" if not seen(name).early_gains else "D" if max(seen(name).gains) >= 100 else "I"
    assert games.facts(name).score_system == system
