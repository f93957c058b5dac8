// A system for the Othello arena in JavaScript, with the names of the published arena.
// It learns which cells winners play on, and leaves the opponent few moves.

function analyzeStage(stage, initialBoard, validMoves, api, timer) {
    const value = initialBoard.map(row => row.map(() => 0));
    const stop = timer.remainingMs / 2;
    while (timer.remainingMs > stop) {
        let board = initialBoard, player = 1;
        const played = [];
        while (player) {
            const moves = api.getValidMoves(board, player);
            const {row, col} = moves[Math.floor(Math.random() * moves.length)];
            board = api.simulateMove(board, player, row, col).resultingBoard;
            played.push({mover: player, row, col});
            player = api.nextPlayer(board, player);
        }
        const winner = api.winner(board);
        for (const {mover, row, col} of played) value[row][col] += mover === winner ? 1 : -1;
    }
    const scale = Math.max(1, ...value.flat().map(Math.abs));

    return (board, player, moves) => {
        const worth = ({row, col}) => {
            const after = api.simulateMove(board, player, row, col).resultingBoard;
            return 5 * value[row][col] / scale - api.getValidMoves(after, 3 - player).length;
        };
        return moves.reduce((best, move) => worth(move) > worth(best) ? move : best);
    };
}
