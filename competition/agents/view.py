"""The files that a controller can see, at the levels of isolation that protect files.

Every controller sees Python, this package without its games, and its own files: its module, the modules next to it that
it imports, and the files that it lists in ``__files__``; a controller in a Python package sees that package. It does
not see the files of other controllers, nor the rest of its folder. What the competition hides stays hidden, whatever a
controller asks for.
"""

from __future__ import annotations

import ast
import contextlib
import os
import site
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.machinery import all_suffixes
from pathlib import Path

import vgdl.competition
import vgdl.controllers
from vgdl import games, python_source
from vgdl.competition import sealing
from vgdl.competition.errors import CompetitionError
from vgdl.registry import ENTRY_SUFFIXES

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives")
FILES = "__files__"
"""The variable in which a controller's module lists files and folders next to it that it reads."""

COMPANIONS = ("-journal", "-wal", "-shm")
"""Endings of the files that SQLite keeps beside a database; they are hidden with it."""


class FilesRefused(CompetitionError):
    """A controller asks for files that the competition hides; the message names both."""


@dataclass(frozen=True, slots=True)
class View:
    """Visible files, as absolute paths."""

    shared: tuple[str, ...]  #: visible to all controllers
    hidden: tuple[str, ...] = ()  #: visible to none
    controllers: tuple[str, ...] = ()  #: files of controllers, each of which sees its own
    packages: tuple[str, ...] = ()  #: folders that controllers in them see as a whole
    own: tuple[str, ...] = ()  #: visible to the one controller of this view

    def of(self, location: str) -> View:
        """The view of the controller in a file; of a controller that is not a file, the shared files.

        Raises:
            FilesRefused: the controller asks for files that are hidden.
        """
        file = Path(location).resolve()
        if file.suffix not in ENTRY_SUFFIXES:
            return self
        around = [package for package in self.packages if file.is_relative_to(package)]
        others = [other for other in self.controllers if other != str(file)]
        own = around or sorted(str(path) for path in belongings(file, set(map(Path, others))))
        for path in map(Path, own):
            self._refuse_hidden(file, path)
        own = [path for path in own if os.path.exists(path)]
        return replace(self, own=tuple(own), controllers=tuple(others))

    @property
    def readable(self) -> tuple[str, ...]:
        """Readable paths, none of which is inside another."""
        own = [Path(path) for path in self.own if not any(Path(path).is_relative_to(system) for system in SYSTEM)]
        return tuple(map(str, _outermost([*map(Path, self.shared), *own])))

    @property
    def masks(self) -> tuple[str, ...]:
        """Paths to hide inside readable ones, none of which is inside another."""
        own = [Path(path) for path in self.own]
        roots = [Path(root) for root in self.readable]
        masks = [mask for path in map(Path, self.hidden) if path.exists() for mask in _masks(path, own)]
        masks += map(Path, self.controllers)
        return tuple(str(mask) for mask in _outermost(masks) if any(mask.is_relative_to(root) for root in roots))

    def _refuse_hidden(self, controller: Path, path: Path) -> None:
        """Raise ``FilesRefused`` if a path is hidden; a module beside the controller in a folder of games is not."""
        for hidden in map(Path, self.hidden):
            if not path.is_relative_to(hidden):
                continue
            is_module = path == controller or (path.is_file() and path.name.endswith(tuple(all_suffixes())))
            if hidden != path and controller.is_relative_to(hidden) and is_module:
                continue
            if controller.is_relative_to(path):
                raise FilesRefused(
                    f"{controller} is in the package {path}, which lies in {hidden}, where controllers must see "
                    "nothing: put it in a folder of its own"
                )
            raise FilesRefused(
                f"{controller} imports {path.name}, or lists it in {FILES}, but {hidden} is hidden from controllers: "
                "remove that, or put what it needs elsewhere"
            )

    @property
    def listable(self) -> tuple[str, ...]:
        """Folders that contain a controller's own files."""
        return tuple(sorted({str(Path(path).parent) for path in self.own}))

    def check_readable(self) -> None:
        """Check that an unprivileged process can read the controller's own files.

        Raises:
            PermissionError: it cannot; the message says what to do.
        """
        for path in map(Path, self.own):
            needed = 0o005 if path.is_dir() else 0o004
            if path.stat().st_mode & needed != needed:
                raise PermissionError(
                    f"{path} can be read by its owner only, and controllers do not run as root: "
                    f"allow all to read it (chmod -R o+rX {path}), or run as an ordinary user"
                )

    @property
    def shows_home(self) -> bool:
        """Whether the home folder can be read as a whole."""
        return any(Path.home().resolve().is_relative_to(root) for root in self.readable)


def view(controllers: Iterable[Path] = (), hidden: Iterable[Path] = (), packages: Iterable[Path] = ()) -> View:
    """The view that all controllers have in common, without their own files.

    Args:
        controllers: files of all controllers.
        hidden: files and folders that no controller may see.
        packages: folders that controllers in them see as a whole.
    """
    modules = (vgdl, vgdl.controllers, vgdl.competition, games)
    folders = [Path(folder) for package in modules for folder in package.__path__]
    python = [Path(prefix) for prefix in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)]
    search = [Path(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    user = [Path(site.getusersitepackages())] if site.ENABLE_USER_SITE else []
    found = _outermost(path.resolve() for path in (*python, *folders, *search, *user) if path.exists())
    system = [path for path in SYSTEM if os.path.exists(path)]
    shared = system + [str(path) for path in found if not any(path.is_relative_to(root) for root in SYSTEM)]
    always = [Path(folder) / name for folder in games.__path__ for name in games.SETS]
    with contextlib.suppress(OSError):  # where it cannot be created, there are no secrets
        sealing.make_folder()
    always.append(sealing.folder())
    return View(
        tuple(shared),
        tuple(str(path.resolve()) for path in (*always, *_with_companions(hidden))),
        tuple(str(path.resolve()) for path in controllers),
        tuple(str(path.resolve()) for path in packages),
    )


def belongings(file: Path, others: Collection[Path] = ()) -> set[Path]:
    """The files that belong to a controller, found by parsing its file without running it.

    Args:
        file: absolute path of the controller.
        others: files of other controllers, which never belong to it.
    """
    if package := _package(file):
        return {package}
    found: set[Path] = set()
    todo = {file}
    while todo:
        one = todo.pop()
        found.add(one)
        if one.suffix == ".py" and one.is_file():
            todo |= {path for path in _named(one) if path not in others} - found
    return found


def _package(file: Path) -> Path | None:
    """The outermost package that contains a file."""
    outermost = None
    for folder in file.parents:
        if not (folder / "__init__.py").is_file():
            break
        outermost = folder
    return outermost


def _named(file: Path) -> Iterator[Path]:
    """Files and folders next to a file that it imports or lists, the latter even if they do not exist yet.

    Neither sockets nor FIFOs, at the other end of which a program of the user may listen.
    """
    try:
        body = python_source.parse(file.read_bytes())
    except (SyntaxError, ValueError, OSError, RecursionError, MemoryError):
        return
    folder = file.parent
    for name in _imported(body):
        candidates = [folder / name, *(folder / f"{name}{suffix}" for suffix in all_suffixes())]
        yield from (path for path in candidates if not path.is_symlink() and (path.is_file() or path.is_dir()))
    for listed in _listed(body):
        path = (folder / listed).resolve()
        is_special = path.exists() and not (path.is_file() or path.is_dir())
        if path != folder and path.is_relative_to(folder) and not is_special:
            yield path


def _imported(body: ast.Module) -> Iterator[str]:
    """Top-level names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(body):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _listed(body: ast.Module) -> Iterator[str]:
    for node in body.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == FILES for t in node.targets):
            try:
                values = ast.literal_eval(node.value)
            except ValueError:
                continue
            if isinstance(values, tuple | list):
                yield from (value for value in values if isinstance(value, str) and "\0" not in value)


def _with_companions(hidden: Iterable[Path]) -> Iterator[Path]:
    """The paths, and what SQLite keeps beside those that are files or do not exist yet."""
    for path in hidden:
        yield path
        if not path.is_dir():
            yield from (path.with_name(path.name + ending) for ending in COMPANIONS)


def _masks(path: Path, own: Collection[Path]) -> Iterator[Path]:
    """What to hide for a path: itself, or if a controller lies in it, everything in it but its own modules."""
    if not any(one.is_relative_to(path) for one in own):
        yield path
    elif path not in own:
        for child in path.iterdir():
            if not child.is_symlink():
                yield from _masks(child, own)


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """The paths that are not inside any other, without duplicates and sorted."""
    unique = sorted(set(paths))
    return [path for path in unique if not any(path != other and path.is_relative_to(other) for other in unique)]
