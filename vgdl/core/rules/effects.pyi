"""What each effect does; C functions only."""
