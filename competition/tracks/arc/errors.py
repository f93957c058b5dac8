"""Commands that cannot be carried out (spec, 2.4): nothing is executed and nothing is counted."""

from __future__ import annotations


class CommandError(Exception):
    """A command that cannot be carried out."""


class BadActionError(CommandError, ValueError):
    """An action outside of 1 to 7, or a click without coordinates or with bad ones."""


class NotStartedError(CommandError, RuntimeError):
    """An action before the first RESET, or in WIN or GAME_OVER."""


class NotAllowedError(CommandError, RuntimeError):
    """A RESET that competition mode does not allow."""
