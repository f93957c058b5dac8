"""A site under attack with a course of a thousand: how long readers wait.

    python benchmarks/course.py [--pages] [--entries 1000] [--plays 100] [--readers 40] [--seconds 40] [--floods 10]

A site is started on a new database with a competition of 1,000 ranked entries with 100 plays each. Readers load its
pages, some of them signed in, and pause as people do. At the same time, plays come in as from a worker, one client
uploads zips that are made to take long, and ten sockets send keys as fast as they can. Load and site share this machine,
over the loopback interface only; the run ends by itself. Times are those that readers see; the target is a p95 below
200 ms. The CPU time of the process that computes the rankings is shown, too: it runs beside the site all the time.

``--pages`` starts no server: it prints the CPU time of each kind of page, of the first that is rendered for a state of
the board, and of one after it, which says more on a busy machine.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import concurrent.futures
import contextlib
import io
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

from browsing import Browser, cpu_s, free_port, show

from vgdl.competition.tracks.planning.records import Outcome
from vgdl.competition.web import accounts, competitions, organising, rankings
from vgdl.competition.web.app import make_app
from vgdl.competition.web.competitions import Role, SetOfGames, Settings
from vgdl.competition.web.database import Transaction, open_database
from vgdl.competition.web.security import Application, Cookies, Message

LEVELS = 5


def main() -> None:
    """Fill a board, serve it, and print how long readers waited."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", action="store_true", help="only the CPU time of each kind of page")
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--plays", type=int, default=100, help="of each entry")
    parser.add_argument("--readers", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=40.0)
    parser.add_argument("--floods", type=int, default=10)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "site.db")
        began = time.process_time()
        course = Course(store, chosen.entries, chosen.plays)
        print(
            f"{chosen.entries} entries and {chosen.entries * chosen.plays} plays written: {time.process_time() - began:.0f} s of CPU"
        )
        began = time.process_time()
        with open_database(store) as database:
            rankings.refresh(database)
        print(f"the board computed for the first time: {time.process_time() - began:.0f} s of CPU", flush=True)
        if chosen.pages:
            asyncio.run(course.costs())
            return
        port = free_port()
        command = [
            sys.executable,
            "-P",
            "-m",
            "vgdl.competition.cli",
            "serve",
            "--store",
            store,
            "--port",
            str(port),
            "--workers",
            "0",
        ]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as site:
            try:
                asyncio.run(course.load(chosen, port, site.pid))
            finally:
                site.terminate()


class Course:
    """A competition of course size."""

    def __init__(self, store: str, entries: int, plays: int) -> None:
        """Write it, with half of the plays that are evaluations of new entries still to come."""
        self.store = store
        settings = Settings((SetOfGames("training", Role.TRAINING, "training"),), baselines=("random",))
        self.repeats = max(1, plays // (LEVELS * len(settings.sets[0].game_set().paths)))
        self.games = [path.stem for path in settings.sets[0].game_set().paths]
        with open_database(store, create=True) as database:
            made = competitions.create(database, "benchmark", "spring", "Spring", settings)
            organising.open_competition(database, "benchmark", made)
            database.run("UPDATE jobs SET state = 'done', taken = 0")
            self.competition = competitions.find(database, "spring").id
            with database.transaction() as transaction:
                for number in range(entries):
                    self._enter(transaction, number)
            user = accounts.sign_up(database, "Ann", "a long password")
            self.token = accounts.make_token(database, user)
            cookies = Cookies(accounts.secret(database), secure=False)
            session = accounts.open_session(database, accounts.find_user(database, "User 7"))
            self.cookie = f"{cookies.name}={cookies._signer.sign(session).decode()}"

    def _enter(self, transaction: Transaction, number: int) -> None:
        """An entry with its plays, as workers leave them."""
        user = transaction.row(
            "INSERT INTO users (name, name_key, email, password, role, created) VALUES (?, ?, '', '', 'entrant', 0) RETURNING id",
            *(f"User {number}", f"user {number}"),
        )
        assert user is not None
        entry = transaction.row(
            "INSERT INTO entries (competition_id, user_id, name, location, class_name, sha256, size, secret, state, message, details, "
            "counted, count_when_done, barred, refunded, deleted, created, changed) "
            "VALUES (?, ?, ?, 'a.py', 'A', '', 0, '1', 'evaluated', '', '', 1, 0, '', 0, 0, 0, 0) RETURNING id",
            *(self.competition, user["id"], f"Controller {number}"),
        )
        assert entry is not None
        chance = random.Random(number)
        for game in self.games:
            for level in range(LEVELS):
                for repeat in range(self.repeats):
                    self.play(transaction, int(entry["id"]), game, level, repeat, chance)

    def play(
        self, transaction: Transaction, entry: int, game: str, level: int, repeat: int, chance: random.Random
    ) -> None:
        """Write a play; how it ended is drawn."""
        row = transaction.row(
            "INSERT INTO plays (job_id, competition_id, set_name, phase, game, level, repeat, seed, stirring, ticks, game_error, "
            "isolation, seconds, waited_ms, finished) VALUES (?, ?, 'training', 'evaluation', ?, ?, ?, 1, '', ?, '', '{}', 1, 0, ?) RETURNING id",
            *(chance.getrandbits(60), self.competition, game, level, repeat, chance.randrange(2000), time.time()),
        )
        assert row is not None
        outcome = Outcome.WON if chance.random() < (entry % 1000) / 1000 else Outcome.LOST
        transaction.run(
            "INSERT INTO players (play_id, player, entry_id, outcome, score, cause, details, late_answers, construction_used, "
            "action_used_mean, action_used_max) VALUES (?, 0, ?, ?, ?, '', '', 0, 1, 1, 1)",
            *(row["id"], entry, outcome, float(chance.randrange(100))),
        )

    async def costs(self) -> None:
        """Print the CPU time of each kind of page, without that of a server."""
        with open_database(self.store) as database:
            app = make_app(database, "http://127.0.0.1", upkeep_here=False)
            rows = database.rows("SELECT id FROM entries WHERE user_id IS NOT NULL ORDER BY id LIMIT 20")
            parts = [f"/competitions/spring?page={number}" for number in range(1, 11)]
            kinds = {
                "home": ["/"], "ranking": parts, "entry": [f"/entries/{row['id']}" for row in rows],
                "game": [f"/competitions/spring/games/{game}?set=training" for game in self.games],
                "queue": ["/queue"], "tracks": ["/tracks"], "play": ["/play"], "one game to play": ["/play/aliens"],
                "API ranking": ["/api/competitions/spring/ranking"],
                "enter": ["/competitions/spring/enter"], "account": ["/account"],
            }  # fmt: skip
            for who, cookie in (("visitor", ""), ("signed in", self.cookie)):
                for kind, pages in kinds.items():
                    if cookie or kind not in ("enter", "account"):
                        first, later = [await self._cost(app, pages, cookie, str(number)) for number in (1, 2)]
                        print(f"{who}, {kind}: {first:.1f} ms for the first, {later:.1f} ms for each later one")

    @staticmethod
    async def _cost(app: Application, pages: list[str], cookie: str, unused: str) -> float:
        """Mean CPU time of some pages in ms; the unused parameter keeps them from being answered as they are."""

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            assert message.get("status", 200) == 200, message

        headers = [(b"host", b"127.0.0.1"), *([(b"cookie", cookie.encode())] if cookie else [])]
        began = time.process_time()
        for page in pages:
            path, _, query = page.partition("?")
            scope = {"type": "http", "method": "GET", "scheme": "http", "http_version": "1.1", "path": path,
                     "raw_path": path.encode(), "root_path": "", "query_string": f"{query}&unused={unused}".encode(),
                     "headers": list(headers), "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80)}  # fmt: skip
            await app(scope, receive, send)
        return 1000 * (time.process_time() - began) / len(pages)

    async def load(self, chosen: argparse.Namespace, port: int, site: int) -> None:
        """Read for a while without attacks, then with them."""
        while True:
            try:
                first = await Browser.open(port)
                break
            except OSError:
                await asyncio.sleep(0.2)
        page = await first.get("/competitions/spring")
        numbers = sorted({int(number) for number in re.findall(rb"/entries/(\d+)", page)})
        parts = [f"/competitions/spring?page={number}" for number in range(1, -(-chosen.entries // 100) + 1)]
        games = [f"/competitions/spring/games/{game}?set=training" for game in self.games]
        self.pages = ["/", *parts, *games, *(f"/entries/{number}" for number in numbers[:20])]
        for attacks in (False, True):
            begun, rank = cpu_s(site), self._board_cpu_s(site)
            end = time.monotonic() + chosen.seconds
            times: tuple[list[float], list[float]] = ([], [])
            readers = [
                self._read(port, times[number % 4 == 0], end, number, signed_in=number % 4 == 0)
                for number in range(chosen.readers)
            ]
            stop = threading.Event()
            worker = threading.Thread(target=self._work, args=(stop,))
            worker.start()
            own_process = multiprocessing.get_context("spawn")  # attackers do not take the time of the readers
            attackers = concurrent.futures.ProcessPoolExecutor(1, own_process)
            attack = attackers.submit(attack_for, port, self.token, chosen.seconds, chosen.floods) if attacks else None
            delays: list[float] = []
            await asyncio.gather(*readers, watch_machine(delays, end))
            stop.set()
            worker.join()
            print("under attack:" if attacks else "plays come in, no attack:")
            show("  visitors", times[0])
            show("  signed in", times[1])
            show("  delays of this process itself, by other work on the machine", delays)
            if attack is not None:
                counts = attack.result()
                print(
                    f"  {counts['uploads']} hostile zips sent, {counts['refused']} of them refused; {counts['keys']} keys sent by {chosen.floods} sockets"
                )
            print(
                f"  CPU of the site {cpu_s(site) - begun:.1f} s, of the rankings {self._board_cpu_s(site) - rank:.1f} s in {chosen.seconds:.0f} s",
                flush=True,
            )

    @staticmethod
    def _board_cpu_s(site: int) -> float:
        """CPU time of the children of the site, which compute rankings and check uploads."""
        children = Path(f"/proc/{site}/task/{site}/children").read_text().split()
        others = {
            child for task in Path(f"/proc/{site}/task").iterdir() for child in (task / "children").read_text().split()
        }
        return sum(cpu_s(int(child)) for child in {*children, *others})

    async def _read(self, port: int, times: list[float], end: float, seed: int, *, signed_in: bool) -> None:
        """One reader."""
        chance = random.Random(seed)
        await asyncio.sleep(chance.random())
        browser = await Browser.open(port, self.cookie if signed_in else "")
        while time.monotonic() < end:
            began = time.perf_counter()
            await browser.get(chance.choice(self.pages))
            times.append(time.perf_counter() - began)
            await asyncio.sleep(chance.uniform(0.5, 1.5))

    def _work(self, stop: threading.Event) -> None:
        """Plays come in: two a second."""
        chance = random.Random()  # the numbers of jobs must be new ones
        with open_database(self.store) as database:
            known = [
                row["id"]
                for row in database.rows("SELECT id FROM entries WHERE user_id IS NOT NULL AND archive IS NULL")
            ]
            repeat = self.repeats
            while not stop.wait(0.5):
                repeat += 1
                with database.transaction() as transaction:
                    self.play(
                        transaction,
                        chance.choice(known),
                        chance.choice(self.games),
                        chance.randrange(LEVELS),
                        repeat,
                        chance,
                    )


async def watch_machine(delays: list[float], end: float) -> None:
    """Record by how much pauses of 20 ms last longer: what any time here contains that is not the site's."""
    while time.monotonic() < end:
        began = time.perf_counter()
        await asyncio.sleep(0.02)
        delays.append(time.perf_counter() - began - 0.02)


def attack_for(port: int, token: str, seconds: float, floods: int) -> dict[str, int]:
    """Upload hostile zips, and flood, for some time; returns how often."""

    async def all_at_once() -> None:
        end = time.monotonic() + seconds
        await asyncio.gather(_upload(port, token, end, counts), *(_flood(port, end, counts) for _ in range(floods)))

    counts = {"uploads": 0, "refused": 0, "keys": 0}
    asyncio.run(all_at_once())
    return counts


async def _upload(port: int, token: str, end: float, counts: dict[str, int]) -> None:
    """Send zips whose files take Python's parser long."""
    source = 'x = f"' + "{1}" * 83_000 + '"\n'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for number in range(3):
            made.writestr(f"a{number}.py", source)
    body = packed.getvalue()
    head = f"POST /api/competitions/spring/entries?filename=a.zip HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\ncontent-length: {len(body)}\r\n\r\n"
    while time.monotonic() < end and counts["uploads"] < 500:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            browser = await Browser.open(port)
            answer = await asyncio.wait_for(browser.send(head.encode() + body), 30)
            counts["refused"] += answer.startswith(b"HTTP/1.1 4")
        counts["uploads"] += 1


async def _flood(port: int, end: float, counts: dict[str, int]) -> None:
    """Play, and send keys as fast as the site accepts them; connect again when it closes the connection."""
    frame = _frame(json.dumps({"keys": ["LEFT"]}))
    key = base64.b64encode(os.urandom(16)).decode()
    head = f"GET /play/aliens/0/socket HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: {key}\r\n\r\n"
    while time.monotonic() < end:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(head.encode() + _frame(json.dumps({"start": True, "consent": False})))
            sink = asyncio.create_task(_drop(reader))
            while not sink.done() and time.monotonic() < end:
                writer.write(frame * 20)
                counts["keys"] += 20
                await asyncio.wait_for(writer.drain(), 5)
                await asyncio.sleep(0.01)
            sink.cancel()
            writer.close()
        await asyncio.sleep(0.05)


async def _drop(reader: asyncio.StreamReader) -> None:
    """Read until the site closes the connection."""
    with contextlib.suppress(OSError):
        await reader.read(-1)


def _frame(text: str) -> bytes:
    """A masked text frame of a WebSocket; the mask is 0."""
    data = text.encode()
    return bytes([0x81, 0x80 | len(data)]) + b"\0\0\0\0" + data


if __name__ == "__main__":
    main()
