"""Systems written in JavaScript for the published arena, run by an interpreter in the system's own process.

A script defines ``analyzeStage(stage, initialBoard, validMoves, api, timer)``, which returns the strategy, a function
of ``(board, player, validMoves)``; names and shapes are those of the published arena (specification 6). QuickJS has no
threads and lives in the process, so that a game starts from a snapshot of it, as for systems in Python. A script has
the language only: no files, no network, no timers.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from vgdl.competition.tracks.othello.board import Board, Cell
from vgdl.competition.tracks.othello.stages import PublicStage
from vgdl.extras import needs
from vgdl.registry import EntryInvalid

SUFFIX = ".js"
"""Suffix of the files of such systems."""

FUNCTION = "analyzeStage"
"""The function that a script defines."""

_CALLS = {
    "getValidMoves": "get_valid_moves",
    "simulateMove": "simulate_move",
    "evaluateBoard": "evaluate_board",
    "nextPlayer": "next_player",
    "winner": "winner",
}
"""The calls of the API, by their published names; the last two are additions, absent under ``--api paper``."""

_PRELUDE = """
"use strict";
globalThis.window = globalThis.self = globalThis;
globalThis.module = {exports: {}};
globalThis.exports = module.exports;
const shown = part => typeof part === "object" ? JSON.stringify(part) : String(part);
const print = (...parts) => __print(parts.map(shown).join(" "));
globalThis.console = {log: print, info: print, warn: print, error: print, debug: print};
globalThis.performance = {now: () => __nowMs()};
Math.random = () => __random();
globalThis.__api = Object.fromEntries(JSON.parse(__calls).map(name => [name, (...parts) => {
    const answer = JSON.parse(__ask(name, JSON.stringify(parts)));
    if ("error" in answer) throw new RangeError(answer.error);
    return answer.value;
}]));
globalThis.__cell = answer => {
    if (Array.isArray(answer)) return answer;
    return answer && typeof answer === "object" ? [answer.row ?? answer.r, answer.col ?? answer.c] : null;
};
globalThis.__analyze = (stage, board, moves) => {
    const timer = {get remainingMs() { return __remainingMs(); }, get gameMs() { return __gameMs(); }};
    globalThis.__strategy = __analyzer(JSON.parse(stage), JSON.parse(board), JSON.parse(moves), __api, timer);
    return typeof __strategy === "function";
};
globalThis.__choose = (board, player, moves) =>
    JSON.stringify(__cell(__strategy(JSON.parse(board), player, JSON.parse(moves))) ?? null);
"""

_FIND = """
globalThis.__analyzer = typeof analyzeStage === "function" ? analyzeStage
    : typeof module.exports === "function" ? module.exports : module.exports.analyzeStage;
typeof __analyzer === "function"
"""


class ScriptError(RuntimeError):
    """A script failed; the message has its own error with file and line."""


class JavaScriptSystem:
    """A system whose script is in a file."""

    def __init__(self, path: Path) -> None:
        """Run the script, which defines its functions.

        Args:
            path: file of the script.

        Raises:
            EntryInvalid: the extra ``javascript`` is not installed, or the script has no function `FUNCTION`.
            ScriptError: it cannot be parsed, or raises.
        """
        try:
            import quickjs
        except ImportError:
            raise EntryInvalid(needs("a system in JavaScript", "quickjs-ng", "javascript")) from None
        self._failure = quickjs.JSException
        self._name = path.name
        self._api: Any = None
        self._timer: Any = None
        self._context = context = quickjs.Context()
        for name, function in self._functions().items():
            context.add_callable(name, function)
        context.set("__calls", json.dumps(list(_CALLS)))
        context.eval(_PRELUDE)
        source = path.read_text(encoding="utf-8")
        self._run(lambda: context.eval(source))
        if not context.eval(_FIND):
            raise EntryInvalid(f"{path.name} has no function {FUNCTION}(stage, initialBoard, validMoves, api)")

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Any, timer: Any
    ) -> Callable[[Board, int, list[Cell]], Any] | None:
        """Let the script analyse the stage; None if it does not return a function.

        Raises:
            ScriptError: it raises.
        """
        self._api, self._timer = api, timer
        for name, call in _CALLS.items():
            if not hasattr(api, call):
                self._context.eval(f"delete __api.{name}")
        facts = {
            "id": stage.id,
            "name": stage.name,
            "boardSize": stage.board_size,
            "initialBlocked": _cells(stage.initial_blocked),
            "initialPlayer1": _cells(stage.initial_black),
            "initialPlayer2": _cells(stage.initial_white),
        }
        analyze = self._context.get("__analyze")
        arguments = [json.dumps(value) for value in (facts, initial_board, _cells(valid_moves))]
        return self._choose if self._run(lambda: analyze(*arguments)) else None

    def _choose(self, board: Board, player: int, valid_moves: list[Cell]) -> Any:
        """The strategy's answer as a list of two numbers if it is a cell."""
        choose = self._context.get("__choose")
        arguments = json.dumps(board), player, json.dumps(_cells(valid_moves))
        return json.loads(self._run(lambda: choose(*arguments)))

    def _run(self, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except self._failure as error:
            raise ScriptError(str(error).replace("<input>", self._name).strip()) from None

    def _functions(self) -> dict[str, Callable[..., Any]]:
        """What the prelude calls; QuickJS passes numbers and texts."""
        return {
            "__ask": self._ask,
            "__print": print,
            "__random": random.random,
            "__nowMs": lambda: 1000 * self._timer.clock() if self._timer is not None else 0.0,
            "__remainingMs": lambda: self._timer.remaining_ms,
            "__gameMs": lambda: self._timer.game_ms,
        }

    def _ask(self, name: str, parts: str) -> str:
        """Call the API; an error is an answer, as an exception would lose its message on the way."""
        try:
            return json.dumps({"value": _published(getattr(self._api, _CALLS[name])(*json.loads(parts)))})
        except (ValueError, TypeError, OverflowError, IndexError, AttributeError) as error:
            return json.dumps({"error": str(error)[:200]})


def _cells(cells: Sequence[Cell]) -> list[dict[str, int]]:
    """Cells with the names that they have in published stages and in published moves."""
    return [{"row": row, "col": column, "r": row, "c": column} for row, column in cells]


def _published(value: Any) -> Any:
    """An answer of the API with the published names of its parts."""
    if isinstance(value, list):
        return _cells(value)
    if hasattr(value, "_asdict"):
        return {_camel(name): part for name, part in value._asdict().items()}
    return value


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))
