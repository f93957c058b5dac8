"""The queue of time effects; C functions only."""
