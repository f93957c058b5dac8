"""Terminations that a play refutes: a text says that it is won, and it goes on.

A planner that believes such a line expects to win by every action that adds or removes a sprite.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from vgdl import Action, Winner
from vgdl.competition.tracks.worldmodels.search.hypothesis import Layout
from vgdl.competition.tracks.worldmodels.search.records import Frame
from vgdl.competition.tracks.worldmodels.search.verify import place_frame
from vgdl.competition.tracks.worldmodels.texts.candidate import Candidate
from vgdl.language import InteractionLine, SectionKind, TerminationLine, parse


def lasting(rules: Candidate, frame: Frame, level: Layout) -> Candidate:
    """The text without the lines by which a play is won in a state after which it went on; itself if there are none.

    Args:
        rules: the text.
        frame: the state, with the text's numbers of types.
        level: the level of the play, with these numbers, too.
    """
    refuted = [line for line, wins in _terminations(rules.source) if wins and _ends(rules, line, frame, level)]
    return Candidate(_without(rules.source, refuted), rules.names) if refuted else rules


def _ends(rules: Candidate, line: int, frame: Frame, level: Layout) -> bool:
    """Whether one termination alone wins in a state, in which nothing interacts."""
    others = [other for other, _ in _terminations(rules.source) if other != line]
    alone = Candidate(_without(rules.source, [*others, *_interactions(rules.source)]), rules.names)
    board, won = alone.board(level), False
    for tick in {0, frame.tick}:  # later on, numbers of sprites that do not change are not looked at again
        state = place_frame(board, replace(frame, tick=tick), None, 0)
        state.advance(Action.NIL)
        won |= state.winner == Winner.PLAYER_WINS
    return won


def _terminations(source: str) -> Iterator[tuple[int, bool]]:
    """The numbers of the lines with terminations, each with whether it makes the player win."""
    for entry in parse(source)[0].entries(SectionKind.TERMINATIONS):
        if isinstance(entry, TerminationLine):
            win = entry.arguments.get("win")
            yield entry.class_name.at.line, win is not None and win.value.lower() == "true"


def _interactions(source: str) -> Iterator[int]:
    """The numbers of the lines with interactions."""
    for entry in parse(source)[0].entries(SectionKind.INTERACTIONS):
        if isinstance(entry, InteractionLine):
            yield entry.first.at.line


def _without(source: str, numbers: Collection[int]) -> str:
    """A text without some lines, which are counted from 1."""
    return "".join(line for k, line in enumerate(source.splitlines(keepends=True), 1) if k not in numbers)
