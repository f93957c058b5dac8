"""Threads that share the work of one call, without the GIL."""

from typing import Any

from typing_extensions import disjoint_base

__pyx_capi__: dict[str, Any]
__test__: dict[str, str]

def cores() -> int:
    """The number of cores that this process may use."""

@disjoint_base
class ThreadPool:
    """Threads that are started when first needed, the calling one among them."""

    def __new__(cls) -> ThreadPool: ...
    @property
    def started(self) -> int:
        """Threads started so far, the calling one included."""

def shared_pool() -> ThreadPool:
    """For tests: the pool that all calls with several threads share."""
