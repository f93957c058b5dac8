"""Termination conditions; C functions only."""
