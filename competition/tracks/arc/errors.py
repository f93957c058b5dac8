"""Errors for commands that cannot be executed (spec, 2.4) and are not counted."""

from __future__ import annotations


class CommandError(Exception):
    """A command that cannot be executed."""


class BadActionError(CommandError, ValueError):
    """An action outside 1 to 7, or a click with missing or invalid coordinates."""


class NotStartedError(CommandError, RuntimeError):
    """An action before the first RESET, or in WIN or GAME_OVER."""


class NotAllowedError(CommandError, RuntimeError):
    """A RESET that competition mode does not allow."""
