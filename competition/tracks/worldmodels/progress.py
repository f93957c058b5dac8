"""The display of a run: its progress, and the tree of each synthesis in progress (candidates, pass rates, calls)."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text
from rich.tree import Tree

from vgdl.competition.tracks.worldmodels.plan import Task
from vgdl.competition.tracks.worldmodels.synthesis import Node, Synthesis

MOST_NODES = 12
"""Most nodes shown of a tree: the best ones and their ancestors."""


class Display:
    """Shows a run on a console during the ``with`` block; without a terminal, it prints a line per call."""

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        self._console = console
        self._quiet = quiet
        columns = (TextColumn("{task.fields[what]}"), BarColumn(20), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, TextColumn("{task.description}"), console=console)
        self._bar = self._progress.add_task("", what="", total=None)
        self._trees: dict[Task, Synthesis] = {}
        self._lock = threading.Lock()
        shown = not quiet and console.is_terminal
        self._live = Live(console=console, get_renderable=self._render, transient=True) if shown else None

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def begin(self, what: str, total: int, done: int) -> None:
        """Begin a part of the run."""
        self._progress.reset(self._bar, what=what, total=total, completed=done, description="")

    def say(self, text: str) -> None:
        """Show the current activity."""
        self._progress.update(self._bar, description=text)
        self._line(text)

    def add(self, what: str) -> None:
        """Count a finished item."""
        self._progress.update(self._bar, advance=1, description=what)

    def called(self, task: Task, found: Synthesis) -> None:
        """Show a call of the author."""
        with self._lock:
            self._trees[task] = found
        self._line(f"{_named(task)}: {_last_call(found)}")

    def synthesised(self, task: Task) -> None:
        """Count a finished synthesis."""
        with self._lock:
            self._trees.pop(task, None)
        self.add(_named(task))

    def _line(self, text: str) -> None:
        if self._live is None and not self._quiet:
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def _render(self) -> RenderableType:
        with self._lock:
            trees = [tree(_named(task), found) for task, found in self._trees.items()]
        return Group(self._progress, *trees)


def _named(task: Task) -> str:
    deck = f"{task.deck} deck, " if task.deck else ""
    return f"{task.game}, {deck}program {task.index + 1}"


def _last_call(found: Synthesis) -> str:
    """Describe the last call in one line."""
    call = found.calls[-1]
    what = "a first version" if call.refined is None else f"node {call.refined} refined"
    told = ", ".join(
        f"h {candidate.h:.3f}" + (f" ({candidate.error})" if candidate.error else "")
        + (f", node {candidate.node}" if candidate.node is not None else ", dropped")
        for candidate in call.candidates
    )  # fmt: skip
    return f"call {call.number}, {what}: {told or 'no program'}; best {call.best:.3f}"


def tree(title: str, found: Synthesis) -> Tree:
    """The tree of a synthesis: every node with its pass rate and the number of its refinements."""
    calls = len(found.calls)
    root = Tree(Text(f"{title}: {calls} call{'s' if calls != 1 else ''}, {found.tokens} tokens"))
    branches: dict[int | None, Tree] = {None: root}
    best = found.best
    for node in _shown(found.nodes):
        style = "bold green" if best is not None and node.number == best.number else ""
        passed = sum(verdict.passed for verdict in node.evaluation.verdicts)
        text = f"node {node.number}: h {node.h:.3f} ({passed}/{len(node.evaluation.verdicts)}), N {node.refinements}"
        branches[node.number] = branches[node.parent].add(Text(f"{text}, call {node.call}", style=style))
    if len(branches) - 1 < len(found.nodes):
        root.add(Text(f"{len(found.nodes) - len(branches) + 1} more nodes"))
    return root


def _shown(nodes: list[Node]) -> list[Node]:
    """The best nodes and their ancestors, in order."""
    wanted: set[int] = set()
    for node in sorted(nodes, key=lambda node: -node.h):
        path = {node.number}
        while node.parent is not None:
            node = nodes[node.parent]
            path.add(node.number)
        if wanted and len(wanted | path) > MOST_NODES:
            continue
        wanted |= path
    return [node for node in nodes if node.number in wanted]
