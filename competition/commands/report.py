"""The command ``vgdl-compete report``: a static web site of the store of any track."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track as progress_bar

from vgdl.cli import program
from vgdl.competition import options
from vgdl.competition.commands import failing
from vgdl.competition.track import OpenStore
from vgdl.extras import needs
from vgdl.render import Palette

SUMMARY = "a web site of a store, with replays"

ALL = "all"
NONE = "none"


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns its exit status: 0, 1 if the store is faulty, 2 for a wrong command line, 130."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        from vgdl.competition.report.site import PageOptions, Site
    except ImportError as missing:
        parser.error(needs("the site", str(missing.name), "report"))
    errors = Console(stderr=True)
    silent = chosen.quiet or not errors.is_terminal

    def progress(numbers: Sequence[int], doing: str) -> Iterable[int]:
        return progress_bar(numbers, doing, console=errors, transient=True, disable=silent)

    templates = Path(chosen.templates) if chosen.templates else None
    with failing(parser):
        options.check_store(chosen.store)
        with (
            _writing(chosen.out),
            OpenStore.open(Path(chosen.store)) as opened,
            Site(Path(chosen.out), opened.track.templates, templates=templates) as site,
        ):
            site.progress = progress
            opened.track.write_pages(
                opened.store, site, PageOptions(chosen.title, chosen.replays, Palette(chosen.palette))
            )
            site.finish()
    for warning in site.warnings:
        errors.print(warning, style="yellow", markup=False, highlight=False)
    print(site.folder / "index.html")
    return 0


@contextlib.contextmanager
def _writing(folder: str) -> Iterator[None]:
    """Report a folder that cannot be written as a wrong option."""
    try:
        yield
    except OSError as error:
        raise options.OptionError(f"{error.filename or folder}: {error.strerror or error}") from None


def _parser() -> options.Parser:
    parser = options.Parser(
        prog=f"{program('compete')} report",
        description="Write a static site of a results store: rankings, a page per game and controller, and replays in "
        "the browser. It needs no server: open its index.html. It can be written again at any time, even while the "
        "competition is running.",
    )
    parser.add_argument("store", metavar="STORE", help="the store")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder of the site; a site in it is replaced")
    parser.add_argument("--title", metavar="TEXT", help="title of the site (default: after the set of games)")
    parser.add_argument(
        "--replays", type=_most_replays, default=None, metavar=f"N|{ALL}|{NONE}",
        help=f"replays to include: all, none, or the first N of each controller in each game (default: {ALL})",
    )  # fmt: skip
    parser.add_argument(
        "--templates", metavar="DIR", help="Jinja2 templates, and files in DIR/static, that replace those of the site"
    )
    parser.add_argument(
        "--palette", choices=[*map(str, Palette)], default=Palette.STANDARD,
        help="colours of the games; safe: for colour-blind people (default: standard)",
    )  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    return parser


def _most_replays(text: str) -> int | None:
    if text in (ALL, NONE):
        return None if text == ALL else 0
    try:
        return options.count(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a number, {ALL} or {NONE}") from None
