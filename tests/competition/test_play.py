"""The rules of one play, with agents whose answers and costs are scripted."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

import vgdl
from vgdl import Action, replay
from vgdl.competition.agents.failure import AgentFailed, Cause
from vgdl.competition.agents.plain_data import Plain
from vgdl.competition.agents.service import Reply
from vgdl.competition.tracks.planning.controller_adapter import InvalidAnswer
from vgdl.competition.tracks.planning.play import INVALID_ANSWER, Referee
from vgdl.competition.tracks.planning.records import Outcome
from vgdl.competition.tracks.planning.rules import Overtime, Rules

TOY = Path(__file__).parent / "toy" / "toy.txt"
CORRIDOR = 1
RIGHT = Reply(1.0, Action.RIGHT)


@dataclass
class ScriptedAgent:
    """Gives its answers in order, then repeats the last."""

    answers: list[Reply] = field(default_factory=lambda: [RIGHT])
    construction: float = 1.0
    result_used: float = 1.0
    seen: list[object] = field(default_factory=list)
    failing: str = ""

    def prepare(self) -> None:
        """Nothing needs importing."""

    def call(self, method: str, budget: float | None = None, /, **arguments: Plain | bytes) -> Reply:
        if method == self.failing:
            raise AgentFailed(Cause.EXCEPTION, "ZeroDivisionError")
        if method != "act":
            return Reply(self.construction if method == "construct" else self.result_used)
        self.seen.append(arguments["observation"])
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def play(
    agent: ScriptedAgent, rules: Rules | None = None, *, seed: int = 1, secret: int = 9, stirring: str = ""
) -> Referee:
    state = vgdl.load(str(TOY)).start(level=CORRIDOR, seed=seed)
    referee = Referee(state, [("Scripted", agent)], rules or Rules(), secret, ["toy", CORRIDOR, 0], stirring)
    referee.run()
    return referee


def test_a_won_play() -> None:
    record = play(ScriptedAgent())
    (player,) = record.results
    assert (player.outcome, player.controller, player.cause) == (Outcome.WON, "Scripted", "")
    assert record.actions == ((Action.RIGHT,),) * 4
    assert player.score == 1  # a winner without points is given one


def test_a_lost_play() -> None:
    (player,) = play(ScriptedAgent([Reply(1.0, Action.UP)])).results
    assert (player.outcome, player.score) == (Outcome.LOST, 0)


def test_the_play_ends_at_the_limit_of_the_game() -> None:
    record = play(ScriptedAgent([Reply(1.0, None)]))
    assert record.results[0].outcome is Outcome.LOST
    assert 59 <= len(record.actions) <= 61
    assert set(record.actions) == {(Action.NIL,)}


def test_tick_2000_is_the_last_and_then_the_game_is_lost() -> None:
    """For the forward model as well: a copy that is advanced ends where the game does."""
    endless = vgdl.loads(TOY.read_text().replace("Timeout limit=60 win=False", "Timeout limit=9999 win=True"))
    state = endless.start(level="wwwww\nwA.gw\nwwwww\n", seed=1)
    copy = state.copy(seed=2)
    copy.rollout([Action.NIL] * 3000)
    record = Referee(state, [("Scripted", ScriptedAgent([Reply(1.0, None)]))], Rules(), 9, ["toy", 0, 0])
    record.run()
    assert (record.state.tick, record.results[0].outcome) == (copy.tick, Outcome.LOST)
    assert copy.winner == 0
    assert copy.tick == 2000
    assert len(record.actions) in (2000, 2001)


def test_exactly_forty_ms_are_in_time() -> None:
    (player,) = play(ScriptedAgent([Reply(40.0, Action.RIGHT)])).results
    assert (player.outcome, player.late_answers, player.action_used_max) == (Outcome.WON, 0, 40)


@pytest.mark.parametrize("used", [40.001, 50.0])
def test_a_late_answer_is_replaced_by_nil(used: float) -> None:
    record = play(ScriptedAgent([Reply(used, Action.UP), RIGHT]))
    assert record.actions[:2] == ((Action.NIL,), (Action.RIGHT,))
    assert (record.results[0].outcome, record.results[0].late_answers) == (Outcome.WON, 1)


def test_an_action_that_the_avatar_lacks_is_counted() -> None:
    record = play(ScriptedAgent([Reply(1.0, Action.USE), RIGHT]))
    assert (record.results[0].outcome, record.results[0].invalid_answers) == (Outcome.WON, 1)
    assert record.results[0].details == "at tick 0 it answered Action.USE, which this avatar does not have"


def test_strict_rules_disqualify_for_an_invalid_answer() -> None:
    record = play(ScriptedAgent([RIGHT, Reply(1.0, InvalidAnswer("'UP'"))]), Rules(strict=True))
    (player,) = record.results
    assert (player.outcome, player.cause) == (Outcome.DISQUALIFIED, INVALID_ANSWER)
    assert player.details == "at tick 1 it answered 'UP', which is not an Action"


def test_over_fifty_ms_disqualify_even_in_the_winning_tick() -> None:
    record = play(ScriptedAgent([RIGHT, RIGHT, RIGHT, Reply(50.001, Action.RIGHT)]))
    (player,) = record.results
    assert (player.outcome, player.score, player.cause) == (Outcome.DISQUALIFIED, -1000, Overtime.ACTION)
    assert "50.001 ms" in player.details
    assert record.actions[-1] == (Action.NIL,)
    assert len(record.actions) == 4


def test_a_slow_construction_disqualifies_before_the_first_tick() -> None:
    assert play(ScriptedAgent(construction=1000.0)).results[0].outcome is Outcome.WON
    record = play(ScriptedAgent(construction=1000.001))
    assert record.results[0].cause == Overtime.CONSTRUCTION
    assert (record.results[0].score, record.actions) == (-1000, ())


def test_a_slow_callback_disqualifies_after_the_fact() -> None:
    assert play(ScriptedAgent(result_used=100.0)).results[0].outcome is Outcome.WON
    player = play(ScriptedAgent(result_used=100.001)).results[0]
    assert (player.outcome, player.cause, player.score) == (Outcome.DISQUALIFIED, Overtime.RESULT, -1000)


@pytest.mark.parametrize(("request_", "ticks"), [("construct", 0), ("act", 1), ("result", 4)])
def test_a_controller_that_fails_is_disqualified_and_its_error_kept(request_: str, ticks: int) -> None:
    record = play(ScriptedAgent(failing=request_))
    (player,) = record.results
    assert (player.outcome, player.score, player.details) == (Outcome.DISQUALIFIED, -1000, "ZeroDivisionError")
    assert len(record.actions) == ticks


def test_escape_ends_the_play_without_a_winner() -> None:
    record = play(ScriptedAgent([RIGHT, Reply(1.0, Action.ESCAPE)]))
    assert record.results[0].outcome is Outcome.NO_WINNER
    assert len(record.actions) == 2


def test_the_controller_sees_another_random_future_than_the_real_one() -> None:
    """The observations of two plays with the same secret are equal, whatever the seed of the real game is."""

    def seen(*, seed: int, secret: int) -> list[object]:
        agent = ScriptedAgent()
        play(agent, seed=seed, secret=secret)
        return agent.seen

    assert seen(seed=1, secret=9) == seen(seed=2, secret=9)
    assert seen(seed=1, secret=9) != seen(seed=1, secret=10)


def test_a_play_repeats_exactly() -> None:
    answers = [Reply(1.0, Action.LEFT), RIGHT]
    assert play(ScriptedAgent(answers[:])).results == play(ScriptedAgent(answers[:])).results


WANDERERS = 2
WAITS = Reply(1.0, None)


def final(seed: int, stirring: str) -> bytes:
    state = vgdl.load(str(TOY)).start(level=WANDERERS, seed=seed)
    referee = Referee(state, [("Scripted", ScriptedAgent([WAITS]))], Rules(), 9, ["toy", WANDERERS, 0], stirring)
    referee.run()
    names = [[None if action is None else action.name for action in tick] for tick in referee.actions]
    board = vgdl.load(str(TOY)).drawn(seed).board(WANDERERS)
    assert replay.simulate(board, seed, names, stirring) == referee.state
    return referee.state.to_bytes()


def test_stirred_chance_depends_on_the_key_and_is_repeatable() -> None:
    key, other = "ab" * 16, "cd" * 16
    assert final(1, key) == final(1, key)
    assert len({final(1, key), final(1, other), final(1, "")}) == 3


def test_after_stirring_the_seed_does_not_determine_the_real_future() -> None:
    """Finding the seed or a tick's generator state by brute force does not predict the next tick."""
    plain, stirred = (vgdl.load(str(TOY)).start(level=WANDERERS, seed=4) for _ in range(2))
    for tick in range(10):
        found = stirred.copy()  # the exact state, generator included
        replay.stir(stirred, "ab" * 16)
        assert found.generator != stirred.generator
        assert plain.tick == stirred.tick == tick
        plain.advance(Action.NIL)
        stirred.advance(Action.NIL)
    assert plain.to_bytes() != stirred.to_bytes()
