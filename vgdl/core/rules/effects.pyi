"""The implementation of each effect; C functions only."""
