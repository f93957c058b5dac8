"""The options of commands that ask language models: models, costs, limits and the cache, and their session."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vgdl.competition import options
from vgdl.competition.chat.accounts import Accounts, Limits, Price
from vgdl.competition.chat.cache import Cache, Mode
from vgdl.competition.chat.fields import KEY_ENV, Endpoint, FieldInvalid, endpoint_of, read_models, with_option
from vgdl.competition.chat.session import ChatSession, Patience, RateLimit
from vgdl.competition.options import Group, OptionError


def add_models(group: Group) -> None:
    """Add how models are asked: the models file, prices, keys and fields of requests."""
    group.add_argument("--models-file", metavar="FILE", help="TOML file with a table per model, which its title names")
    group.add_argument(
        "--price", action="append", metavar="[NAME=]IN/OUT",
        help="of a player's model, or of all, per million tokens, for example 2.5/10",
    )  # fmt: skip
    group.add_argument(
        "--key-env", action="append", metavar="[NAME=]VARIABLE",
        help=f"where a player's key is, or that of all (default: {KEY_ENV})",
    )  # fmt: skip
    group.add_argument(
        "--model-option", action="append", metavar="NAME.FIELD=VALUE",
        help="a field of a player's model as in a models file, for example big.reasoning_effort=low",
    )  # fmt: skip


def add_limits(group: Group, prefix: str = "max") -> None:
    """Add the limits of a run, its rate, its patience, and the cache.

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
        "--patience", type=options.positive, default=Patience().in_a_row, metavar="N",
        help="failed requests in a row after which a model is not asked any more "
        f"(default: {Patience().in_a_row}; before its first reply: at most 3)",
    )  # fmt: skip
    group.add_argument(
        "--run-patience", type=options.positive, metavar="N", help="failed requests in all after which the run ends"
    )
    group.add_argument(
        "--cache", choices=[*map(str, Mode)], default=Mode.USE,
        help="use earlier replies as answers; refresh: ask again; only: never ask; off: keep none (default: use)",
    )  # fmt: skip


def add_sampling(group: Group, reply_tokens: int) -> None:
    """Add the length of replies, with its default, and their temperature."""
    group.add_argument(
        "--reply-tokens", type=options.positive, default=reply_tokens, metavar="N",
        help=f"maximum tokens per reply (default: {reply_tokens})",
    )  # fmt: skip
    group.add_argument("--temperature", type=options.amount, metavar="X", help="default: the provider's")


class Models:
    """The models that options describe."""

    def __init__(self, chosen: Mapping[str, Any]) -> None:
        """Read the models file.

        Raises:
            OptionError: it cannot be read, or is wrong.
        """
        self._chosen = chosen
        self.tables = read_models(Path(chosen["models_file"])) if chosen["models_file"] else {}

    def endpoints(self, addresses: Mapping[str, tuple[str, str]]) -> dict[str, Endpoint]:
        """How the models of a run are asked.

        Args:
            addresses: URL and model of each player, by name; those of the models file are taken from there.

        Raises:
            OptionError: an option has an unusable value, or is for a player that has no model.
        """
        tables: dict[str, dict[str, Any]] = {
            name: self.tables.get(name) or {"endpoint": url, "model": model} for name, (url, model) in addresses.items()
        }
        for option, name, form in (("key_env", "--key-env", "VARIABLE"), ("price", "--price", "IN/OUT")):
            for text in self._chosen[option] or ():
                player, value = _pair(text, name, form)
                if option == "price":
                    _check_price(value)
                if player and player not in tables:
                    raise OptionError(f"--key-env and --price are for players of the field; there is no {player!r}")
                for each in [player] if player else tables:
                    tables[each] = {**tables[each], option: value}
        for text in self._chosen["model_option"] or ():
            tables = with_option(tables, text)
        found = {}
        for name, table in tables.items():
            try:
                found[name] = endpoint_of(table)
            except FieldInvalid as error:
                raise OptionError(f"{name}.{error}") from None
        return found

    def address(self, name: str) -> tuple[str, str] | None:
        """URL and model of a model in the models file; None if it has none of this name."""
        table = self.tables.get(name)
        return None if table is None else (table["endpoint"], table["model"])


def _check_price(text: str) -> None:
    try:
        Price.parse(text)
    except ValueError as error:
        raise OptionError(str(error)) from None


def _pair(text: str, option: str, form: str) -> tuple[str, str]:
    """A player's name, empty for all, and a value."""
    name, equals, value = text.partition("=")
    if not equals:
        return "", text
    if not name or not value:
        raise OptionError(f"{option} expects [NAME=]{form}, for example big={form}")
    return name, value


def check_costs(chosen: Mapping[str, Any], endpoints: Mapping[str, Endpoint], *names: str) -> None:
    """Check that costs are known where they are limited.

    Args:
        chosen: the options.
        endpoints: the models of the run.
        names: the options that limit costs; those of the session by default.

    Raises:
        OptionError: the price of a model is missing.
    """
    unknown = [name for name, endpoint in endpoints.items() if endpoint.price is None]
    for option in names or ("max_cost",):
        if chosen.get(option) is not None and unknown:
            shown = f"--{option.replace('_', '-')}"
            raise OptionError(
                f"{shown} needs the price of {', '.join(unknown)}: write --price {unknown[0]}=IN/OUT "
                "(0/0 for a model that costs nothing)"
            )
    for name in unknown:
        if endpoints[name].limits.max_cost is not None:
            raise OptionError(f'the limit of {name} on costs needs its price: write price = "IN/OUT"')


@contextlib.contextmanager
def chat_session(
    chosen: Mapping[str, Any], store: Path | None, endpoints: Mapping[str, Endpoint], prefix: str = "max"
) -> Iterator[ChatSession]:
    """The session in which models are asked, until the ``with`` block ends.

    Args:
        chosen: the options.
        store: file of the results store, which has the cache as well; None keeps it in memory.
        endpoints: the models, by player.
        prefix: as for `add_limits`.

    Raises:
        ChatError: the cache cannot be used.
    """
    limits = Limits(*(chosen[f"{prefix}_{what}"] for what in ("calls", "tokens", "cost")))
    rate = RateLimit(chosen["rate"]) if chosen["rate"] else None
    prices = {name: endpoint.price for name, endpoint in endpoints.items()}
    own = {name: endpoint.limits for name, endpoint in endpoints.items()}
    patience = Patience(chosen["patience"], chosen["run_patience"])
    with Cache(store, Mode(chosen["cache"])) as cache:
        yield ChatSession(cache, Accounts(limits, prices, own), rate, patience)
