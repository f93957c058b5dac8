"""Turn-based games of one's own: loaded by path or entry point, with parameters, and played in the terminal."""

from __future__ import annotations

import importlib.metadata
import io
import random
from pathlib import Path
from typing import Any

import pytest

from vgdl.controllers.tabletop import ISMCTS, MCTS, AlphaBeta, RandomPlayer
from vgdl.play import cli
from vgdl.registry import EntryInvalid
from vgdl.tabletop import laws, load, loading, names, play

PROJECT = Path(__file__).parents[2]
NIM = f"{PROJECT / 'examples' / 'nim.py'}:Nim"


def test_the_page_shows_the_example() -> None:
    page = (PROJECT / "docs" / "tabletop.md").read_text(encoding="utf-8")
    assert (PROJECT / "examples" / "nim.py").read_text(encoding="utf-8") in page


@pytest.mark.parametrize("heaps", [1, 3, 4])
def test_the_example_obeys_the_laws(heaps: int) -> None:
    assert laws.check(load(f"{NIM}(heaps={heaps})"), plays=10) > 10


@pytest.mark.parametrize(
    "search",
    [
        MCTS(simulations=5000, rollouts=1, seed=1),
        AlphaBeta(nodes=100_000),
        ISMCTS(simulations=2000, rollouts=1, seed=1),
    ],
    ids=lambda search: type(search).__name__,
)
def test_searches_find_the_only_winning_move(search: Any) -> None:
    """From 1, 3, 5 the only move that leaves a nim-sum of 0 is three objects from the heap of 5."""
    game = load(f"{NIM}(heaps=3)")
    state = game.new_initial_state()
    assert state.action_to_string(search.step(state)) == "3 from heap 3"
    end = play(game, [search, RandomPlayer(seed=2)], random.Random(1).random)
    assert end.returns() == [1.0, -1.0]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (f"{NIM}(heap=4)", "Nim has no parameter 'heap' \\(did you mean 'heaps'\\?\\); it has heaps"),
        (f"{NIM}(heaps)", "a parameter is written key=value"),
        (f"{NIM}(heaps=0)", "line 22: .*ValueError: Nim has one heap or more"),
        (f"{NIM}(heaps=many)", "cannot be constructed: nim.py, line 21: .*TypeError"),
        (NIM.replace(":Nim", ":Nmi"), "has no class 'Nmi' \\(did you mean 'Nim'\\?\\)"),
        ("nowhere/nim.py:Nim", "there is no file .*nowhere/nim.py"),
        (NIM.replace(":Nim", ":NimState"), "has no method new_initial_state"),
    ],
)
def test_wrong_names_and_parameters_are_explained(name: str, said: str) -> None:
    with pytest.raises((ValueError, EntryInvalid), match=said):
        load(name)


def test_a_package_announces_games(monkeypatch: pytest.MonkeyPatch) -> None:
    point = importlib.metadata.EntryPoint("army_again", "vgdl.tabletop.army:Army", "vgdl.tabletop")
    monkeypatch.setattr("vgdl.registry.installed", lambda group: [point] if group == "vgdl.tabletop" else [])
    assert load("army_again").num_distinct_actions() == loading.OWN["army5x5a"]({}).num_distinct_actions()
    assert "army_again" in names()


def test_a_game_in_a_file_is_played_in_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("3 from heap 3\nquit\n"))
    assert cli.main([NIM, "--controller", "random", "--seed", "1"]) == 0
    shown = capsys.readouterr().out
    assert "heaps: 1 3 5; player 1 is to move" in shown
    assert "Player 2 (random): " in shown


def test_a_class_that_is_not_there_is_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([NIM.replace(":Nim", ":Nym")])
    assert ended.value.code == 2
    assert "did you mean 'Nim'?" in capsys.readouterr().err
