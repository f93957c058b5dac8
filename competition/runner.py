"""All plays of a competition, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import vgdl
from vgdl import replay
from vgdl.competition.game_set import GameSet
from vgdl.competition.observation import encode_board
from vgdl.competition.play import Play, Record
from vgdl.competition.protocol import Protocol
from vgdl.competition.results import Conditions, Outcome, PlayerResult, PlayResult
from vgdl.competition.scoring import GameStanding, PlayScore, Standing, rank_all, rank_game
from vgdl.competition.seat import ControllerFailed, ProcessSeat
from vgdl.competition.seeds import derive
from vgdl.controllers.registry import Entry


@dataclass(frozen=True, slots=True)
class Fixture:
    """One play to be played: who plays what."""

    entry: Entry
    game: vgdl.Game
    level: int
    repeat: int

    def __str__(self) -> str:
        return f"{self.entry.ranking_name}: {self.game.name}, level {self.level}"

    @property
    def place(self) -> tuple[str, int, int]:
        """What is played, without who plays it; in the same place all controllers meet the same random future."""
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
            vgdl.VGDLError: a game or level cannot be loaded, or there is no such level.
            ValueError: a game is not for one player.
        """
        boards = {game: _boards(game, levels) for game in map(_load, game_set.paths)}
        self.conditions = Conditions(protocol, secret, game_set.name, boards)
        self._protocol = protocol
        self._secret = secret
        self._replays = replays
        self.fixtures = [
            Fixture(entry, game, level, repeat)
            for repeat in range(repeats)
            for game in boards
            for level in boards[game]
            for entry in entries
        ]

    def play(self, fixture: Fixture) -> PlayResult:
        """Play one fixture in a fresh process."""
        seed = derive(self._secret, "game", *fixture.place)
        record = self._record(fixture, fixture.game.start(level=fixture.level, seed=seed))
        if self._replays is not None:
            self._write_replay(self._replays, fixture, seed, record)
        return PlayResult(*fixture.place, seed, record.state.tick, record.players, record.state.error or "")

    def _record(self, fixture: Fixture, state: vgdl.StateObservation) -> Record:
        name, labels = fixture.entry.ranking_name, (*fixture.place, fixture.entry.ranking_name)
        seed = derive(self._secret, "controller", *labels)
        with ProcessSeat(fixture.entry, self._protocol, player=0, seed=seed) as seat:
            try:
                seat.prepare(encode_board(state))
            except ControllerFailed as failure:
                return Record(state, (), (self._never_sat_down(name, failure),))
            return Play(state, [(name, seat)], self._protocol, self._secret, labels).run()

    def _never_sat_down(self, name: str, failure: ControllerFailed) -> PlayerResult:
        score = self._protocol.disqualified_score
        return PlayerResult(name, Outcome.DISQUALIFIED, score, cause=failure.cause, details=failure.details)

    def _write_replay(self, folder: Path, fixture: Fixture, seed: int, record: Record) -> None:
        names = [[None if action is None else action.name for action in tick] for tick in record.actions]
        played = replay.record(record.state, seed, names, controllers=[fixture.entry.ranking_name])
        replay.write(played, folder / f"{played.level}_play{fixture.repeat}_{fixture.entry.ranking_name}.json")


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


def _load(path: Path) -> vgdl.Game:
    game = vgdl.load(path)
    if game.n_players != 1:
        raise ValueError(f"{game.name} is for {game.n_players} players; the competition is for one")
    return game


def _boards(game: vgdl.Game, levels: Sequence[int] | None) -> dict[int, vgdl.Board]:
    """The boards of the chosen levels by number."""
    chosen = range(len(game.levels)) if levels is None else levels
    return {level: game.board(level) for level in chosen}
