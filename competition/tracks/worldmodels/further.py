"""Further matches of a finished run: with and without value functions (7.6), and of policies trained by PPO (8.4)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

from vgdl.cli import Parser, program
from vgdl.competition import options
from vgdl.competition.errors import CompetitionError, using
from vgdl.competition.results import Column, Results, ResultTable, console_for, rows_of
from vgdl.competition.store import Store
from vgdl.competition.track import OpenStore
from vgdl.competition.tracks.worldmodels.errors import WorldModelError
from vgdl.competition.tracks.worldmodels.matches import (
    AtRandom,
    MatchPlayer,
    ModelPlayer,
    Outcome,
    TruePlanner,
    play_match,
)  # fmt: skip
from vgdl.competition.tracks.worldmodels.plan import Plan
from vgdl.competition.tracks.worldmodels.program import IsolatedProgram, working_isolation
from vgdl.competition.tracks.worldmodels.searching import Search
from vgdl.competition.tracks.worldmodels.store import ChoiceRow, SynthesisRow, ValueRow
from vgdl.competition.tracks.worldmodels.trajectories import record
from vgdl.competition.tracks.worldmodels.worlds import World
from vgdl.extras import needs

Z = 1.96
"""Half the width of a 95 % interval, in standard errors."""

OPPONENTS = ("gt", "random")

_COLUMNS = (
    Column("game"), Column("deck", hidden=True), Column("opponent"), Column("seat"), Column("chosen"),
    Column("matches", hidden=True), Column("without", form=".2f"), Column("with", form=".2f"),
    Column("difference", "gain", "+.2f"), Column("low", form="+.2f"), Column("high", form="+.2f"),
)  # fmt: skip


_PPO = (
    Column("game"), Column("deck", hidden=True), Column("opponent"), Column("seat"), Column("matches"), Column("wins"),
    Column("losses"), Column("payoff", form=".2f"), Column("forfeits"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Valued:
    """A program, and a value function of it."""

    row: SynthesisRow
    value: str
    is_chosen: bool  #: whether the tournament chose it, rather than none


def values(arguments: Sequence[str]) -> int:
    """Run ``vgdl-compete worldmodels values``; returns the exit status."""
    parser = _parser(
        "values",
        "Play the programs of a store with their value functions and without, and compare.\n\n"
        "The matches of a pair begin with the same deals and seeds. A value function is the one that the tournament\n"
        "chose, or if it chose none, the first without a fault.",
    )
    return _finished(parser, arguments, ablation)


def ppo(arguments: Sequence[str]) -> int:
    """Run ``vgdl-compete worldmodels ppo``; returns the exit status."""
    parser = _parser(
        "ppo",
        "Train a policy by PPO inside the learnt model of each game, against uniformly random moves, and play it on\n"
        'the true game. Needs: pip install "vgdl[learn]"',
    )
    parser.add_argument(
        "--steps", type=options.positive, default=20_000, metavar="N",
        help="own steps of a training; the paper has 10,000,000 (default: 20000)",
    )  # fmt: skip
    return _finished(parser, arguments, policies)


def _parser(word: str, description: str) -> argparse.ArgumentParser:
    """A command's options that both have."""
    parser = Parser(
        prog=f"{program('compete')} worldmodels {word}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("store", help="results store of a finished run")
    parser.add_argument("--matches", type=options.positive, default=20, metavar="N", help="per opponent and seat")
    parser.add_argument(
        "--opponents", type=options.name_list, default=["gt"], metavar="A,B", help=f"of {', '.join(OPPONENTS)}"
    )
    parser.add_argument("--simulations", type=options.positive, metavar="N", help="per move (default: the run's)")
    options.add_isolation_level(parser.add_argument_group("isolation of the programs"))
    options.add_output(parser.add_argument_group("output"), "game, deck, opponent and seat")
    return parser


Made = Callable[[Plan, Store, argparse.Namespace], Results]


def _finished(parser: argparse.ArgumentParser, arguments: Sequence[str], make: Made) -> int:
    """Read the command line and the store, make the results, and print them."""
    chosen = parser.parse_args(arguments)
    try:
        for name in chosen.opponents:
            if name not in OPPONENTS:
                parser.error(f"there is no opponent {name!r}: choose from {', '.join(OPPONENTS)}")
        options.check_store(chosen.store)
        options.check_files(chosen.json, chosen.csv, chosen.store)
        with using(), OpenStore.open(Path(chosen.store)) as opened:
            plan = opened.track.plan_in(opened.store)
            if not isinstance(plan, Plan):
                raise options.OptionError(f"{chosen.store} has no turn-based games, which this is for")
            found = make(plan, opened.store, chosen)
    except (CompetitionError, ValueError) as error:
        print(f"{program('compete')}: {error}", file=sys.stderr)
        return 2
    found.print(console_for(chosen.json))
    found.write(chosen.json, chosen.csv)
    return 0


def policies(plan: Plan, store: Store, chosen: argparse.Namespace) -> Results:
    """Train a policy for each seat of each game, and let it play.

    Raises:
        OptionError: PyTorch is missing, or the store has no program.
    """
    try:
        from vgdl.competition.tracks.worldmodels.ppo import PolicyAgent, trained
    except ImportError:
        raise options.OptionError(needs("training by PPO", "PyTorch", "learn")) from None
    survivors = {number for row in store.rows(ChoiceRow) for number in row.facts.get("survivors", ())}
    first: dict[tuple[str, str], SynthesisRow] = {}
    for row in store.rows(SynthesisRow):
        if row.number in survivors:
            first.setdefault((row.game, row.deck), row)
    if not first:
        raise options.OptionError("the store has no program that plays: finish the run first")
    sandbox = working_isolation(chosen.isolation)
    search = Search(chosen.simulations or plan.sizes.simulations, plan.sizes.rollouts, seconds=plan.sizes.seconds)
    rows: list[tuple[Any, ...]] = []
    for (game, deck), row in first.items():
        world = plan.world(game)
        interface = world.interface(closed=deck == "closed", sampler=plan.sampler)
        initial = record(world, 0)["initial_state"]
        with IsolatedProgram(row.program, interface, sandbox) as isolated:
            for seat in range(world.players):
                try:
                    policy = trained(isolated, initial, seat, chosen.steps, plan.seed("ppo", game, deck, seat))
                except WorldModelError as error:
                    raise options.OptionError(f"the learnt model of {game} fails in training: {error}") from None
                for opponent in chosen.opponents:
                    outcomes = []
                    for number in range(chosen.matches):
                        draws = Random(plan.seed("ppo match", game, deck, opponent, seat, number))
                        own = PolicyAgent(policy, Random(draws.getrandbits(31)))
                        outcomes.append(_outcome(world, own, search, opponent, seat, draws))
                    payoffs = [each.returns[seat] for each in outcomes]
                    lost = sum(each.forfeited == seat for each in outcomes)
                    wins = sum(payoff > 0 for payoff in payoffs)
                    losses = sum(payoff < 0 for payoff in payoffs)
                    rows.append((game, deck, opponent, seat, len(payoffs), wins, losses, fmean(payoffs), lost))
    table = ResultTable("ppo", "Policies trained by PPO on learnt models, on the true games", _PPO, rows_of(_PPO, rows))
    facts = {"ppo": table.rows, "steps": chosen.steps}
    return Results("worldmodels", True, [table], facts, [table], csv="ppo", done=len(rows))


def ablation(plan: Plan, store: Store, chosen: argparse.Namespace) -> Results:
    """Play, and compare.

    Raises:
        OptionError: the store has no value functions.
    """
    groups: dict[tuple[str, str], list[Valued]] = {}
    for each in valued(store):
        groups.setdefault((each.row.game, each.row.deck), []).append(each)
    if not groups:
        raise options.OptionError("the store has no value function that works: run it with --values")
    sandbox = working_isolation(chosen.isolation)
    search = Search(chosen.simulations or plan.sizes.simulations, plan.sizes.rollouts, seconds=plan.sizes.seconds)
    rows = []
    for (game, deck), programs in groups.items():
        world = plan.world(game)
        interface = world.interface(closed=deck == "closed", sampler=plan.sampler)
        isolated = [IsolatedProgram(each.row.program, interface, sandbox) for each in programs]
        try:
            for opponent in chosen.opponents:
                for seat in range(world.players):
                    pairs = []
                    for number in range(chosen.matches):
                        at = number % len(programs)
                        seed = plan.seed("ablation", game, deck, opponent, seat, number)
                        pairs.append(
                            [
                                _payoff(world, isolated[at], replace(search, value=value), opponent, seat, seed)
                                for value in ("", programs[at].value)
                            ]
                        )
                    chosen_ones = sum(each.is_chosen for each in programs)
                    shown = f"{chosen_ones} of {len(programs)}"
                    rows.append((game, deck, opponent, seat, shown, len(pairs), *compared(pairs)))
        finally:
            for process in isolated:
                process.close()
    table = ResultTable("values", "Mean payoffs without and with value functions", _COLUMNS, rows_of(_COLUMNS, rows))
    legend = "chosen: programs whose tournament preferred the value function to none; low, high: 95 % interval"
    return Results("worldmodels", True, [table], {"values": table.rows}, [table, legend], csv="values", done=len(rows))


def valued(store: Store) -> Iterator[Valued]:
    """The programs that play matches, each with a value function that has no fault."""
    survivors = {number for row in store.rows(ChoiceRow) for number in row.facts.get("survivors", ())}
    values = {row.number: row for row in store.rows(ValueRow)}
    for row in store.rows(SynthesisRow):
        if row.number not in survivors or row.number not in values:
            continue
        found = values[row.number]
        able = [each["program"] for each in found.facts.get("candidates", ()) if not each["fault"]]
        if found.program or able:
            yield Valued(row, found.program or able[0], bool(found.program))


def compared(pairs: Sequence[Sequence[float]]) -> tuple[float, float, float, float | None, float | None]:
    """The means without and with, and the mean difference by pairs with its 95 % interval, if there are several."""
    without, with_value = zip(*pairs, strict=True)
    differences = [after - before for before, after in pairs]
    mean = fmean(differences)
    if len(pairs) < 2:
        return fmean(without), fmean(with_value), mean, None, None
    half = Z * stdev(differences) / len(pairs) ** 0.5
    return fmean(without), fmean(with_value), mean, mean - half, mean + half


def _payoff(world: World, isolated: IsolatedProgram, search: Search, opponent: str, seat: int, seed: int) -> float:
    """The return of a program in one match."""
    draws = Random(seed)
    own = ModelPlayer(isolated, search, Random(draws.getrandbits(31)))
    return float(_outcome(world, own, replace(search, value=""), opponent, seat, draws).returns[seat])


def _outcome(world: World, own: MatchPlayer, search: Search, opponent: str, seat: int, draws: Random) -> Outcome:
    """One match of a player in a seat."""
    players: list[MatchPlayer] = []
    for number in range(world.players):
        chance = Random(draws.getrandbits(31))
        other = TruePlanner(world, search, chance) if opponent == "gt" else AtRandom(world, chance)
        players.append(own if number == seat else other)
    return play_match(world, players, draws)
