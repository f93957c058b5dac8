"""Key bindings of players, and hints that explain them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import pygame

from vgdl import Action, Game, StateObservation, ontology
from vgdl.language import SectionKind, SpriteLine, parse
from vgdl.play.keys import Bindings

ARROWS: Bindings = {
    pygame.K_UP: Action.UP, pygame.K_LEFT: Action.LEFT, pygame.K_DOWN: Action.DOWN, pygame.K_RIGHT: Action.RIGHT,
    pygame.K_SPACE: Action.USE,
}  # fmt: skip
LETTERS: Bindings = {
    pygame.K_w: Action.UP, pygame.K_a: Action.LEFT, pygame.K_s: Action.DOWN, pygame.K_d: Action.RIGHT,
}  # fmt: skip
SHIFT: Bindings = {pygame.K_LSHIFT: Action.USE, pygame.K_RSHIFT: Action.USE}

_MOVES = ((Action.UP, "W"), (Action.LEFT, "A"), (Action.DOWN, "S"), (Action.RIGHT, "D"))


def bindings(person: int, people: int) -> Bindings:
    """The keys of a person: both sets for one person, one set each for two (sprites, 3.4)."""
    if people == 1:
        return {**ARROWS, **LETTERS}
    return ARROWS if person == 0 else {**LETTERS, **SHIFT}


def hints(state: StateObservation, player: int, person: int, people: int) -> list[tuple[list[str], str]]:
    """Keys and their effects in a game. The name of a direction stands for an arrow key."""
    actions = state.actions_of(player)
    moves = [move for move, _ in _MOVES if move in actions]
    letters = [letter for move, letter in _MOVES if move in actions]
    found: list[tuple[list[str], str]] = []
    if moves:
        keys = letters if people > 1 and person == 1 else [move.name for move in moves]
        sideways = not {Action.UP, Action.DOWN} & set(moves)
        found.append((keys, "left and right" if sideways else "move"))
    if Action.USE in actions:
        found.append((["Shift" if people > 1 and person == 1 else "Space"], _use(state, player)))
    return found


def _use(state: StateObservation, player: int) -> str:
    """The meaning of USE: to shoot if the avatar makes missiles, otherwise to use what it makes."""
    avatar = state.avatars[player]
    game: Game = state.game
    types = _types(game.text)
    _, made = types.get(game.types[avatar.type], ("", "")) if avatar else ("", "")
    product = made.split(",")[0]
    if not product:
        return "act"
    word, _ = types.get(product, ("", ""))
    return "shoot" if _is_missile(word) else f"use: {product.replace('_', ' ')}"


def _is_missile(word: str) -> bool:
    row = ontology.sprite_class(word)
    return row is not None and (row.name == "Missile" or _is_missile(row.parent or ""))


@lru_cache(maxsize=8)
def _types(text: str) -> dict[str, tuple[str, str]]:
    """The class and the ``stype`` of each sprite type."""
    return dict(_described(parse(text)[0].entries(SectionKind.SPRITES), "", ""))


def _described(lines: Iterable[object], word: str, stype: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Sprite types with their own or inherited class and ``stype``."""
    for line in lines:
        if isinstance(line, SpriteLine):
            own_word = line.class_name.text if line.class_name else word
            own_stype = line.arguments["stype"].value if "stype" in line.arguments else stype
            yield line.name.text, (own_word, own_stype)
            yield from _described(line.children, own_word, own_stype)
