"""The eight games of GAMEBoT, in the order of its tables, and their questions as a data set.

>>> question = sample(seed=1, game="tic_tac_toe")
>>> question.check(question.truth), question.check("I do not know")
(True, False)
"""

from __future__ import annotations

from vgdl.competition.tracks.gamebot.questions import Question, draw
from vgdl.competition.tracks.gamebot.task import Task
from vgdl.competition.tracks.gamebot.tasks.bargaining import Bargaining
from vgdl.competition.tracks.gamebot.tasks.checkers import Checkers
from vgdl.competition.tracks.gamebot.tasks.grids import ConnectFour, TicTacToe
from vgdl.competition.tracks.gamebot.tasks.holdem import Holdem
from vgdl.competition.tracks.gamebot.tasks.othello import Othello
from vgdl.competition.tracks.gamebot.tasks.pong import Pong
from vgdl.competition.tracks.gamebot.tasks.surround import Surround

__all__ = ["TASKS", "Question", "sample"]

TASKS: dict[str, type[Task]] = {
    task.name: task for task in (Othello, Pong, Surround, Checkers, TicTacToe, ConnectFour, Holdem, Bargaining)
}


def sample(seed: int, game: str | None = None, subproblem: int | None = None, *, balanced: bool = True) -> Question:
    """Draw a question about a position of random play; equal arguments give equal questions.

    Args:
        seed: of the draw.
        game: a name in `TASKS`; by default one is drawn.
        subproblem: its number in the game, from 1; by default one is drawn.
        balanced: whether half of the questions with yes/no answers and sets have the answer yes or a set with members,
            which are rare in play, and half the other one.

    Raises:
        ValueError: there is no such game or subproblem.
        CompetitionError: a package is missing.
    """
    return draw(TASKS, seed, game, subproblem, balanced=balanced)
