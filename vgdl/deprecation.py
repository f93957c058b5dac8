"""Warnings about names that will be removed; the policy is on the page "The Python interface", under *Deprecation*."""

from __future__ import annotations

import warnings


def warn_deprecated(name: str, instead: str, *, removal: str, stacklevel: int = 2) -> None:
    """Issue a `DeprecationWarning` about a name that still works.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_deprecated("load_game()", "load()", removal="1.2")
    >>> print(caught[0].message)
    load_game() is deprecated and will be removed in version 1.2: use load()

    Args:
        name: the name as callers write it.
        instead: what to write instead.
        removal: the first version without the name.
        stacklevel: of the line that the warning is about, as in `warnings.warn`, seen from the caller of this function:
            2 is the line that called it, 1 the caller itself. Functions compiled by Cython have no level of their own.
    """
    warnings.warn(
        f"{name} is deprecated and will be removed in version {removal}: use {instead}",
        DeprecationWarning,
        stacklevel=stacklevel + 1,
    )
