"""Effects that stop sprites at walls; C functions only."""
