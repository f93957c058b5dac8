"""A play in progress: the state, the players, and all actions so far, independent of clock and display."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from vgdl import Action, Board, Game, StateObservation, Winner
from vgdl.game import LevelLike
from vgdl.play.players import Player, PlayerFailed
from vgdl.replay import Replay, record


def in_words(name: str) -> str:
    """The name of a game's file as a title."""
    return "Untitled" if name == "<text>" else name.replace("_", " ").capitalize()


class Match:
    """One game, its players, and the level that is being played."""

    def __init__(self, game: Game, level: LevelLike, players: Sequence[Player], seed: int | None = None) -> None:
        """Start a play.

        Args:
            game: to play.
            level: a number, path or text.
            players: as many as the game has.
            seed: of every play; None: a new one each time.

        Raises:
            VGDLError: the level cannot be built.
            ValueError: there are too few or too many players.
        """
        if len(players) != game.n_players:
            raise ValueError(f"{game.name} is for {game.n_players}, not for {len(players)}")
        self.game = game
        self.players = tuple(players)
        self._seed = seed
        self._start(level)

    def _start(self, level: LevelLike) -> None:
        self.seed = secrets.randbits(32) if self._seed is None else self._seed
        self.state: StateObservation = self.game.start(level, self.seed)
        self.level = level
        self.actions: list[tuple[Action | None, ...]] = []
        self.failure = ""  #: why the play ended early; empty if it did not
        try:
            for number, player in enumerate(self.players):
                player.begin(self.state, number)
        except PlayerFailed as error:
            self._break_off(str(error))

    def restart(self) -> None:
        """Play the level again from its start."""
        self._start(self.level)

    @property
    def next_level(self) -> int | None:
        """The number of the level after this one; None if there is none."""
        if isinstance(self.level, int) and self.level + 1 < len(self.game.levels):
            return self.level + 1
        return None

    def go_on(self) -> None:
        """Play the next level, or the last one again if there is none."""
        self._start(self.level if self.next_level is None else self.next_level)

    def go_back(self) -> None:
        """Play the previous level, or the first one again if there is none."""
        self._start(self.level - 1 if isinstance(self.level, int) and self.level > 0 else self.level)

    def tick(self) -> None:
        """Play one tick with the actions of all players whose avatars are alive; does nothing after the end."""
        if self.is_over:
            return
        try:
            actions = tuple(self._ask(number) for number in range(len(self.players)))
        except PlayerFailed as error:
            self._break_off(str(error))
            return
        self.actions.append(actions)
        self.state.advance(actions)
        if self.state.error:
            self.failure = str(self.game.runtime_error(self.state))

    def _ask(self, number: int) -> Action | None:
        avatar = self.state.avatars[number]
        return self.players[number].answer(self.state) if avatar is not None and avatar.is_alive else None

    def _break_off(self, why: str) -> None:
        self.failure = why
        self.state.abort()

    @property
    def is_over(self) -> bool:
        return self.state.is_over

    @property
    def title(self) -> str:
        """The game and the level."""
        board: Board = self.state.board
        level = f"level {self.level}" if isinstance(self.level, int) else board.name.strip("<>")
        return f"{in_words(self.game.name)} · {level}"

    @property
    def outcome(self) -> str:
        """The outcome in words; with two players, who won."""
        if self.failure:
            return "The game stopped"
        winners = self.state.winners
        if len(winners) == 1:
            return {Winner.PLAYER_WINS: "You won!", Winner.PLAYER_LOSES: "You lost"}.get(winners[0], "The game is over")
        won = [f"Player {number + 1}" for number, winner in enumerate(winners) if winner is Winner.PLAYER_WINS]
        return f"{' and '.join(won)} won" if won else "No one won"

    def replay(self) -> Replay:
        """The replay of this play so far."""
        names = [[None if action is None else action.name for action in tick] for tick in self.actions]
        return record(self.state, self.seed, names, controllers=[player.name for player in self.players])
