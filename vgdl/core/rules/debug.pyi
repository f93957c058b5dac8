"""Checks of the debug build; C functions only."""
