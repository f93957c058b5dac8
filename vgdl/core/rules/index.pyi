"""The cell index, which finds the sprites that meet; C functions only."""
