"""The event phase; C functions only."""
