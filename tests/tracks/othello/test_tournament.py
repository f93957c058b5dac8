"""Tournaments with real processes: the fate of cheats, stored results, and resumption after an interruption."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from vgdl.competition.agents.failure import AgentFailed, Cause, MachineBusy
from vgdl.competition.agents.isolation import Restrictions
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.sandboxes import working_sandbox
from vgdl.competition.agents.service import Clock
from vgdl.competition.agents.view import view
from vgdl.competition.entrants import files_of
from vgdl.competition.store import Store
from vgdl.competition.track import Place
from vgdl.competition.tracks.othello import entries
from vgdl.competition.tracks.othello.adapter import service
from vgdl.competition.tracks.othello.contestant import Contestant
from vgdl.competition.tracks.othello.metrics import Definition, Weights
from vgdl.competition.tracks.othello.plan import ApiHost, ApiLevel, Failed, Memory, Plan
from vgdl.competition.tracks.othello.results import Results
from vgdl.competition.tracks.othello.store import TABLES, Analysis, GameRow, faults
from vgdl.competition.tracks.othello.store import record as record_in
from vgdl.competition.tracks.othello.tournament import GameDone, Tournament
from vgdl.tabletop.othello_stages import STAGES

CHEATS = Path(__file__).with_name("cheats.py")

pytestmark = [pytest.mark.one_case, pytest.mark.limits]


@cache
def plan(*names: str, stages: Sequence[str] = ("stage-1",), **changes: Any) -> Plan:
    """A plan with classes of ``cheats.py``, and built-in systems by their names in small letters."""
    made = Plan(
        entries=entries.SYSTEMS.find_all(name if name in entries.BUILT_IN else f"{CHEATS}:{name}" for name in names),
        stages=tuple(STAGES[name] for name in stages),
        repeats=1,
        analysis_ms=500.0,
        game_ms=500.0,
        clock=Clock.CPU,
        api=ApiLevel.OBSERVABLE,
        api_host=ApiHost.LOCAL,
        memory=Memory.FORK,
        failed=Failed.ABSENT,
        adaptation=False,
        weights=Weights(),
        restrictions=Restrictions(),
        secret=7,
    )
    return replace(made, **changes)


def tournament(planned: Plan) -> Tournament:
    asked = service(planned.clock, planned.analysis_ms, planned.game_ms)
    return Tournament(
        planned, working_sandbox(planned.entries, asked, planned.restrictions, view(files_of(planned.entries)), "auto")
    )


def new_store(planned: Plan, path: Path | None = None) -> Store:
    return Store.create(path, {"track": "othello", **planned.facts()}, TABLES)


def games(store: Store) -> list[GameRow]:
    return store.rows(GameRow)


def play(planned: Plan, store: Store, most: int | None = None) -> Results:
    """Play the remaining games, or a number of them, and store the results."""
    playing, place = tournament(planned), Place()
    results = Results.of(planned, store)
    known = {(row.stage, row.budget, row.system) for row in results.analyses}
    number = 0
    try:
        for unit in playing.units(results):
            for done in playing.play(unit, place):
                if number == most:
                    return Results.of(planned, store)
                number += 1
                if isinstance(done, GameDone):
                    store.add(GameRow.of(done.fixture, done.record, done.seconds, done.waited_ms))
                elif (key := (done.analysis.stage, done.analysis.budget, done.analysis.system)) not in known:
                    known.add(key)
                    store.add(done.analysis)
    finally:
        place.stop()
    return Results.of(planned, store)


def played(*names: str, **changes: Any) -> tuple[Results, Store]:
    planned = plan(*names, **changes)
    store = new_store(planned)
    return play(planned, store), store


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("AnalysesTooLong", "time"),
        ("RaisesInAnalysis", "an exception"),
        ("ReturnsNothing", "it returned nothing that can be called"),
        ("CannotBeMade", "an exception"),
    ],
)
def test_without_a_strategy_a_system_is_not_entered(name: str, cause: str) -> None:
    results, store = played(name, "First", "random")
    (failure,) = results.failures()
    assert (failure.system, failure.cause) == (name, cause)
    assert "\x1b" not in failure.details
    assert results.performance(0, name) == 0
    assert results.efficiency(0, name) == 0
    assert {game.black for game in games(store)} == {"First", "random"}
    assert results.is_complete


@pytest.mark.costly
def test_an_analysis_that_sleeps_past_its_limit_is_not_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vgdl.competition.tracks.othello.adapter.SHORTEST_WAIT_S", 2.0)
    results, _ = played("SleepsPastTheLimit", "First", "random")
    (failure,) = results.failures()
    assert (failure.system, failure.cause) == ("SleepsPastTheLimit", "no answer")


@pytest.mark.costly
def test_with_the_option_a_random_strategy_stands_in() -> None:
    results, _ = played("RaisesInAnalysis", "First", failed=Failed.RANDOM)
    assert len(results.failures()) == 1
    assert len(results.parts(0, "RaisesInAnalysis")) == 2
    assert results.is_complete


def test_the_clock_ends_a_strategy_that_loops_at_the_limit_and_one_budget_more() -> None:
    _, store = played("LoopsInAGame", "First", analysis_ms=500.0)
    for game in games(store):
        used = game.black_ms if game.black == "LoopsInAGame" else game.white_ms
        assert game.forfeit_cause == "time"
        assert 500 < used < 3000, "its CPU time, counted by the system; the limit and one budget are 1,000 ms"


@pytest.mark.parametrize(
    ("name", "cause"),
    [("BurnsTheGame", "time"), ("RaisesAlways", "3 exceptions"), ("Dies", "its process ended")],
)
def test_reasons_for_forfeits(name: str, cause: str) -> None:
    results, store = played(name, "First")
    assert len(games(store)) == 2
    for game in games(store):
        assert game.forfeit == (1 if game.black == name else 2)
        assert game.forfeit_cause == cause
        own, other = (game.black_score, game.white_score)[:: 1 if game.black == name else -1]
        assert (own, other) == (0, 36)
    assert results.performance(0, name) == 0, "and the next game begins from the snapshot all the same"


@pytest.mark.costly
def test_a_strategy_that_hangs_forfeits() -> None:
    _, store = played("Hangs", "First", game_ms=10.0)
    assert {game.forfeit_cause for game in games(store)} == {"no answer"}


def test_nonsense_is_replaced_and_marked() -> None:
    _, store = played("AnswersNonsense", "First")
    assert not [game for game in games(store) if game.forfeit]
    record = record_in(store, 0)
    assert [move.fallback for move in record.moves if move.player == 1][:7] == [True] * 6 + [False]
    assert {fault.cause for _, fault in faults(games(store))} == {"illegal"}


def test_raising_twice_goes_on() -> None:
    _, store = played("RaisesTwice", "First")
    assert not [game for game in games(store) if game.forfeit]
    assert len(list(faults(games(store)))) == 4, "two in each game: nothing is remembered"


def test_the_work_of_threads_is_charged() -> None:
    _, store = played("WorksInAThread", "First")
    assert {game.forfeit_cause for game in games(store)} == {"time"}


@pytest.mark.costly
def test_every_game_begins_from_the_snapshot() -> None:
    _, forked = played("Remembers", "First")
    assert not list(faults(games(forked)))
    _, kept = played("Remembers", "First", memory=Memory.KEEP)
    assert [fault.move for _, fault in faults(games(kept))] == [2], "in the second game, as white"


@pytest.mark.costly
def test_with_an_analysis_for_every_game_nothing_is_passed_on() -> None:
    """Copies of one process share sockets and the scratch folder; processes that have nothing in common do not."""
    _, forked = played("PassesOn", "First")
    assert [fault.cause for _, fault in faults(games(forked))] == ["illegal"], "the second game knows of the first"
    _, fresh = played("PassesOn", "First", memory=Memory.FRESH)
    assert len(games(fresh)) == 2
    assert not list(faults(games(fresh)))


def test_a_system_that_fails_in_the_analysis_for_a_game_loses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ask, asked = Contestant._ask_for_strategy, Counter[str]()

    def failing(contestant: Contestant, name: str, limit: float) -> Any:
        asked[name] += 1
        if name == "First" and asked[name] > 1:
            raise AgentFailed(Cause.HUNG, "in its second analysis")
        return ask(contestant, name, limit)

    monkeypatch.setattr(Contestant, "_ask_for_strategy", failing)
    _, store = played("First", "random", memory=Memory.FRESH)
    assert [game.forfeit for game in games(store)] == [1, 2]
    assert {game.forfeit_cause for game in games(store)} == {Cause.HUNG}


@pytest.mark.parametrize("host", ApiHost)
@pytest.mark.parametrize("stage", ["occlusion-cw", "fewer-8", "reverse-8"])
def test_no_rule_can_be_read(host: ApiHost, stage: str) -> None:
    results, _ = played("LooksForFlags", "First", stages=(stage,), api_host=host)
    analysis = results.analysis(0, "LooksForFlags")
    assert analysis is not None
    assert analysis.has_strategy
    assert analysis.log_facts is not None
    assert analysis.log_facts["found"] == []


@pytest.mark.parametrize("host", ApiHost)
@pytest.mark.parametrize("api", ApiLevel)
def test_the_api_answers_from_this_process_and_from_the_referee(host: ApiHost, api: ApiLevel) -> None:
    results, store = played("AsksApi", "First", api_host=host, api=api)
    assert results.failures() == []
    analysis = results.analysis(0, "AsksApi")
    assert analysis is not None
    assert analysis.log_facts is not None
    assert analysis.log_facts["observable"] == (api == "observable")
    assert not [game for game in games(store) if game.forfeit]


def test_short_messages_of_a_system_go_into_the_log() -> None:
    _, store = played("Chatty", "Telling")
    analysis = record_in(store, 0).analysis
    assert set(analysis["blackSystem"]) == {"analysisTime", "wallTime"}
    assert analysis["whiteSystem"]["exploredPositions"] == 12


@pytest.mark.costly
def test_an_interrupted_tournament_resumes(tmp_path: Path) -> None:
    planned = plan("First", "RaisesTwice", "greedy", stages=("stage-1", "stage-2"))
    file = tmp_path / "store.db"
    with new_store(planned, file) as store:
        assert play(planned, store, most=5).done == 2
    with Store.open(file) as store:
        store.use(TABLES)
        assert Plan.from_facts(store.plan) == planned
        before = games(store)
        results = play(planned, store)
        assert results.is_complete
        assert results.done == 12
        assert games(store)[: len(before)] == before
        assert store.count(Analysis) == 6


def test_the_same_secret_gives_the_same_games() -> None:
    planned = plan("random", "RaisesTwice")
    records = []
    for _ in range(2):
        store = new_store(planned)
        play(planned, store)
        records.append([[move.cell for move in record_in(store, number).moves] for number in range(2)])
    assert records[0] == records[1]
    assert records[0][0] != records[0][1]


@pytest.mark.costly
def test_leaderboards_and_metrics_are_computed_from_the_games() -> None:
    chosen = {"stages": ("stage-1", "reverse-6"), "metrics": Definition.PAPER}
    results, store = played("First", "random", "greedy", **chosen)
    for stage in range(2):
        board = results.leaderboard(stage)
        assert sum(row.wins for row in board) == sum(row.losses for row in board)
        assert [row.games for row in board] == [4, 4, 4]
        assert [row.performance for row in board] == sorted((row.performance for row in board), reverse=True)
    metrics = results.metrics("greedy")
    assert metrics.performance == results.performance(1, "greedy"), "the private stage counts"
    assert metrics.robustness == metrics.performance
    assert metrics.score(Weights()) is not None
    assert 0.9 < metrics.efficiency <= 1
    details = results.details(1, "First")
    assert details.against_built_ins is not None
    lost = [part for part in results.parts(1, "First") if part.result == 0]
    assert all(part.own > part.other for part in lost), "fewest pieces win there"
    assert "First" in {name for game in games(store) for name in (game.black, game.white)}


@pytest.mark.costly
def test_adaptation_is_measured_with_smaller_budgets_against_the_built_ins() -> None:
    results, store = played("First", "greedy", adaptation=True)
    assert results.plan.budgets_ms == (500.0, 125.0, pytest.approx(500 / 15), pytest.approx(500 / 60))  # type: ignore[comparison-overlap]
    assert {(game.budget, game.black) for game in games(store)} == {
        (budget, name) for budget in range(4) for name in ("First", "greedy")
    }
    by_budget = [results.performance(0, "First", budget) for budget in range(4)]
    assert results.adaptation(0, "First") == pytest.approx(sum(by_budget) / 4)


@pytest.mark.costly
def test_a_stage_on_which_the_machine_was_too_busy_is_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was played before counts, and a system that was not entered is not entered later."""
    fork, forks = AgentProcess.fork, iter(range(1000))

    def busy(agent: AgentProcess) -> AgentProcess:
        if next(forks) == 5:
            raise MachineBusy("there was no core")
        return fork(agent)

    monkeypatch.setattr(AgentProcess, "fork", busy)
    results, store = played("First", "random", "RaisesInAnalysis", repeats=2)
    assert results.is_complete
    assert len(games(store)) == len({game.number for game in games(store)}) == results.done
    assert [failure.system for failure in results.failures()] == ["RaisesInAnalysis"]
    assert next(forks) > 6


@pytest.mark.costly
def test_a_machine_that_is_always_too_busy_ends_the_tournament_with_an_explanation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def busy(agent: AgentProcess) -> AgentProcess:
        raise MachineBusy("there was no core")

    monkeypatch.setattr(AgentProcess, "fork", busy)
    with pytest.raises(MachineBusy, match="was void 3 times: there was no core"):
        played("First", "random")
