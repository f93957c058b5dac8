"""A person who plays in the terminal: is shown what a model is shown, and asked question by question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console

from vgdl.competition.tracks.gamebot.answers import Reading
from vgdl.competition.tracks.gamebot.grammars import Mode
from vgdl.competition.tracks.gamebot.match import Response
from vgdl.competition.tracks.gamebot.prompts import Variant, prompt
from vgdl.competition.tracks.gamebot.task import Subproblem, Task

HELP = "Answers and moves are written as the text above shows; an empty line leaves an answer out. Ctrl-C ends the run."


class HumanPlayer:
    """A person. What cannot be read is asked again, since a slip of the keys is no answer."""

    def __init__(
        self,
        name: str,
        console: Console,
        *,
        variant: Variant = Variant.GUIDED,
        reading: Mode = Mode.PAPER,
        ask: Callable[[str], str] = input,
    ) -> None:
        """Make a player for one match.

        Args:
            name: the name in tables.
            console: where positions are shown.
            variant: whether questions are asked, and how much is told.
            reading: which forms of answers count.
            ask: shows a text, and returns the line that is typed.
        """
        self.name = name
        self._console = console
        self._variant = variant
        self._reading = reading
        self._ask = ask
        self._knows_rules = False

    def respond(self, task: Task, state: Any, player: int, turn: int, attempt: int, fault: str) -> Response:
        asked = prompt(task, player, self._variant)
        if not self._knows_rules:
            self._show(f"{asked.text}\n\n{HELP}")
            self._knows_rules = True
        self._show(f"\n{fault}\n{task.text(state, player)}\n")
        guided = self._variant is Variant.GUIDED
        results: dict[int, Any] = {}
        lines: list[str] = []
        open_questions = {each.number: each for each in task.subproblems} if guided and not attempt else {}
        for number in task.truths(state, player, None):
            if number in open_questions:
                self._answer(task, open_questions.pop(number), results, lines)
        move = self._move(task, state, player, lines)
        for number in task.truths(state, player, move):
            if number in open_questions and open_questions[number].is_about_move:
                self._answer(task, open_questions.pop(number), results, lines)
        return Response(Reading(results, move=move), "\n".join(lines), asked.version, answers_questions=guided)

    def _answer(self, task: Task, question: Subproblem, results: dict[int, Any], lines: list[str]) -> None:
        while payload := self._line(f"{question.number}. {question.title}: "):
            line = f"[Intermediate Thinking Results {question.number}: {payload}]"
            found = task.read(line, self._reading).results
            if question.number in found:
                results[question.number] = found[question.number]
                lines.append(line)
                return
            self._show("This cannot be read; see the form in the examples.")

    def _move(self, task: Task, state: Any, player: int, lines: list[str]) -> Any:
        while True:
            line = f"{task.shown_marker}{self._line(task.shown_marker.strip() + ' ')}"
            move = task.read(line, self._reading).move
            if move is not None and task.action(state, player, move) is not None:
                lines.append(line)
                return move
            self._show("This is not a legal move.")

    def _line(self, text: str) -> str:
        try:
            return self._ask(text).strip()
        except EOFError:
            raise KeyboardInterrupt from None  # nothing can be typed any more: as after Ctrl-C

    def _show(self, text: str) -> None:
        self._console.print(text.strip("\n"), markup=False, highlight=False)
