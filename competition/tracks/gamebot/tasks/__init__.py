"""The eight games of GAMEBoT, in the order of its tables."""

from __future__ import annotations

from vgdl.competition.tracks.gamebot.task import Task
from vgdl.competition.tracks.gamebot.tasks.bargaining import Bargaining
from vgdl.competition.tracks.gamebot.tasks.checkers import Checkers
from vgdl.competition.tracks.gamebot.tasks.grids import ConnectFour, TicTacToe
from vgdl.competition.tracks.gamebot.tasks.holdem import Holdem
from vgdl.competition.tracks.gamebot.tasks.othello import Othello
from vgdl.competition.tracks.gamebot.tasks.pong import Pong
from vgdl.competition.tracks.gamebot.tasks.surround import Surround

TASKS: dict[str, type[Task]] = {
    task.name: task for task in (Othello, Pong, Surround, Checkers, TicTacToe, ConnectFour, Holdem, Bargaining)
}
