"""An entry for the Othello arena: vgdl-compete othello --systems examples/othello_system.py,greedy,template"""

import random


class Mobile:
    """Learns which cells winners play on, and leaves the opponent few moves."""

    def analyze_stage(self, stage, initial_board, valid_moves, api, timer):
        value = {(r, c): 0 for r in range(stage.board_size) for c in range(stage.board_size)}
        stop = timer.remaining_ms / 2
        while timer.remaining_ms > stop:
            board, player, played = initial_board, 1, []
            while player:
                cell = random.choice(api.get_valid_moves(board, player))
                board = api.simulate_move(board, player, *cell).resulting_board
                played.append((player, cell))
                player = api.next_player(board, player)
            for mover, cell in played:
                value[cell] += 1 if mover == api.winner(board) else -1

        def play(board, player, valid_moves):
            after = {cell: api.simulate_move(board, player, *cell).resulting_board for cell in valid_moves}
            replies = {cell: len(api.get_valid_moves(after[cell], 3 - player)) for cell in valid_moves}
            scale = max(map(abs, value.values())) or 1
            return max(valid_moves, key=lambda cell: 5 * value[cell] / scale - replies[cell])

        return play
