"""Selection of value functions by a tournament (7.6), and rejection of bad programs by games among them (7.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from random import Random
from typing import Any

from vgdl.competition.agents.isolation import Sandbox
from vgdl.competition.tracks.worldmodels import answers, json_values
from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.model import ModelGame
from vgdl.competition.tracks.worldmodels.program import Interface, IsolatedProgram
from vgdl.competition.tracks.worldmodels.searching import Search
from vgdl.tabletop import sample_chance
from vgdl.tabletop.game import Information, Utility

MOST_STATES = 60
"""Average number of states per play on which a value function is tested, at most."""
KEPT_SHARE = 0.1
"""Largest accepted gap to the best program, as a share of the observed range of payoffs."""


def hosted_game(program: IsolatedProgram, initial: Any) -> ModelGame:
    """Make a game of a program in its isolated process."""
    facts = program.interface
    return ModelGame(
        program,
        initial,
        players=facts.players,
        information=Information.PERFECT_INFORMATION if facts.perfect else Information.IMPERFECT_INFORMATION,
        utility=Utility.ZERO_SUM if facts.zero_sum else Utility.GENERAL_SUM,
        returns=facts.returns,
    )


@dataclass(frozen=True, slots=True)
class ValueCandidate:
    """A value function and its fault."""

    source: str
    fault: str  #: empty if it may play


def sampled_states(game: ModelGame, plays: int, seed: int) -> list[tuple[Any, list[float] | None]]:
    """States of random plays on a learnt model, each with its returns if it is terminal, otherwise None.

    Raises:
        WorldModelError: the program failed.
    """
    draws = Random(seed)
    found: list[tuple[Any, list[float] | None]] = []
    for _ in range(plays):
        state = game.new_initial_state()
        while not state.is_terminal() and len(found) < MOST_STATES * plays:
            if state.is_chance_node():
                sample_chance(state, draws.random)
            else:
                found.append((state.value, None))
                state.apply_action(draws.choice(state.legal_actions()))
        if state.is_terminal():
            found.append((state.value, state.returns()))
    return found


def fault_of_value(program: IsolatedProgram, source: str, states: Sequence[tuple[Any, list[float] | None]]) -> str:
    """Describe the fault of a value function; it must be a number everywhere, and the exact return at the end (7.6).

    Args:
        program: the world model; its process also runs the value function.
        source: source of the value function.
        states: the result of `sampled_states`.
    """
    for state, returns in states:
        for player in range(program.interface.players):
            try:
                value = program.ask("value", source=source, state=state, player=player)
            except WorldModelError as error:
                return error.text()
            if isinstance(value, bool) or not isinstance(value, int | float):
                return f"{value!r:.60} is not a number"
            if returns is not None and not json_values.equal(float(value), returns[player]):
                return f"at the end it is {value} instead of {returns[player]}"
    return ""


def value_tournament(
    program: IsolatedProgram, initial: Any, sources: Sequence[str], *, games: int, search: Search, seed: int
) -> tuple[str, list[float]]:
    """Select the best value function, or none, by a round robin inside the program's process.

    Args:
        program: the world model.
        initial: its initial state.
        sources: value functions; an empty one, for none, is added.
        games: games per ordered pair.
        search: settings of the planners.
        seed: games use the seeds that follow this one.

    Returns:
        The source that won, empty for none, which also wins ties; and the mean returns, those of none first.
    """
    contestants = ["", *sources]
    totals, counts = [0.0] * len(contestants), [0] * len(contestants)
    for pair in product(range(len(contestants)), repeat=2):
        if pair[0] == pair[1]:
            continue
        for _ in range(games):
            seed += 1
            settings = asdict(replace(search, seed=seed % (1 << 31)))
            try:
                returns = program.ask(
                    "play_out", initial=initial, sources=[contestants[at] for at in pair], search=settings
                )
            except WorldModelError:
                continue  # failures of the program are no evidence about value functions
            for at, value in zip(pair, returns, strict=False):
                totals[at] += float(value)
                counts[at] += 1
    means = [total / count if count else 0.0 for total, count in zip(totals, counts, strict=True)]
    return contestants[means.index(max(means))], means


def value_candidates(
    program: IsolatedProgram, texts: Sequence[str], states: Sequence[tuple[Any, list[float] | None]]
) -> list[ValueCandidate]:
    """Test the value functions of some answers; only the first program of each answer counts."""
    found = []
    for text in texts:
        sources = answers.candidates(text)
        if not sources:
            found.append(ValueCandidate("", "the answer has no program"))
        else:
            found.append(ValueCandidate(sources[0], fault_of_value(program, sources[0], states)))
    return found


@dataclass(frozen=True, slots=True)
class Rejection:
    """The programs that play matches, and the payoffs of all in games among them."""

    survivors: tuple[int, ...]  #: indices of programs
    payoffs: tuple[float | None, ...]  #: mean payoff of each program


def reject(
    sources: Sequence[str],
    interface: Interface,
    initial: Any,
    sandbox: Sandbox,
    *,
    games: int,
    search: Search,
    seed: int,
) -> Rejection:
    """Let programs play each other, on the model of either, and reject those that are much worse than the best (7.7).

    A crash or an illegal action makes both lose, so an inconsistent program loses against all others.

    Args:
        sources: programs; equal ones share their results.
        interface: the programs' interface.
        initial: the initial state.
        sandbox: the sandbox of the programs.
        games: games per ordered pair and model.
        search: settings of the planners.
        seed: games use the seeds that follow this one.
    """
    different = list(dict.fromkeys(sources))
    if len(different) < 2 or games < 1:
        return Rejection(tuple(range(len(sources))), (None,) * len(sources))
    payoffs: dict[str, list[float]] = {source: [] for source in different}
    lowest, highest = float("inf"), float("-inf")
    programs = {source: IsolatedProgram(source, interface, sandbox) for source in different}
    try:
        for first, second in product(different, repeat=2):
            for host in dict.fromkeys((first, second)):
                for _ in range(games):
                    seed += 1
                    settings = replace(search, seed=seed % (1 << 31))
                    agents = [programs[first], programs[second]]
                    returns = _hosted(programs[host], agents, interface, initial, settings)
                    lowest, highest = min(lowest, *returns), max(highest, *returns)
                    payoffs[first].append(returns[0])
                    payoffs[second].append(returns[1])
    finally:
        for program in programs.values():
            program.close()
    means = {source: sum(values) / len(values) for source, values in payoffs.items()}
    least = max(means.values()) - KEPT_SHARE * (highest - lowest)
    survivors = tuple(number for number, source in enumerate(sources) if means[source] >= least)
    return Rejection(survivors, tuple(means[source] for source in sources))


def _hosted(
    host: IsolatedProgram, agents: Sequence[IsolatedProgram], interface: Interface, initial: Any, search: Search
) -> list[float]:
    """Play a game of two programs on the model of one of them; both lose if anything fails."""
    draws = Random(search.seed)
    try:
        for turns in _turns(host, agents, interface, initial, search, draws):
            returns = turns
    except WorldModelError:
        return [interface.returns[0]] * interface.players
    return returns


def _turns(
    host: IsolatedProgram,
    agents: Sequence[IsolatedProgram],
    interface: Interface,
    initial: Any,
    search: Search,
    draws: Random,
) -> Iterator[list[float]]:
    """The returns after every turn."""
    game = hosted_game(host, initial)
    state = game.new_initial_state()
    yield state.returns()
    for _ in range(search.max_rollout):
        if state.is_terminal():
            return
        if state.is_chance_node():
            sample_chance(state, draws.random)
        else:
            player = state.current_player()
            known = {
                "initial": initial,
                "state": state.value if interface.perfect else None,
                "history": state.own_history(player),
                "player": player,
            }
            chosen = agents[player].plan(known, replace(search, seed=draws.getrandbits(31)))
            try:
                action = state.string_to_action(chosen["action"])
            except ValueError as error:
                raise WorldModelError(Kind.CONTRACT, "get_legal_actions", str(error)) from None
            state.apply_action(action)
        yield state.returns()
