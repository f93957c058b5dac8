"""All plays of a competition, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import vgdl
from vgdl import replay
from vgdl.competition.game_set import GameFiles, GameSet
from vgdl.competition.observation import encode_board
from vgdl.competition.play import Play, Record
from vgdl.competition.protocol import Protocol
from vgdl.competition.results import Outcome, PlayerResult, PlayResult
from vgdl.competition.scoring import GameStanding, PlayScore, Standing, rank_all, rank_game
from vgdl.competition.seat import ControllerFailed, ProcessSeat
from vgdl.competition.seeds import derive
from vgdl.controllers.registry import Entry


@dataclass(frozen=True, slots=True)
class Fixture:
    """One play to be played: who plays what. All controllers meet the same real random future in a fixture's place."""

    entry: Entry
    game: GameFiles
    level: int
    repeat: int

    def __str__(self) -> str:
        return f"{self.entry.ranking_name}: {self.game.name}, level {self.level}"

    @property
    def place(self) -> tuple[str, int, int]:
        """What the play is of, without who plays it."""
        return self.game.name, self.level, self.repeat


class Competition:
    """A list of fixtures and how they are played."""

    def __init__(
        self,
        entries: Sequence[Entry],
        game_set: GameSet,
        *,
        levels: Sequence[int] | None = None,
        repeats: int = 1,
        protocol: Protocol,
        secret: int,
        replays: Path | None = None,
    ) -> None:
        """Set a competition up; every game and level is loaded, so that a bad one is known before the first play.

        Args:
            entries: the controllers.
            game_set: the games.
            levels: numbers of the levels to play, all of them by default.
            repeats: plays of each controller per level.
            protocol: limits and rules.
            secret: the number from which all seeds derive.
            replays: an existing folder for a replay file of each play.

        Raises:
            vgdl.VGDLError, vgdl.VGDLRuntimeError: a game or level cannot be loaded.
            ValueError: a game has no such level, or is not for one player.
        """
        self.game_set = game_set
        self.protocol = protocol
        self.secret = secret
        self._replays = replays
        chosen = {game.name: _existing(game, levels) for game in game_set.games}
        self._games = {game.name: _load(game, chosen[game.name]) for game in game_set.games}
        self.fixtures = [
            Fixture(entry, game, level, repeat)
            for repeat in range(repeats)
            for game in game_set.games
            for level in chosen[game.name]
            for entry in entries
        ]

    def play(self, fixture: Fixture) -> PlayResult:
        """Play one fixture in a fresh process."""
        seed = derive(self.secret, "game", *fixture.place)
        state = self._games[fixture.game.name].start(level=fixture.level, seed=seed)
        record = self._record(fixture, state)
        if self._replays is not None:
            self._write_replay(self._replays, fixture, seed, record)
        return PlayResult(*fixture.place, seed, record.state.tick, record.players, record.state.error or "")

    def _record(self, fixture: Fixture, state: vgdl.StateObservation) -> Record:
        name, labels = fixture.entry.ranking_name, (*fixture.place, fixture.entry.ranking_name)
        seed = derive(self.secret, "controller", *labels)
        with ProcessSeat(fixture.entry, self.protocol, player=0, seed=seed) as seat:
            try:
                seat.prepare(encode_board(state))
            except ControllerFailed as failure:
                return Record(state, (), (self._never_sat_down(name, failure),))
            return Play(state, [(name, seat)], self.protocol, self.secret, labels).run()

    def _never_sat_down(self, name: str, failure: ControllerFailed) -> PlayerResult:
        score = self.protocol.disqualified_score
        return PlayerResult(name, Outcome.DISQUALIFIED, score, cause=failure.cause, details=failure.details)

    def _write_replay(self, folder: Path, fixture: Fixture, seed: int, record: Record) -> None:
        game, level, player = fixture.game, fixture.game.levels[fixture.level], fixture.entry.ranking_name
        names = [[None if action is None else action.name for action in tick] for tick in record.actions]
        played = replay.record(game.path, level, seed, names, record.state, controllers=[player])
        replay.write(played, folder / f"{level.stem}_play{fixture.repeat}_{player}.json")


def rank(plays: Sequence[PlayResult]) -> tuple[dict[str, list[GameStanding]], list[Standing]]:
    """The standings of each game played, in the order in which they were first played, and the overall ranking."""
    by_game: dict[str, list[PlayScore]] = {}
    for play in plays:
        for player in play.players:
            won = player.outcome is Outcome.WON
            by_game.setdefault(play.game, []).append(
                PlayScore(player.controller, play.game, won, player.score, play.ticks)
            )
    games = {game: rank_game(scores) for game, scores in by_game.items()}
    return games, rank_all(games)


def _load(files: GameFiles, levels: Sequence[int]) -> vgdl.Game:
    """Load a game with its levels; it must be for one player."""
    game = vgdl.load(str(files.path))
    for level in levels:
        state = game.start(level=level, seed=0)
        if state.n_players != 1:
            raise ValueError(f"{files.name} is for {state.n_players} players; the competition is for one")
    return game


def _existing(game: GameFiles, levels: Sequence[int] | None) -> Sequence[int]:
    """The levels to play of a game, which must have them."""
    if levels is None:
        return range(len(game.levels))
    for level in levels:
        if level >= len(game.levels):
            raise ValueError(f"{game.name} has no level {level}, only 0 to {len(game.levels) - 1}")
    return levels
