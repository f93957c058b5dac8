"""The panels around the board: score, time, health, resources, controls, and the values of controllers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pygame
from pygame import Rect, Surface

from vgdl import Action, StateObservation
from vgdl.play import paint
from vgdl.play.match import Match
from vgdl.play.players import Machine
from vgdl.play.settings import Settings
from vgdl.render import shape
from vgdl.render.pictures import picture


def draw_status(surface: Surface, bar: Rect, match: Match, rate: str, settings: Settings) -> None:
    """Draw title, score, tick, speed, and health and resources of each avatar."""
    u = paint.unit(surface)
    pygame.draw.rect(surface, paint.NIGHT, bar)
    state = match.state
    scores = " : ".join(f"{score:g}" for score in state.scores)
    right = bar.right - 10 * u
    for words, color in ((rate, paint.SILVER), (f"tick {state.tick}", paint.SILVER), (f"score {scores}", paint.YELLOW)):
        right = paint.text(surface, words, 22 * u, (right, bar.centery), color, "midright").left - 16 * u
    title = paint.shortened(match.title, 22 * u, bar.width * 0.4)
    left = paint.text(surface, title, 22 * u, (bar.left + 10 * u, bar.centery), paint.WHITE, "midleft").right + 16 * u
    for player in range(state.n_players):
        left = _draw_belongings(surface, bar, left, right, state, player, settings)


def _draw_belongings(
    surface: Surface, bar: Rect, left: float, right: float, state: StateObservation, player: int, settings: Settings
) -> float:
    """Draw health and resources of an avatar from ``left`` on; returns where they end."""
    avatar = state.avatars[player]
    if avatar is None:
        return left
    u = paint.unit(surface)
    if avatar.max_health > 0:
        words = f"health {avatar.health}/{avatar.max_health}"
        color = paint.RED if 4 * avatar.health <= avatar.max_health else paint.GREEN
        left = paint.text(surface, words, 20 * u, (left, bar.centery), color, "midleft").right + 12 * u
    for kind, amount in avatar.resources.items():
        icon = icon_of(state, kind, round(bar.height * 0.7), settings)
        if left + icon.get_width() + 40 * u > right:
            break
        surface.blit(icon, icon.get_rect(midleft=(round(left), bar.centery)))
        left += icon.get_width() + 4 * u
        left = paint.text(surface, str(amount), 20 * u, (left, bar.centery), paint.WHITE, "midleft").right + 12 * u
    return left


def icon_of(state: StateObservation, kind: int, side: int, settings: Settings) -> Surface:
    """The picture of a type, ``side`` pixels wide and high."""
    look = state.game.looks[kind]
    plain = shape(state.tables, kind)
    shown = picture(look, side, side, 0, shape=plain, images=settings.images, palette=settings.palette)
    height, width = shown.rgb.shape[0], shown.rgb.shape[1] // 3
    icon = paint.as_surface(shown.rgb.reshape(height, width, 3))
    if shown.mask is not None:
        icon = icon.convert_alpha()
        alpha = shown.mask.reshape(height, width, 3)[..., 0].T
        pygame.surfarray.pixels_alpha(icon)[...] = alpha * 255
    return icon


def draw_controls(surface: Surface, bar: Rect, hints: Sequence[tuple[list[str], str]]) -> None:
    """Draw keys and what they do, from left to right, as many as fit."""
    u = paint.unit(surface)
    pygame.draw.rect(surface, paint.NIGHT, bar)
    left: float = bar.left + 10 * u
    for keys, meaning in hints:
        width = sum(30 * u if len(key) == 1 or key.isupper() else 60 * u for key in keys)
        if left + width + paint.width_of(meaning, 19 * u) > bar.right:
            return
        for key in keys:
            left = paint.keycap(surface, key, 17 * u, (left, bar.centery)).right + 4 * u
        left = paint.text(surface, meaning, 19 * u, (left + 4 * u, bar.centery), paint.SILVER, "midleft").right + 18 * u


def draw_thoughts(surface: Surface, area: Rect, machines: Sequence[Machine]) -> None:
    """Draw the answer and the time of each controller, and the values of actions as bars if it has ``draw``."""
    u = paint.unit(surface)
    pygame.draw.rect(surface, paint.NIGHT, area)
    left, width = area.left + 12 * u, area.width - 24 * u
    top = area.top + 12 * u
    for machine in machines:
        for line in paint.wrapped(machine.title, 22 * u, width):
            paint.text(surface, line, 22 * u, (left, top), paint.YELLOW)
            top += 26 * u
        answered = machine.answered.name if machine.answered is not None else "–"
        paint.text(surface, f"{answered}   {machine.used_ms:.0f} ms", 19 * u, (left, top), paint.SILVER)
        top += 28 * u
        shares = shares_of(machine.values)
        for action, value in sorted(machine.values.items()):
            chosen = action == machine.answered
            paint.text(surface, action.name, 18 * u, (left, top), paint.WHITE if chosen else paint.SILVER)
            paint.text(surface, f"{value:.4g}", 18 * u, (left + width, top), paint.SILVER, "topright")
            bar = Rect(round(left), round(top + 16 * u), max(2, round(width * shares[action])), round(6 * u))
            pygame.draw.rect(surface, paint.YELLOW if chosen else paint.SLATE, bar, border_radius=3)
            top += 32 * u
        if not machine.values:
            for line in paint.wrapped("No values: the controller has no method draw.", 17 * u, width):
                paint.text(surface, line, 17 * u, (left, top), paint.STEEL)
                top += 20 * u
        top += 16 * u


def shares_of(values: Mapping[Action, float]) -> dict[Action, float]:
    """The length of each value's bar, from 0 for the worst to 1 for the best; values may be infinite or NaN."""
    finite = [value for value in values.values() if math.isfinite(value)]
    best, worst = max(finite, default=0.0), min(finite, default=0.0)

    def share(value: float) -> float:
        if not math.isfinite(value):
            return float(value == math.inf)
        return (value / 2 - worst / 2) / (best / 2 - worst / 2) if best > worst else 1.0  # halves do not overflow

    return {action: share(value) for action, value in values.items()}


def draw_help(surface: Surface, title: str, words: str, keys: Sequence[tuple[str, str]]) -> None:
    """Draw a panel with the rules and the keys, side by side in a flat window.

    Args:
        surface: the window.
        title: of the panel.
        words: the rules; may be empty.
        keys: names of keys, and what they do.
    """
    box = surface.get_rect().inflate(-round(0.06 * surface.get_width()), -round(0.06 * surface.get_height()))
    paint.panel(surface, box)
    page = box.inflate(-0.06 * box.height, -0.06 * box.height)
    is_flat = bool(words) and page.width > 2 * page.height
    size = next((size for size in _HELP_SIZES if _help_fits(page, words, keys, size, is_flat)), _HELP_SIZES[-1])
    top = page.top + paint.text(surface, title, 1.6 * size, page.topleft, paint.YELLOW).height + 0.5 * size
    left: float = page.left
    column = page.width * (0.4 if is_flat else 1.0)
    bottom = top
    for line in paint.wrapped(words, size, column) if words else []:
        paint.text(surface, line, size, (left, bottom), paint.WHITE)
        bottom += _LINE * size
    if is_flat:
        left += column + 2 * size
    else:
        top = bottom + (0.6 * size if words else 0)
    indent = _indent(keys, size)
    for key, meaning in keys:
        paint.text(surface, key, size, (left, top), paint.YELLOW)
        for line in paint.wrapped(meaning, size, page.right - left - indent):
            paint.text(surface, line, size, (left + indent, top), paint.WHITE)
            top += _LINE * size


_LINE = 1.2  #: height of a line as a multiple of the font size
_HELP_SIZES = tuple(range(48, 9, -1))  #: in pixels; the largest that fits is used


def _help_fits(page: Rect, words: str, keys: Sequence[tuple[str, str]], size: float, is_flat: bool) -> bool:
    """Whether the help fits on a page with a font size."""
    column = page.width * (0.4 if is_flat else 1.0)
    rules = len(paint.wrapped(words, size, column)) if words else 0
    room = (page.width - column - 2 * size if is_flat else page.width) - _indent(keys, size)
    lines = sum(len(paint.wrapped(meaning, size, room)) for _, meaning in keys)
    height = _LINE * size * (max(rules, lines) if is_flat else rules + lines + 1)
    return room > 8 * size and height + 2 * size <= page.height


def _indent(keys: Sequence[tuple[str, str]], size: float) -> float:
    return max(paint.width_of(key, size) for key, _ in keys) + size
