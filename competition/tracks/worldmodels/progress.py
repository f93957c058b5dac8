"""How a synthesis in progress is shown: its tree of candidates, with pass rates and calls."""

from __future__ import annotations

from rich.text import Text
from rich.tree import Tree

from vgdl.competition.tracks.worldmodels.plan import Task
from vgdl.competition.tracks.worldmodels.synthesis import Node, Synthesis

MOST_NODES = 12
"""Most nodes shown of a tree: the best ones and their ancestors."""


def named(task: Task) -> str:
    """A task in words."""
    deck = f"{task.deck} deck, " if task.deck else ""
    return f"{task.game}, {deck}program {task.index + 1}"


def last_call(synthesis: Synthesis) -> str:
    """Describe the last call in one line."""
    call = synthesis.calls[-1]
    what = "a first version" if call.refined is None else f"node {call.refined} refined"
    counts = ", ".join(
        f"h {candidate.heuristic:.3f}" + (f" ({candidate.error})" if candidate.error else "")
        + (f", node {candidate.node}" if candidate.node is not None else ", dropped")
        for candidate in call.candidates
    )  # fmt: skip
    return f"call {call.number}, {what}: {counts or 'no program'}; best {call.best:.3f}"


def tree(title: str, synthesis: Synthesis) -> Tree:
    """The tree of a synthesis: every node with its pass rate and the number of its refinements."""
    calls = len(synthesis.calls)
    root = Tree(Text(f"{title}: {calls} call{'s' if calls != 1 else ''}, {synthesis.tokens} tokens"))
    branches: dict[int | None, Tree] = {None: root}
    best = synthesis.best
    for node in _shown(synthesis.nodes):
        style = "bold green" if best is not None and node.number == best.number else ""
        passed = sum(verdict.passed for verdict in node.evaluation.verdicts)
        tests = f"{passed}/{len(node.evaluation.verdicts)}"
        text = f"node {node.number}: h {node.heuristic:.3f} ({tests}), N {node.refinements}"
        branches[node.number] = branches[node.parent].add(Text(f"{text}, call {node.call}", style=style))
    if len(branches) - 1 < len(synthesis.nodes):
        root.add(Text(f"{len(synthesis.nodes) - len(branches) + 1} more nodes"))
    return root


def _shown(nodes: list[Node]) -> list[Node]:
    """The best nodes and their ancestors, in order."""
    wanted: set[int] = set()
    for node in sorted(nodes, key=lambda node: -node.heuristic):
        path = {node.number}
        while node.parent is not None:
            node = nodes[node.parent]
            path.add(node.number)
        if wanted and len(wanted | path) > MOST_NODES:
            continue
        wanted |= path
    return [node for node in nodes if node.number in wanted]
