"""Whole matches of scripted models: each style of answer has its known outcome (specification, 9.2)."""

from __future__ import annotations

import random

import pytest

from vgdl.competition.chat.cache import Cache
from vgdl.competition.chat.model import ChatError, TransportError
from vgdl.competition.chat.session import ChatSession
from vgdl.competition.tracks.gamebot.match import Match, MatchOptions, MatchResult, Player, Replaced
from vgdl.competition.tracks.gamebot.players import ChatPlayer, MovePlayer, PerfectPlayer, at_random, exhaustive
from vgdl.competition.tracks.gamebot.scripted import ScriptedModel
from vgdl.competition.tracks.gamebot.tasks import TASKS
from vgdl.competition.tracks.gamebot.verdicts import Metric, Tally, Verdict

pytest.importorskip("pyspiel", reason='needs: pip install "vgdl[tabletop]"')
pytest.importorskip("jinja2", reason='needs: pip install "vgdl[llm]"')

GAMES = sorted(TASKS)


def played(
    game: str, mode: str, *, seed: int = 0, options: MatchOptions | None = None, matches: int = 1
) -> list[MatchResult]:
    """Matches of a scripted model, as player 0, against chance."""
    task, results = TASKS[game](), []
    for number in range(matches):
        model = ChatPlayer("model", ScriptedModel(mode, seed), ChatSession(Cache(None)), f"match {number}")
        players: list[Player] = [model, MovePlayer("random", at_random(number))]
        results.append(Match(task, players, random.Random(number), options).play())
    return results


def tallies(game: str, results: list[MatchResult]) -> dict[int, Tally]:
    found = {each.number: Tally(each.metric) for each in TASKS[game]().subproblems}
    for result in results:
        for turn in result.turns:
            for judged in turn.judged:
                found[judged.number].add(judged.verdict, readable=judged.readable)
    return found


@pytest.mark.parametrize("mode", ["correct", "decorated", "error:2"])
@pytest.mark.parametrize("game", GAMES)
def test_right_answers_are_right(game: str, mode: str) -> None:
    results = played(game, mode, matches=3)
    values = [tally.value for tally in tallies(game, results).values()]
    assert set(values) <= {1.0, None}
    assert 1.0 in values
    turns = [turn for result in results for turn in result.turns]
    assert not any(turn.replaced for turn in turns)
    assert not any(judged.readable is False for turn in turns for judged in turn.judged)


@pytest.mark.parametrize("game", GAMES)
def test_wrong_answers_are_wrong(game: str) -> None:
    results = played(game, "wrong", matches=3)
    for tally in tallies(game, results).values():
        assert tally.value in (0.0, None)
        assert tally.format_errors == 0
        assert not {Verdict.TRUE_POSITIVE, Verdict.TRUE_NEGATIVE, Verdict.CORRECT} & set(tally.counts)


@pytest.mark.parametrize("game", GAMES)
def test_malformed_answers_are_format_errors(game: str) -> None:
    results = played(game, "malformed", matches=3)
    for tally in tallies(game, results).values():
        assert tally.format_errors == tally.n_questions
        assert tally.value in (0.0, None)


@pytest.mark.parametrize("game", GAMES)
def test_illegal_moves_are_counted_and_replaced(game: str) -> None:
    results = played(game, "illegal", matches=2)
    values = {tally.value for tally in tallies(game, results).values()}
    assert values <= {1.0, None}
    own = [turn for result in results for turn in result.turns if turn.player == 0]
    assert own
    assert {turn.replaced for turn in own} == {Replaced.INVALID}
    assert all(turn.move for turn in own)


@pytest.mark.parametrize(("mode", "truncated"), [("silent", False), ("cut", True)])
@pytest.mark.parametrize("game", GAMES)
def test_answers_without_a_move(game: str, mode: str, truncated: bool) -> None:
    [result] = played(game, mode)
    own = [turn for turn in result.turns if turn.player == 0]
    assert {turn.response.truncated for turn in own} == {truncated}
    assert {turn.replaced for turn in own} == {Replaced.FORMAT}


def test_a_mixture_has_its_shares() -> None:
    results = played("pong", "mix:0.4", matches=40)
    own = [turn for result in results for turn in result.turns if turn.player == 0]
    flawless = [
        turn for turn in own if not turn.replaced and all(judged.verdict == "correct" for judged in turn.judged)
    ]
    assert len(own) > 200
    assert 0.55 < len(flawless) / len(own) < 0.8  # 60 % correct, and decorated in the other six styles


def test_an_unreachable_model_leaves_no_result() -> None:
    with pytest.raises(TransportError):
        played("tic_tac_toe", "error:9")


def test_the_same_seed_gives_the_same_answers() -> None:
    assert played("othello", "mix:0.5", seed=3) == played("othello", "mix:0.5", seed=3)
    assert played("othello", "mix:0.5", seed=3) != played("othello", "mix:0.5", seed=4)


@pytest.mark.parametrize("mode", ["", "right", "error", "error:x", "mix:2", "correct:1"])
def test_unknown_styles_are_refused(mode: str) -> None:
    with pytest.raises(ChatError, match="there is no scripted model"):
        ScriptedModel(mode)


def test_a_model_is_asked_again_with_the_reason() -> None:
    texts: list[str] = []

    class Recording(ScriptedModel):
        pass

    model = ChatPlayer("model", Recording("illegal"), ChatSession(Cache(None)), "m")
    task = TASKS["tic_tac_toe"]()
    original = model.respond

    def respond(*arguments: object) -> object:
        texts.append(str(arguments[-1]))
        return original(*arguments)  # type: ignore[arg-type]

    model.respond = respond  # type: ignore[method-assign, assignment]
    Match(task, [model, MovePlayer("random", at_random(1))], random.Random(1), MatchOptions(reask=2)).play()
    assert texts[:3] == ["", *["Your last answer chose (9,9), which is not legal here."] * 2]


def test_a_player_without_a_legal_move_can_be_made_to_lose() -> None:
    [result] = played("tic_tac_toe", "silent", options=MatchOptions(forfeit=True))
    assert (result.values, result.forfeited) == ((-1.0, 1.0), 0)
    [result] = played("bargaining", "silent", options=MatchOptions(forfeit=True))
    assert result.values == (0.0, 0.0)


def test_swapped_players_have_the_same_deal() -> None:
    task = TASKS["holdem"]()
    first, second = (
        Match(task, [MovePlayer("a", at_random(one)), MovePlayer("b", at_random(two))], random.Random(5))
        for one, two in ((1, 2), (2, 1))
    )
    positions = [match.play().turns[0].position for match in (first, second)]
    assert positions[0] == positions[1]


def test_the_perfect_player_never_loses_tic_tac_toe_and_is_always_right() -> None:
    task = TASKS["tic_tac_toe"]()
    for seed in range(6):
        players: list[Player] = [PerfectPlayer("perfect", exhaustive), MovePlayer("random", at_random(seed))]
        order = players if seed % 2 else players[::-1]
        result = Match(task, order, random.Random(seed)).play()
        seat = order.index(players[0])
        assert result.values[seat] >= 0
        judged = [each for turn in result.turns if turn.player == seat for each in turn.judged]
        assert {each.verdict for each in judged} <= {Verdict.TRUE_POSITIVE, Verdict.TRUE_NEGATIVE}


def test_metrics_are_those_of_the_paper() -> None:
    metrics = {name: [each.metric for each in TASKS[name]().subproblems] for name in GAMES}
    f1, accuracy = Metric.F1, Metric.ACCURACY
    assert metrics == {
        "othello": [f1, f1],
        "pong": [accuracy, accuracy],
        "surround": [accuracy] * 3,
        "checkers": [f1] * 3,
        "tic_tac_toe": [f1, f1],
        "connect_four": [f1, f1],
        "holdem": [accuracy, accuracy],
        "bargaining": [accuracy, accuracy],
    }
