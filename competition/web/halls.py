"""Live games of tracks over WebSockets: any track's pages serve theirs by a `Hall`, with the same limits.

Over a WebSocket, the browser sends one message that says what is played, then messages of its person; the site sends
the events of the game. The site closes a connection that does not begin its game, is too slow to read, sends more
messages than a person does, or sends anything but objects.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.errors import CompetitionError
from vgdl.competition.web import limits
from vgdl.competition.web.pages.common import Shared
from vgdl.competition.web.pages.playing import SEND_S, START_S, Allowance, receive

MOST_GAMES, MOST_PER_ADDRESS = 8, 2
"""Maximum number of concurrent games of a hall: of all, and of one network."""

Post = Callable[[dict[str, Any]], None]
"""Takes an event of a game, JSON-compatible; called from any thread."""


class LiveGame(Protocol):
    """A game; ``run`` plays it in a thread, the other methods are called from others."""

    def run(self) -> None:
        """Play to the end; raises a ``CompetitionError`` or `MachineBusy` if that is impossible."""

    def hear(self, message: dict[str, Any]) -> None:
        """Take a message of the person, which may be nonsense."""

    def stop(self) -> None:
        """End the game; ``run`` returns soon."""


class Hall:
    """The live games of a track."""

    def __init__(
        self,
        name: str,
        begin: Callable[[dict[str, Any], Post], LiveGame],
        *,
        most_message: int,
        most_games: int = MOST_GAMES,
        most_per_address: int = MOST_PER_ADDRESS,
    ) -> None:
        """Prepare.

        Args:
            name: of the threads that play.
            begin: makes a game from the first message; raises ``ValueError`` if there is no such game.
            most_message: greatest length of a message from the browser, in characters.
            most_games: maximum number of concurrent games.
            most_per_address: the same for one network.
        """
        self._begin = begin
        self._most_message = most_message
        self._most_games = most_games
        self.most_per_address = most_per_address
        self._threads = ThreadPoolExecutor(most_games, name)
        self._playing: Counter[str] = Counter()

    async def socket(self, socket: WebSocket) -> None:
        """One game over a WebSocket."""
        common: Shared = socket.app.state.shared
        address = limits.network(socket.client.host if socket.client else "unknown")
        if self._playing.total() >= self._most_games or self._playing[address] >= self.most_per_address:
            await socket.close(1013, "too many games at once")
            return
        self._playing[address] += 1
        try:
            await socket.accept()
            await self._serve(socket, common, address)
        except WebSocketDisconnect as left:
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await socket.close(left.code)
        except TimeoutError:
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await socket.close(1008, "too slow")
        except (ValueError, CompetitionError, MachineBusy) as error:
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await socket.send_json({"problem": f"{error!s:.300}"})
                await socket.close()
        finally:
            self._playing[address] -= 1
            if not self._playing[address]:
                del self._playing[address]

    async def _serve(self, socket: WebSocket, common: Shared, address: str) -> None:
        asked = await asyncio.wait_for(receive(socket, self._most_message), START_S)
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

        def post(event: dict[str, Any]) -> None:
            loop.call_soon_threadsafe(events.put_nowait, event)

        game = self._begin(asked, post)
        await run_in_threadpool(limits.spend, common.database, limits.HUMAN_PLAY, address)
        playing = loop.run_in_executor(self._threads, game.run)
        playing.add_done_callback(lambda done: events.put_nowait(None))
        listening = asyncio.create_task(self._listen(socket, game))
        listening.add_done_callback(lambda done: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                async with asyncio.timeout(SEND_S):
                    await socket.send_json(event)
            if listening.done():
                listening.result()
        finally:
            listening.cancel()
            game.stop()
            await asyncio.shield(playing)
        await socket.close()

    async def _listen(self, socket: WebSocket, game: LiveGame) -> None:
        """Pass on messages until the browser disconnects or sends what it should not."""
        allowance = Allowance()
        while True:
            message = await receive(socket, self._most_message)
            allowance.spend()
            game.hear(message)
