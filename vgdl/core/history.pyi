"""Avatar events that a state keeps: those of each call, linked to what came before."""

from typing import final

__test__: dict[str, str]

@final
class History:
    """Avatar events of one call and what came before: append-only, shared between copies, never written once made."""

    def __new__(cls, past: History | None, data: bytes) -> History: ...
    @property
    def past(self) -> History | None: ...
    @property
    def data(self) -> bytes: ...

