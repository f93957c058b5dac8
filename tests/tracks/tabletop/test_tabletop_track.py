"""Competitions of turn-based games: own games and players, failures, one outcome per seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import vgdl.competition
from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.planning.plan import PlanError
from vgdl.competition.tracks.tabletop import players
from vgdl.competition.tracks.tabletop.track import Plan
from vgdl.controllers.tabletop.resampling import CannotSearch, Resampler

NIM = f"{Path(__file__).parents[3] / 'examples' / 'nim.py'}:Nim"

PLAYERS = '''\
class First:
    """Makes the first legal move."""

    def step(self, state):
        return state.legal_actions()[0]


class Illegal:
    def step(self, state):
        return 7_000


class Broken:
    def step(self, state):
        raise RuntimeError("no idea")


class Peeks:
    """Kuhn poker: bets if its card is higher than the other one in the state."""

    def step(self, state):
        cards, seat = state.history()[:2], state.current_player()
        return int(cards[seat] > cards[1 - seat])


class Bets:
    def step(self, state):
        return 1


class Perfect:
    """Leaves a nim-sum of 0 where it can."""

    def step(self, state):
        for action in state.legal_actions():
            heaps = state.child(action).heaps
            if heaps[0] ^ heaps[1] ^ heaps[2] == 0:
                return action
        return state.legal_actions()[0]
'''


def run(*players: str, **options: Any) -> Any:
    given = {"game": NIM, "seed": 3, "simulations": 20, "isolation": "rlimits", "quiet": True, **options}
    return vgdl.competition.run("tabletop", players=list(players), **given)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(PLAYERS)
    return path


def test_own_players_meet_in_an_own_game_on_both_seats(file: Path) -> None:
    """The first player of Nim wins from 1, 3, 5; a perfect one wins against the first legal move from either seat."""
    results = run(f"{file}:Perfect", f"{file}:First")
    assert [(row["player"], row["won"], row["lost"]) for row in results.table("ranking").records()] == [
        ("Perfect", 2, 0), ("First", 0, 2),
    ]  # fmt: skip
    seats = [(row["match"], row["seat"]) for row in results.table("matches").records()]
    assert seats == [(0, 1), (0, 2), (1, 1), (1, 2)]


@pytest.mark.one_case
@pytest.mark.parametrize(("name", "said"), [("Illegal", "action 7000 is illegal here"), ("Broken", "no idea")])
def test_a_player_that_fails_loses_with_the_reason(file: Path, name: str, said: str) -> None:
    results = run(f"{file}:{name}", f"{file}:First")
    rows = [row for row in results.table("matches").records() if row["player"] == name]
    assert [row["outcome"] for row in rows] == [0.0, 0.0]
    assert all(said in row["failure"] for row in rows)


@pytest.mark.costly
def test_one_seed_gives_one_outcome(file: Path) -> None:
    tables = [run("mcts", "random", rounds=2).table("matches").records() for _ in range(2)]
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"game": "nim.py:Nim"}, "there is no file"),
        ({"game": "othelo"}, "did you mean 'othello'"),
        ({"game": "pong"}, "move at once"),
        ({"game": f"{NIM}(heap=1)"}, "did you mean 'heaps'"),
        ({"players": ["random"]}, "has 2 players; --players names 1"),
    ],
)
def test_what_cannot_be_played_is_explained(
    options: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CompetitionError, match=said):
        vgdl.competition.run("tabletop", **options)


@pytest.mark.costly
def test_players_do_not_see_hidden_cards(file: Path) -> None:
    """Who knows the other's card never loses a bet."""
    pytest.importorskip("pyspiel", reason="needs the extra tabletop")
    results = run(f"{file}:Peeks", f"{file}:Bets", game="kuhn_poker", rounds=2, seed=4)
    returns = [row["return"] for row in results.table("matches").records() if row["player"] == "Peeks"]
    assert -2.0 in returns
    assert not any(row["failure"] for row in results.table("matches").records())


def test_a_game_whose_hidden_part_cannot_be_drawn_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel", reason="needs the extra tabletop")

    def fail(*_: object) -> None:
        raise CannotSearch("kuhn_poker: 200 replays did not lead to what player 0 knows")

    monkeypatch.setattr(Resampler, "__call__", fail)
    with pytest.raises(CompetitionError, match="would see what is hidden from them: kuhn_poker"):
        run("mcts", "random", game="kuhn_poker")


@pytest.mark.parametrize("rounds", [500_001, 2**64])
def test_a_tournament_without_end_is_refused(rounds: int) -> None:
    entries = players.PLAYERS.find_all(["random", "mcts"])
    with pytest.raises(PlanError, match="matches; a competition has at most"):
        Plan("tic_tac_toe", 2, tuple(entries), rounds, 10, 100.0, 1)
