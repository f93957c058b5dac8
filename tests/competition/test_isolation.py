"""What a controller can see and reach under each level of isolation."""

from __future__ import annotations

import os
import shutil
import socket
import textwrap
from pathlib import Path

import pytest

import contests
from contests import TOY, found, working_levels
from vgdl import games
from vgdl.competition.agents.isolation import IsolationError, Level, Restrictions, Sandbox
from vgdl.competition.contest.session import sandbox_for

STRONG = [level for level in working_levels() if not level.is_weak]
OWN_FILES = [level for level in working_levels() if level.has_own_files]

READABLE = """
found = []
for file in {files!r}:
    try:
        with open(file, "rb") as opened:
            if opened.read(1):
                found.append(file)
    except OSError:
        pass
"""


def readable(*folders: Path) -> str:
    """Code that finds the files below some folders that can be read and are not empty."""
    return READABLE.format(files=sorted(str(file) for root in folders for file in root.rglob("*") if file.is_file()))


@pytest.mark.parametrize("level", STRONG)
def test_the_games_cannot_be_read(tmp_path: Path, level: Level) -> None:
    """Neither the set that is played, nor any that is bundled."""
    roots = [TOY, *(Path(folder) / name for folder in games.__path__ for name in games.SETS)]
    assert found(readable(*roots), tmp_path, level=level) == "[]"


@pytest.mark.parametrize("level", STRONG)
def test_a_controller_sees_nothing_in_its_folder_but_its_file(tmp_path: Path, level: Level) -> None:
    (tmp_path / "diary.txt").write_text("secret")
    (tmp_path / "diary.py").write_text("secret = 1")
    (tmp_path / "prober.py").touch()
    assert found(readable(tmp_path), tmp_path, level=level) == repr([str(tmp_path / "prober.py")])


@pytest.mark.parametrize("level", STRONG)
def test_a_controller_sees_what_it_imports_and_lists(tmp_path: Path, level: Level) -> None:
    (tmp_path / "helper.py").write_text("import deeper\nvalue = deeper.value")
    (tmp_path / "deeper.py").write_text("value = 7")
    (tmp_path / "weights.txt").write_text("8")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "weights.txt").write_text("9")
    code = f"""
    import helper
    folder = {str(tmp_path)!r}
    found = [helper.value, open(folder + "/weights.txt").read(), open(folder + "/more/weights.txt").read()]
    """
    listing = "__files__ = ['weights.txt', 'more', '..', '/etc/passwd', '.', 'no such file']"
    assert found(code, tmp_path, level=level, top=listing) == "[7, '8', '9']"


@pytest.mark.parametrize("level", STRONG)
@pytest.mark.parametrize("place", ["beside", "in a package"])
def test_a_controller_does_not_see_another_one(tmp_path: Path, level: Level, place: str) -> None:
    """Not even if it imports it, or lies in one package with it."""
    rival = tmp_path / "rival.py"
    rival.write_text("from vgdl.controllers import Controller\nclass Rival(Controller):\n    def act(self, s, t): ...")
    if place == "in a package":
        tmp_path.chmod(0o755)
        (tmp_path / "__init__.py").write_text("# a package")
        code = readable(tmp_path) + "\nfound = [file for file in found if 'rival' in file]"
    else:
        code = "try:\n    import rival\n    found = rival\nexcept (ImportError, OSError):\n    found = []"
    assert found(code, tmp_path, level=level, rivals=(f"{rival}:Rival",)) == "[]"


@pytest.mark.parametrize("level", STRONG)
def test_a_hidden_set_is_hidden_also_beside_the_controller(tmp_path: Path, level: Level) -> None:
    """The controller lies in a package, which can be read, and the hidden set and the store in it can not."""
    hidden, store = tmp_path / "hidden", tmp_path / "results.db"
    shutil.copytree(TOY, hidden)
    store.write_text("secret")
    tmp_path.chmod(0o755)
    for name in ("__init__.py", "prober.py"):
        (tmp_path / name).write_text("# part of it")
    expected = [str(tmp_path / name) for name in ("__init__.py", "prober.py")]
    assert found(readable(tmp_path), tmp_path, level=level, hidden=(hidden, store)) == repr(expected)


@pytest.mark.parametrize("level", working_levels())
def test_no_command_line_names_what_is_hidden(tmp_path: Path, level: Level) -> None:
    shutil.copytree(TOY, tmp_path / "hidden-set")
    code = """
    import os
    found = any(b"hidden-set" in open(f"/proc/{pid}/cmdline", "rb").read() for pid in [1, os.getppid(), os.getpid()])
    """
    if level is Level.LANDLOCK:
        code = "import sys; found = 'hidden-set' in str(sys.orig_argv)"
    assert found(code, tmp_path, level=level, hidden=(tmp_path / "hidden-set",)) == "False"


@pytest.mark.parametrize("level", STRONG)
def test_games_among_which_a_controller_lies_are_hidden_one_by_one(tmp_path: Path, level: Level) -> None:
    """A package that is hidden and holds the controller: its games are, and the rest can be read."""
    shutil.copytree(TOY, tmp_path, dirs_exist_ok=True)
    tmp_path.chmod(0o755)
    for name in ("__init__.py", "prober.py"):
        (tmp_path / name).write_text("# part of it")
    expected = [str(tmp_path / name) for name in ("__init__.py", "prober.py")]
    assert found(readable(tmp_path), tmp_path, level=level, hidden=(tmp_path,)) == repr(expected)


@pytest.mark.parametrize("level", STRONG)
def test_nothing_outside_of_the_scratch_folder_can_be_written(tmp_path: Path, level: Level) -> None:
    code = f"""
    import os, sys, tempfile
    found = []
    with tempfile.TemporaryFile() as file:
        file.write(b"x")
    for folder in ["/", "/usr", "/dev", "/dev/shm", "/etc", "/var/tmp", "/home", "/root", {str(tmp_path)!r}, *sys.path]:
        try:
            with open(os.path.join(folder, "mark"), "w"):
                found.append(folder)
        except OSError:
            pass
    """
    assert found(code, tmp_path, level=level) == "[]"
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("level", STRONG)
def test_there_is_no_network(tmp_path: Path, level: Level) -> None:
    """Not even the machine's own loopback, on which the runner's might be listened to."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"""
        import socket
        try:
            socket.create_connection(("127.0.0.1", {port}), timeout=0.2)
            found = "connected"
        except OSError as error:
            found = str(error)
        """
        assert "Address family not supported" in found(code, tmp_path, level=level)


@pytest.mark.parametrize("level", OWN_FILES)
def test_the_namespace_has_no_network_either(tmp_path: Path, level: Level) -> None:
    """So that more than one wall has to fall."""
    code = "found = [line.split(':')[0].strip() for line in open('/proc/net/dev').readlines()[2:]]"
    assert found(code, tmp_path, level=level) == "['lo']"


@pytest.mark.parametrize("level", OWN_FILES)
def test_no_process_but_its_own_can_be_seen(tmp_path: Path, level: Level) -> None:
    """So there is no memory of the runner to look into for the real generator, and nobody to send a signal to."""
    code = """
    import os
    found = [open(f"/proc/{pid}/cmdline").read() for pid in os.listdir("/proc") if pid.isdecimal()]
    found = len(found) <= 3 and all("vgdl.competition.agents.worker" in text for text in found)
    """
    assert found(code, tmp_path, level=level) == "True"


@pytest.mark.parametrize("level", working_levels())
def test_the_user_s_environment_is_not_passed_on(tmp_path: Path, level: Level, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_PASSWORD", "secret")
    assert found("import os; found = 'A_PASSWORD' in os.environ", tmp_path, level=level) == "False"


@pytest.mark.parametrize("level", working_levels())
def test_no_privilege_is_left(tmp_path: Path, level: Level) -> None:
    """No capability, and no program that is started later can have one."""
    code = """
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    found = [int(lines[name], 16) for name in ("CapEff", "CapPrm", "CapAmb")] + [int(lines["NoNewPrivs"])]
    """
    assert found(code, tmp_path, level=level) == "[0, 0, 0, 1]"


@pytest.mark.parametrize("level", STRONG)
def test_mounts_cannot_be_undone_from_new_namespaces(tmp_path: Path, level: Level) -> None:
    shutil.copytree(TOY, tmp_path / "hidden")
    hidden = tmp_path / "hidden"
    look = textwrap.indent(readable(hidden), "        ")
    code = f"""
    import ctypes, os
    libc = ctypes.CDLL(None)
    libc.unshare(0x10020000)
    libc.umount2({str(hidden)!r}.encode(), 2)
    libc.mount(None, b"/usr", None, 4096 | 32, None)
    try:
        open("/usr/mark", "w")
        found = "written"
    except OSError:
        {look.strip()}
    """
    assert found(code, tmp_path, level=level, hidden=(hidden,)) == "[]"


@pytest.mark.limits
@pytest.mark.parametrize("level", working_levels())
def test_limits_are_in_force(tmp_path: Path, level: Level) -> None:
    code = """
    import resource as r
    found = [r.getrlimit(k) for k in (r.RLIMIT_AS, r.RLIMIT_FSIZE, r.RLIMIT_CORE)]
    """
    standard = Restrictions()
    limits = [standard.memory_mb << 20, standard.scratch_mb << 20, 0]
    assert found(code, tmp_path, level=level) == repr([(limit, limit) for limit in limits])


@pytest.mark.parametrize("level", working_levels())
def test_a_controller_is_pinned_to_its_core(tmp_path: Path, level: Level) -> None:
    file = tmp_path / "prober.py"
    found("import os; found = os.sched_getaffinity(0)", tmp_path)
    planned = contests.plan(f"{file}:Prober")
    competition = contests.Competition(planned, sandbox_for(planned, level))
    core = max(os.sched_getaffinity(0))
    assert f"found {{{core}}}" in competition.play(0, core).result.players[0].details


def test_a_record_states_how_it_was_kept() -> None:
    for level in working_levels():
        record = contests.play(contests.plan("random"), level)
        assert record.isolation["level"] == level
        assert record.isolation["cpu times"] in ("perf", "procfs")


def test_the_best_level_that_works_is_chosen() -> None:
    assert sandbox_for(contests.plan("random"), "auto").level is working_levels()[0]


def test_without_bubblewrap_the_next_level_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    planned = contests.plan("random")
    rest = [level for level in working_levels() if level is not Level.BWRAP]
    assert sandbox_for(planned, "auto").level is rest[0]
    with pytest.raises(IsolationError, match="install bubblewrap"):
        sandbox_for(planned, "bwrap")


def test_a_level_that_the_system_refuses_is_explained() -> None:
    """A view that cannot be mounted stands for a system that allows no mounts."""
    if Level.NAMESPACES not in working_levels():
        pytest.skip("no namespaces on this machine")
    good = sandbox_for(contests.plan("random"), "namespaces")
    view = type(good.view)((*good.view.readable, "/no/such/path"))
    planned = contests.plan("random")
    broken = contests.Competition(planned, Sandbox(Level.NAMESPACES, planned.restrictions, view))
    with pytest.raises(IsolationError, match=r"namespaces does not work here: .*mount"):
        broken.play(0)
