"""One-step verification: a candidate's predictions of all recorded ticks, and their errors (13.4 B and C)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from vgdl import Winner
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play, Shown
from vgdl.competition.tracks.worldmodels.search.verify import Fate, keys, misses, place_frame, shown_avatar
from vgdl.core.observation import Avatar
from vgdl.game import Board

Naming = Callable[[int], str]
MOST_TOLD = 12
"""Most differences of a tick that are described."""
Differences = dict[tuple[object, ...], str]
"""Descriptions of differences between observation and prediction, by their subject."""


@dataclass(frozen=True, slots=True)
class Words:
    """Describes types and positions of sprites."""

    name: Naming
    block: int

    def cell(self, x: int, y: int) -> str:
        """A position in cells, with decimals for fractions of a cell."""
        return f"({x / self.block:g},{y / self.block:g})"

    def fate(self, fate: Fate, before: Fate = None) -> str:
        """Describe the fate of a sprite."""
        if fate is None:
            return "gone" if before else "no such sprite"
        if fate == before:
            return "unchanged"
        place = f"at {self.cell(*fate[1:])}"
        return place if before and before[0] == fate[0] else f"{self.name(fate[0])} {place}"


def differences(before: Frame, state: Shown, after: Frame, words: Words) -> Differences:
    """Describe the differences between a predicted state and the observed one."""
    found: Differences = {}
    arrays = state.arrays
    predicted, observed = keys(arrays), keys(after.arrays)
    if len(predicted) != len(observed) or not np.array_equal(predicted, observed):
        for miss in misses(before, arrays, after):
            who = f"{words.name(miss.before[0])} at {words.cell(*miss.before[1:])}" if miss.before else "a new sprite"
            fates = words.fate(miss.actual, miss.before), words.fate(miss.predicted, miss.before)
            found[miss.key] = f"{who}: observed {fates[0]}, predicted {fates[1]}"
    if state.score != after.score:
        wanted, got = after.score - before.score, state.score - before.score
        found["score",] = f"score: observed {wanted:+g}, predicted {got:+g}"
    ends = ((after.is_over, after.winner), (state.is_over, int(state.winner)))
    if ends[0] != ends[1]:
        found["end",] = f"end: observed {_end(*ends[0])}, predicted {_end(*ends[1])}"
    elif not after.is_over:
        shown = shown_avatar(after.avatar), shown_avatar(state.avatar)
        if shown[0] != shown[1]:
            values = _avatar(after.avatar, words), _avatar(state.avatar, words)
            found["avatar",] = f"avatar: observed {values[0]}, predicted {values[1]}"
    return found


def in_words(differences: Differences) -> str:
    """Format differences, one per line, at most `MOST_TOLD` of them."""
    lines = list(differences.values())
    more = [f"and {len(lines) - MOST_TOLD} more"] if len(lines) > MOST_TOLD else []
    return "\n".join([*lines[:MOST_TOLD], *more])


def steps(board: Board, play: Play, seed: int, samples: int, words: Words, until: float) -> Iterator[Differences]:
    """Follow a play; yields the differences in each tick.

    A prediction starts from the observed state, with the hidden parts of the previous prediction. With several samples,
    half of which reset the hidden parts, only differences that all samples share count.

    Args:
        board: a board of the candidate.
        play: the play, with the candidate's type numbers.
        seed: seed of the candidate's random events.
        samples: futures per prediction.
        words: describes the differences.
        until: CPU time of this thread after which a tick has one sample only.

    Raises:
        VGDLRuntimeError: the candidate failed.
    """
    frames = play.frames
    shadow = place_frame(board, frames[0], None, seed)
    for k in range(play.ticks):
        before, after = frames[k], frames[k + 1]
        start = shadow.copy(history=False) if samples > 1 else None
        shadow.advance(before.action)
        wrong = differences(before, shadow, after, words)
        least = len(wrong)
        for sample in range(1, samples):
            if not wrong or time.thread_time() > until:
                break
            other = place_frame(board, before, start if sample % 2 else None, sample)
            other.advance(before.action)
            again = differences(before, other, after, words)
            wrong = {key: value for key, value in wrong.items() if key in again}
            if sample % 2 and len(again) < least:  # its hidden parts are likelier
                least, shadow = len(again), other
        yield wrong
        shadow = place_frame(board, after, shadow, seed + k + 1, last=before)


def replayed(board: Board, play: Play, words: Words) -> tuple[int, Differences]:
    """Replay a play from its start; returns the first tick with differences, from 1, and these, or 0 and none."""
    frames = play.frames
    state = place_frame(board, frames[0], None, 0)
    for k in range(play.ticks):
        state.advance(frames[k].action)
        wrong = differences(frames[k], state, frames[k + 1], words)
        if wrong:
            return k + 1, wrong
    return 0, {}


def _end(is_over: bool, winner: int) -> str:
    if not is_over:
        return "goes on"
    return {Winner.PLAYER_WINS: "won", Winner.PLAYER_LOSES: "lost"}.get(Winner(winner), "over")


def _avatar(avatar: Avatar | None, words: Words) -> str:
    shown = shown_avatar(avatar)
    if shown is None:
        return "none"
    kind, orientation, held, health, alive = shown
    resources = ", ".join(f"{words.name(number)} {amount}" for number, amount in sorted(held.items()))
    facing = f"({orientation[0]:g},{orientation[1]:g})"
    rest = f"health {health}{'' if alive else ', dead'}"
    return f"{words.name(kind)}, faces {facing}, holds {resources or 'nothing'}, {rest}"
