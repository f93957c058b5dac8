"""The metrics, by the worked numbers of the specification (section 12)."""

from __future__ import annotations

import pytest

from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.agents.service import Clock
from vgdl.competition.tracks.othello.games import Fault
from vgdl.competition.tracks.othello.metrics import (
    Definition,
    Metrics,
    Weights,
    adaptation,
    efficiency,
    generalisation,
    performance,
    retained,
    robustness,
    strength,
)
from vgdl.competition.tracks.othello.plan import ApiHost, ApiLevel, Failed, Memory, Plan
from vgdl.competition.tracks.othello.results import Results
from vgdl.competition.tracks.othello.store import Analysis, GameRow
from vgdl.registry import Entry
from vgdl.tabletop.othello_stages import STAGES, Stage


def test_a_tie_counts_as_half_a_win() -> None:
    assert performance(wins=4, draws=1, games=6) == 0.75
    assert performance(0, 0, 0) == 0


def test_efficiency_counts_both_unused_shares_equally() -> None:
    assert efficiency(45, [2.5, 2.5]) == 0.5
    assert efficiency(70, [12.0]) == 0, "shares are never negative"
    assert efficiency(None, [1.0]) == 0, "without a strategy"
    assert efficiency(1, [0.5], analysis_limit_s=2, game_limit_s=1) == 0.5


def test_generalisation_punishes_a_drop_only() -> None:
    assert generalisation([0.8], [0.6]) == pytest.approx(0.75)
    assert generalisation([0.6], [0.8]) == 1
    assert generalisation([0.0, 0.0], [0.5]) == 0
    assert generalisation([], [0.5]) is None


def test_robustness_is_the_mean_of_the_worst_quarter() -> None:
    assert robustness([0.9, 0.8, 0.6, 0.5, 0.2]) == pytest.approx(0.35)
    assert robustness([0.9]) == 0.9
    assert robustness([]) is None


def test_adaptation_counts_budgets_equally() -> None:
    assert adaptation([0.2, 0.4, 0.6, 0.8]) == 0.5
    assert adaptation([]) == 0


def test_the_composite_of_the_worked_example() -> None:
    metrics = Metrics(performance=0.6, adaptation=0.55, efficiency=0.5, generalisation=0.75, robustness=0.35)
    assert metrics.score(Weights()) == pytest.approx(0.57)


def test_weights_are_parameters_and_an_unknown_metric_counts_only_if_it_has_one() -> None:
    metrics = Metrics(performance=0.6, adaptation=0.5, efficiency=0.5, generalisation=None, robustness=None)
    assert metrics.score(Weights()) is None
    assert metrics.score(Weights.parse("1,0,0,0,0")) == 0.6


@pytest.mark.parametrize("text", ["", "1,2,3", "a,b,c,d,e", "1,1,1,1,-1", "0,0,0,0,0", "nan,1,1,1,1"])
def test_invalid_weights_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="five numbers"):
        Weights.parse(text)


def test_strength_begins_above_the_first_legal_move() -> None:
    assert strength(0.4, 0.5) == 0
    assert strength(0.75, 0.5) == 0.5
    assert strength(1.0, 1.0) == 0
    assert retained(0.8, 0.6) == pytest.approx(0.75)
    assert retained(0.6, 0.8) == 1
    assert retained(0.0, 0.0) == 0, "nothing to generalise"
    assert retained(0.01, 0.02) == pytest.approx(0.04), "no full marks for hardly any strength"


def test_doing_nothing_is_not_rewarded() -> None:
    """Illegal answers only < the first legal move < the template, on games as they were once observed."""
    names = ("illegal", "first-legal", "template")
    stages = (STAGES["stage-0"], STAGES["reverse-8"])
    # black, white, winner: the template wins on the public stage; on the hidden one, chance helps the illegal answers
    games = [
        (0, "illegal", "first-legal", 1), (0, "first-legal", "illegal", 2), (0, "template", "illegal", 1),
        (0, "illegal", "template", 2), (0, "template", "first-legal", 1), (0, "first-legal", "template", 2),
        (1, "illegal", "first-legal", 1), (1, "first-legal", "illegal", 2), (1, "template", "illegal", 1),
        (1, "illegal", "template", 1), (1, "template", "first-legal", 1), (1, "first-legal", "template", 1),
    ]  # fmt: skip
    rows = [_game(number, *game) for number, game in enumerate(games)]
    analyses = [Analysis(stage, 0, name, 900.0 if name == "template" else 1.0) for stage in (0, 1) for name in names]
    entries = tuple(Entry(name, name, "nowhere", "X") for name in names)
    for definition, is_fair in ((Definition.STRENGTH, True), (Definition.PAPER, False)):
        results = Results(_plan(entries, stages, definition), analyses, rows)
        scores = [results.metrics(name).score(Weights()) or 0.0 for name in names]
        assert (scores == sorted(set(scores))) is is_fair, (definition, scores)


def _plan(entries: tuple[Entry, ...], stages: tuple[Stage, ...], definition: Definition) -> Plan:
    return Plan(
        entries, stages, repeats=1, analysis_ms=1000.0, game_ms=1000.0, clock=Clock.CPU, api=ApiLevel.OBSERVABLE,
        api_host=ApiHost.LOCAL, memory=Memory.FORK, failed=Failed.ABSENT, adaptation=False, weights=Weights(),
        restrictions=Restrictions(), secret=1, metrics=definition,
    )  # fmt: skip


def _game(number: int, stage: int, black: str, white: str, winner: int) -> GameRow:
    faults = tuple(
        Fault(player, move, "illegal", "") for player, name in ((1, black), (2, white)) if name == "illegal"
        for move in range(30)
    )  # fmt: skip
    return GameRow(
        number, stage, 0, 0, black, white, winner, 40, 24, None, "", 5.0, 5.0, faults, 1.0, 0.0,
        black_moves=30, white_moves=30,
    )  # fmt: skip
