"""The folder of a site: pages rendered from templates, and other files.

A site is built in a temporary folder and moved to its place when it is complete. Pages do not use ``fetch``, which
browsers do not allow in pages opened from a file: data are scripts that call a function.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import jinja2

from vgdl.cli import counted
from vgdl.competition.options import OptionError
from vgdl.competition.report import charts, text
from vgdl.render import Palette

MARK = ".vgdl-report"
"""A file that marks the folder of a site. Folders without it are never replaced."""

_REPORT = "vgdl.competition.report"


class SiteError(OptionError):
    """A site cannot be written; the message says why."""


@dataclass(frozen=True, slots=True)
class PageOptions:
    """Options for the pages of a site."""

    title: str | None = None  #: title of the site; None: the store's own
    replays: int | None = None  #: plays to show per competitor in each game; None: all
    palette: Palette = Palette.STANDARD  #: colours of the games


class Site:
    """A site that is being written; leaving the ``with`` block discards an unfinished site.

    Attributes:
        title: title of the site, shown on every page; set by the writer of the pages.
        navigation: pages that every page links to, as (target, words).
        footer: a line below every page.
        warnings: parts missing from the site, with reasons.
    """

    def __init__(self, folder: Path, package: str, *, templates: Path | None = None) -> None:
        """Prepare a site in a new folder; the present one, if there is any, stays until ``finish``.

        Args:
            folder: the folder of the site.
            package: its ``templates`` and ``static`` folders take precedence over those of the report; empty: none.
            templates: the user's folder, which takes precedence over both.

        Raises:
            SiteError: the folder contains something else, or there is no folder with templates.
            OSError: it cannot be written.
        """
        folder = folder.resolve()
        self._part = folder.with_name(f"{folder.name}.part")
        for place in (folder, self._part):
            if not _may_be_replaced(place):
                raise SiteError(f"{place} exists and is not a site of vgdl-compete report: remove it or choose another")
        if templates is not None and not templates.is_dir():
            raise SiteError(f"there is no folder {templates} with templates")
        self.folder = folder
        self.title = "Results"
        self.navigation: Sequence[tuple[str, str]] = ()
        self.footer = ""
        self.warnings: list[str] = []
        self.progress: Callable[[Sequence[int], str], Iterable[int]] = lambda numbers, doing: numbers
        self._user = templates
        self._packages = dict.fromkeys(filter(None, (package, _REPORT)))
        self._environment = environment(self._packages, templates)
        shutil.rmtree(self._part, ignore_errors=True)
        self.write(MARK, "A site written by vgdl-compete report, which replaces this folder when it is run again.\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._part, ignore_errors=True)

    def page(self, target: str, template: str, *, title: str, **data: Any) -> None:
        """Render a page.

        Templates see ``data`` and, besides, ``site`` (this object), ``page`` (``title`` and ``target``) and
        ``url(target)``, which makes a target relative to the page.

        Args:
            target: path below the folder of the site, with ``/``.
            template: name of the template.
            title: title of the page.
            **data: data for the template.

        Raises:
            SiteError: the template is missing or fails; with its file and line.
        """
        up = "../" * target.count("/")

        def url(to: str) -> str:
            return up + to

        try:
            made = self._environment.get_template(template)
            content = made.render(data, site=self, page={"title": title, "target": target}, url=url)
        except jinja2.TemplateSyntaxError as error:
            raise SiteError(f"{error.filename or error.name}, line {error.lineno}: {error.message}") from error
        except jinja2.TemplateNotFound as error:
            raise SiteError(f"there is no template {error.message}, which {template} needs") from error
        except Exception as error:  # templates can be the user's, and can fail like any program
            kind = "" if isinstance(error, jinja2.UndefinedError) else f"{type(error).__name__}: "
            raise SiteError(f"{_place(error, template)}: {kind}{error}") from error
        self.write(target, content)

    def script(self, target: str, function: str, *arguments: Any) -> None:
        """Write a script that passes data to a function of another script.

        Args:
            target: path below the folder of the site.
            function: the function to call, such as ``vgdl.film``.
            *arguments: JSON-compatible data.
        """
        handed = ",".join(json.dumps(argument, separators=(",", ":")) for argument in arguments)
        self.write(target, f"{function}({handed});\n")

    def write(self, target: str, content: str | bytes) -> None:
        """Write a file; folders are created as needed."""
        self.path(target).write_bytes(content.encode() if isinstance(content, str) else content)

    def path(self, target: str) -> Path:
        """The temporary path of a file until the site is finished, for libraries that write files themselves."""
        path = self._part / target
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def finish(self) -> None:
        """Add style sheets and scripts, and move the site to its place."""
        sources: list[Traversable] = [files(package) / "static" for package in reversed(self._packages)]
        if self._user is not None:
            sources.append(self._user / "static")
        for source in sources:
            for file in source.iterdir() if source.is_dir() else ():
                if file.is_file():
                    self.write(f"assets/{file.name}", file.read_bytes())
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self._part.rename(self.folder)


def _may_be_replaced(folder: Path) -> bool:
    """Whether a folder can be replaced safely: it is missing, empty, or a site."""
    if not folder.exists():
        return True
    return folder.is_dir() and ((folder / MARK).is_file() or not any(folder.iterdir()))


def environment(packages: Iterable[str], user: Path | None = None) -> jinja2.Environment:
    """Templates of the user, then those of the packages, which can always be extended as ``vgdl/<name>``.

    Args:
        packages: packages with a folder ``templates``, in order of precedence.
        user: a folder, if any.
    """
    ours = jinja2.ChoiceLoader([jinja2.PackageLoader(package) for package in packages])
    loaders: list[jinja2.BaseLoader] = [ours, jinja2.PrefixLoader({"vgdl": ours})]
    if user is not None:
        loaders.insert(0, jinja2.FileSystemLoader(user))
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.do"],
    )
    environment.filters.update(breakable=text.breakable, minus=text.minus, number=text.number, percent=text.percent)
    environment.filters.update(count=counted)
    environment.globals.update(
        bar_chart=charts.bars, distribution_chart=charts.distributions, line_chart=charts.lines, wilson=charts.wilson
    )
    return environment


def _place(error: BaseException, template: str) -> str:
    """Template and line in which an error was raised: Jinja2 puts them into the traceback."""
    place, trace = template, error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.endswith(".html") or file == "<template>":
            place = f"{file}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place
