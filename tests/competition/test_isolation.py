"""What a controller can see and reach under each level of isolation."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest

import contests
from contests import TOY, found, working_levels
from vgdl import games
from vgdl.competition.agents.isolation import IsolationError, Level, Restrictions, Sandbox
from vgdl.competition.contest.session import sandbox_for

STRONG = [level for level in working_levels() if not level.is_weak]

EVERY_FILE = """
import os
found = sorted(
    os.path.join(folder, file)
    for root in {roots!r}
    for folder, _, files in os.walk(root)
    for file in files
    if os.path.getsize(os.path.join(folder, file))
)
"""


@pytest.mark.parametrize("level", STRONG)
def test_the_games_cannot_be_read(tmp_path: Path, level: Level) -> None:
    """Neither the set that is played, nor any that is bundled."""
    roots = [str(TOY), *(str(Path(folder) / name) for folder in games.__path__ for name in games.SETS)]
    assert found(EVERY_FILE.format(roots=roots), tmp_path, level=level) == "[]"


@pytest.mark.parametrize("level", STRONG)
def test_a_hidden_set_is_hidden_also_beside_the_controller(tmp_path: Path, level: Level) -> None:
    """The folder of the controller's file can be read, and the hidden set and the store in it can not."""
    hidden, store = tmp_path / "hidden", tmp_path / "results.db"
    shutil.copytree(TOY, hidden)
    store.write_text("secret")
    code = EVERY_FILE.format(roots=[str(tmp_path)])
    assert found(code, tmp_path, level=level, hidden=(hidden, store)) == repr([str(tmp_path / "prober.py")])


@pytest.mark.parametrize("level", STRONG)
def test_games_among_which_a_controller_lies_are_hidden_one_by_one(tmp_path: Path, level: Level) -> None:
    shutil.copytree(TOY, tmp_path, dirs_exist_ok=True)
    code = EVERY_FILE.format(roots=[str(tmp_path)])
    assert found(code, tmp_path, level=level, hidden=(tmp_path,)) == repr([str(tmp_path / "prober.py")])


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
        except OSError:
            found = sorted(name for _, name in socket.if_nameindex())
        """
        assert found(code, tmp_path, level=level) == "['lo']"


@pytest.mark.parametrize("level", STRONG)
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
        found = os.listdir({str(hidden)!r})
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
    view = type(good.view)((*good.view.readable, "/no/such/path"), ())
    planned = contests.plan("random")
    broken = contests.Competition(planned, Sandbox(Level.NAMESPACES, planned.restrictions, view))
    with pytest.raises(IsolationError, match=r"namespaces does not work here: .*mount"):
        broken.play(0)
