"""Finding controllers by name: bundled ones, those of installed packages, and classes in a file."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from vgdl.controllers.base import Controller
from vgdl.language import suggestion

ENTRY_POINT_GROUP = "vgdl.controllers"


class ControllerNotFound(ValueError):
    """There is no controller of this name; the message lists the known ones."""


class ControllerInvalid(TypeError):
    """The object found is not a usable controller; the message says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Where to find a controller; nothing has been imported yet."""

    name: str  #: name to find it by
    ranking_name: str  #: name in rankings
    location: str  #: module, or path of a file
    class_name: str

    def load(self) -> type[Controller]:
        """Import the controller's class.

        Raises:
            ControllerInvalid: there is no such class, or it is not a concrete subclass of ``Controller``.
            Exception: any exception raised by the controller's own module on import.
        """
        found = self.imported()
        if not (isinstance(found, type) and issubclass(found, Controller)):
            raise ControllerInvalid(f"{self.class_name} in {self.location} is not a vgdl.controllers.Controller")
        if inspect.isabstract(found):
            raise ControllerInvalid(f"{self.class_name} in {self.location} has no method act(self, state, timer)")
        return found

    def imported(self) -> object:
        """Import the object with the class's name, None if there is none; for competitors that are not controllers.

        Raises:
            Exception: any exception of the module on import.
        """
        is_file = self.location.endswith(".py")
        module = _import_file(Path(self.location)) if is_file else importlib.import_module(self.location)
        return getattr(module, self.class_name, None)


BUNDLED = (
    Entry("random", "Random", "vgdl.controllers.entries.random_controller", "Random"),
    Entry("onesteplookahead", "OneStepLookAhead", "vgdl.controllers.entries.one_step_look_ahead", "OneStepLookAhead"),
    Entry("samplemcts", "SampleMCTS", "vgdl.controllers.entries.sample_mcts", "SampleMCTS"),
    Entry("openloopmcts", "OpenLoopMCTS", "vgdl.controllers.entries.sample_mcts", "OpenLoopMCTS"),
    Entry("olets", "adrienctx", "vgdl.controllers.entries.olets", "OLETS"),
    Entry("normal_mcts", "Normal_MCTS", "vgdl.controllers.entries.normal_mcts", "NormalMCTS"),
    Entry("mn_mcts", "MnMCTS", "vgdl.controllers.entries.mn_mcts", "MnMCTS"),
    Entry("mmbot", "MMbot", "vgdl.controllers.entries.mmbot", "MMbot"),
    Entry("samplega", "SampleGA", "vgdl.controllers.entries.sample_ga", "SampleGA"),
    Entry("testgag", "TESTGAG", "vgdl.controllers.entries.testgag", "TESTGAG"),
    Entry("yraid", "Yraid", "vgdl.controllers.entries.yraid", "Yraid"),
    Entry("jinjerry", "JinJerry", "vgdl.controllers.entries.jinjerry", "JinJerry"),
    Entry("shmokin", "Shmokin", "vgdl.controllers.entries.shmokin", "Shmokin"),
    Entry("culim", "culim", "vgdl.controllers.entries.culim", "Culim"),
    Entry("t2thompson", "T2Thompson", "vgdl.controllers.entries.t2thompson", "T2Thompson"),
    Entry("idealstandard", "IdealStandard", "vgdl.controllers.entries.ideal_standard", "IdealStandard"),
    Entry("levis501", "levis501", "vgdl.controllers.entries.levis501", "Levis501"),
    Entry("lcu_14", "LCU_14", "vgdl.controllers.entries.lcu14", "LCU14"),
    Entry("champion", "Champion", "vgdl.controllers.entries.champion", "Champion"),
    Entry("tichau", "Tichau", "vgdl.controllers.entries.tichau", "Tichau"),
)


def names() -> dict[str, str]:
    """All names that ``find`` knows, apart from files, with their names in rankings; bundled ones first."""
    return {name: entry.ranking_name for name, entry in _known().items()}


def find(name: str) -> Entry:
    """Find a controller by name (case-insensitive) or by ``path/to/file.py:Class``, without importing it.

    Raises:
        ControllerNotFound: there is no such name, file or class; the message suggests similar names.
    """
    if ".py" in name:
        return _find_in_file(name)
    known = _known()
    if name.lower() in known:
        return known[name.lower()]
    raise ControllerNotFound(
        f"no controller is called {name!r}{suggestion(name.lower(), list(known))}. "
        f"There are {', '.join(known)}; name a class of your own as my_agent.py:MyController"
    )


def controllers_in(path: Path) -> list[str]:
    """Names of the controllers that a file defines; imports the file.

    Raises:
        Exception: any exception raised by the file on import.
    """
    return [
        name
        for name, found in vars(_import_file(path)).items()
        if isinstance(found, type)
        and issubclass(found, Controller)
        and not inspect.isabstract(found)
        and found.__module__ == path.stem
    ]


def _known() -> dict[str, Entry]:
    """The bundled controllers and those of entry points; an entry point cannot replace a bundled one."""
    announced = (_announced(point) for point in entry_points(group=ENTRY_POINT_GROUP))
    bundled = {entry.name: entry for entry in BUNDLED}
    return bundled | {entry.name: entry for entry in announced if entry.name not in bundled}


def _announced(point: EntryPoint) -> Entry:
    return Entry(point.name.lower(), point.attr, point.module, point.attr)


def _find_in_file(name: str) -> Entry:
    location, _, class_name = name.partition(".py:")
    path = Path(location.removesuffix(".py") + ".py").resolve()
    if not path.is_file():
        raise ControllerNotFound(f"there is no file {path} (asked for as {name!r})")
    classes, imported = _read(path)
    if class_name in classes:
        if not classes[class_name].may_be_controller:
            raise ControllerNotFound(
                f"{class_name} in {path.name} does not derive from vgdl.controllers.Controller"
            )
        if not classes[class_name].may_act:
            raise ControllerNotFound(f"{class_name} in {path.name} has no method act(self, state, timer)")
    if class_name in classes or class_name in imported:
        return Entry(name, class_name, str(path), class_name)
    candidates = [name for name, found in classes.items() if found.may_be_controller and found.may_act]
    there = f"it has {', '.join(candidates)}" if candidates else "it has none"
    if not class_name:
        raise ControllerNotFound(f"name a class of {path.name}, as in {path.name}:MyController; {there}")
    raise ControllerNotFound(f"{path.name} has no class {class_name!r}{suggestion(class_name, candidates)}; {there}")


@dataclass(frozen=True, slots=True)
class _Class:
    """Facts from the source of a class; few, if its bases are imported."""

    may_be_controller: bool  #: it derives from ``Controller``, or from a class not in the file
    may_act: bool  #: it has ``act``, or may inherit it from a class not in the file


def _read(path: Path) -> tuple[dict[str, _Class], set[str]]:
    """The classes that a file defines, by name, and the names it imports; the file is parsed, not run."""
    try:
        body = ast.parse(path.read_bytes(), filename=str(path)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ControllerNotFound(f"{path} is not valid Python: {error}") from None
    classes: dict[str, _Class] = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            classes[node.name] = _described(node, classes)
    imports = [alias for node in body if isinstance(node, ast.ImportFrom) for alias in node.names]
    return classes, {alias.asname or alias.name for alias in imports}


def _described(node: ast.ClassDef, before: Mapping[str, _Class]) -> _Class:
    """Describe a class, given those defined before it."""
    acts = any(map(_names_act, node.body))
    if node.keywords or node.decorator_list:  # a metaclass or a decorator may do anything
        return _Class(True, True)
    bases = [before.get(ast.unparse(base), _Class(True, not _is_base(base))) for base in node.bases]
    return _Class(any(base.may_be_controller for base in bases), acts or any(base.may_act for base in bases))


def _names_act(statement: ast.stmt) -> bool:
    """Whether a statement in a class body defines ``act``."""
    if isinstance(statement, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "act" for target in statement.targets)
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == "act"


def _is_base(base: ast.expr) -> bool:
    """Whether an expression names ``Controller`` or ``ABC`` itself, which have no ``act`` to inherit."""
    return ast.unparse(base).split(".")[-1] in (Controller.__name__, "ABC")


def _import_file(path: Path) -> object:
    """Import a file under its own name, with its folder on ``sys.path``, as Python does for a script."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ControllerInvalid(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
