"""Sorting hits; C functions only."""
