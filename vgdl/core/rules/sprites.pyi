"""The sprite phase; C functions only."""
