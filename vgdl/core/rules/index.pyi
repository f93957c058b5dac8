"""The cell index that finds who meets whom; C functions only."""
