"""All states of a certain game: whether a level can be won at all, its shortest win, and where a win is thrown away.

A game is certain here if no explored tick draws a random number. States that differ only in the tick or in sprite ids
count as one, so nothing is concluded about games whose rules depend on the tick: those with spawners, timers, or a win
by surviving.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from vgdl import Action, Winner, ontology
from vgdl.core.state import StateObservation
from vgdl.judging.description import GameDescription

_TIMED = frozenset({"SpawnPoint", "SpawnPointMultiSprite", "Spreader"})


@dataclass(frozen=True, slots=True)
class Exploration:
    """What a breadth-first search found."""

    plan: tuple[int, ...] | None  #: the shortest win, as actions; None if none was found
    exhausted: bool  #: all reachable states were seen, so that without a plan the level cannot be won
    states: int
    reason: str  #: why the search is not exhaustive; empty if it is
    winning: frozenset[int]  #: keys of states from which a win was found to be within reach


def depends_on_time(description: GameDescription) -> str:
    """Why the future of a state depends on its tick, in words; empty if it does not."""
    if description.players > 1:
        return "two play"
    for sprite in description.sprites:
        row = ontology.sprite_class(sprite.class_name)
        if sprite.class_name == "ClickAvatar":
            return "it is played with a mouse"
        if row is not None and any(above.name in _TIMED for above in ontology.lineage(row)):
            return f"{sprite.name} spawns by the clock"
    if any(rule.first.upper() == "TIME" or rule.second.upper() == "TIME" or rule.effect == "addTimer"
           for rule in description.rules):  # fmt: skip
        return "some rules have timers"
    if any(ending.class_name == "Timeout" and ending.win for ending in description.endings):
        return "it can be won by surviving"
    return ""


def explore(
    start: StateObservation, description: GameDescription, most: int = 20_000, ticks: int = 1000
) -> Exploration:
    """Search all states that follow, breadth first.

    Args:
        start: the state to search from; it stays as it is.
        description: of its game.
        most: number of states after which to give up.
        ticks: depth after which to give up; a win after more ticks does not count.
    """
    reason = depends_on_time(description)
    actions = (*start.available_actions, Action.NIL)
    key = start.key()
    before: dict[int, tuple[int, int] | None] = {key: None}
    sources: dict[int, list[int]] = {}
    queue = deque([(key, start.copy())])
    plan: tuple[int, ...] | None = None
    won: list[int] = []
    while queue:
        if len(before) > most:
            reason = reason or f"more than {most} states"
            break
        parent, state = queue.popleft()
        if state.tick - start.tick >= ticks:
            reason = reason or f"more than {ticks} ticks"
            break
        for action in actions:
            child = state.copy(history=False)
            child.advance(action)
            if child.generator != state.generator:
                reason = reason or "chance plays a part"
                queue.clear()
                break
            number = child.key()
            sources.setdefault(number, []).append(parent)
            if number in before:
                continue
            before[number] = parent, int(action)
            if child.winner == Winner.PLAYER_WINS:
                won.append(number)
                plan = plan or _path(before, number)
            elif not child.is_over:
                queue.append((number, child))
    winning = _reaching(won, sources)
    return Exploration(plan, not reason, len(before), reason, frozenset(winning))


def _path(before: dict[int, tuple[int, int] | None], number: int) -> tuple[int, ...]:
    actions: list[int] = []
    step = before[number]
    while step is not None:
        parent, action = step
        actions.append(action)
        step = before[parent]
    return tuple(reversed(actions))


def _reaching(won: list[int], sources: dict[int, list[int]]) -> set[int]:
    """The states from which one of some states can be reached."""
    found, left = set(won), list(won)
    while left:
        for parent in sources.get(left.pop(), ()):
            if parent not in found:
                found.add(parent)
                left.append(parent)
    return found
