"""Predictions of recorded ticks by Python programs: requested from their process, checked, compared to observations."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.program import STEPPING, IsolatedProgram, error_of
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play
from vgdl.competition.tracks.worldmodels.search.verify import SAMPLES
from vgdl.competition.tracks.worldmodels.texts.states import described, frame_of, legal
from vgdl.competition.tracks.worldmodels.texts.stepping import Differences, Words, differences, in_words
from vgdl.competition.tracks.worldmodels.unit_tests import PASSED, Verdict, failed, is_checked_twice, wrong_actions
from vgdl.tabletop.protocols import TERMINAL

PROGRAM_S = 240.0
"""Limit of CPU seconds of a program for all its ticks; later ones fail."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A program's prediction of a recorded tick."""

    actions: Any  #: legal actions in the state before, by the program
    has_chance: bool  #: whether the program treats the tick as random
    frames: tuple[Frame, ...]  #: distinct successors, the likeliest first
    weights: tuple[float, ...]  #: number of samples of each successor


def predict(
    program: IsolatedProgram, ticks: Sequence[tuple[Play, int]], *, most_s: float = PROGRAM_S
) -> list[Tick | WorldModelError]:
    """Let a program predict recorded ticks, each from the observed state before it.

    Args:
        program: a program with the functions of 13.2.
        ticks: plays, and numbers of ticks in them.
        most_s: limit of CPU seconds for all ticks.

    Returns:
        For each tick, the prediction or the failure of the program.
    """
    try:
        if not set(STEPPING) & set(program.load()):
            raise WorldModelError(Kind.MISSING, "", f"the program does not define {' or '.join(STEPPING)}")
    except WorldModelError as error:
        return [error] * len(ticks)
    calls = [
        {
            "state": described(play.frames[index]),
            "action": play.frames[index].action.name,
            "seed": number,
            "samples": SAMPLES,
            "twice": is_checked_twice(f"{play.level} {index}"),
        }
        for number, (play, index) in enumerate(ticks)
    ]
    answers = program.ask_many("tick", calls, most_s)
    return [_typed(answer, play.frames[at]) for answer, (play, at) in zip(answers, ticks, strict=True)]


def _typed(answer: Any, before: Frame) -> Tick | WorldModelError:
    """Check an answer of `Futures.facts` and convert it."""
    if isinstance(answer, WorldModelError):
        return answer
    try:
        weights = tuple(float(weight) for weight, _, _ in answer["futures"])
        frames = tuple(_frame(mover, state, before) for _, mover, state in answer["futures"])
        if not 0 < len(frames) <= SAMPLES or not all(0.0 < weight < math.inf for weight in weights):
            return error_of(None)
        return Tick(answer["actions"], answer["chance"] is True, frames, weights)
    except WorldModelError as error:
        return error
    except (TypeError, KeyError, ValueError, OverflowError):
        return error_of(None)


def _frame(mover: Any, state: Any, before: Frame) -> Frame:
    """Check a successor and convert it to a frame.

    Raises:
        WorldModelError: it is not a valid state, or its player to move is wrong.
    """
    frame = frame_of(state, before)
    wanted = TERMINAL if frame.is_over else 0
    if mover != wanted:
        message = f"{mover!r:.60} instead of {wanted} after the tick, where is_over is {frame.is_over}"
        raise WorldModelError(Kind.CONTRACT, "get_current_player", message)
    return frame


def judge(tick: Tick | WorldModelError, play: Play, index: int, words: Words) -> Verdict:
    """Test the prediction of a recorded tick.

    A tick that is treated as random passes if each observed value is in some sampled successor (13.4 C).
    """
    if isinstance(tick, WorldModelError):
        return failed("", tick)
    before, after = play.frames[index : index + 2]
    if told_actions := wrong_actions(legal(before), tick.actions):
        return told_actions
    first, *others = tick.frames
    wrong = _wrong(before, first, after, words)
    for frame in others:
        if not wrong:
            break
        again = _wrong(before, frame, after, words)
        wrong = {key: text for key, text in wrong.items() if key in again}
    if not wrong:
        return PASSED
    if not tick.has_chance:
        return failed(in_words(wrong))
    whole = f"all {len(tick.frames)} sampled successors lack" if others else "the only sampled successor lacks"
    return failed(f"{whole} this; predicted is what one of them has:\n{in_words(wrong)}")


def _wrong(before: Frame, predicted: Frame, after: Frame, words: Words) -> Differences:
    found = differences(before, predicted, after, words)
    if not after.is_over and predicted.tick != after.tick:  # counting the last tick is up to the engine
        found["tick",] = f"tick: observed {after.tick}, predicted {predicted.tick}"
    if set(predicted.actions) != set(after.actions):
        names = [" ".join(sorted(action.name for action in frame.actions)) for frame in (after, predicted)]
        found["actions",] = f"actions: observed {names[0] or 'none'}, predicted {names[1] or 'none'}"
    return found


def log_scores(tick: Tick, before: Frame, after: Frame) -> list[float]:
    """The log likelihood of each sprite's observed fate in a tick that is treated as random (13.4 C).

    Add-one smoothing covers the fates that were sampled or observed. Sprites that remain unchanged in all samples and
    in the observation are left out; new ones are identified by type and position, and are present or absent.
    """
    was, now = _fates(before), _fates(after)
    sampled = [(_fates(frame), weight) for frame, weight in zip(tick.frames, tick.weights, strict=True)]
    total = sum(tick.weights)
    found = []
    for number, old in was.items():
        seen: defaultdict[object, float] = defaultdict(float)
        for fates, weight in sampled:
            seen[fates.get(number)] += weight
        fate = now.get(number)
        if fate != old or set(seen) != {old}:
            found.append(math.log((seen[fate] + 1.0) / (total + len(seen))))  # `seen[fate]` adds an unsampled fate
    news = [(_new(fates, was), weight) for fates, weight in sampled]
    born = _new(now, was)
    for fate in born.union(*(new for new, _ in news)):
        share = sum(weight for new, weight in news if (fate in new) == (fate in born))
        found.append(math.log((share + 1.0) / (total + 2.0)))
    return found


def _fates(frame: Frame) -> dict[int, tuple[int, int, int]]:
    """Type and position of every sprite, by id."""
    return {row[0]: (row[1], row[3], row[4]) for row in frame.arrays.tolist()}


def _new(fates: Mapping[int, tuple[int, int, int]], was: Mapping[int, object]) -> set[tuple[int, int, int]]:
    return {fate for number, fate in fates.items() if number not in was}
