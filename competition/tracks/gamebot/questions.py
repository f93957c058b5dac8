"""Questions about positions with a scorer: a data set of any size, for evaluation and as rewards in learning."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from vgdl.competition.tracks.gamebot.grammars import Mode, Unreadable
from vgdl.competition.tracks.gamebot.notation import normalised
from vgdl.competition.tracks.gamebot.prompts import prompt
from vgdl.competition.tracks.gamebot.task import Subproblem, Task
from vgdl.competition.tracks.gamebot.verdicts import Metric, Verdict
from vgdl.language import suggestion
from vgdl.tabletop import sample_chance

_GAMES = 40
"""Random games in which a position with the wanted kind of answer is looked for; then any will do."""

_RIGHT = (Verdict.CORRECT, Verdict.TRUE_POSITIVE, Verdict.TRUE_NEGATIVE)


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a position, and what is needed to judge answers to it."""

    game: str
    number: int  #: of the subproblem in its game
    title: str
    metric: Metric
    seat: int  #: the player that is asked
    position: str
    text: str  #: everything that a model has to be told: rules, the game's questions, the position, and which to answer
    truth: str  #: a correct answer, in the notation of the prompt
    _subproblem: Subproblem = field(repr=False, compare=False)
    _truth: Any = field(repr=False, compare=False)
    _task: Task = field(repr=False, compare=False)

    def check(self, answer: str, reading: Mode = Mode.PAPER) -> bool:
        """Whether an answer is right.

        Args:
            answer: any text; either the answer alone, or a reply in which it is marked as the prompt says.
            reading: which forms of answers count.
        """
        return self.verdict(answer, reading) in _RIGHT

    def verdict(self, answer: str, reading: Mode = Mode.PAPER) -> Verdict:
        """The verdict on an answer; an unreadable one is wrong."""
        value, readable = self._read(answer, reading)
        return self._subproblem.judge(self._truth, value, readable=readable)

    def reward(self, answer: str, reading: Mode = Mode.PAPER) -> float:
        """1.0 for a right answer, else 0.0."""
        return float(self.check(answer, reading))

    def _read(self, answer: str, reading: Mode) -> tuple[Any, bool]:
        found = self._task.read(answer, reading).results
        if self.number in found:
            return found[self.number], True
        try:
            return self._subproblem.grammar(normalised(answer).strip(), reading), True
        except Unreadable:
            return None, False


@cache
def _loaded(kind: type[Task]) -> Task:
    return kind()


def draw(
    tasks: Mapping[str, type[Task]], seed: int, game: str | None, subproblem: int | None, *, balanced: bool
) -> Question:
    """Draw a question, see `vgdl.competition.tracks.gamebot.tasks.sample`."""
    generator = random.Random(seed)
    drawn = generator.choice(list(tasks))  # always drawn, so that naming it changes nothing else
    name = game or drawn
    if name not in tasks:
        raise ValueError(f"there is no game {name!r}{suggestion(name, tuple(tasks))}: choose from {', '.join(tasks)}")
    task = _loaded(tasks[name])
    known = {each.number: each for each in task.subproblems}
    number = subproblem or generator.choice(list(known))
    if number not in known:
        raise ValueError(f"{name} has the subproblems {', '.join(map(str, known))}, not {number}")
    asked = known[number]
    wanted = generator.random() < 0.5 if balanced and asked.metric is Metric.F1 else None
    for attempt in range(_GAMES * 10):
        turns = _turns(task, generator)
        generator.shuffle(turns)
        for state, player, move in turns:
            truth = asked.truth(state, player, move)
            if truth is not None and (wanted is None or bool(truth) == wanted or attempt >= _GAMES):
                return _question(task, asked, state, player, move, truth)
    raise ValueError(f"random play of {name} has no position with subproblem {number}")


def _turns(task: Task, generator: random.Random) -> list[tuple[Any, int, Any]]:
    """The turns of a random game: state, player and move."""
    state, turns = task.start(), []
    while not state.is_terminal():
        if state.is_chance_node():
            sample_chance(state, generator.random)
            continue
        asked = [player for player in (0, 1) if task.is_asked(state, player)]
        moves = [generator.choice(task.moves(state, player)) for player in asked]
        turns += [(state.clone(), player, move) for player, move in zip(asked, moves, strict=True)]
        actions = [task.action(state, player, move) for player, move in zip(asked, moves, strict=True)]
        if state.is_simultaneous_node():
            state.apply_actions(actions)
        else:
            state.apply_action(actions[0] if actions else state.legal_actions()[0])
    return turns


def _question(task: Task, subproblem: Subproblem, state: Any, player: int, move: Any, truth: Any) -> Question:
    position = task.text(state, player)
    suppose = f"Suppose that your move is {task.written(move)}. " if subproblem.is_about_move else ""
    only = f"{suppose}Answer only question {subproblem.number} ({subproblem.title}); no move is needed."
    text = f"{prompt(task, player).with_position(position)}\n{only}\n"
    return Question(
        task.name, subproblem.number, subproblem.title, subproblem.metric, player, position, text,
        subproblem.written(truth), subproblem, truth,
        task,
    )  # fmt: skip
