"""The state of a game, as controllers see it: a thin class over one block of memory."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from vgdl.core.data.layout import Action, Winner
from vgdl.core.data.tables import BoardTables
from vgdl.core.observation import Avatar, AvatarEvent, Observation
from vgdl.game import Board, Game

_Move: TypeAlias = int | Sequence[int | None]
_Lists: TypeAlias = tuple[tuple[Observation, ...], ...]

__test__: dict[str, str]

@disjoint_base
class Meter:
    """Counts the ticks by which a state and all of its copies are advanced, by any method."""

    used: int
    def __init__(self, used: int = 0) -> None: ...

@disjoint_base
class StateObservation:
    """The state of a game, as controllers get it and as the game itself advances it.

    States are made by `Game.start` and by copying. All sizes are in pixels, all times in ticks.
    """

    meter: Meter | None
    def __init__(self) -> None:
        """Always raises TypeError: states are made by Game.start(), copy() and from_bytes()."""

    @property
    def tables(self) -> BoardTables: ...

    # making and copying
    @staticmethod
    def initial(tables: BoardTables, seed: int) -> StateObservation:
        """The state before the first tick, its generator seeded (engine, 6)."""

    @staticmethod
    def from_bytes(tables: BoardTables, data: bytes) -> StateObservation:
        """Restore a state from the result of `to_bytes` on the same board.

        Raises:
            ValueError: bytes of another format or board, or damaged ones.
        """

    def to_bytes(self) -> bytes:
        """The state as bytes, without its history; states are equal exactly if these are."""

    def copy(self, *, seed: int | None = None, history: bool = True) -> StateObservation:
        """An independent copy: exact, or with ``seed`` another future; it has no events unless ``history``."""

    def transfer(self, tables: BoardTables, *, seed: int) -> StateObservation:
        """A copy with another future on an anonymous board made from this state's own."""

    def copy_into(self, other: StateObservation, *, seed: int | None = None) -> None:
        """Make ``other``, a state of the same board, a copy of this one, reusing its memory; history is dropped."""

    def reseed(self, seed: int) -> None:
        """Seed the random generator anew, which gives the state another future."""

    def key(self) -> int:
        """A 64-bit fingerprint for transposition tables: all that affects the future but generator, tick and ids."""

    def __copy__(self) -> StateObservation: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> StateObservation: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

    # forward model
    def advance(self, action: _Move) -> None:
        """Play one tick, in place; nothing happens once the game has ended.

        Args:
            action: an Action of player 0, or a sequence with one per player (None for a player who does nothing).
        """

    def click(self, column: int, row: int) -> None:
        """Play one tick in which player 0's ClickAvatar goes to a cell and shoots there (sprites, 13.20).

        An avatar of another class does nothing in this tick.

        Raises:
            ValueError: the cell is not on the board.
        """

    def rollout(self, actions: Iterable[_Move]) -> int:
        """Play one tick per entry of ``actions``, in place, until the game ends; return the number played."""

    def random_rollout(self, depth: int, seed: int) -> int:
        """Play up to ``depth`` ticks of actions drawn uniformly from each avatar's list; return the number played."""

    def abort(self) -> None:
        """End the game now, without a winner, as the runner does when a player leaves."""

    # facts
    @property
    def tick(self) -> int:
        """Number of the tick to come; of the last one played, once the game has ended."""

    @property
    def n_players(self) -> int: ...
    @property
    def scores(self) -> tuple[float, ...]:
        """Score per player; a player whose avatar is gone keeps the last one."""

    @property
    def score(self) -> float:
        """Score of player 0."""

    @property
    def present(self) -> tuple[bool, ...]:
        """Per player: whether the player's avatar, dead or alive, is still in the game."""

    @property
    def final_scores(self) -> tuple[float, ...]:
        """Scores as results report them: at least 1 for a winner, -1000 without an avatar (engine, 7.10)."""

    @property
    def winners(self) -> tuple[Winner, ...]:
        """Per player: NO_WINNER (-1) as long as nothing is decided, PLAYER_LOSES (0) or PLAYER_WINS (1)."""

    @property
    def winner(self) -> Winner:
        """Win state of player 0."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, for any reason; `advance` then does nothing."""

    @property
    def error(self) -> str | None:
        """Why the game failed, None for a game that runs or ended by its rules."""

    @property
    def error_line(self) -> int:
        """Line of the rule that caused the error, 0 if none did."""

    @property
    def messages(self) -> int:
        """Messages logged so far; the game ends when there are more than 25."""

    @property
    def counters(self) -> tuple[int, ...]:
        """The game's counters."""

    @property
    def generator(self) -> int:
        """The 48-bit state of the random generator."""

    @property
    def n_bytes(self) -> int:
        """Size of the state in bytes."""

    # observations
    def actions_of(self, player: int, *, nil: bool = False) -> tuple[Action, ...]:
        """Actions of a player's avatar in its class's order, with NIL at the end if ``nil`` or if two play."""

    @property
    def available_actions(self) -> tuple[Action, ...]:
        """`actions_of` player 0."""

    @property
    def avatars(self) -> tuple[Avatar | None, ...]:
        """Avatar per player, None where it is gone."""

    @property
    def avatar(self) -> Avatar | None:
        """Avatar of player 0, None if it is gone."""

    def observations(self, category: int, reference: tuple[float, float] | None = None) -> _Lists:
        """The visible sprites of the types in a category: a tuple of observations per type, in ascending order."""

    @property
    def npcs(self) -> _Lists:
        """NPCs: `observations` of the category, nearest to player 0's avatar first, as in the next five."""

    @property
    def immovables(self) -> _Lists:
        """Sprites that are static: walls and the like."""

    @property
    def movables(self) -> _Lists:
        """Sprites that are in no other category."""

    @property
    def resources(self) -> _Lists:
        """Sprites that can be collected."""

    @property
    def portals(self) -> _Lists:
        """Portals and doors."""

    @property
    def from_avatar(self) -> _Lists:
        """Sprites that avatars made."""

    @property
    def grid(self) -> tuple[tuple[tuple[Observation, ...], ...], ...]:
        """``grid[column][row]``: the observations standing in that cell, by type and in order of creation."""

    @property
    def world_dimension(self) -> tuple[int, int]:
        """Width and height of the screen in pixels."""

    @property
    def block_size(self) -> int:
        """Pixels per grid cell."""

    @property
    def events(self) -> tuple[AvatarEvent, ...]:
        """The avatar events so far, in the order of the specification (engine, 8)."""

    @property
    def arrays(self) -> NDArray[np.void]:
        """All visible sprites as a structured array of the type `vgdl.core.observation.VISIBLE`."""

    def sprites_into(self, array: NDArray[np.void]) -> int:
        """Write `arrays` into the front of an array of its type.

        Returns:
            The number of sprites.

        Raises:
            ValueError: the array is too short.
        """

    # names and pictures; Any stands for the None of states that are numbers only: callers know which kind they have
    @property
    def board(self) -> Board | Any:
        """The `Board` of the game; None in the states of controllers, which hold numbers only."""

    @property
    def game(self) -> Game | Any:
        """The `Game` being played; None without a `board`."""

    def render(self, block: int = 24) -> NDArray[np.uint8]:
        """An RGB picture, ``block`` pixels per cell: see `vgdl.render.frame`.

        Raises:
            ValueError: the state has no `board`.
        """

    def _repr_png_(self) -> bytes | None:
        """The picture that a notebook shows; None for a state without a `board`."""

    def _drawing(self) -> list[tuple[int, int, int, int, int, float, float]]: ...
    def _records(
        self,
    ) -> list[tuple[int, int, int, int, int, int, float, float, float, int, bool, dict[int, int]]]: ...
