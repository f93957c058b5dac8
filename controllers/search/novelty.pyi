"""Novelty: which facts of a state no state before it had."""

from typing_extensions import disjoint_base

from vgdl import StateObservation

@disjoint_base
class HashSet:
    @property
    def used(self) -> int: ...
    def __init__(self, bits: int) -> None: ...

@disjoint_base
class Facts:
    @property
    def cell(self) -> int: ...
    def __init__(self, state: StateObservation, player: int) -> None: ...
