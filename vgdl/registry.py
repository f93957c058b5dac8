"""Classes by name: bundled ones, those of installed packages (entry points), and classes in a file.

A registry finds a class without importing it, so that a name can be checked, stored in a plan and sent to another
process. Controllers, Othello systems, ARC agents, learners and generators have one each.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import inspect
import sys
import traceback
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Generic, TypeVar

from vgdl import python_source
from vgdl.deprecation import warn_deprecated
from vgdl.language import suggestion

T = TypeVar("T")


ENTRY_SUFFIXES = (".py", ".js")
"""Suffixes of files with entries; which of them a kind takes is up to its registry."""


class EntryNotFound(ValueError):
    """There is no entry of this name; the message lists the known ones and suggests the nearest."""


class EntryInvalid(TypeError):
    """What was found cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Where to find a class; nothing has been imported yet."""

    name: str  #: name to find it by
    ranking_name: str  #: name in rankings
    location: str  #: module, or path of a file
    class_name: str

    @classmethod
    def of(cls, own_class: type) -> Entry:
        """The entry of a class of one's own, given as an object.

        Raises:
            EntryInvalid: the class is not in a file that another process could import.
        """
        file = getattr(sys.modules.get(own_class.__module__), "__file__", None)
        if file is None or "." in own_class.__qualname__ or not Path(file).is_file():
            raise EntryInvalid(
                f"{own_class.__qualname__} is not in a file: it runs in a process of its own, which imports it from "
                "there. Save it as my_agent.py, and give my_agent.py:CLASS or import it"
            )
        return cls(own_class.__name__, own_class.__name__, str(Path(file).resolve()), own_class.__qualname__)

    @property
    def file(self) -> Path | None:
        """The file that it is in; None if it is a module's."""
        path = Path(self.location)
        return path if path.suffix in ENTRY_SUFFIXES else None

    def imported(self) -> object:
        """Import the object with the class's name; None if the module has none.

        Raises:
            Exception: any exception of the module on import.
        """
        is_file = self.location.endswith(".py")
        module = import_file(Path(self.location)) if is_file else importlib.import_module(self.location)
        return getattr(module, self.class_name, None)

    def load(self) -> Any:
        """Import the class: deprecated, see `Registry.load`.

        Raises:
            EntryInvalid: the module has no such class.
            Exception: any exception of the module on import.
        """
        warn_deprecated("find(name).load()", "load(name)", removal="1.2")
        found = self.imported()
        if not isinstance(found, type):
            raise EntryInvalid(f"{self.location} has no class {self.class_name}")
        return found


class Registry(Generic[T]):
    """The classes of one kind."""

    def __init__(
        self,
        kind: str,
        bundled: Sequence[Entry],
        *,
        base: Any,
        methods: Sequence[str],
        group: str,
        example: str,
        needs_base: bool = True,
        constructor: Sequence[str] = (),
        about: Mapping[str, str] | None = None,
    ) -> None:
        """Describe a kind.

        Args:
            kind: the word for one of them in messages: "controller".
            bundled: those that come with the package; their names are in lower case.
            base: the class that they derive from.
            methods: what a class must have to be one, as signatures: "act(self, state, timer)".
            group: the entry-point group by which packages announce theirs.
            example: how to name one in a file: "my_agent.py:MyController".
            needs_base: whether a class with the methods must also derive from the base.
            constructor: the arguments that the constructor is called with, by position; not checked if empty.
            about: a line about each bundled one.
        """
        self.kind, self.bundled, self.base, self.methods = kind, tuple(bundled), base, tuple(methods)
        self.group, self.example, self.needs_base = group, example, needs_base
        self.constructor = tuple(constructor)
        self.about = dict(about or {})

    @property
    def known(self) -> dict[str, Entry]:
        """The bundled entries and those of entry points, by name; an entry point cannot replace a bundled one."""
        announced = (_entry_of(point) for point in installed(self.group))
        bundled = {entry.name: entry for entry in self.bundled}
        return bundled | {entry.name: entry for entry in announced if entry.name not in bundled}

    def names(self) -> dict[str, str]:
        """All names that ``find`` knows, apart from files, with their names in rankings; bundled ones first."""
        return {name: entry.ranking_name for name, entry in self.known.items()}

    def find(self, name: str | Entry | type) -> Entry:
        """Find an entry by name (case-insensitive) or by ``path/to/file.py[:Class]``, without importing it.

        Args:
            name: the name; a class, or an entry, which stands for itself.

        Raises:
            EntryNotFound: there is no such name, file or class; the message suggests similar names.
            EntryInvalid: a class given as an object is not in a file, or the constructor of a class in a file cannot be
                called.
        """
        if isinstance(name, Entry):
            return name
        if isinstance(name, type):
            return Entry.of(name)
        if ".py" in name:
            return self._find_in_file(name)
        known = self.known
        if name.lower() in known:
            return known[name.lower()]
        raise EntryNotFound(
            f"no {self.kind} is called {name!r}{suggestion(name.lower(), list(known))}. "
            f"There are {', '.join(known)}; name a class of your own as {self.example}"
        )

    def find_all(self, names: Iterable[str | Entry | type], others: Sequence[Entry] = ()) -> tuple[Entry, ...]:
        """Find entries, and append them to others.

        Raises:
            EntryNotFound: one is not found, or two have the same name in rankings.
        """
        found = [*others, *map(self.find, names)]
        called = [entry.ranking_name for entry in found]
        for name in called:
            if called.count(name) > 1:
                raise EntryNotFound(f"two of the {self.kind}s are called {name}; a ranking could not tell them apart")
        return tuple(found)

    def load(self, name: str | Entry | type) -> type[T]:
        """Find a class as ``find`` does, and import it.

        Raises:
            EntryNotFound: it is not found.
            EntryInvalid: its file cannot be imported (the message has the line), there is no such class, or it lacks a
                method or the base.
            ImportError: a module of an installed package cannot be imported.
        """
        entry = self.find(name)
        try:
            found = entry.imported()
        except Exception as error:
            if not entry.location.endswith(".py"):
                raise
            raise EntryInvalid(described_failure(entry.location, error)) from error
        return self.checked(entry, found)

    def checked(self, entry: Entry, imported: object) -> type[T]:
        """Check what was imported for an entry.

        Raises:
            EntryInvalid: there is no such class, or it lacks a method or the base.
        """
        is_one = isinstance(imported, type) and (not self.needs_base or issubclass(imported, self.base))
        if not is_one:
            wanted = f"{self.base.__module__.removesuffix('.base')}.{self.base.__name__}"
            raise EntryInvalid(f"{entry.class_name} in {entry.location} is not a {wanted}")
        missing = [each for each in self.methods if not _has(imported, each.partition("(")[0])]
        missing += sorted(getattr(imported, "__abstractmethods__", ()))
        if missing:
            raise EntryInvalid(f"{entry.class_name} in {entry.location} has no method {missing[0]}")
        if self.constructor:
            try:
                signature = inspect.signature(typing.cast(type, imported))
                signature.bind(*self.constructor, **({"seed": 0} if "seed" in signature.parameters else {}))
            except TypeError as error:
                raise EntryInvalid(f"{entry.class_name} in {entry.location}: {self._refused(str(error))}") from None
            except ValueError:  # a compiled class without a signature
                pass
        return imported  # type: ignore[return-value]

    def classes_in(self, path: Path) -> list[str]:
        """Names of the classes of this kind that a file defines; imports the file.

        Raises:
            Exception: any exception raised by the file on import.
        """
        return [
            name
            for name, found in vars(import_file(path)).items()
            if isinstance(found, type)
            and (issubclass(found, self.base) if self.needs_base else _has(found, self.methods[0].partition("(")[0]))
            and not inspect.isabstract(found)
            and found.__module__ == path.stem
        ]

    def _find_in_file(self, name: str) -> Entry:
        location, _, class_name = name.partition(".py:")
        path = Path(location.removesuffix(".py") + ".py").resolve()
        if not path.is_file():
            raise EntryNotFound(f"there is no file {path} (asked for as {name!r})")
        classes, imported = self._read(path)
        candidates = [each for each, found in classes.items() if found.may_be_one and found.may_act]
        if not class_name and len(candidates) == 1:
            (class_name,) = candidates
        if class_name in classes:
            wanted = f"{self.base.__module__.removesuffix('.base')}.{self.base.__name__}"
            if not classes[class_name].may_be_one:
                raise EntryNotFound(f"{class_name} in {path.name} does not derive from {wanted}")
            if not classes[class_name].may_act:
                raise EntryNotFound(f"{class_name} in {path.name} has no method {self.methods[0]}")
            if classes[class_name].wrong_constructor:
                raise EntryInvalid(f"{path.name}, {classes[class_name].wrong_constructor}")
        if class_name in classes or class_name in imported:
            return Entry(name, class_name, str(path), class_name)
        none = (
            "it has none" if self.needs_base else f"it has no class with a method {self.methods[0].partition('(')[0]}"
        )
        there = f"it has {', '.join(candidates)}" if candidates else none
        if not class_name:
            own = self.example.partition(":")[2]
            raise EntryNotFound(f"name a class of {path.name}, as in {path.name}:{own}; {there}")
        raise EntryNotFound(f"{path.name} has no class {class_name!r}{suggestion(class_name, candidates)}; {there}")

    def _read(self, path: Path) -> tuple[dict[str, _Class], set[str]]:
        """The classes that a file defines, by name, and the names it imports; the file is parsed, not run."""
        try:
            source = path.read_bytes()
            body = python_source.parse(source, str(path)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise EntryNotFound(f"{path} is not valid Python: {error}") from None
        classes: dict[str, _Class] = {}
        for node in body:
            if isinstance(node, ast.ClassDef):
                classes[node.name] = self._described(node, classes, source)
        imports = [alias for node in body if isinstance(node, ast.ImportFrom) for alias in node.names]
        return classes, {alias.asname or alias.name for alias in imports}

    def _described(self, node: ast.ClassDef, before: Mapping[str, _Class], source: bytes) -> _Class:
        """Describe a class, given those defined before it."""
        method = self.methods[0].partition("(")[0]
        acts = any(_names(statement, method) for statement in node.body)
        if node.keywords or node.decorator_list:  # a metaclass or a decorator may do anything
            return _Class(True, True)
        bases = [before.get(ast.unparse(base), _Class(True, not self._is_base(base))) for base in node.bases]
        may_be_one = any(base.may_be_one for base in bases) or (acts and not self.needs_base)
        wrong = next((base.wrong_constructor for base in bases if base.wrong_constructor), "")
        for statement in node.body:
            if self.constructor and isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                wrong = self._wrong_constructor(statement, source)
        return _Class(may_be_one, acts or any(base.may_act for base in bases), wrong)

    def _wrong_constructor(self, function: ast.FunctionDef, source: bytes) -> str:
        """Why a constructor cannot be called, with its line; empty if it can, or if a decorator may change it."""
        given = function.args
        names = [each.arg for each in (*given.posonlyargs, *given.args)][1:]
        required = len(names) - len(given.defaults)
        missing = [
            each.arg for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None
        ]
        missing = [name for name in missing if name != "seed"]
        n_given = len(self.constructor)
        fits = required <= n_given and (given.vararg is not None or len(names) >= n_given) and not missing
        if fits or function.decorator_list:
            return ""
        lines = source.decode(errors="replace").splitlines()
        return f"line {function.lineno}: {lines[function.lineno - 1].strip().rstrip(':')}: {self._refused('')}"

    def _refused(self, why: str) -> str:
        call = f"the constructor of a {self.kind} is called with ({', '.join(self.constructor)})"
        return f"{call}: {why}" if why else call

    def _is_base(self, base: ast.expr) -> bool:
        """Whether an expression names the base class or ``ABC``, which have no methods to inherit."""
        return ast.unparse(base).split(".")[-1] in (self.base.__name__, "ABC", "Protocol")


@dataclass(frozen=True, slots=True)
class _Class:
    """Facts from the source of a class; few, if its bases are imported."""

    may_be_one: bool  #: it derives from the base, or from a class not in the file
    may_act: bool  #: it has the first method, or may inherit it from a class not in the file
    wrong_constructor: str = ""  #: why its constructor cannot be called, if that is certain


def installed(group: str) -> Sequence[EntryPoint]:
    """The entry points of a group in installed packages, which are read once for each state of ``sys.path``."""
    return _installed(group, tuple(sys.path))


@functools.lru_cache(maxsize=256)
def _installed(group: str, path: tuple[str, ...]) -> Sequence[EntryPoint]:
    return tuple(entry_points(group=group))


def _entry_of(point: EntryPoint) -> Entry:
    return Entry(point.name.lower(), point.attr, point.module, point.attr)


def _has(target: Any, method: str) -> bool:
    return callable(getattr(target, method, None))


def _names(statement: ast.stmt, name: str) -> bool:
    """Whether a statement in a class body defines a name."""
    if isinstance(statement, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name


def described_failure(location: str, error: Exception) -> str:
    """An exception of a file or module, with the last of the file's own lines in the traceback."""
    path = Path(location)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path]
    where = f", line {frames[-1].lineno}: {frames[-1].line}" if frames else ""
    return f"{path.name}{where}: {type(error).__name__}: {error}"


def import_file(path: Path) -> object:
    """Import a file under its own name, with its folder on ``sys.path``, as Python does for a script.

    Raises:
        Exception: any exception of the file.
    """
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise EntryInvalid(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
