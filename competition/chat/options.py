"""The options of commands that ask language models: costs, limits and the cache, and the session that they describe."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vgdl.competition import options
from vgdl.competition.chat.accounts import Accounts, Limits, Price
from vgdl.competition.chat.cache import Cache, Mode
from vgdl.competition.chat.session import ChatSession, RateLimit
from vgdl.competition.options import Group


def add_limits(group: Group, prefix: str = "max") -> None:
    """Add the limits of a run, its rate, and the cache.

    Args:
        group: where to add them.
        prefix: of the names of the limits.
    """
    group.add_argument(f"--{prefix}-cost", type=options.amount, metavar="X", help="stop before more than this is spent")
    group.add_argument(f"--{prefix}-calls", type=options.positive, metavar="N", help="stop before more calls than this")
    group.add_argument(
        f"--{prefix}-tokens", type=options.positive, metavar="N", help="stop before more tokens than this"
    )
    group.add_argument("--rate", type=options.positive, metavar="N", help="maximum calls per minute")
    group.add_argument(
        "--cache", choices=[*map(str, Mode)], default=Mode.USE,
        help="use earlier replies as answers; refresh: ask again; only: never ask; off: keep none (default: use)",
    )  # fmt: skip


@contextlib.contextmanager
def chat_session(
    chosen: Mapping[str, Any], store: Path | None, prices: Mapping[str, Price], prefix: str = "max"
) -> Iterator[ChatSession]:
    """The session in which models are asked, until the ``with`` block ends.

    Args:
        chosen: the options.
        store: file of the results store, which has the cache as well; None keeps it in memory.
        prices: prices by the model's name.
        prefix: as for `add_limits`.

    Raises:
        ChatError: the cache cannot be used.
    """
    limits = Limits(*(chosen[f"{prefix}_{what}"] for what in ("calls", "tokens", "cost")))
    rate = RateLimit(chosen["rate"]) if chosen["rate"] else None
    with Cache(store, Mode(chosen["cache"])) as cache:
        yield ChatSession(cache, Accounts(limits, prices), rate)
