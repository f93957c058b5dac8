"""The display of a running competition: plays done, plays per minute, time left, and the standings so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

STANDINGS_S = 1.0
"""Seconds between updates of the standings."""

SHOWN = 10
"""Maximum number of competitors in the line of standings."""

BUSY = 0.05
"""Share of the time that controllers may wait for their cores before the machine counts as busy."""


class Display:
    """Shows a competition on a console while the ``with`` block lasts."""

    def __init__(
        self, console: Console, total: int, done: int, standings: Callable[[], RenderableType], *, quiet: bool = False
    ):
        """Set up the display.

        Args:
            console: where to show it.
            total: number of plays in the whole competition.
            done: number of plays done in earlier sessions.
            standings: returns the standings so far, to be shown below the bar.
            quiet: show nothing but warnings.
        """
        doing = TextColumn("{task.description}")
        columns = (BarColumn(20), MofNCompleteColumn(), _PlaysPerMinute(), TimeRemainingColumn(), doing)
        self._progress = Progress(*columns, console=console)
        self._bar = self._progress.add_task("", total=total, completed=done)
        self._ranked = standings
        self._console = console
        self._standings: RenderableType = ""
        self._ranked_at = 0.0
        self._waited_ms = self._played_ms = 0.0
        self._warned = False
        self._live = None if quiet else Live(console=console, get_renderable=self._render, transient=True)

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def add(self, play: str, seconds: float, waited_ms: float) -> None:
        """Record a finished play.

        Args:
            play: what was played.
            seconds: its duration.
            waited_ms: how long its controllers were ready to run but had no core.
        """
        self._progress.update(self._bar, advance=1, description=play)
        self._waited_ms += waited_ms
        self._played_ms += 1000 * seconds
        if self.waiting_share > BUSY and self._played_ms > 10_000 and not self._warned:
            self._warned = True
            self._console.print(busy_warning(self.waiting_share), style="bold yellow", highlight=False)
        self._rank()

    def say(self, text: str) -> None:
        """Show what is being done; where there is no terminal, print it."""
        self._progress.update(self._bar, description=text)
        if self._live and not self._console.is_terminal:
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)
        self._rank()

    def _rank(self) -> None:
        if self._live and time.monotonic() - self._ranked_at > STANDINGS_S:
            self._ranked_at = time.monotonic()
            shown = self._ranked()
            self._standings = Text(shown) if isinstance(shown, str) else shown

    def refresh(self) -> None:
        """Draw now instead of at the next regular update."""
        if self._live:
            self._live.refresh()

    @property
    def waiting_share(self) -> float:
        """Share of the time of all plays in which controllers waited for their cores."""
        return self._waited_ms / self._played_ms if self._played_ms else 0.0

    def show_total(self, total: int) -> None:
        """Change the total number of plays."""
        self._progress.update(self._bar, total=total)

    def _render(self) -> RenderableType:
        return Group(self._progress, self._standings)


def busy_warning(share: float) -> str:
    """The warning when controllers wait for their cores for this share of the time."""
    return (
        f"this machine is busy: controllers waited for their core during {share:.0%} of the time. CPU times are right "
        "anyway, but plays may have to be repeated, and caches are shared: use fewer --jobs, or end other programs"
    )


class _PlaysPerMinute(ProgressColumn):
    """The speed of the competition."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{60 * speed:.0f} plays/min" if speed else "")
