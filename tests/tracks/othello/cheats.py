"""Systems that break the rules, for the tests of the arena; each is loaded from this file like a submission."""

from __future__ import annotations

import contextlib
import gc
import json
import operator
import os
import pickle
import socket
import sys
import threading
import time

FLAGS = ("occlusion", "over_blocked", "fewer", "fewest", "variant", "rules")


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def first(board, player, moves):
    return moves[0]


class First:
    """Honest: plays the first legal move."""

    def analyze_stage(self, stage, board, moves, api, timer):
        return first


class SleepsPastTheLimit(First):
    def analyze_stage(self, stage, board, moves, api, timer):
        time.sleep(600)


class AnalysesTooLong(First):
    def analyze_stage(self, stage, board, moves, api, timer):
        burn(timer.remaining_ms / 1000 + 0.1)
        return first


class RaisesInAnalysis(First):
    def analyze_stage(self, stage, board, moves, api, timer):
        raise RuntimeError("no idea \x1b[31m")


class ReturnsNothing(First):
    def analyze_stage(self, stage, board, moves, api, timer):
        return None


class CannotBeMade(First):
    def __init__(self):
        sys.exit(3)


class LoopsInAGame(First):
    def analyze_stage(self, stage, board, moves, api, timer):
        def play(board, player, moves):
            while True:
                pass

        return play


class BurnsTheGame(First):
    """Exceeds the limit of a game slightly in its first move."""

    def analyze_stage(self, stage, board, moves, api, timer):
        limit = timer.game_ms / 1000

        def play(board, player, moves):
            burn(1.01 * limit)
            return moves[0]

        return play


class AnswersNonsense(First):
    def analyze_stage(self, stage, board, moves, api, timer):
        answers = iter([None, (99, 99), "d3", {"row": 1}, (2.5, 3), object()])
        return lambda board, player, moves: next(answers, moves[0])


class RaisesTwice(First):
    def analyze_stage(self, stage, board, moves, api, timer):
        calls = []

        def play(board, player, moves):
            calls.append(1)
            if len(calls) <= 2:
                raise ValueError("broken")
            return moves[0]

        return play


class RaisesAlways(First):
    def analyze_stage(self, stage, board, moves, api, timer):
        def play(board, player, moves):
            raise ValueError("broken")

        return play


class Dies(First):
    def analyze_stage(self, stage, board, moves, api, timer):
        return lambda board, player, moves: os._exit(7)


class Hangs(First):
    def analyze_stage(self, stage, board, moves, api, timer):
        return lambda board, player, moves: time.sleep(600)


class WorksInAThread(First):
    """Sleeps while one of its threads works."""

    def analyze_stage(self, stage, board, moves, api, timer):
        limit = timer.game_ms / 1000

        def play(board, player, moves):
            threading.Thread(target=burn, args=(600,), daemon=True).start()
            while time.process_time() < 1.05 * limit:
                time.sleep(0.01)
            return moves[0]

        return play


class Remembers(First):
    """Loses on purpose if it remembers an earlier game: by an illegal answer in its first move."""

    def analyze_stage(self, stage, board, moves, api, timer):
        seen = []

        def play(board, player, moves):
            fresh = sum(row.count(0) for row in board) > len(board) ** 2 - 6
            seen.append(fresh)
            return None if fresh and seen.count(True) > 1 else moves[0]

        return play


class PassesOn(First):
    """Answers nothing in its first move if an earlier game has left a message in a socket or in the scratch folder."""

    def analyze_stage(self, stage, board, moves, api, timer):
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        begun = []

        def play(board, player, moves):
            if begun:
                return moves[0]
            begun.append(True)
            found = os.path.exists("note")
            with contextlib.suppress(BlockingIOError):
                found = bool(ours.recv(1)) or found
            theirs.send(b".")
            open("note", "w").close()
            return None if found else moves[0]

        return play


class LooksForFlags(First):
    """Fails if any object that it gets, or can reach without reading memory, reveals a rule."""

    def analyze_stage(self, stage, board, moves, api, timer):
        found = [text for text in self.looks(stage, api) if any(flag in text.lower() for flag in FLAGS)]
        self.analysis_data = {"found": found[:20]}
        return first

    def looks(self, stage, api):
        for thing in (stage, api):
            yield repr(thing)
            yield from (name for name in dir(thing) if not name.startswith("__"))
            yield from (str(value) for value in getattr(thing, "__dict__", {}).values())
            for attempt in (pickle.dumps, json.dumps, operator.attrgetter("ignore_occlusion")):
                try:
                    yield repr(attempt(thing))
                except Exception as error:
                    yield str(error).replace("ignore_occlusion", "").replace("rules of a stage", "")
            yield from (repr(type(held)) for held in gc.get_referents(thing) if not isinstance(held, type))
        for call in (lambda: api.get_valid_moves([[9]], 1), lambda: api.simulate_move(1, 2, 3, 4)):
            try:
                call()
            except Exception as error:
                yield str(error)
        frame = sys._getframe()
        while frame is not None:
            yield from (
                repr(value)
                for name, value in frame.f_locals.items()
                if isinstance(value, dict | str | bytes) and frame.f_code.co_filename != __file__
            )
            frame = frame.f_back


class Chatty(First):
    """Writes more to the log than is allowed."""

    def __init__(self):
        self.analysis_data = {"exploredPositions": 12, "text": "x" * 100_000}


class Telling(First):
    def __init__(self):
        self.analysis_data = {"exploredPositions": 12}


class AsksApi(First):
    """Uses every call of the API in analysis and play."""

    def analyze_stage(self, stage, board, moves, api, timer):
        assert api.get_valid_moves(board, 1) == moves
        after = api.simulate_move(board, 1, *moves[0])
        assert after.valid
        assert after.captured_count == 1
        assert after.resulting_board[moves[0][0]][moves[0][1]] == 1
        assert not api.simulate_move(board, 1, 0, 0).valid
        assert api.simulate_moves([board], [1], [moves[0][0]], [moves[0][1]]) == [after]
        assert api.evaluate_board(board, 1).piece_score == 0
        if hasattr(api, "winner"):
            assert api.winner(board) is None
            assert api.next_player(after.resulting_board, 1) == 2
            assert sum(api.random_playouts(board, 1, 5, 1)[:3]) == 5
        for bad in (lambda: api.get_valid_moves([[0]], 1), lambda: api.get_valid_moves(board, 3)):
            try:
                bad()
            except ValueError:
                continue
            raise AssertionError("a bad question was answered")
        self.analysis_data = {"observable": hasattr(api, "winner")}

        def play(board, player, moves):
            return max(moves, key=lambda cell: api.simulate_move(board, player, *cell).captured_count)

        return play
