"""An author for tests that gives prepared answers, good and bad ones, regardless of the prompt (12)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from vgdl.competition.chat.model import ChatError, Message, Reply, Sampling
from vgdl.competition.options import OptionError

Script = Sequence[str] | Callable[[str], str]
"""The answers of a game in order, or a function of the prompt."""

Edit = tuple[str, str]

_SIGN = ("[1.0, -1.0] if", "[-1.0, 1.0] if"), ("else [-1.0, 1.0]", "else [1.0, -1.0]")
_LOOP = ("def get_legal_actions(state):\n", "def get_legal_actions(state):\n    while True:\n        pass\n")
_COMMON: dict[str, tuple[Edit, ...]] = {
    "syntax error": (("def get_rewards(state):", "def get_rewards(state)"),),
    "missing function": (("def get_player_name(", "def player_name("),),
    "endless loop": (_LOOP,),
}
_BLIND: Edit = (
    "def resample_history(obs_action_history, player_id, last_is_terminal=False):\n",
    "def resample_history(obs_action_history, player_id, last_is_terminal=False):\n    return []\n",
)
_FUTURE = '            return [*history, "{}"]\n'

FAULTS: Mapping[str, Mapping[str, tuple[Edit, ...]]] = {
    "tic_tac_toe": {
        **_COMMON,
        "wrong reward sign": _SIGN,
        "lines without a diagonal": (("(0, 4, 8), (2, 4, 6),", "(0, 4, 8),"),),
        "mutates its state": (('board = list(state["board"])', 'board = state["board"]'),),
    },
    "leduc_poker": {
        **_COMMON,
        "wrong reward sign": (
            ('state["money"][0] - START', 'START - state["money"][0]'),
            ('state["money"][1] - START', 'START - state["money"][1]'),
        ),
        "mutates its state": (('"bets": [list(bets) for bets in state["bets"]]}', "}"),),
        "wrong chance": ((' for card in range(6) if card not in state["private_cards"]]', " for card in range(6)]"),),
        "inference that ignores observations": (_BLIND,),
        "inference that sees the future": (("            return history\n", _FUTURE.format("Call")),),
    },
    "quadranto": {
        **_COMMON,
        "wrong reward sign": _SIGN,
        "mutates its state": (('cells = list(state["cells"])', 'cells = state["cells"]'),),
        "wrong chance": (('f"cell {number}" for number in range(4)', 'f"cell {number}" for number in range(3)'),),
        "inference that ignores observations": (_BLIND,),
        "inference that sees the future": (("    return history\n", _FUTURE.format("Stay")[8:]),),
    },
}
"""Edits that turn a correct program into a faulty one: pairs of text before and after."""

_BLOCKED = "    if boxes and (standing(state, WALL, *beyond) or standing(state, BOX, *beyond)):\n"
VGDL_FAULTS: Mapping[str, Mapping[str, tuple[Edit, ...]]] = {
    "sokoban": {
        "syntax error": (("def moved(state, action):", "def moved(state, action)"),),
        "boxes in the way": ((_BLOCKED, "    if boxes:\n"),),
        "boxes pushed into boxes": ((_BLOCKED, "    if boxes and standing(state, WALL, *beyond):\n"),),
        "holes that fill": (('            state["sprites"].remove(box)\n', ""),),
    },
}
"""The same, for Python programs of VGDL games."""

_FAULTS = {**FAULTS, **VGDL_FAULTS}

PROSE = "The rules are clear to me: I would begin with the board, and then write the moves."
"""An answer without a program."""

_SHOWN = ("prose", "syntax error", "missing function", "wrong reward sign", "wrong chance", "lines without a diagonal",
          "boxes in the way", "holes that fill")  # fmt: skip


class ScriptMissing(ChatError):
    """A scripted author has no script for a request."""


class ScriptedAuthor:
    """A chat model that gives the answers of a script in order; after the last one it repeats it or raises.

    The number of the call, which is the last part of its key, selects the answer: so a run resumed from the cache goes
    on where it stopped.
    """

    def __init__(self, programs: Mapping[str, Script], *, at_end: str = "repeat", name: str = "scripted") -> None:
        """Store the scripts.

        Args:
            programs: a script for each game; ``"GAME value"`` is the script for value functions of a game, and ``"GAME
                python"``, if present, for a VGDL game as a Python program.
            at_end: ``repeat`` or ``raise``.
            name: the name in tables and in the keys of cached replies.

        Raises:
            OptionError: ``at_end`` is something else, or a script is empty.
        """
        if at_end not in ("repeat", "raise"):
            raise OptionError(f"at_end must be repeat or raise, not {at_end!r}")
        for game, script in programs.items():
            if not callable(script) and not script:
                raise OptionError(f"the script of {game} has no answers")
        self._programs = dict(programs)
        self._at_end = at_end
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def complete(self, messages: Sequence[Message], sampling: Sampling, key: Sequence[str | int]) -> Reply:
        """Return the next answer.

        Args:
            messages: the conversation; scripts that are functions are called with the last message.
            sampling: unused.
            key: ends with the number of the call, from 0; its second part is the game.

        Raises:
            ChatError: there is no script for the game, or no answer is left.
        """
        purpose, game, call = str(key[0]), str(key[1]), int(key[-1])
        what = key[2] if purpose == "program" and len(key) > 3 else purpose
        script = self._programs.get(f"{game} {what}") or (self._programs.get(game) if purpose == "program" else None)
        if script is None:
            raise ScriptMissing(f"there is no script for {game} ({purpose}); there are {', '.join(self._programs)}")
        if callable(script):
            text = script(messages[-1]["content"])
        elif call < len(script) or self._at_end == "repeat":
            text = script[min(call, len(script) - 1)]
        else:
            raise ChatError(f"the script of {game} has {len(script)} answers, and one more is asked for")
        prompt_tokens = sum(len(message["content"]) for message in messages) // 4
        return Reply(text, "stop", prompt_tokens, len(text) // 4, self.name, seconds=0.0)


def prepared(game: str, fault: str = "") -> str:
    """A prepared program, correct or with one of the `FAULTS` or `VGDL_FAULTS` of its game.

    Raises:
        KeyError: there is no such game or fault.
    """
    source = _right(game)
    for before, after in _FAULTS[game][fault] if fault else ():
        if before not in source:
            raise KeyError(f"the program of {game} has changed: {before!r} is not in it")
        source = source.replace(before, after)
    return source


@cache
def _right(game: str) -> str:
    file = files("vgdl.competition.tracks.worldmodels") / "programs" / f"{game}.txt"
    if game not in _FAULTS:
        raise KeyError(f"there is no prepared program of {game}; there are {', '.join(_FAULTS)}")
    return file.read_text(encoding="utf-8")


def fenced(program: str, reasoning: str = "", language: str = "python") -> str:
    """Format a program as an answer, in a fenced block."""
    return f"{reasoning}\n\n```{language}\n{program.rstrip()}\n```\n".lstrip()


def standard() -> dict[str, Script]:
    """The scripts of ``--author scripted``: bad answers of several kinds, then the correct program."""
    scripts: dict[str, Script] = {}
    for game, faults in _FAULTS.items():
        bad = [PROSE if name == "prose" else fenced(prepared(game, name), f"This one has a fault: {name}.")
               for name in _SHOWN if name == "prose" or name in faults]  # fmt: skip
        name = f"{game} python" if game in VGDL_FAULTS else game
        scripts[name] = [*bad, fenced(prepared(game), "I think I have it now.")]
    scripts["tic_tac_toe value"] = [fenced(_VALUE), fenced(_WRONG_VALUE)]
    return scripts


def read_scripts(path: Path) -> dict[str, Script]:
    """Read scripts from a file or a folder.

    Args:
        path: a JSON file that maps games to lists of answers, or a folder with a folder per game, whose files are
            answers in the order of their names; a ``.py`` or ``.vgdl`` file is a program without its fence.

    Raises:
        ChatError: it is neither.
    """
    try:
        if path.is_dir():
            folders = sorted(folder for folder in path.iterdir() if folder.is_dir())
            return {folder.name: [_answer(file) for file in sorted(folder.iterdir())] for folder in folders}
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ChatError(f"{path} does not contain scripts: {error}") from None
    if not isinstance(found, dict) or not all(
        isinstance(script, list) and script and all(isinstance(text, str) for text in script)
        for script in found.values()
    ):
        raise ChatError(f"{path} does not contain scripts: expected a JSON object of games and lists of answers")
    return found


def _answer(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    language = _LANGUAGES.get(file.suffix)
    return fenced(text, language=language) if language else text


_LANGUAGES = {".py": "python", ".vgdl": "vgdl"}

_VALUE = '''\
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def value_function(state, player_id):
    """Open lines of each mark; the exact result at the end."""
    own, other = ("x", "o") if player_id == 0 else ("o", "x")
    total = 0.0
    for line in LINES:
        marks = [state["board"][cell] for cell in line]
        if marks.count(own) == 3:
            return 1.0
        if marks.count(other) == 3:
            return -1.0
        if other not in marks:
            total += 0.02 * marks.count(own) ** 2
        if own not in marks:
            total -= 0.02 * marks.count(other) ** 2
    return 0.0 if state["current_player"] == "Terminal" else total
'''
_WRONG_VALUE = "def value_function(state, player_id):\n    return 'good' if player_id == 0 else 'bad'\n"
