"""A turn-based game played by people and programs: turns, clocks, and taking back moves.

It is independent of any display. Programs think in separate threads, so a window stays responsive.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vgdl.controllers.tabletop import PLAYERS, make
from vgdl.tabletop import IllegalAction, Player, TurnBasedGame, apply, sample_chance


class Thinking:
    """A program that chooses an action in a thread."""

    def __init__(self, player: Player, state: Any) -> None:
        self.action: int | None = None
        self.error = ""
        self._player = player
        self._thread = threading.Thread(target=self._run, args=(state,), daemon=True)
        self._thread.start()

    def _run(self, state: Any) -> None:
        try:
            self.action = self._player.step(state)
        except Exception as error:  # any error of a player is shown on the screen
            self.error = f"{type(error).__name__}: {error}"

    @property
    def is_done(self) -> bool:
        """Whether it has chosen an action or failed."""
        return not self._thread.is_alive()

    def wait(self) -> None:
        """Wait until it is done."""
        self._thread.join()


@dataclass(frozen=True, slots=True)
class Move:
    """An action, and the state in which it was chosen."""

    before: Any
    player: int  #: the player who moved; -1 for chance
    action: int
    name: str


class Table:
    """A game in progress."""

    def __init__(
        self, game: TurnBasedGame, players: Sequence[str | None], *, milliseconds: float, seed: int | None
    ) -> None:
        """Begin a game.

        Args:
            game: with players who take turns.
            players: a name from `vgdl.controllers.tabletop.PLAYERS` for each program, None for a person.
            milliseconds: CPU time per move of a program.
            seed: for the programs and chance.

        Raises:
            LookupError: there is no such program.
            ValueError: the players of the game move at once, their number is wrong, or a program would see what is
                hidden from it.
        """
        if game.get_type().dynamics.name != "SEQUENTIAL":
            raise ValueError(f"players of {game.to_string()} move at once: it cannot be played by hand here")
        if len(players) != game.num_players():
            raise ValueError(f"{game.to_string()} has {game.num_players()} players, not {len(players)}")
        self.game = game
        self.names = [name.lower() if name else None for name in players]
        self.programs = [
            None
            if name is None
            else make(name, milliseconds=milliseconds, seed=None if seed is None else seed + number, game=game)
            for number, name in enumerate(players)
        ]
        self._chance = random.Random(seed)
        self.restart()

    def restart(self) -> None:
        """Start a new game with the same players."""
        self.state: Any = self.game.new_initial_state()
        self.moves: list[Move] = []
        self.clocks = [0.0] * self.game.num_players()  #: milliseconds that each player has used
        self.error = ""  #: the error of a program; the game stops
        self._thinking: Thinking | None = None

    @property
    def mover(self) -> int:
        """The result of ``current_player``: the player to move, or a special value."""
        return int(self.state.current_player())

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by its rules or because a program failed."""
        return bool(self.error or self.state.is_terminal())

    @property
    def is_a_persons_turn(self) -> bool:
        """Whether a person is to move."""
        return not self.is_over and self.mover >= 0 and self.programs[self.mover] is None

    def play(self, action: int) -> None:
        """Make a move for the player to move.

        Raises:
            IllegalAction: the rules do not allow it.
        """
        before, mover = self.state.clone(), self.mover
        name = str(self.state.action_to_string(mover, action)) if action in self.state.legal_actions() else ""
        apply(self.state, action)
        self.moves.append(Move(before, mover, action, name))

    def undo(self) -> bool:
        """Go back to the last state in which a person had a choice; returns whether there is one."""
        last = len(self.moves) - 1
        while last >= 0 and not self._was_a_choice(self.moves[last]):
            last -= 1
        if last < 0:
            return False
        self.state = self.moves[last].before.clone()
        del self.moves[last:]
        self.error = ""
        self._thinking = None  # its result is no longer needed
        return True

    def _was_a_choice(self, move: Move) -> bool:
        """Whether a person chose a move among several."""
        return move.player >= 0 and self.programs[move.player] is None and len(move.before.legal_actions()) > 1

    def pass_time(self, milliseconds: float) -> None:
        """Advance clocks, draw chance, let programs think and move, and make forced moves."""
        if self.is_over:
            return
        if self.state.is_chance_node():
            before = self.state.clone()
            outcome = sample_chance(self.state, self._chance.random)
            self.moves.append(Move(before, -1, outcome, str(before.action_to_string(-1, outcome))))
            return
        self.clocks[self.mover] += milliseconds
        program = self.programs[self.mover]
        if program is None:
            return
        if self._thinking is None:  # it moves in a later call, which counts its thinking time
            self._thinking = Thinking(program, self.state.clone())
        elif self._thinking.is_done:
            self._finish(self._thinking)

    def wait(self) -> None:
        """Wait until the thinking program, if any, has made its move."""
        if self._thinking is not None:
            self._thinking.wait()
            self._finish(self._thinking)

    def _finish(self, thinking: Thinking) -> None:
        self._thinking = None
        name = self.names[self.mover]
        if thinking.error or thinking.action is None:
            self.error = f"{name} has failed: {thinking.error or 'no action'}"
            return
        try:
            self.play(thinking.action)
        except IllegalAction as error:
            self.error = f"{name}: {error}"


def line_up(game: TurnBasedGame, programs: Sequence[str], player: int) -> list[str | None]:
    """The players: the named programs, and people for the others.

    Args:
        game: the game.
        programs: names of the programs.
        player: number of the person who plays against one program, from 1.

    Raises:
        ValueError: there are more programs than players, or the person's number is too large.
    """
    n = game.num_players()
    if len(programs) > n:
        raise ValueError(f"{game.to_string()} has {n} players, and --controller was given {len(programs)} times")
    if player > n:
        raise ValueError(f"{game.to_string()} is for one player; there is no player {player}")
    for name in programs:
        if name.lower() not in PLAYERS:
            make(name)  # raises an error that lists the known ones
    people: list[str | None] = [None] * (n - len(programs))
    return people + list(programs) if player == 1 else [*programs, *people]
