"""A site under load: 200 people read rankings while 20 upload at once; how long they wait.

    python benchmarks/site.py [--readers 200] [--uploads 20] [--seconds 15]

A site is started on a new database with a competition of 30 ranked controllers on 10 games. Each reader loads a ranking
page, pauses as long as people do between two pages (1 s in the mean), and loads the next one; all uploads are sent in the
same moment in the middle. Times are those that the readers see. The target is a p95 below 200 ms on
two cores, of which the load itself takes one.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from browsing import Browser, cpu_s, free_port, show

from vgdl.competition.tracks.planning.records import Outcome
from vgdl.competition.web import accounts, competitions, entries, organising
from vgdl.competition.web.competitions import Role, SetOfGames, Settings
from vgdl.competition.web.database import Database, open_database

SOURCE = b"from vgdl import Action\nfrom vgdl.controllers import Controller\n\n\nclass Right(Controller):\n    def act(self, state, timer):\n        return Action.RIGHT\n"
CONTROLLERS, LEVELS = 30, 5


def main() -> None:
    """Start a site, put it under load, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--uploads", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=15.0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "site.db")
        tokens, games = fill(store, chosen.uploads)
        port = free_port()
        command = [sys.executable, "-P", "-m", "vgdl.competition.cli", "serve", "--store", store]
        with subprocess.Popen([*command, "--port", str(port), "--workers", "0"], stdout=subprocess.DEVNULL) as site:
            try:
                asyncio.run(load(chosen, port, site.pid, tokens, games))
            finally:
                site.terminate()


def fill(store: str, users: int) -> tuple[list[str], list[str]]:
    """Make a competition with ranked controllers; returns tokens of users, and names of games."""
    chosen = Settings((SetOfGames("training", Role.TRAINING, "training"),), baselines=("random",))
    with open_database(store, create=True) as database:
        made = competitions.create(database, "benchmark", "spring", "Spring", chosen)
        organising.open_competition(database, "benchmark", made)
        competition = competitions.find(database, "spring")
        games = [path.stem for path in chosen.sets[0].game_set().paths]
        tokens = []
        for number in range(max(users, CONTROLLERS)):
            user = accounts.sign_up(database, f"User {number}", "a long password")
            if number < users:
                tokens.append(accounts.make_token(database, user))
            if number < CONTROLLERS:
                data = entries.checked("right.py", SOURCE)
                entry = entries.upload(database, user, competition, f"Controller {number}", data)
                play(database, competition.id, entry.id, games)
    return tokens, games


def play(database: Database, competition: int, entry: int, games: list[str]) -> None:
    """Write plays of an entry, as workers do; how they ended is drawn."""
    chance = random.Random(entry)
    with database.transaction() as transaction:
        transaction.run("UPDATE entries SET counted = 1, state = 'evaluated' WHERE id = ?", entry)
        for game in games:
            for level in range(LEVELS):
                row = transaction.row(
                    "INSERT INTO plays (job_id, competition_id, set_name, phase, game, level, repeat, seed, stirring, ticks, "
                    "game_error, isolation, seconds, waited_ms, finished) "
                    "VALUES (?, ?, 'training', 'evaluation', ?, ?, 0, 1, '', ?, '', '{}', 1, 0, ?) RETURNING id",
                    *(chance.getrandbits(60), competition, game, level, chance.randrange(2000), time.time()),
                )
                assert row is not None
                outcome = Outcome.WON if chance.random() < entry / 40 else Outcome.LOST
                transaction.run(
                    "INSERT INTO players (play_id, player, entry_id, outcome, score, cause, details, late_answers, "
                    "construction_used, action_used_mean, action_used_max) VALUES (?, 0, ?, ?, ?, '', '', 0, 1, 1, 1)",
                    *(row["id"], entry, outcome, float(chance.randrange(100))),
                )


async def load(chosen: argparse.Namespace, port: int, site: int, tokens: list[str], games: list[str]) -> None:
    """Read and upload; print how long it took."""
    pages = ["/competitions/spring", "/", *(f"/competitions/spring/games/{game}?set=training" for game in games)]
    while True:
        try:
            first = await Browser.open(port)
            break
        except OSError:
            await asyncio.sleep(0.2)
    await first.get(pages[0])
    used, own = cpu_s(site), time.process_time()
    times: list[float] = []
    uploads: list[float] = []
    end = time.monotonic() + chosen.seconds
    readers = [read(port, pages, times, end, seed) for seed in range(chosen.readers)]
    await asyncio.gather(*readers, upload_all(port, tokens, uploads, chosen.seconds / 2))
    show("ranking pages", times)
    show("uploads", uploads)
    requests = len(times) + len(uploads)
    print(f"the site used {1000 * (cpu_s(site) - used) / requests:.2f} ms of CPU time per request", end="; ")
    print(f"the load itself {1000 * (time.process_time() - own) / requests:.2f} ms")


async def read(port: int, pages: list[str], times: list[float], end: float, seed: int) -> None:
    """One reader."""
    chance = random.Random(seed)
    await asyncio.sleep(chance.random())
    browser = await Browser.open(port)
    while time.monotonic() < end:
        began = time.perf_counter()
        await browser.get(chance.choice(pages))
        times.append(time.perf_counter() - began)
        await asyncio.sleep(chance.uniform(0.5, 1.5))


async def upload_all(port: int, tokens: list[str], times: list[float], wait: float) -> None:
    """All uploads in the same moment."""
    await asyncio.sleep(wait)

    async def upload(number: int, token: str) -> None:
        began = time.perf_counter()
        browser = await Browser.open(port)
        path = f"/api/competitions/spring/entries?filename=a.py&name=New+{number}"
        await browser.upload(path, token, SOURCE + b"#" * 1_000_000)
        times.append(time.perf_counter() - began)

    await asyncio.gather(*(upload(number, token) for number, token in enumerate(tokens)))


if __name__ == "__main__":
    main()
