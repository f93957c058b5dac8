"""Unit tests made of recorded plays, and their verdicts on a program (5).

A test is data: the calls to a program's process and the expected answers. Answers are compared here, outside of that
process.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from vgdl.competition.tracks.worldmodels import json_values
from vgdl.competition.tracks.worldmodels.errors import MAX_TEXT, Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.host import READING
from vgdl.competition.tracks.worldmodels.program import IsolatedProgram, error_of
from vgdl.competition.tracks.worldmodels.worlds import player_name
from vgdl.tabletop.protocols import TERMINAL

RANDOM_STEPS = 1000
"""Most actions of a random play, after which it has to be over."""
CHECKED_TWICE = 0.05
"""Approximate share of the transition tests that call ``apply_action`` a second time."""
DIVERSITY_SAMPLES = 20


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a test."""

    passed: bool
    text: str = ""  #: description of the failure, for the author
    kind: str = ""  #: kind of the error; empty for a failed assertion


PASSED = Verdict(True)

CANNOT_LOAD = "the program cannot be loaded:"


def failed(text: str, error: WorldModelError | None = None) -> Verdict:
    """A verdict with the text of an assertion or an error."""
    whole = text if error is None else f"{text}\n{error.text()}" if text else error.text()
    return Verdict(False, whole[:MAX_TEXT], "" if error is None else str(error.kind))


class UnitTest(Protocol):
    """One test."""

    @property
    def kind(self) -> str:
        """``transition``, ``inference`` or ``random play``."""

    @property
    def name(self) -> str:
        """The name, unique among the tests of some plays."""

    def code(self) -> str:
        """The test as code, for the author."""


@dataclass(frozen=True, slots=True)
class TransitionTest:
    """All assertions about one recorded step; the last state has no action (5.1)."""

    name: str
    step: Mapping[str, Any]
    kind: str = "transition"

    def code(self) -> str:
        """The test as code."""
        step = self.step
        player = step["current_player"]
        lines = [
            f"state = {step['state']!r}",
            f"assert get_current_player(state) == {player}",
            f"assert get_player_name({player}) == {player_name(player)!r}",
            f"assert get_rewards(state) == {step['rewards']!r}",
            f"assert get_observations(state) == {step['observations']!r}",
        ]
        if step["legal_actions"] is not None:
            lines.append(f"assert set(get_legal_actions(state)) == set({step['legal_actions']!r})")
        if step["action"] is not None:
            lines.append(f"assert apply_action(state, {step['action']!r}) == {step['next_state']!r}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class InferenceTest:
    """A sampled history or state has to agree with a player's observations (5.2)."""

    name: str
    initial: Any
    history: tuple[tuple[Any, str | None], ...]  #: the player's observations and actions; the last action is None
    player: int
    last_is_terminal: bool = False
    reward: float | None = None  #: the player's return, at the end of a play
    closed: bool = False
    of_state: bool = False
    seed: int = 0
    kind: str = "inference"

    @property
    def pairs(self) -> list[list[Any]]:
        """The history as JSON-compatible data."""
        return [[observation, action] for observation, action in self.history]

    def code(self) -> str:
        """The test as code."""
        arguments = f"history, {self.player}" + (f", {self.last_is_terminal}" if self.closed else "")
        lines = [f"history = {self.pairs!r}"]
        if self.of_state:
            lines += [
                f"state = resample_state({arguments})",
                f"assert get_observations(state)[{self.player}] == history[-1][0]",
            ]
            return "\n".join(lines)
        lines += [
            f"state, expected = {self.initial!r}, list(history)",
            f"for action in resample_history({arguments}):",
            f"    if get_current_player(state) == {self.player}:",
            f"        assert [get_observations(state)[{self.player}], action] == expected.pop(0)",
            "    assert action in get_legal_actions(state)",
            "    state = apply_action(state, action)",
            "assert len(expected) == 1",
            f"assert get_current_player(state) == {TERMINAL if self.last_is_terminal else self.player}",
            f"assert get_observations(state)[{self.player}] == expected[0][0]",
        ]
        if self.reward is not None:
            lines.append(f"assert sum of get_rewards(...)[{self.player}] over the run == {self.reward}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class RandomPlayTest:
    """Uniformly random legal actions have to end the game, with valid players and rewards on the way (5.3)."""

    name: str
    initial: Any
    seed: int
    players: int
    kind: str = "random play"

    def code(self) -> str:
        """The test as code."""
        return "\n".join(
            [
                f"random.seed({self.seed})",
                f"state = {self.initial!r}",
                f"for _ in range({RANDOM_STEPS}):",
                f"    assert len(get_rewards(state)) == {self.players}",
                f"    assert get_current_player(state) in {[TERMINAL, -1, *range(self.players)]}",
                f"    if get_current_player(state) == {TERMINAL}:",
                "        break",
                "    state = apply_action(state, random.choice(get_legal_actions(state)))",
                f"assert get_current_player(state) == {TERMINAL}",
            ]
        )


def transition_tests(plays: Sequence[Mapping[str, Any]]) -> list[TransitionTest]:
    """Make a test for every step of open plays, including the last ones."""
    return [
        TransitionTest(f"transition {play}.{number}", step)
        for play, recorded in enumerate(plays)
        for number, step in enumerate(recorded["steps"])
    ]


def inference_tests(
    plays: Sequence[Mapping[str, Any]], *, of_state: bool = False, samples: int = 1
) -> list[InferenceTest]:
    """Make tests for every step of open plays at which a player moves, from that player's view."""
    found = []
    for play, recorded in enumerate(plays):
        for player in range(len(recorded["players"])):
            history: list[tuple[Any, str | None]] = []
            for number, step in enumerate(recorded["steps"]):
                if step["current_player"] != player:
                    continue
                seen = step["observations"][player]
                for sample in range(samples):
                    name = f"inference {play}.{number}" + (f".{sample}" if samples > 1 else "")
                    now = (*history, (seen, None))
                    found.append(
                        InferenceTest(name, recorded["initial_state"], now, player, of_state=of_state, seed=sample)
                    )
                history.append((seen, step["action"]))
    return found


def closed_tests(plays: Sequence[Mapping[str, Any]], seeds: int = 5, samples: int = 1) -> list[UnitTest]:
    """The tests of closed plays: inference at every step and at the end, and random play."""
    found: list[UnitTest] = []
    for play, recorded in enumerate(plays):
        history: list[tuple[Any, str | None]] = []
        player, initial = recorded["player"], recorded["initial_state"]
        for number, step in enumerate(recorded["steps"]):
            now = (*history, (step["observation"], None))
            for sample in range(samples):
                name = f"inference {play}.{number}" + (f".{sample}" if samples > 1 else "")
                found.append(InferenceTest(name, initial, now, player, closed=True, seed=sample))
            history.append((step["observation"], step["action"]))
        found.append(
            InferenceTest(
                f"inference {play}.end",
                initial,
                (*history, (recorded["final_observation"], None)),
                player,
                last_is_terminal=True,
                reward=recorded["reward"],
                closed=True,
            )
        )
    if plays:
        initial, players = plays[0]["initial_state"], len(plays[0]["players"])
        found += [RandomPlayTest(f"random play {seed}", initial, seed, players) for seed in range(seeds)]
    return found


def run(program: IsolatedProgram, tests: Sequence[UnitTest]) -> list[Verdict]:
    """Run tests on a program; a program that cannot be loaded fails them all."""
    try:
        program.load()
    except WorldModelError as error:
        return [failed(CANNOT_LOAD, error)] * len(tests)
    verdicts: dict[int, Verdict] = {}
    for kind, runner in _RUNNERS.items():
        chosen = [number for number, test in enumerate(tests) if isinstance(test, kind)]
        if chosen:
            found = runner(program, [tests[number] for number in chosen])
            verdicts.update(zip(chosen, found, strict=True))
    return [verdicts[number] for number in range(len(tests))]


def _run_transitions(program: IsolatedProgram, tests: Sequence[Any]) -> list[Verdict]:
    names = list(READING)
    reads = program.ask_many("read", [{"state": test.step["state"], "names": names} for test in tests])
    moves = [number for number, test in enumerate(tests) if test.step["action"] is not None]
    calls = [
        {
            "state": tests[number].step["state"],
            "action": tests[number].step["action"],
            "seed": number,
            "twice": is_checked_twice(tests[number].name),
        }
        for number in moves
    ]
    steps = dict(zip(moves, program.ask_many("step", calls), strict=True))
    players = sorted({test.step["current_player"] for test in tests})
    player_names = dict(zip(players, program.ask_many("name", [{"player": player} for player in players]), strict=True))
    return [
        _judge_transition(test, read, steps.get(number), player_names[test.step["current_player"]])
        for number, (test, read) in enumerate(zip(tests, reads, strict=True))
    ]


def is_checked_twice(name: str) -> bool:
    """Whether a test of this name calls ``apply_action`` a second time, as a share `CHECKED_TWICE` of them does."""
    digest = hashlib.blake2b(name.encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") < CHECKED_TWICE * 2**32


def _judge_transition(test: TransitionTest, read: Any, after: Any, name: Any) -> Verdict:
    step = test.step
    if isinstance(read, WorldModelError):
        return failed("", read)
    expected = {
        "get_current_player": step["current_player"],
        "get_rewards": step["rewards"],
        "get_legal_actions": step["legal_actions"],
        "get_observations": step["observations"],
    }
    for function, wanted in expected.items():
        answer = read.get(function) if isinstance(read, dict) else None
        if wanted is None:
            continue
        if fault := _mistake(function, wanted, answer):
            return fault
    if fault := _wrong("get_player_name", player_name(step["current_player"]), name):
        return fault
    if step["action"] is None:
        return PASSED
    call = f"apply_action(state, {step['action']!r})"
    if isinstance(after, dict) and "again" in after:
        if fault := _mistake("apply_action", after.get("value"), after["again"]):
            reason = "two calls with the same arguments have different values"
            error = WorldModelError(Kind.NONDETERMINISTIC, "apply_action", reason)
            return failed("", error) if not fault.kind else fault
        after = after.get("value")
    return _wrong(call, step["next_state"], after) or PASSED


def _mistake(function: str, expected: Any, answer: Any) -> Verdict | None:
    """A failure if an answer of `host.answered` is an error or differs from the expected value, otherwise None."""
    if not isinstance(answer, dict) or not ("value" in answer or "error" in answer):
        return failed("", WorldModelError(Kind.CONTRACT, function, "its process sent an invalid answer"))
    if "error" in answer:
        return failed("", error_of(answer["error"]))
    return _wrong(function, expected, answer["value"])


def _wrong(function: str, expected: Any, value: Any) -> Verdict | None:
    if isinstance(value, WorldModelError):
        return failed("", value)
    if function == "get_legal_actions":
        return wrong_actions(expected, value)
    difference = json_values.difference(expected, value)
    if difference is None:
        return None
    shown = "" if function.startswith("apply_action") else "(state)"
    texts = f"expected: {json.dumps(expected)[:1500]}\nactual: {json.dumps(value)[:1500]}"
    return failed(f"AssertionError: {function}{shown}: {difference}\n{texts}")


def wrong_actions(expected: Sequence[str], value: Any) -> Verdict | None:
    """A failure if an answer of ``get_legal_actions`` is not the set of expected actions, otherwise None."""
    if not isinstance(value, list) or not all(isinstance(action, str) for action in value):
        message = f"{json.dumps(value)[:200]} is not a list of strings"
        return failed("", WorldModelError(Kind.CONTRACT, "get_legal_actions", message))
    missing, extra = sorted(set(expected) - set(value)), sorted(set(value) - set(expected))
    if not missing and not extra:
        return None
    faults = [f"missing {missing[:20]}"] if missing else []
    faults += [f"not legal {extra[:20]}"] if extra else []
    return failed(f"AssertionError: get_legal_actions(state): {'; '.join(faults)}")


def _run_inference(program: IsolatedProgram, tests: Sequence[Any]) -> list[Verdict]:
    verdicts: dict[int, Verdict] = {}
    for of_state, judge in ((True, _judge_state), (False, _judge_history)):
        chosen = [number for number, test in enumerate(tests) if test.of_state == of_state]
        method = "resample_state" if of_state else "replay"
        for number, answer in zip(
            chosen, program.ask_many(method, [_call_facts(tests[n]) for n in chosen]), strict=True
        ):
            wrong = isinstance(answer, WorldModelError)
            verdicts[number] = failed("", answer) if wrong else judge(tests[number], answer)
    return [verdicts[number] for number in range(len(tests))]


def _call_facts(test: InferenceTest) -> dict[str, Any]:
    asked = {"history": test.pairs, "player": test.player, "seed": test.seed}
    return asked if test.of_state else {**asked, "initial": test.initial, "last": test.last_is_terminal}


def _judge_state(test: InferenceTest, observations: Any) -> Verdict:
    if not isinstance(observations, list) or len(observations) <= test.player:
        return failed("", WorldModelError(Kind.CONTRACT, "get_observations", "not a list of observations"))
    return _wrong("get_observations of the sampled state", test.history[-1][0], observations[test.player]) or PASSED


def _judge_history(test: InferenceTest, answer: Any) -> Verdict:
    """Compare a run of sampled actions with the player's observations and actions."""
    try:
        turns, mover, seen, rewards = (answer[name] for name in ("turns", "mover", "seen", "rewards"))
        expected = list(test.history)
        for number, (player, action, shown, is_legal) in enumerate(turns):
            where = f"action {number} of the sampled history, {action!r:.80},"
            if player == test.player:
                if len(expected) == 1:
                    return failed(f"AssertionError: {where} is one more of player {player} than were recorded")
                observation, wanted = expected.pop(0)
                if difference := json_values.difference(observation, shown):
                    return failed(f"AssertionError: before {where} the player should see something else: {difference}")
                if action != wanted:
                    return failed(f"AssertionError: {where} should be the recorded {wanted!r:.80}")
            if not is_legal:
                return failed(f"AssertionError: {where} is not in get_legal_actions(state)")
        if len(expected) != 1:
            return failed(f"AssertionError: after the sampled history {len(expected) - 1} recorded turns are left")
        wanted_mover = TERMINAL if test.last_is_terminal else test.player
        if mover != wanted_mover:
            return failed(f"AssertionError: after the sampled history it is {mover}'s turn, not {wanted_mover}'s")
        if difference := json_values.difference(expected[0][0], seen):
            return failed(
                f"AssertionError: after the sampled history the player should see something else: {difference}"
            )
        if test.reward is not None:
            earned = sum(float(each[test.player]) for each in rewards)
            if not json_values.equal(test.reward, earned):
                return failed(f"AssertionError: the player's rewards add up to {earned!r}, not {test.reward}")
    except (TypeError, KeyError, ValueError, IndexError):
        return failed("", WorldModelError(Kind.CONTRACT, "", "its process sent an invalid answer"))
    return PASSED


def _run_random(program: IsolatedProgram, tests: Sequence[Any]) -> list[Verdict]:
    found = []
    for test in tests:
        try:
            turns = program.ask("random_play", initial=test.initial, seed=test.seed, steps=RANDOM_STEPS)
            found.append(_judge_random(test, turns))
        except WorldModelError as error:
            found.append(failed("", error))
    return found


def _judge_random(test: RandomPlayTest, turns: Any) -> Verdict:
    allowed = (TERMINAL, -1, *range(test.players))
    if not isinstance(turns, list) or not all(isinstance(turn, list) and len(turn) == 2 for turn in turns):
        return failed("", WorldModelError(Kind.CONTRACT, "", "its process sent an invalid answer"))
    for number, (mover, rewards) in enumerate(turns):
        if mover not in allowed or isinstance(mover, bool):
            return failed(f"AssertionError: get_current_player(state) is {mover!r:.60} after {number} actions")
        is_list = isinstance(rewards, list) and len(rewards) == test.players
        if not is_list or not all(isinstance(reward, int | float) for reward in rewards):
            return failed(f"AssertionError: get_rewards(state) is {rewards!r:.60} after {number} actions")
    if not turns or turns[-1][0] != TERMINAL:
        return failed(f"AssertionError: the game is not over after {RANDOM_STEPS} random actions")
    return PASSED


_RUNNERS = {TransitionTest: _run_transitions, InferenceTest: _run_inference, RandomPlayTest: _run_random}


@dataclass(frozen=True, slots=True)
class Diversity:
    """Measures that expose degenerate samplers (5.4)."""

    distinct: float  #: share of different histories among the samples
    has_chance: bool  #: whether chance ever moves in random plays


def diversity(program: IsolatedProgram, tests: Sequence[UnitTest], players: int) -> Diversity | None:
    """Measure the diversity of a program's samples on the longest history of the tests; None without samples."""
    histories = [test for test in tests if isinstance(test, InferenceTest) and not test.of_state]
    if not histories:
        return None
    longest = max(histories, key=lambda test: len(test.history))
    draws = Random(0)
    calls = [
        {
            "history": longest.pairs,
            "player": longest.player,
            "last": longest.last_is_terminal,
            "seed": draws.getrandbits(31),
        }
        for _ in range(DIVERSITY_SAMPLES)
    ]
    samples = [found for found in program.ask_many("resample", calls) if not isinstance(found, WorldModelError)]
    if not samples:
        return None
    has_chance = False
    for seed in range(3):
        try:
            turns = program.ask("random_play", initial=longest.initial, seed=seed, steps=RANDOM_STEPS)
            has_chance = has_chance or any(turn[0] == -1 for turn in turns)
        except (WorldModelError, TypeError, IndexError):
            continue
    return Diversity(len({json_values.canonical(found) for found in samples}) / len(samples), has_chance)
