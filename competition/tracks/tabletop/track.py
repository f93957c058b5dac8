"""The track: its options and plan, the rows of its store, its results and its pages."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vgdl.competition import options, strengths, typed
from vgdl.competition.options import Groups, OptionError
from vgdl.competition.results import Column, Results, ResultTable, rows_of
from vgdl.competition.store import Store
from vgdl.competition.table import Packed, Table
from vgdl.competition.track import NO_OPTIONS, Played, Setting
from vgdl.competition.tracks.planning.plan import check_number
from vgdl.competition.tracks.tabletop.players import PLAYERS
from vgdl.controllers.tabletop.resampling import CannotSearch, Resampler
from vgdl.registry import Entry
from vgdl.tabletop import TurnBasedGame, load, loading, sample_chance


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that results depend on."""

    game: str  #: as `vgdl.tabletop.load` takes it; the path of a file is absolute
    seats: int  #: number of players of the game
    entries: tuple[Entry, ...]
    rounds: int
    simulations: int
    move_ms: float
    secret: int

    def __post_init__(self) -> None:
        """Check the size.

        Raises:
            PlanError: there are too many matches.
        """
        check_number(self.total, "matches")

    def facts(self) -> dict[str, Any]:
        """The plan as JSON-compatible values."""
        return {**asdict(self), "secret": str(self.secret)}

    @property
    def total(self) -> int:
        """The number of matches."""
        return self.rounds * math.perm(len(self.entries), self.seats)

    def matches(self) -> list[tuple[int, tuple[Entry, ...]]]:
        """The round and the players by seat of each match: in each round, every choice of players in every order."""
        lineups = list(itertools.permutations(self.entries, self.seats))
        return [(number, lineup) for number in range(self.rounds) for lineup in lineups]


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A finished match: a row of the store."""

    number: int  #: in `Plan.matches`
    round: int
    players: tuple[str, ...]  #: by seat
    returns: tuple[float, ...]  #: by seat
    failed: int  #: seat of the player that failed, and so lost; -1 if none did
    failure: str
    actions: Packed[tuple[int, ...]] = ()  #: with outcomes of chance

    def outcome(self, seat: int) -> float:
        """1 for a victory, 0.5 for a draw, 0 for a defeat: compared with the best of the other players."""
        if self.failed >= 0:
            return float(seat != self.failed)
        others = max(value for at, value in enumerate(self.returns) if at != seat)
        return 0.5 if self.returns[seat] == others else float(self.returns[seat] > others)


class TabletopTrack(Played[Plan]):
    """A round robin in a turn-based game."""

    name = "tabletop"
    summary = "players of any turn-based game, also one of your own"
    description = (
        "Let searches and programs of your own play a turn-based game against each other, every one on every seat.\n"
        "What the game hides from a player is drawn anew in the state that it gets."
    )
    epilog = """\
examples:
  vgdl-compete tabletop --game othello --players mcts,alphabeta,random
  vgdl-compete tabletop --game nim.py:Nim --players mcts,my_player.py:MyPlayer --rounds 10 --store nim.db"""
    tables = (Table("tabletop_matches", MatchRow, "number"),)
    noun = "matches"

    def add_options(self, groups: Groups) -> None:
        what = groups.plan("what is played")
        what.add_argument(
            "--game", default="othello(size=6)", metavar="GAME",
            help="a turn-based game: a name, with parameters, or FILE.py:CLASS (default: othello(size=6))",
        )  # fmt: skip
        what.add_argument(
            "--players", type=options.name_list, default=["mcts", "alphabeta", "random"], metavar="A,B,...",
            help=f"who plays: {', '.join(PLAYERS.names())}, or FILE.py:CLASS (default: mcts,alphabeta,random)",
        )  # fmt: skip
        what.add_argument(
            "--rounds", type=options.positive, default=1, metavar="N", help="matches of each lineup (default: 1)"
        )
        what.add_argument(
            "--simulations", type=options.positive, default=200, metavar="N",
            help="per move of mcts and ismcts, and nodes of alphabeta (default: 200)",
        )  # fmt: skip
        what.add_argument(
            "--move-time", type=options.milliseconds, default=10_000.0, metavar="TIME",
            help="CPU time per move, after which a player loses (default: 10s)",
        )  # fmt: skip
        groups.seed("what is played")
        options.add_isolation_level(groups.session("isolation of players"))
        groups.store("matches in parallel, a core each")
        groups.output("match and seat")

    def plan(self, options_: Mapping[str, Any]) -> Plan:
        name = loading.absolute(options_["game"])
        game = playable(name)
        entries = PLAYERS.find_all(options_["players"])
        seats = game.num_players()
        if len(entries) < seats or seats < 2:
            raise OptionError(f"{game.to_string()} has {seats} players; --players names {len(entries)}")
        chosen = (options_["rounds"], options_["simulations"], options_["move_time"])
        return Plan(name, seats, entries, *chosen, options.secret(options_))

    def plan_of(self, facts: Mapping[str, Any]) -> Plan:
        read = {name: typed.read(kind, facts[name], name) for name, kind in _FACTS.items()}
        return Plan(**read, secret=int(facts["secret"]))

    def work(self, plan: Plan, setting: Setting) -> Any:
        from vgdl.competition.tracks.tabletop.matches import Matches

        return Matches(plan, setting, playable(plan.game))

    def results(self, store: Store, options: Mapping[str, Any] = NO_OPTIONS) -> Results:
        plan, rows = self.plan_in(store), store.rows(MatchRow)
        names = [entry.ranking_name for entry in plan.entries]
        index = {name: at for at, name in enumerate(names)}
        wins = np.zeros((len(names), len(names)))
        tally = {name: [0, 0, 0] for name in names}
        seats = []
        for row in rows:
            for seat, name in enumerate(row.players):
                outcome = row.outcome(seat)
                tally[name][{1.0: 0, 0.5: 1, 0.0: 2}[outcome]] += 1
                seats.append((row.number, row.round, seat + 1, name, row.returns[seat], outcome,
                              row.failure if seat == row.failed else ""))  # fmt: skip
            for one, other in itertools.permutations(range(len(row.players)), 2):
                wins[index[row.players[one]], index[row.players[other]]] += _compared(row, one, other)
        elo = strengths.fit(wins[None])[0] * strengths.ELO
        ranked: list[tuple[Any, ...]] = [
            (name, *tally[name], (tally[name][0] + tally[name][1] / 2) / max(1, sum(tally[name])), float(elo[at]))
            for at, name in enumerate(names)
        ]
        ranked.sort(key=lambda row: (-row[4], -row[5], row[0]))
        columns = (
            *(Column("player"), Column("won"), Column("drawn"), Column("lost")),
            *(Column("points", "points per match", ".3f"), Column("elo", "Elo", ".0f")),
        )
        ranking = ResultTable("ranking", f"Players of {_shown(plan.game)}", columns, rows_of(columns, ranked))
        fields = tuple(map(Column, ("match", "round", "seat", "player", "return", "outcome", "failure")))
        matches = ResultTable("matches", "Matches", fields, rows_of(fields, seats))
        failures = [
            f"match {row.number}, {row.players[row.failed]} as player {row.failed + 1}: {row.failure}"
            for row in rows
            if row.failed >= 0
        ]
        total = plan.total
        return Results(
            self.name, len(rows) == total, [ranking, matches], shown=[ranking, *failures, f"seed {plan.secret}"],
            csv="matches", done=len(rows), total=total,
        )  # fmt: skip


_FACTS: dict[str, Any] = {
    "game": str, "seats": int, "entries": tuple[Entry, ...], "rounds": int, "simulations": int, "move_ms": float,
}  # fmt: skip


def playable(name: str) -> TurnBasedGame:
    """Load a game in which players take turns.

    Raises:
        OptionError: there is no such game, its players move at once, or what it hides cannot be drawn.
    """
    try:
        game = load(name)
    except (LookupError, ValueError, TypeError) as error:
        raise OptionError(str(error)) from None
    if game.get_type().dynamics.name != "SEQUENTIAL":
        raise OptionError(
            f"players of {game.to_string()} move at once; this track is for games in which they take turns"
        )
    try:
        _draw_hidden(game)
    except CannotSearch as error:
        raise OptionError(f"players would see what is hidden from them: {error}") from None
    return game


def _draw_hidden(game: TurnBasedGame) -> None:
    """Draw what is hidden from each mover of a random match.

    Raises:
        CannotSearch: that is not possible.
    """
    draws = random.Random(0)
    resampler, state = Resampler(), game.new_initial_state()
    while game.get_type().information.name != "PERFECT_INFORMATION" and not state.is_terminal():
        if state.is_chance_node():
            sample_chance(state, draws.random)
            continue
        resampler(state, state.current_player(), draws.random)
        state.apply_action(draws.choice(state.legal_actions()))


def _compared(row: MatchRow, one: int, other: int) -> float:
    """1, 0.5 or 0 for a player against another one of a match."""
    if row.failed in (one, other):
        return float(other == row.failed)
    ours, theirs = row.returns[one], row.returns[other]
    return 0.5 if ours == theirs else float(ours > theirs)


def _shown(game: str) -> str:
    """The name of a game, without the folder of its file."""
    return Path(game).name
