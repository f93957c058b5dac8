"""Steps back before the pair effects; C functions only."""
