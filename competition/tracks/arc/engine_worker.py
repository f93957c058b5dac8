"""Plays one game of the official engine for another process: ``python -I engine_worker.py GAME.py``.

It runs in an interpreter that has the package ``arcengine`` and not this one. A line of JSON on the standard input is a
command, ``{"action": 0..7, "x": …, "y": …}``; a line on what was the standard output is the answer. What the game
prints is thrown away.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import sys
from pathlib import Path
from typing import Any

MOST_MEMORY = 2 << 30  #: bytes of address space


def main(file: str) -> int:
    """Answer commands until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    _limit()
    try:
        game, engine = _load(Path(file))
        _answer(answers, {"actions": [int(action) for action in getattr(game, "_available_actions", [])]})
    except BaseException as error:  # a stranger's module may raise anything
        _answer(answers, {"error": f"{type(error).__name__}: {error}"})
        return 1
    for line in sys.stdin:
        command = json.loads(line)
        try:
            _answer(answers, _perform(game, engine, command))
        except BaseException as error:
            _answer(answers, {"error": f"{type(error).__name__}: {error}"})
            return 1
    return 0


def _limit() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    except (ImportError, ValueError, OSError):
        pass  # not a system with such limits


def _load(file: Path) -> tuple[Any, Any]:
    """The game of a file: the class in it that derives from the engine's base class."""
    sys.path.insert(0, str(file.parent))
    import arcengine  # type: ignore[import-not-found, unused-ignore]

    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    base = arcengine.ARCBaseGame
    found = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, base) and value is not base and value.__module__ == file.stem
    ]
    if len(found) != 1:
        raise ImportError(f"{file.name} has {len(found)} classes of games, expected 1")
    return found[0](), arcengine


def _perform(game: Any, engine: Any, command: dict[str, Any]) -> dict[str, Any]:
    data = {"x": command["x"], "y": command["y"]} if command["action"] == 6 else {}
    action = next(action for action in engine.GameAction if action.value == command["action"])
    frame = game.perform_action(engine.ActionInput(id=action, data=data), raw=True)
    layers = [[[int(pixel) for pixel in row] for row in layer] for layer in frame.frame]
    return {
        "frame": ["".join(f"{pixel & 15:x}" for row in layer for pixel in row) for layer in layers],
        "state": getattr(frame.state, "value", str(frame.state)),
        "levels_completed": int(frame.levels_completed),
        "win_levels": int(frame.win_levels),
        "actions": [int(action) for action in frame.available_actions],
    }


def _answer(answers: Any, facts: dict[str, Any]) -> None:
    answers.write(json.dumps(facts) + "\n")
    answers.flush()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
