"""Checks of a game: no warnings, playable levels, and reproducible plays."""

from __future__ import annotations

import itertools
import os
import pickle
import random
from collections.abc import Iterator, Sequence

import vgdl
from vgdl import Action, Game, StateObservation, VGDLError, VGDLRuntimeError
from vgdl.fingerprint import POLICIES
from vgdl.game import LevelLike
from vgdl.testing.problems import report

Actions = tuple[Action, ...]  #: one per player


def check_game(
    game: str | os.PathLike[str] | Game,
    levels: Sequence[LevelLike] | None = None,
    *,
    plays: int = 3,
    ticks: int = 300,
    allow_warnings: bool = False,
) -> None:
    """Check that a game and its levels load, can be played, and are reproducible.

    - The game and every level load, without warnings of `Game.warnings`, `Game.lint` or `Board.warnings`.
    - No level is over at the start; each has an avatar, and some action has an effect.
    - Random plays on every level trigger no runtime error, such as spawning a sprite without a class.
    - The same seed and actions lead to the same states; copies and pickled states continue like the originals.

    >>> from vgdl.testing import check_game
    >>> check_game("sokoban", levels=[0], plays=1, ticks=20)

    Args:
        game: the name of a bundled game, the path of a game file, or a loaded game.
        levels: as for `Game.board`; by default the level files next to the game.
        plays: number of random plays on each level.
        ticks: maximum ticks per play.
        allow_warnings: ignore warnings.

    Raises:
        CheckFailed: there are problems; it lists them all.
    """
    try:
        loaded = game if isinstance(game, Game) else vgdl.load(game)
    except VGDLError as error:
        report(str(game), [str(error)])
        return
    report(loaded.name, _problems(loaded, levels, plays, ticks, allow_warnings))


def _problems(
    game: Game, levels: Sequence[LevelLike] | None, plays: int, ticks: int, allow_warnings: bool
) -> Iterator[str]:
    if not allow_warnings:
        yield from map(str, (*game.warnings, *game.lint()))
    chosen = range(len(game.levels)) if levels is None else levels
    if not chosen:
        yield f"there are no levels: put {game.name}_lvl0.txt beside the game, or name some as levels=[...]"
    for level in chosen:
        try:
            board = game.drawn(0).board(level)
            first = board.start(0)
        except (VGDLError, VGDLRuntimeError) as error:
            yield str(error)
            continue
        if not allow_warnings:
            yield from map(str, board.warnings)
        yield from _start_problems(board.name, first)
        for seed in range(plays):
            yield from _play_problems(board.name, board.start(seed), ticks, seed)


def _start_problems(name: str, first: StateObservation) -> Iterator[str]:
    if first.is_over:
        yield f"{name}: the game is over at the start; look at the terminations"
    elif first.avatar is None:
        yield f"{name}: there is no avatar; the level mapping gives it a character, usually A"
    elif not any(_matters(first, player) for player in range(first.n_players)):
        yield f"{name}: nothing that a player does changes anything in the first ticks; is the avatar shut in?"


def _matters(first: StateObservation, player: int) -> bool:
    """Whether some action of a player, held for three ticks, changes sprites, scores or winners."""

    def after(action: Action) -> tuple[object, ...]:
        state = first.copy()
        for _ in range(3):
            state.advance([action if other == player else Action.NIL for other in range(first.n_players)])
        return state.scores, state.winners, state.arrays.tobytes()

    idle = after(Action.NIL)
    return any(after(action) != idle for action in first.actions_of(player) if action is not Action.NIL)


def _play_problems(name: str, first: StateObservation, ticks: int, seed: int) -> Iterator[str]:
    """The problems of one random play, and of its repetition."""
    played = first.copy()
    middle, script = first, []
    for actions in _random_actions(played, seed):
        if played.is_over or played.tick >= ticks:
            break
        if played.tick == ticks // 10:
            middle = played.copy()
        script.append(actions)
        played.advance(actions)
    error = played.game.runtime_error(played)
    if error is not None:
        yield f"{name}, seed {seed}: {error}"
    if _end(first.copy(), script) != played:
        yield f"{name}, seed {seed}: the same actions led to another state"
    rest = script[middle.tick :]
    restored = pickle.loads(pickle.dumps(middle))
    if not _end(middle.copy(), rest) == _end(restored, rest) == played:
        yield f"{name}, seed {seed}: a copy at tick {middle.tick} did not continue as the original did"


def _random_actions(state: StateObservation, seed: int) -> Iterator[Actions]:
    """Random actions that mostly repeat the last one, which moves avatars farther than uniform ones."""
    draws = random.Random(seed)
    last: Actions = (Action.NIL,) * state.n_players
    for _ in itertools.count():
        last = tuple(POLICIES["sticky"](draws, state.actions_of(p), last[p]) for p in range(state.n_players))
        yield last


def _end(state: StateObservation, script: Sequence[Actions]) -> StateObservation:
    for actions in script:
        state.advance(actions)
    return state
