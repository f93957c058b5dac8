"""Avatar events that a state keeps: those of each call, linked to the ones before."""

from typing import final

__test__: dict[str, str]

@final
class History:
    """Avatar events of one call, linked to those before it: append-only, shared between copies, immutable."""

    def __new__(cls, past: History | None, data: bytes) -> History: ...
    @property
    def past(self) -> History | None: ...
    @property
    def data(self) -> bytes: ...
