"""Problems of writing a VGDL game as VGDL text: the engine runs candidates, recorded ticks are the tests (13.3, 13.4).

The loop is that of Python programs; the checker's errors, with line and suggestion, replace tracebacks.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import vgdl
from vgdl import VGDLError, VGDLRuntimeError
from vgdl.competition.tracks.worldmodels.errors import MAX_TEXT, Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.search.author import square_size
from vgdl.competition.tracks.worldmodels.search.records import Play
from vgdl.competition.tracks.worldmodels.search.verify import Follower
from vgdl.competition.tracks.worldmodels.texts.candidate import Candidate
from vgdl.competition.tracks.worldmodels.texts.observed import ObservedProblem
from vgdl.competition.tracks.worldmodels.texts.stepping import Words, in_words, replayed, steps
from vgdl.competition.tracks.worldmodels.unit_tests import PASSED, Verdict
from vgdl.ontology import ALL_EFFECTS, ALL_SPRITE_CLASSES, ALL_TERMINATIONS
from vgdl.ontology.rows import Word

FUTURES = 32  #: futures per prediction of random events (13.4 C)
SAMPLING_S = 20.0
"""CPU seconds of an evaluation after which predictions of random events have one future only."""
EVALUATION_S = 60.0
"""CPU seconds of an evaluation; later tests fail."""
REPLAY = "replay"


@dataclass
class VgdlProblem(ObservedProblem):
    """A VGDL game, to be written as VGDL text.

    A test is a tick that has to be predicted; if plays are repeatable, replays of whole plays are further tests.
    """

    WHAT: ClassVar[str] = "text"
    FENCES: ClassVar[tuple[str, ...]] = ("vgdl",)
    PROMPT: ClassVar[str] = "vgdl"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._replays = range(len(self.plays)) if self.repeatable else range(0)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the tests."""
        return (*super().kinds, *(REPLAY for _ in self._replays))

    def test_text(self, number: int) -> str:
        """A test in words."""
        if number < len(self._tests):
            return super().test_text(number)
        play = self.plays[number - len(self._tests)]
        actions = " ".join(frame.action.name for frame in play.frames[:-1])
        return f"# replay of play {number - len(self._tests)} on level {play.level}\nactions: {actions[:MAX_TEXT]}"

    def _explained(self) -> dict[str, str]:
        size = square_size(self.plays)
        return {
            "classes": _table(ALL_SPRITE_CLASSES),
            "effects": _table(ALL_EFFECTS),
            "terminations": _table(ALL_TERMINATIONS),
            "first_line": "BasicGame" if size is None else f"BasicGame square_size={size}",
            "types": ", ".join(self.names.values()),
        }

    def candidate(self, source: str) -> Candidate:
        """Compile a text to rules.

        Raises:
            VGDLError, WorldModelError: the text is not usable.
        """
        return Candidate(source, self.names, required=self._required)

    def _verdicts(self, source: str) -> list[Verdict]:
        try:
            candidate = self.candidate(source)
            follower = Follower([candidate.renumbered_play(play) for play in self.plays])
            boards = list(follower.boards(candidate))
        except (VGDLError, WorldModelError, ValueError) as error:
            kind = error.kind if isinstance(error, WorldModelError) else Kind.SYNTAX
            return [Verdict(False, str(error)[:MAX_TEXT], str(kind))] * len(self.kinds)
        start = time.thread_time()
        found: list[Verdict] = []
        names = dict(enumerate(candidate.types))
        for number, (play, board) in enumerate(zip(follower.plays, boards, strict=True)):
            words = Words(names.__getitem__, play.frames[0].block_size)
            samples = FUTURES if candidate.has_chance else 1
            verdicts = []
            try:
                for wrong in steps(board, play, 4001 * number, samples, words, start + SAMPLING_S):
                    verdicts.append(_verdict(wrong and in_words(wrong)))
                    if time.thread_time() > start + EVALUATION_S:
                        break
            except (VGDLRuntimeError, ValueError) as error:
                verdicts.append(Verdict(False, str(error)[:MAX_TEXT], str(Kind.EXCEPTION)))
            late = Verdict(False, f"not run: the tests took more than {EVALUATION_S:g} s", str(Kind.TIMEOUT))
            rest = verdicts[-1] if verdicts and verdicts[-1].kind else late
            found += verdicts + [rest] * (play.ticks - len(verdicts))
        for number in self._replays:
            found.append(self._replay(boards[number], follower.plays[number], names, start))
        return found

    @staticmethod
    def _replay(board: vgdl.Board, play: Play, names: Mapping[int, str], start: float) -> Verdict:
        if time.thread_time() > start + EVALUATION_S:
            return Verdict(False, f"not run: the tests took more than {EVALUATION_S:g} s", str(Kind.TIMEOUT))
        try:
            tick, wrong = replayed(board, play, Words(names.__getitem__, play.frames[0].block_size))
        except (VGDLRuntimeError, ValueError) as error:
            return Verdict(False, str(error)[:MAX_TEXT], str(Kind.EXCEPTION))
        return _verdict(wrong and f"the first difference is in tick {tick} of {play.ticks}:\n{in_words(wrong)}")


def _verdict(text: object) -> Verdict:
    return Verdict(False, str(text)[:MAX_TEXT]) if text else PASSED


def _table(rows: Iterable[Word]) -> str:
    """List words of VGDL, each with its own parameters and its description."""
    lines = []
    for row in rows:
        own = ", ".join(parameter.name for parameter in row.parameters if not parameter.internal)
        lines.append(f"- {row.name}{f' ({own})' if own else ''}: {row.doc}")
    return "\n".join(lines)
