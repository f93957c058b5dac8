"""Competitions of all kinds: a track says what is played and how it is judged, and one run loop plays it.

>>> import vgdl.competition
>>> from vgdl.competition import Budget
>>> results = vgdl.competition.run(
...     "planning", games=["aliens"], controllers=["random", "onesteplookahead"], levels=[0], budget=Budget.calls(10),
...     seed=1,
... )
>>> [row["controller"] for row in results.table("ranking").records()]
['OneStepLookAhead', 'Random']

``track`` is the interface of tracks, and ``tracks`` has those of this package. ``store`` keeps rows, ``running`` does
the work, ``options`` has what command lines share, ``results`` the tables, and ``commands`` what works on any store.
``agents`` runs a submitted program in an isolated process: ``process`` calls its methods by name, ``service`` declares
them, ``wire`` and ``plain_data`` carry and check messages, ``process_tree``, ``isolation`` and ``cpu_clock`` start,
keep and measure it. ``chat`` asks language models, ``report`` writes the web site of a store, ``submissions`` evaluates
controllers that others send in, and ``web`` is the competition site.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vgdl.competition.budget import Budget as Budget
    from vgdl.competition.results import Column as Column
    from vgdl.competition.results import Results as Results
    from vgdl.competition.results import ResultTable as ResultTable
    from vgdl.competition.running import run as run

_PUBLIC = {"Budget": "budget", "Column": "results", "Results": "results", "ResultTable": "results", "run": "running"}

__all__ = ["Budget", "Column", "ResultTable", "Results", "run"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: agents' processes import this package, and need none of them."""
    from importlib import import_module

    if name in _PUBLIC:
        return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
