"""`chat:URL#MODEL`: a language model writes levels, rules or games (generation, 5).

The model is asked through a function from messages to a text, so this module knows nothing of networks. What it writes
is tried at once; messages of the referee and the judges' profile go back to it, up to a number of rounds, and the best
answer counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Generic, TypedDict, TypeVar

import vgdl
from vgdl import VGDLError
from vgdl.controllers.base import Timer
from vgdl.generation.interface import (
    GameTexts,
    Level,
    LevelRefused,
    LevelTask,
    Rules,
    RulesRefused,
    RulesTask,
    Size,
)
from vgdl.generation.ruleset import judge_rules
from vgdl.judging.cells import Grid
from vgdl.judging.description import describe
from vgdl.judging.feasibility import CONSTRAINTS, Feasibility, idle_feasibility, static_feasibility
from vgdl.judging.plays import Effort
from vgdl.judging.profile import Profile, profile
from vgdl.language import suggestion

ROUNDS = 3
"""Number of answers that a model may give for each level, set of rules or game."""

_EFFORT = Effort(2, 200, 400)
_FENCED = re.compile(r"```[^\n]*\n(.*?)```", re.DOTALL)


class Message(TypedDict):
    """A message of a conversation."""

    role: str
    content: str


Ask = Callable[[Sequence[Message], int], str]
"""A function from a conversation and the number of the round to the model's answer."""

T = TypeVar("T")


class _Unusable(ValueError):
    """An answer is none; the message goes back to the model."""


class _Dialogue(Generic[T]):
    """Rounds of answers and messages about them."""

    def __init__(self, ask: Ask, rounds: int) -> None:
        self._ask = ask
        self._rounds = rounds

    def best(
        self, prompt: str, read: Callable[[str], T], judge: Callable[[T], tuple[float, str]], timer: Timer
    ) -> tuple[T | None, str]:
        """The answer with the greatest value, and the last message about an unusable one.

        Args:
            prompt: the first message.
            read: what an answer contains; raises `_Unusable`.
            judge: the value of it, and a message about it; a value of 1 ends the dialogue.
            timer: no round begins after its end.
        """
        messages: list[Message] = [{"role": "user", "content": prompt}]
        found: list[tuple[float, T]] = []
        problem = ""
        for number in range(self._rounds):
            if timer.exceeded:
                break
            answer = self._ask(messages, number)
            try:
                made = read(answer)
                value, message = judge(made)
                found.append((value, made))
            except _Unusable as error:
                value, message = 0.0, str(error)
                problem = message
            if value >= 1.0:
                break
            messages += [
                {"role": "assistant", "content": answer},
                {"role": "user", "content": f"{message}\n\nAnswer with an improved version in the same form."},
            ]
        best = max(found, key=lambda pair: pair[0], default=None)
        return (best[1] if best is not None else None), problem


def block(answer: str) -> str:
    """The longest fenced block of an answer, or all of it."""
    return max(_FENCED.findall(answer), key=len, default=answer).strip("\n")


def _profile_text(profile: Profile) -> str:
    rows = ", ".join(f"{row.judge} {row.wins} of {row.plays}" for row in profile.judges)
    return f"Wins of the judges, the weakest first: {rows}. A good level is won by the strong and not by the weak."


def _constraints_text(feasibility: Feasibility, words: dict[str, str]) -> str:
    broken = "; ".join(words.get(name, name) for name in feasibility.broken)
    return f"Not met: {broken}." if broken else "All constraints are met."


class ChatLevels:
    """Levels by a language model; not a `LevelGenerator` class, as it needs a model."""

    def __init__(self, game: LevelTask, ask: Ask, *, rounds: int = ROUNDS) -> None:
        """Prepare for a game.

        Args:
            game: its description and forward model.
            ask: asks the model.
            rounds: number of answers per level.
        """
        self._game = game
        self._dialogue: _Dialogue[Level] = _Dialogue(ask, rounds)

    def generate(self, size: Size, timer: Timer, *, difficulty: str | None = None) -> Level:
        """Return the best level of the dialogue.

        Raises:
            LevelRefused: no answer was a level.
        """
        wishes = f"It should be {difficulty} to win." if difficulty else "It should be won by good players only."
        prompt = (
            "Write a level for this game of VGDL. A level is a grid of characters; the LevelMapping says what each "
            f"stands for.\n\n{self._game.game.text}\n\nSize, as columns x rows: {size}. {wishes} Constraints: "
            f"{'; '.join(CONSTRAINTS.values())}. Answer with the level alone in a fenced block."
        )
        level, problem = self._dialogue.best(prompt, self._read, self._judge, timer)
        if level is None:
            raise LevelRefused(f"the model wrote no level: {problem}")
        return level

    def _read(self, answer: str) -> Level:
        text = block(answer)
        try:
            level = Level(Grid.of(text).text)
            board = self._game.board(level)
        except (LevelRefused, IndexError) as error:
            raise _Unusable(f"This cannot be played: {error}") from None
        if board.warnings:
            raise _Unusable(f"This cannot be played: {board.warnings[0]}")
        return level

    def _judge(self, level: Level) -> tuple[float, str]:
        board = self._game.board(level)
        grid = Grid.of(level.text)
        static = static_feasibility(grid, self._game.description)
        quick = Feasibility({**static.shares, **idle_feasibility(board, 0, seeds=8, meter=self._game.meter).shares})
        if not quick.is_feasible:
            return 0.5 * quick.mean, _constraints_text(quick, dict(CONSTRAINTS))
        found = profile(board, _EFFORT, 0, meter=self._game.meter)
        win = found.shortest_win
        feasibility = quick.with_wins(win.ticks if win is not None else None)
        message = f"{_constraints_text(feasibility, dict(CONSTRAINTS))} {_profile_text(found)}"
        return (0.6 + 0.4 * found.depth if feasibility.is_feasible else 0.5 * feasibility.mean), message


class ChatRules:
    """Rules by a language model."""

    def __init__(self, task: RulesTask, ask: Ask, *, rounds: int = ROUNDS) -> None:
        """Prepare for sprites and a level; arguments as for `ChatLevels`."""
        self._task = task
        self._dialogue: _Dialogue[Rules] = _Dialogue(ask, rounds)

    def generate(self, timer: Timer) -> Rules:
        """Return the best rules of the dialogue.

        Raises:
            RulesRefused: no answer was a set of rules.
        """
        prompt = (
            "Write rules in VGDL that make a game of these sprites and this level. Answer with an InteractionSet and a "
            "TerminationSet in a fenced block, one line that wins and one that loses among the terminations.\n\n"
            f"{self._task.sprites}\n\n{self._task.level}"
        )
        rules, problem = self._dialogue.best(prompt, self._read, self._judge, timer)
        if rules is None:
            raise RulesRefused(f"the model wrote no rules: {problem}")
        return rules

    def _read(self, answer: str) -> Rules:
        parts: dict[str, list[str]] = {"InteractionSet": [], "TerminationSet": []}
        section = ""
        for line in block(answer).split("\n"):
            word = line.strip().split("#")[0].strip()
            if word in parts:
                section = word
            elif word and section:
                parts[section].append(word)
        rules = Rules(parts["InteractionSet"], parts["TerminationSet"])
        try:
            self._task.play(rules)
        except RulesRefused as error:
            raise _Unusable(f"This cannot be played: {error}") from None
        return rules

    def _judge(self, rules: Rules) -> tuple[float, str]:
        judged = judge_rules(self._task.game(rules), self._task.level, 0, _EFFORT, meter=self._task.meter)
        if judged.profile is None:
            return 0.5 * judged.feasibility.mean, _constraints_text(judged.feasibility, {})
        return 0.5 + 0.5 * judged.value, _profile_text(judged.profile)


class ChatGames:
    """Whole games by a language model."""

    def __init__(self, ask: Ask, *, rounds: int = ROUNDS) -> None:
        """Prepare; arguments as for `ChatLevels`."""
        self._dialogue: _Dialogue[GameTexts] = _Dialogue(ask, rounds)

    def generate(self, idea: str, timer: Timer) -> GameTexts:
        """Return the best game of the dialogue.

        Raises:
            RulesRefused: no answer was a game.
        """
        prompt = (
            f"Write a game in VGDL{f': {idea}' if idea else ''}, for one player, with one to five levels. Answer with "
            'JSON in a fenced block: {"game": "text", "levels": ["text", ...]}.'
        )
        game, problem = self._dialogue.best(prompt, self._read, self._judge, timer)
        if game is None:
            raise RulesRefused(f"the model wrote no game: {problem}")
        return game

    @staticmethod
    def _read(answer: str) -> GameTexts:
        try:
            found = json.loads(block(answer))
            texts = GameTexts(str(found["game"]), [str(level) for level in found["levels"]][:5])
            game = vgdl.loads(texts.game)
            for level in texts.levels:
                game.start(Grid.of(level).text, 0)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError, VGDLError) as error:
            raise _Unusable(f"This cannot be played: {error}") from None
        if game.warnings or not texts.levels or game.n_players != 1:
            raise _Unusable(
                f"This cannot be played: {game.warnings[0] if game.warnings else 'one player, one level or more'}"
            )
        return texts

    @staticmethod
    def _judge(texts: GameTexts) -> tuple[float, str]:
        game = vgdl.loads(texts.game)
        board, grid = game.board(Grid.of(texts.levels[0]).text), Grid.of(texts.levels[0])
        static = static_feasibility(grid, describe(game))
        quick = Feasibility({**static.shares, **idle_feasibility(board, 0, seeds=8).shares})
        found = profile(board, _EFFORT, 0)
        win = found.shortest_win
        feasibility = quick.with_wins(win.ticks if win is not None else None)
        message = f"{_constraints_text(feasibility, dict(CONSTRAINTS))} {_profile_text(found)}"
        return (0.6 + 0.4 * found.depth if feasibility.is_feasible else 0.5 * feasibility.mean), message


def parse_model(name: str) -> tuple[str, str]:
    """The address and the model of ``chat:URL#MODEL``.

    Raises:
        ValueError: the name has another form.
    """
    address, mark, model = name.removeprefix("chat:").rpartition("#")
    if not name.startswith("chat:") or not mark or not model or "://" not in address:
        raise ValueError(
            f"{name!r} does not name a model{suggestion(name, ['chat:URL#MODEL'])}: expected chat:URL#MODEL"
        )
    return address, model
