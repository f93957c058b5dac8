"""Verification of hypotheses against recorded plays, and measures of their predictions (13.4 and 13.5).

A play is followed tick by tick: the hypothesis predicts the next state, which is compared with the observed one. The
next prediction starts from the observed state, with the hidden parts of the predicted one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vgdl import StateObservation
from vgdl.competition.tracks.worldmodels.search.hypothesis import Cellful, Hypothesis, symbols
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play, Rules, Shown
from vgdl.core.observation import Avatar
from vgdl.core.placing import place
from vgdl.game import Board, Game
from vgdl.placing import open_board

_Shown = tuple[int, int, int]  # type and position in pixels
Fate = _Shown | None  #: None: the sprite does not exist
ShownAvatar = tuple[int, tuple[float, float], dict[int, int], int, bool]
SAMPLES = 32  #: futures per prediction of random events
_OFFSET = 1 << 20
_DRAW = 1 << 30  #: between the seeds of two sequences of random numbers


@dataclass(frozen=True)
class Miss:
    """A sprite whose fate was predicted wrongly in one tick."""

    id: int  #: id in the observed game; -1: a new sprite
    before: Fate
    predicted: Fate
    actual: Fate

    @property
    def key(self) -> tuple[object, ...]:
        """Identifies the miss among predictions of the same tick."""
        return (self.id,) if self.id >= 0 else (self.id, self.predicted, self.actual)


@dataclass
class Report:
    """The results of a hypothesis on some plays."""

    loss: float = 0.0
    ticks: int = 0
    exact: int = 0  #: ticks predicted without any difference
    by_type: Counter[int] = field(default_factory=Counter)
    true_positives: int = 0
    false_positives: int = 0
    false_negatives: int = 0
    sprites: int = 0
    right: int = 0
    score_wrong: int = 0
    end_wrong: int = 0
    avatar_wrong: int = 0

    @property
    def changed_f1(self) -> float:
        """F1 over the sprites that moved, changed type, appeared or died, in the observation or in the prediction."""
        hits = 2 * self.true_positives
        everything = hits + self.false_positives + self.false_negatives
        return hits / everything if everything else 1.0

    @property
    def accuracy(self) -> float:
        """Share of all sprites whose fate was predicted correctly."""
        return self.right / self.sprites if self.sprites else 1.0

    @property
    def identical(self) -> float:
        """Share of the ticks predicted without any difference."""
        return self.exact / self.ticks if self.ticks else 1.0

    def add(self, other: Report) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def packed(arrays: NDArray[np.void]) -> NDArray[np.int64]:
    """A number for each sprite's type and position, in the order of the rows."""
    found: NDArray[np.int64] = arrays["type"].astype(np.int64) << 44
    found += (arrays["x"].astype(np.int64) + _OFFSET) << 22
    found += arrays["y"]
    found += _OFFSET
    return found


def keys(arrays: NDArray[np.void]) -> NDArray[np.int64]:
    """The numbers of `packed` in ascending order."""
    return np.sort(packed(arrays))


def place_frame(
    board: Board,
    frame: Frame,
    before: StateObservation | None,
    seed: int,
    *,
    last: Frame | None = None,
    recording: bool = False,
) -> StateObservation:
    """Make a state that matches an observed one; see `vgdl.core.placing.place`."""
    return place(
        board.tables,
        frame.arrays,
        before=before,
        last=None if last is None else last.arrays,
        tick=frame.tick,
        score=frame.score,
        winner=frame.winner,
        ended=frame.is_over,
        avatar=frame.avatar,
        seed=_spread(seed),
        recording=recording,
    )


def _spread(seed: int) -> int:
    """Spread out neighbouring seeds: the first numbers of the engine's generator hardly depend on low bits."""
    return (seed + 1) * 0x9E3779B97F4A7C15 >> 8 & (1 << 48) - 1


def misses(before: Frame, predicted: NDArray[np.void], after: Frame) -> list[Miss]:
    """The sprites whose predicted and observed fates differ."""
    states = before.arrays, predicted, after.arrays
    numbers = [packed(arrays).tolist() for arrays in states]
    steady = set(numbers[0]).intersection(*numbers[1:])
    for found in numbers:
        if len(set(found)) < len(found):  # several sprites of a type in one place
            steady.difference_update(number for number, count in Counter(found).items() if count > 1)
    was, rows, now = (
        [(row[0], (row[1], row[3], row[4])) for row in arrays[without(found, steady)].tolist()]
        for arrays, found in zip(states, numbers, strict=True)
    )
    return _differing(dict(was), rows, dict(now))


def without(numbers: Sequence[int], known: Set[int]) -> list[int]:
    """Indices of the numbers that are not in ``known``; faster than numpy for so few."""
    return [k for k, number in enumerate(numbers) if number not in known]


def _differing(was: Mapping[int, _Shown], rows: Sequence[tuple[int, _Shown]], now: Mapping[int, _Shown]) -> list[Miss]:
    surplus = Counter(fate for _, fate in rows)
    surplus.subtract(now.values())
    lacking = {fate for fate, count in surplus.items() if count < 0}
    standing = {fate: number for number, fate in was.items()}
    found: dict[int, tuple[Fate, Fate]] = {}
    new: list[Miss] = []
    for number, fate in rows:
        if surplus[fate] <= 0:
            continue
        same = standing.get(fate, number)
        known = was.get(same)
        if known is not None and known[0] == fate[0] and same not in found and now.get(same) != fate:
            found[same] = (fate, now.get(same))
        else:
            new.append(Miss(-1, None, fate, None))
        surplus[fate] -= 1
    for number, fate in now.items():
        if fate in lacking and surplus[fate] < 0:
            surplus[fate] += 1
            if number not in was:
                new.append(Miss(-1, None, None, fate))
            elif number not in found:
                found[number] = (None, fate)
    return [Miss(number, was[number], guess, fact) for number, (guess, fact) in found.items()] + new


def changes(before: Frame, after: Frame) -> int:
    """The number of sprites that changed type or position, appeared or died."""
    was, now = before.arrays, after.arrays
    _, in_was, in_now = np.intersect1d(was["id"], now["id"], assume_unique=True, return_indices=True)
    steady = int(np.count_nonzero(packed(was)[in_was] == packed(now)[in_now]))
    return len(was) + len(now) - len(in_was) - steady


@dataclass
class Step:
    """One predicted tick, for observers."""

    play: Play
    index: int
    before: Frame
    after: Frame
    shadow: Shown  #: the predicted state
    misses: list[Miss]


class Follower:
    """Predicts recorded plays tick by tick with hypotheses, and counts what is wrong."""

    def __init__(self, plays: Sequence[Play], cells: Sequence[Cellful] = ()) -> None:
        self.plays = tuple(plays)
        layouts = [play.layout for play in self.plays]
        self.cells = tuple(sorted({standing for layout in layouts for standing in layout.sets} | set(cells)))
        self._keys = [[keys(frame.arrays) for frame in play.frames] for play in self.plays]
        self._layouts = layouts
        self._latest: tuple[Hypothesis, float] | None = None  # the last hypothesis that `better_of` returned, its loss

    def boards(self, rules: Rules | Game) -> Iterator[Board]:
        """A board per play; plays of the same level share one. A `Game` is the true game, and uses its own levels."""
        levels: list[tuple[str, int | None]]
        if isinstance(rules, Game):
            game = rules
            levels = [(game.levels[play.level].read_text(encoding="utf-8"), None) for play in self.plays]
        else:
            layouts = [rules.level(layout) for layout in self._layouts]
            cells = {standing for layout in layouts for standing in layout.sets}.union(self.cells)
            game = rules.game(cells)
            levels = [(layout.text(symbols(cells)), layout.block_size) for layout in layouts]
        made: dict[tuple[str, int | None], Board] = {}
        for text, size in levels:
            if (text, size) not in made:
                made[text, size] = open_board(game, text, "learnt", block_size=size)
            yield made[text, size]

    def follow(
        self,
        hypothesis: Rules | Game,
        *,
        look: Callable[[Step], None] | None = None,
        enough: float = float("inf"),
        samples: int = 1,
        measured: bool = False,
        draw: int = 0,
    ) -> Report:
        """Predict every tick of every play.

        Args:
            hypothesis: the rules to predict with; a game: the true ones, for comparison.
            look: called with each tick that was not predicted exactly; with all ticks if ``measured``.
            enough: stop when the loss exceeds this.
            samples: futures per prediction: a fate counts as right if one of them has it. The loss counts a fate that
                the first one lacks, and counts it twice if all lack it: less random rules are better.
            measured: also collect the counts for the measures of 13.5.
            draw: number of the sequence of random numbers to predict with.
        """
        report = Report()
        for number, board in enumerate(self.boards(hypothesis)):
            self._follow_one(number, board, report, look, enough, samples, measured, draw * _DRAW)
            if report.loss > enough:
                break
        return report

    def better_of(self, hypothesis: Hypothesis, option: Hypothesis, *, or_equal: bool = False) -> Hypothesis:
        """Follow all plays with two hypotheses, one future per tick, and return the one with the lower loss.

        Args:
            hypothesis: returned if the losses are equal.
            option: a change of it.
            or_equal: whether to return the change instead if the losses are equal.
        """
        if self._latest is None or self._latest[0] is not hypothesis:
            self._latest = hypothesis, self.follow(hypothesis).loss
        least = self._latest[1]
        loss = self.follow(option, enough=least).loss
        if loss < least or (or_equal and loss == least):
            self._latest = option, loss
        return self._latest[0]

    def _follow_one(
        self,
        number: int,
        board: Board,
        report: Report,
        look: Callable[[Step], None] | None,
        enough: float,
        samples: int,
        measured: bool,
        first_seed: int,
    ) -> None:
        play, sorted_keys = self.plays[number], self._keys[number]
        frames = play.frames
        shadow = place_frame(board, frames[0], None, first_seed + number)
        for k in range(play.ticks):
            before, after = frames[k], frames[k + 1]
            start = shadow.copy(history=False) if samples > 1 else None
            shadow.advance(before.action)
            arrays = shadow.arrays
            predicted = keys(arrays)
            right = len(predicted) == len(sorted_keys[k + 1]) and np.array_equal(predicted, sorted_keys[k + 1])
            missed: list[Miss] = []
            if not right:
                missed = counted = misses(before, arrays, after)
                if start is not None:
                    missed = unexplained(before, after, missed, _futures(board, start, before, samples, first_seed))
                    counted = counted + missed
                report.loss += len(counted)
                for miss in counted:
                    kind = (miss.before or miss.actual or miss.predicted or (0, 0, 0))[0]
                    report.by_type[kind] += 1
            other = judge_outcome(report, shadow, after)
            report.ticks += 1
            report.exact += not missed and not other
            if measured:
                count_fates(report, before, after, missed)
            if look is not None and (measured or missed or other):
                look(Step(play, k, before, after, shadow, missed))
            if report.loss > enough:
                return
            shadow = place_frame(board, after, shadow, first_seed + number * 4001 + k, last=before)


def judge_outcome(report: Report, shown: Shown, after: Frame) -> bool:
    """Compare score, end and avatar of a prediction; returns whether any differs."""
    score = shown.score != after.score
    end = (shown.is_over, int(shown.winner)) != (after.is_over, after.winner)
    avatar = not after.is_over and shown_avatar(shown.avatar) != shown_avatar(after.avatar)
    report.score_wrong += score
    report.end_wrong += end
    report.avatar_wrong += avatar
    report.loss += score + 2 * end + avatar
    return score or end or avatar


def same_outcome(one: Frame, other: Frame) -> bool:
    """Whether two states have the same score, outcome and avatar values."""
    ends = [(state.score, state.is_over, int(state.winner)) for state in (one, other)]
    return ends[0] == ends[1] and (one.is_over or shown_avatar(one.avatar) == shown_avatar(other.avatar))


def shown_avatar(avatar: Avatar | None) -> ShownAvatar | None:
    """The compared values of an avatar: type, orientation, resources, health, and whether it is alive."""
    if avatar is None:
        return None
    held = {number: amount for number, amount in avatar.resources.items() if amount}
    return avatar.type, avatar.orientation, held, avatar.health, avatar.is_alive


def unexplained(before: Frame, after: Frame, missed: list[Miss], futures: Iterable[NDArray[np.void]]) -> list[Miss]:
    """The misses of a prediction that all further predictions of the same tick share."""
    left = {miss.key: miss for miss in missed}
    for arrays in futures:
        again = {miss.key for miss in misses(before, arrays, after)}
        again |= {(miss.id, None, miss.actual) for miss in missed if (miss.id, None, miss.actual) in again}
        left = {key: miss for key, miss in left.items() if key in again}
        if not left:
            break
    return list(left.values())


def _futures(
    board: Board, start: StateObservation, before: Frame, samples: int, first_seed: int
) -> Iterator[NDArray[np.void]]:
    """The visible sprites in further samples of a tick."""
    for seed in range(1, samples):
        other = place_frame(board, before, start, first_seed + seed)
        other.advance(before.action)
        yield other.arrays


def count_fates(report: Report, before: Frame, after: Frame, missed: list[Miss]) -> None:
    """Add a tick to the counts for the measures of 13.5."""
    changed = changes(before, after)
    wrong = sum(1 for miss in missed if miss.actual != miss.before)
    report.true_positives += max(0, changed - wrong)
    report.false_negatives += wrong
    report.false_positives += sum(1 for miss in missed if miss.predicted != miss.before)
    ids = set(before.arrays["id"].tolist()) | set(after.arrays["id"].tolist())
    report.sprites += len(ids) + sum(1 for miss in missed if miss.id < 0 and miss.actual is None)
    report.right += max(0, len(ids) - sum(1 for miss in missed if miss.id >= 0 or miss.actual is not None))
