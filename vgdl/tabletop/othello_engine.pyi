"""Othello on bit boards; everything in it is C, for ``cimport``."""
