"""What a controller can see and reach under each level of isolation."""

from __future__ import annotations

import io
import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

import contests
from contests import TOY, found, working_levels
from vgdl import games
from vgdl.competition import cli, notices
from vgdl.competition.agents import control_group, legacy_groups
from vgdl.competition.agents.control_group import ControlGroup
from vgdl.competition.agents.failure import Cause
from vgdl.competition.agents.isolation import SCRATCH, IsolationError, Level, Restrictions, Sandbox
from vgdl.competition.agents.legacy_groups import LegacyGroups
from vgdl.competition.agents.view import FilesRefused
from vgdl.competition.tracks.planning.records import Outcome
from vgdl.competition.tracks.planning.session import sandbox_for

pytestmark = pytest.mark.one_case

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
    """Code that lists the readable, non-empty files below some folders."""
    return READABLE.format(files=sorted(str(file) for root in folders for file in root.rglob("*") if file.is_file()))


@pytest.mark.parametrize("level", STRONG)
def test_the_games_cannot_be_read(tmp_path: Path, level: Level) -> None:
    """Neither those of the set being played nor the bundled ones."""
    roots = [TOY, *(Path(folder) / name for folder in games.__path__ for name in games.SETS)]
    assert found(readable(*roots), tmp_path, level=level) == "[]"


@pytest.mark.parametrize("level", STRONG)
def test_a_controller_sees_only_its_own_file_in_its_folder(tmp_path: Path, level: Level) -> None:
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
    """Not even by import, or in the same package."""
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
    """The controller's package is readable, but the hidden set and the store inside it are not."""
    hidden, store = tmp_path / "hidden", tmp_path / "results.db"
    shutil.copytree(TOY, hidden)
    store.write_text("secret")
    tmp_path.chmod(0o755)
    for name in ("__init__.py", "prober.py"):
        (tmp_path / name).write_text("# part of it")
    expected = [str(tmp_path / name) for name in ("__init__.py", "prober.py")]
    assert found(readable(tmp_path), tmp_path, level=level, hidden=(hidden, store)) == repr(expected)


@pytest.mark.parametrize("level", working_levels())
def test_command_lines_do_not_name_hidden_files(tmp_path: Path, level: Level) -> None:
    shutil.copytree(TOY, tmp_path / "hidden-set")
    code = """
    import os
    found = any(b"hidden-set" in open(f"/proc/{pid}/cmdline", "rb").read() for pid in [1, os.getppid(), os.getpid()])
    """
    if level is Level.LANDLOCK:
        code = "import sys; found = 'hidden-set' in str(sys.orig_argv)"
    assert found(code, tmp_path, level=level, hidden=(tmp_path / "hidden-set",)) == "False"


@pytest.mark.parametrize("level", STRONG)
def test_everything_in_a_hidden_folder_but_the_controller_s_modules_is_hidden(
    tmp_path: Path, level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its name ends in, and even if Python's search path makes the folder readable."""
    shutil.copytree(TOY, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")])))
    for name in ("helper.py", "other.py", "facts.toml", "replay.json", "level.bin"):
        (tmp_path / name).write_text("# something")
    (tmp_path / "prober.py").touch()
    expected = [str(tmp_path / name) for name in ("helper.py", "prober.py")]
    code = readable(tmp_path)
    assert found(code, tmp_path, level=level, hidden=(tmp_path,), top="import helper") == repr(expected)


@pytest.mark.parametrize("level", [*working_levels(), "auto"])
@pytest.mark.parametrize(
    "top",
    [
        "__files__ = ['store.db', 'store.db-wal', 'store.db-journal']",
        "__files__ = ['store.db-journal']",
        "import hidden_set",
        "__files__ = ['hidden_set/toy.toml']",
        "import helper",
    ],
)
def test_a_controller_that_asks_for_hidden_files_is_refused(tmp_path: Path, level: str, top: str) -> None:
    """Not played at a lower level of isolation either."""
    shutil.copytree(TOY, tmp_path / "hidden_set")
    (tmp_path / "hidden_set" / "toy.toml").touch()
    (tmp_path / "helper.py").write_text("__files__ = ['store.db']")
    for ending in ("", "-wal", "-journal"):
        (tmp_path / f"store.db{ending}").write_text("secret")
    with pytest.raises(FilesRefused, match=r"(prober|helper).*(hidden_set|store\.db).* is hidden from controllers"):
        found("found = 1", tmp_path, level=level, hidden=(tmp_path / "hidden_set", tmp_path / "store.db"), top=top)


@pytest.mark.parametrize("level", working_levels())
def test_a_package_whose_folder_is_hidden_is_refused(tmp_path: Path, level: Level) -> None:
    (tmp_path / "__init__.py").touch()
    with pytest.raises(FilesRefused, match="put it in a folder of its own"):
        found("found = 1", tmp_path, level=level, hidden=(tmp_path,))


def test_asking_for_the_store_is_an_explained_error_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "spy.py"
    file.write_text(
        "from vgdl.controllers import Controller\n__files__ = ['store.db']\n"
        "class Spy(Controller):\n    def act(self, state, timer): ...\n"
    )
    options = ["--set", str(TOY), "--levels", "1", "--budget", "calls:9", "--quiet"]
    with pytest.raises(SystemExit):
        cli.main([*options, "--controllers", f"{file}:Spy,random", "--store", str(tmp_path / "store.db")])
    assert "store.db is hidden from controllers" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("level", STRONG)
def test_nothing_outside_of_the_scratch_folder_can_be_written(tmp_path: Path, level: Level) -> None:
    """A controller below ``/tmp`` has folders of that name in its scratch folder, which an ordinary user's can write."""
    is_scratch = level.has_own_files and tmp_path.is_relative_to(SCRATCH)
    code = f"""
    import os, sys, tempfile
    found = []
    with tempfile.TemporaryFile() as file:
        file.write(b"x")
    for folder in ["/", "/usr", "/dev", "/dev/shm", "/etc", "/var/tmp", "/home", "/root", {str(tmp_path)!r}, *sys.path]:
        try:
            with open(os.path.join(folder, "mark"), "w"):
                if folder != {str(tmp_path)!r} or not {is_scratch}:
                    found.append(folder)
        except OSError:
            pass
    """
    assert found(code, tmp_path, level=level) == "[]"
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("level", STRONG)
def test_there_is_no_network(tmp_path: Path, level: Level) -> None:
    """Not even the loopback interface, where the runner might listen."""
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
    """A second barrier, if the filter fails."""
    code = "found = [line.split(':')[0].strip() for line in open('/proc/net/dev').readlines()[2:]]"
    assert found(code, tmp_path, level=level) == "['lo']"


@pytest.mark.parametrize("level", OWN_FILES)
def test_no_process_but_its_own_can_be_seen(tmp_path: Path, level: Level) -> None:
    """So it can neither read the runner's memory for the real generator nor send signals."""
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
    """No capabilities, and programs started later cannot gain any."""
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


CALLS = """
import ctypes, errno, os, platform, socket, threading
libc = ctypes.CDLL(None, use_errno=True)
column = {{"x86_64": 0, "aarch64": 1, "riscv64": 1}}[platform.machine()]
numbers = {{
    "memfd_create": (319, 279), "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "ptrace": (101, 117),
    "process_vm_writev": (311, 271), "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40),
    "io_uring_setup": (425, 425), "userfaultfd": (323, 282), "bpf": (321, 280), "perf_event_open": (298, 241),
    "keyctl": (250, 219), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119), "setpriority": (141, 140),
    "io_setup": (206, 0), "inotify_init1": (294, 26), "timer_create": (222, 107), "mincore": (27, 232), "sync": (162, 81),
    "mq_open": (240, 180), "pidfd_getfd": (438, 438), "prlimit64": (302, 261), "setxattr": (188, 5),
    "clone": (56, 220), "clone3": (435, 435), "open_by_handle_at": (304, 265), "add_key": (248, 217),
}}
found = []
for name, pair in numbers.items():
    # CLONE_NEWUSER for clone, another process for prlimit64; for others the arguments do not matter to the filter
    first = ctypes.c_long(0x10000000 if name in ("clone", "unshare") else os.getppid() if name == "prlimit64" else 0)
    ctypes.set_errno(0)
    third = ctypes.c_long(4096 if name == "prlimit64" else 0)
    result = libc.syscall(ctypes.c_long(pair[column]), first, None, third, None, None, None)
    if ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
        found.append((name, result, ctypes.get_errno()))
for family in (40, 17, 38, 31, 29, 16 if {strong} else 40):  # vsock, packet, alg, bluetooth, can, netlink
    try:
        socket.socket(family, socket.SOCK_DGRAM)
        found.append(family)
    except OSError as error:
        if error.errno != errno.EAFNOSUPPORT:
            found.append((family, error))
"""


@pytest.mark.parametrize("level", working_levels())
def test_system_calls_that_no_controller_needs_are_blocked(tmp_path: Path, level: Level) -> None:
    """Anonymous shared memory, other processes, namespaces, large parts of the kernel, and exotic sockets."""
    assert found(CALLS.format(strong=not level.is_weak), tmp_path, level=level) == "[]"


@pytest.mark.parametrize("level", working_levels())
def test_limits_of_other_processes_cannot_be_set(tmp_path: Path, level: Level) -> None:
    """Not even those of the runner, which has the same user under some levels."""
    code = f"""
    import os, resource
    found = []
    for pid in ({os.getpid()}, os.getppid()):
        try:
            found.append(resource.prlimit(pid, resource.RLIMIT_NOFILE, (256, 256)))
        except (PermissionError, ProcessLookupError):
            pass
    """
    assert found(code, tmp_path, level=level) == "[]"


@pytest.mark.parametrize("level", working_levels())
def test_files_cannot_be_locked(tmp_path: Path, level: Level) -> None:
    """Locks on a file that several controllers can read would be a way to communicate."""
    code = """
    import fcntl, os
    found = []
    with open(os.__file__) as file:
        for lock in (fcntl.flock, fcntl.lockf):
            try:
                lock(file, fcntl.LOCK_SH)
                found.append(lock)
            except OSError:
                pass
    """
    assert found(code, tmp_path, level=level) == "[]"


@pytest.mark.parametrize("level", working_levels())
def test_what_ordinary_programs_do_works(tmp_path: Path, level: Level) -> None:
    code = """
    import asyncio, concurrent.futures, os, socket, subprocess, sys, tempfile, threading
    import numpy as np
    found = [float((np.eye(300) @ np.ones((300, 300))).sum())]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found += pool.map(abs, [-1, -2])
    found.append(subprocess.run([sys.executable, "-c", "print(3)"], capture_output=True, check=True).stdout.strip())
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        child.kill()
    except PermissionError:  # where signals to others cannot be told apart
        pass
    found.append(asyncio.run(asyncio.sleep(0, 4)))
    with tempfile.TemporaryDirectory() as folder, open(folder + "/file", "w") as file:
        found.append(file.write("12345"))
    ours, theirs = socket.socketpair()
    ours.send(b"6")
    found.append(theirs.recv(1))
    """
    assert found(code, tmp_path, level=level) == "[90000.0, 1, 2, b'3', 4, 5, b'6']"


@pytest.mark.parametrize("level", STRONG)
def test_the_machine_cannot_be_changed_through_proc(tmp_path: Path, level: Level) -> None:
    """Not even if the runner is root: ``core_pattern`` names a program that the kernel would run as root."""
    code = """
    import os
    found = []
    for name in ("sys/kernel/core_pattern", "sys/vm/drop_caches", "sysrq-trigger", "irq/default_smp_affinity"):
        try:
            os.close(os.open("/proc/" + name, os.O_WRONLY))
            found.append(name)
        except OSError:
            pass
    """
    assert found(code, tmp_path, level=level) == "[]"


@pytest.mark.skipif(os.geteuid() != 0, reason="the runner is not root")
@pytest.mark.parametrize("level", OWN_FILES)
def test_controllers_of_root_run_as_nobody(tmp_path: Path, level: Level) -> None:
    code = "import os; found = (os.getresuid(), os.getresgid(), os.getgroups(), os.access('/proc/self/mem', os.R_OK))"
    assert found(code, tmp_path, level=level) == "((65534, 65534, 65534), (65534, 65534, 65534), [], True)"


@pytest.mark.skipif(os.geteuid() != 0, reason="the runner is not root")
@pytest.mark.parametrize("level", OWN_FILES)
def test_a_package_that_only_root_can_read_is_an_explained_error(tmp_path: Path, level: Level) -> None:
    (tmp_path / "__init__.py").touch()
    tmp_path.chmod(0o700)
    with pytest.raises(IsolationError, match=r"can be read by its owner only.*chmod"):
        found("found = None", tmp_path, level=level)


@pytest.mark.parametrize("level", working_levels())
def test_the_memory_of_the_parent_process_cannot_be_read(tmp_path: Path, level: Level) -> None:
    """The parent is not filtered, so its memory would be a way around every restriction."""
    code = """
    import os
    found = []
    for pid in {1, os.getppid()}:
        for mode in (os.O_RDONLY, os.O_WRONLY):
            try:
                os.close(os.open(f"/proc/{pid}/mem", mode))
                found.append(pid)
            except OSError:
                pass
    """
    assert found(code, tmp_path, level=level) == "[]"


@pytest.mark.parametrize("level", working_levels())
def test_signals_reach_no_process_of_others(tmp_path: Path, level: Level) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        code = f"""
        import os
        found = []
        for pid in ({bystander.pid}, {os.getpid()}, os.getppid() if {level.has_own_files} is False else {bystander.pid}):
            try:
                os.kill(pid, 0)
                found.append(pid)
            except OSError:
                pass
        """
        assert found(code, tmp_path, level=level) == "[]"
        bystander.kill()


@pytest.fixture(params=[control_group, legacy_groups], ids=["version 2", "version 1"])
def limiting_group(request: pytest.FixtureRequest) -> Iterator[ControlGroup | LegacyGroups]:
    """A group whose memory and processes the kernel limits; ``.ci/cgroup`` runs these tests where there is one."""
    group = request.param.create()
    if group is None or not group.limits_memory:
        if group is not None:
            group.close()
        pytest.skip("this system lets us limit no memory: .ci/cgroup runs this test in a kernel that does")
    yield group
    group.close()


def test_memory_that_no_process_maps_is_limited(limiting_group: ControlGroup | LegacyGroups) -> None:
    limiting_group.limit(64 << 20, 8)
    assert not limiting_group.ran_out_of_memory()
    code = "import os; file = os.memfd_create('hoard')\nfor _ in range(200): os.write(file, bytes(1 << 20))"
    assert _run_in(limiting_group, code).returncode == -signal.SIGKILL
    assert limiting_group.ran_out_of_memory()


def test_what_is_killed_below_its_limit_has_not_run_out_of_memory(limiting_group: ControlGroup | LegacyGroups) -> None:
    limiting_group.limit(64 << 20, 8)
    assert _run_in(limiting_group, "import os; os.kill(os.getpid(), 9)").returncode == -signal.SIGKILL
    assert not limiting_group.ran_out_of_memory()


def test_processes_and_threads_together_are_limited(limiting_group: ControlGroup | LegacyGroups) -> None:
    limiting_group.limit(64 << 20, 1)
    code = """
        import os, time
        made = 0
        try:
            while made < 100:
                if not os.fork():
                    os.close(1)
                    time.sleep(600)
                made += 1
        except BlockingIOError:
            print(made)
    """
    assert _run_in(limiting_group, textwrap.dedent(code)).stdout == b"15\n"


def _run_in(group: ControlGroup | LegacyGroups, code: str) -> subprocess.CompletedProcess[bytes]:
    """Run Python code in a process of a group."""
    entrances = group.entrances if isinstance(group, LegacyGroups) else [group.entrance]
    enter = "".join(f"import os; os.write({entrance}, b'0')\n" for entrance in entrances)
    return subprocess.run([sys.executable, "-c", enter + code], pass_fds=entrances, stdout=subprocess.PIPE)


@pytest.mark.usefixtures("limiting_group")
def test_a_controller_that_fills_memory_is_told_so_whether_it_maps_it_or_not() -> None:
    limits = Restrictions(memory_mb=300)
    loser = contests.player("FillsMemoryThatNoProcessMaps", level="rlimits", budget="calls:9", limits=limits)
    assert (loser.outcome, loser.cause) == (Outcome.DISQUALIFIED, Cause.MEMORY), loser.details
    assert loser.details == "more than 300 MiB, counting what no process maps"


@pytest.fixture
def old_hierarchy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders that look like mounted control groups of version 1, whose root is not the machine's for one of them."""
    mkdir = Path.mkdir

    def group(folder: Path, *arguments: object, **named: object) -> None:
        mkdir(folder, *arguments, **named)  # type: ignore[arg-type]
        for name in ("cgroup.procs", "memory.limit_in_bytes", "memory.oom_control", "pids.max"):
            (folder / name).touch()

    monkeypatch.setattr(Path, "mkdir", group)
    for name in ("memory/mine", "pids/mine"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "mountinfo").write_text(
        f"30 25 0:27 / {tmp_path} rw shared:9 - tmpfs tmpfs rw\n"
        f"31 30 0:28 /container {tmp_path}/memory rw shared:9 - cgroup cgroup rw,memory\n"
        f"32 30 0:29 / {tmp_path}/pids rw - cgroup cgroup rw,pids\n"
        f"33 30 0:30 / {tmp_path}/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
    )
    (tmp_path / "cgroup").write_text(
        "9:name=systemd:/\n8:pids:/mine\n4:memory:/container/mine\n1:cpu,cpuacct:/\n0::/\n"
    )
    return tmp_path


def test_groups_of_version_1_are_made_inside_the_runner_s_own(old_hierarchy: Path) -> None:
    groups = legacy_groups.create(mounts=old_hierarchy / "mountinfo", own=old_hierarchy / "cgroup")
    assert groups
    groups.limit(64 << 20, 8)
    (memory,) = (old_hierarchy / "memory/mine").glob("vgdl-play-*")
    (pids,) = (old_hierarchy / "pids/mine").glob("vgdl-play-*")
    assert (memory / "memory.limit_in_bytes").read_text() == str(64 << 20)
    assert (pids / "pids.max").read_text() == "128"
    assert groups.limits_memory
    assert len(groups.entrances) == 2
    assert not groups.ran_out_of_memory()
    (memory / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
    assert groups.ran_out_of_memory()


def test_without_groups_of_version_1_none_are_made(tmp_path: Path) -> None:
    assert legacy_groups.create(mounts=tmp_path / "none", own=tmp_path / "none") is None


def test_groups_of_runners_that_were_killed_are_removed() -> None:
    group = control_group.create()
    if group is None:
        pytest.skip("this system lets us make no control group")
    with subprocess.Popen(["true"]) as gone:
        pass
    left = group.folder.with_name(group.folder.name.replace(f"-{os.getpid()}-", f"-{gone.pid}-"))
    foreign = group.folder.with_name(f"vgdl-play-1-{gone.pid}-0")  # of another PID namespace: its runner may live
    left.mkdir()
    foreign.mkdir()
    group.close()
    assert not group.folder.exists()
    again = control_group.create()
    assert again
    again.close()
    assert not left.exists()
    assert foreign.exists()
    foreign.rmdir()


def test_a_controller_that_exposes_the_home_folder_causes_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    tmp_path.chmod(0o755)
    (tmp_path / "__init__.py").touch()
    source = "from vgdl.controllers import Controller\nclass Mine(Controller):\n    def act(self, state, timer): ..."
    (tmp_path / "agent.py").write_text(source)
    planned = contests.plan(f"{tmp_path}/agent.py:Mine")
    console = Console(file=io.StringIO(), width=200)
    notices.warn_if_home_is_shown(planned.entries, sandbox_for(planned, "auto"), console)
    assert isinstance(console.file, io.StringIO)
    assert "agent.py:Mine sees your home folder" in console.file.getvalue()


def test_memory_is_touched_before_the_game(tmp_path: Path) -> None:
    """Four chunks of 4 MiB cause no page fault per 4 KiB during the search."""
    code = """
    import ctypes, resource
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(4):
        ctypes.memset(libc.malloc(ctypes.c_size_t(4 << 20)), 1, 4 << 20)
    found = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    """
    assert int(found(code, tmp_path)) < 400


@pytest.mark.limits
@pytest.mark.parametrize("level", working_levels())
def test_limits_are_in_force(tmp_path: Path, level: Level) -> None:
    code = """
    import resource as r
    found = [r.getrlimit(k) for k in (r.RLIMIT_AS, r.RLIMIT_FSIZE, r.RLIMIT_CORE)]
    """
    standard = Restrictions()
    limits = [standard.memory_mb << 20, standard.scratch_mb << 20, 1]  # 1: no core dump, not even to a program
    assert found(code, tmp_path, level=level) == repr([(limit, limit) for limit in limits])


@pytest.mark.xdist_group("clock")
@pytest.mark.parametrize("level", working_levels())
def test_a_controller_is_pinned_to_its_core(tmp_path: Path, level: Level) -> None:
    file = tmp_path / "prober.py"
    found("import os; found = os.sched_getaffinity(0)", tmp_path)
    planned = contests.plan(f"{file}:Prober")
    competition = contests.Competition(planned, sandbox_for(planned, level))
    core = max(os.sched_getaffinity(0))
    assert f"found {{{core}}}" in competition.play(0, core).result.players[0].details


@pytest.mark.costly
def test_a_record_states_its_isolation() -> None:
    for level in working_levels():
        record = contests.play(contests.plan("random"), level)
        assert record.isolation["level"] == level
        assert record.isolation["cpu times"] in ("cgroup", "perf", "procfs")


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
    """A mount that fails stands for a system without mounts."""
    if Level.NAMESPACES not in working_levels():
        pytest.skip("no namespaces on this machine")
    good = sandbox_for(contests.plan("random"), "namespaces")
    view = type(good.view)((*good.view.readable, "/no/such/path"))
    planned = contests.plan("random")
    broken = contests.Competition(planned, Sandbox(Level.NAMESPACES, planned.restrictions, view))
    with pytest.raises(IsolationError, match=r"namespaces does not work here: .*mount"):
        broken.play(0)
