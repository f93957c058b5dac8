"""Coarse motions of avatars with momentum."""

from typing_extensions import disjoint_base

from vgdl import StateObservation

@disjoint_base
class Motions:
    def __init__(self, state: StateObservation, bits: int) -> None: ...
