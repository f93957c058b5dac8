"""The tree of a synthesis as a list for pages."""

from __future__ import annotations

from typing import Any


def levels(nodes: list[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """List nodes in depth-first order, each with its depth."""
    found: list[tuple[int, dict[str, Any]]] = []

    def visit(parent: int | None, depth: int) -> None:
        for node in nodes:
            if node["parent"] == parent:
                found.append((depth, node))
                visit(node["number"], depth + 1)

    visit(None, 0)
    return found
