"""The command ``vgdl-compete serve``: the site, and workers on the same machine."""

from __future__ import annotations

import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vgdl.cli import counted, program
from vgdl.competition import options
from vgdl.competition.agents import cores
from vgdl.competition.agents.isolation import ONE_THREAD
from vgdl.competition.interrupts import INTERRUPTED, handling
from vgdl.competition.listening import HEAD_BYTES, listening, patient_protocol
from vgdl.competition.store import is_store
from vgdl.competition.web import accounts
from vgdl.competition.web.database import Database, open_database
from vgdl.extras import needs

if TYPE_CHECKING:
    import uvicorn

SMTP = "VGDL_SMTP"
"""The environment variable with the settings for e-mail, which include a password."""

OIDC = "VGDL_OIDC"
"""The environment variable with the provider of OpenID Connect, which includes a secret."""

RESTART_S = 5.0
"""Seconds before processes that have ended are restarted."""

_URL = re.compile(r"https?://[^/\s]+")


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit status: 0, 1 if it failed, 2 for wrong arguments, 130 after Ctrl-C."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        import uvicorn

        from vgdl.competition.web.app import make_app
        from vgdl.competition.web.mail import Mail
        from vgdl.competition.web.oidc import Provider
        from vgdl.competition.web.track_boards import TrackBoards
    except ImportError as missing:
        parser.error(needs("the site", str(missing.name), "web"))
    try:
        if chosen.workers:
            cores.require(chosen.workers, "--workers")
        places = [Path(each) for each in chosen.boards]
        for place in places:
            if not place.is_dir() and not is_store(place):
                parser.error(f"--boards takes a store of vgdl-compete, or a folder: {place} is neither")
        if chosen.url and not _URL.match(chosen.url):
            parser.error(f"--url takes an address such as https://compete.example.org, not {chosen.url!r}")
        mail = Mail.from_url(os.environ[SMTP]) if os.environ.get(SMTP) else None
        provider = Provider.from_url(os.environ[OIDC]) if os.environ.get(OIDC) else None
        with listening(chosen.host, chosen.port) as opened, open_database(chosen.store, create=True) as database:
            port = opened.getsockname()[1]
            address = (chosen.url or f"http://{_shown(chosen.host)}:{port}").rstrip("/")
            app = make_app(database, address, boards=TrackBoards(places), mail=mail, provider=provider)
            _greet(database, address, chosen.workers)
            config = uvicorn.Config(
                app, log_level="warning", access_log=False, server_header=False,
                proxy_headers=bool(chosen.proxy), forwarded_allow_ips=chosen.proxy or None, timeout_keep_alive=15,
                limit_concurrency=2000, ws_max_size=4096, timeout_graceful_shutdown=5,
                h11_max_incomplete_event_size=HEAD_BYTES, http=patient_protocol(),
            )  # fmt: skip
            with handling(signal.SIGTERM, signal.default_int_handler):
                return _run(uvicorn.Server(config), opened, chosen)
    except KeyboardInterrupt:
        return INTERRUPTED
    except options.OWN_ERRORS as error:
        parser.error(str(error))


def _parser() -> options.Parser:
    parser = options.Parser(
        prog=f"{program('compete')} serve",
        description="A competition site: people sign up, upload controllers, watch their evaluation, and play in the "
        "browser. It starts from nothing; the first organiser signs up by the one-time link that is printed. Workers "
        "run beside it, or as vgdl-compete worker --store … on any machine.",
    )
    parser.add_argument(
        "--store", required=True, metavar="FILE|URL",
        help="the database: a file, created if it does not exist, or postgresql://USER:PASSWORD@HOST/NAME",
    )  # fmt: skip
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1, this machine only)"
    )
    parser.add_argument(
        "--port", type=options.port, default=8000, metavar="N", help="port to listen on; 0 for any (default: 8000)"
    )
    parser.add_argument(
        "--workers", type=options.count, default=1, metavar="N",
        help="plays in parallel here (default: 1; 0: none)",
    )  # fmt: skip
    parser.add_argument("--url", help="how the site is reached from outside, such as https://compete.example.org")
    parser.add_argument("--proxy", metavar="ADDRESS", help="trust the forwarding headers of a reverse proxy there")
    parser.add_argument(
        "--boards", metavar="STORE|DIR", action="append", default=[],
        help="a store of any track, or a folder with stores and with sites of vgdl-compete report; all of them are "
        "shown to everyone; may be repeated",
    )  # fmt: skip
    options.add_isolation_level(parser.add_argument_group("isolation of entries"))
    return parser


def _run(server: uvicorn.Server, opened: socket.socket, chosen: argparse.Namespace) -> int:
    """Serve on a listening socket until stopped, with rankings computed and workers alongside."""
    ended = threading.Event()
    worker = (sys.executable, "-P", "-m", "vgdl.competition.cli", "worker", "--store", chosen.store, "--wait")
    commands: list[tuple[str, ...]] = [(*worker, "--parent", str(os.getpid()), "--jobs", "0")]
    if chosen.workers:
        jobs = "--jobs", str(chosen.workers), "--isolation", chosen.isolation
        commands.append((*worker, "--parent", str(os.getpid()), *jobs))
    keepers = [threading.Thread(target=_keep, args=(command, ended), daemon=True) for command in commands]
    for keeper in keepers:
        keeper.start()
    try:
        server.run(sockets=[opened])
    finally:
        ended.set()
        for keeper in keepers:
            keeper.join(20.0)
    return 0 if server.started else 1


def _keep(command: Sequence[str], ended: threading.Event) -> None:
    """Keep a process running until the site ends, and restart it if it ends."""
    while not ended.is_set():
        with subprocess.Popen(command, env=os.environ | ONE_THREAD) as process:
            while process.poll() is None and not ended.wait(0.2):
                pass
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(15.0)
                except subprocess.TimeoutExpired:
                    process.kill()
        if not ended.is_set():
            print("a process of the site has ended, and is started again", file=sys.stderr, flush=True)
            ended.wait(RESTART_S)


def _greet(database: Database, address: str, workers: int) -> None:
    print(f"the site is at {address} (database {database.name}, {counted(workers, 'play')} in parallel)")
    if not accounts.has_organiser(database):
        token = accounts.make_link(database, "organiser")
        print(f"sign up as the organiser by this link, which works once: {address}/link/{token}")
    sys.stdout.flush()


def _shown(host: str) -> str:
    """A host as written in URLs."""
    shown = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, host)
    return f"[{shown}]" if ":" in shown else shown
