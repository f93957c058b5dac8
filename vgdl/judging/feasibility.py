"""What makes a level feasible: constraints with a share in [0, 1], of which all must be 1 (generation, 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from vgdl import Action
from vgdl.core.state import Meter
from vgdl.game import Board
from vgdl.judging.cells import Grid
from vgdl.judging.description import Ending, GameDescription
from vgdl.judging.plays import outcome_of, seed_of

CONSTRAINTS: Mapping[str, str] = {
    "avatar": "exactly one avatar",
    "cover": "objects cover 5 to 30 % of the cells",
    "sprites": "every type is placed or can be created",
    "goals": "no termination holds at the start",
    "idle": "doing nothing for 40 ticks neither wins nor loses",
    "keys": "no held key wins more than 20 % of the plays",
    "winnable": "a judge has won",
    "length": "the shortest win takes at least 40 ticks",
}
"""The names of the constraints, and what each wants."""

COVER = (0.05, 0.3)
IDLE_TICKS = 40
IDLE_SEEDS = 10
HELD_TICKS = 200
HELD_SEEDS = 50
HELD_SHARE = 0.2
SHORTEST_WIN = 40


@dataclass(frozen=True, slots=True)
class Feasibility:
    """The share to which a level meets each constraint."""

    shares: Mapping[str, float]

    @property
    def mean(self) -> float:
        """The mean share: how near an infeasible level is."""
        return fmean(self.shares.values()) if self.shares else 0.0

    @property
    def is_feasible(self) -> bool:
        """Whether all constraints that were looked at hold."""
        return all(share == 1.0 for share in self.shares.values())

    @property
    def broken(self) -> tuple[str, ...]:
        """The names of the constraints that do not hold."""
        return tuple(name for name, share in self.shares.items() if share < 1.0)

    def with_wins(self, ticks: int | None) -> Feasibility:
        """The same with the constraints about wins.

        Args:
            ticks: of the shortest known win; None if there is none.
        """
        length = 0.0 if ticks is None else min(1.0, ticks / SHORTEST_WIN)
        return Feasibility({**self.shares, "winnable": float(ticks is not None), "length": length})


def static_feasibility(grid: Grid, description: GameDescription) -> Feasibility:
    """The constraints that need no play: avatar, cover, sprites, and goals."""
    counts = grid.counts(description)
    avatars = sum(counts[name] for name in description.avatars)
    placeable = {
        name for types in description.characters.values() for name in types if name not in description.avatars
    } - description.created
    placed = sum(counts[name] > 0 for name in placeable)
    return Feasibility(
        {
            "avatar": 1.0 if avatars == 1 else 1 / (1 + abs(avatars - 1)),
            "cover": _within(grid.cover(description), *COVER),
            "sprites": placed / len(placeable) if placeable else 1.0,
            "goals": _goals(counts, description),
        }
    )


def _within(value: float, low: float, high: float) -> float:
    """1 inside a range, falling to 0 at 0 and at 1."""
    if value < low:
        return value / low
    return 1.0 if value <= high else max(0.0, 1 - (value - high) / (1 - high))


def _goals(counts: Counter[str], description: GameDescription) -> float:
    """The share of terminations that do not hold."""
    endings = [ending for ending in description.endings if ending.class_name != "StopCounter"]
    if not endings:
        return 1.0
    return sum(not holds(ending, counts, description) for ending in endings) / len(endings)


def holds(ending: Ending, counts: Counter[str], description: GameDescription) -> bool:
    """Whether a termination that counts sprites holds for these numbers of them; False for other terminations."""
    number = sum(counts[leaf] for name in ending.types for leaf in description.members[name])
    match ending.class_name:
        case "SpriteCounter":
            return number <= ending.limit
        case "SpriteCounterMore":
            return number >= ending.limit
        case "MultiSpriteCounter" | "MultiSpriteCounterSubTypes":
            return number == ending.limit or (ending.minimum and number > ending.limit)
    return False


def idle_feasibility(
    board: Board, seed: int, *, seeds: int = HELD_SEEDS, idle_seeds: int = IDLE_SEEDS, meter: Meter | None = None
) -> Feasibility:
    """The constraints about doing nothing and about held keys.

    Args:
        board: the level.
        seed: of the plays.
        seeds: number of plays with each key.
        idle_seeds: number of plays with none.
        meter: counts the calls of the forward model.
    """
    unharmed = 0
    for number in range(idle_seeds):
        state = board.start(seed_of("idle", seed, number))
        state.meter = meter
        state.rollout([Action.NIL] * IDLE_TICKS)
        unharmed += not state.is_over
    wins = max(held_wins(board, seed, seeds=seeds, meter=meter).values(), default=0.0)
    return Feasibility(
        {
            "idle": unharmed / idle_seeds,
            "keys": 1.0 if wins <= HELD_SHARE else 1 - (wins - HELD_SHARE) / (1 - HELD_SHARE),
        }
    )


def held_wins(board: Board, seed: int, *, seeds: int = HELD_SEEDS, meter: Meter | None = None) -> dict[str, float]:
    """The share of plays that each held key wins, by the key's name."""
    found = {}
    for action in board.start(0).available_actions:
        wins = 0
        for number in range(seeds):
            state = board.start(seed_of("held", seed, number))
            state.meter = meter
            state.rollout([action] * HELD_TICKS)
            wins += outcome_of(state) == "won"
        found[action.name] = wins / seeds
    return found
