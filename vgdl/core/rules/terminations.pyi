"""When a game is over; C functions only."""
