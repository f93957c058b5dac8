"""The avatar phase; C functions only."""
