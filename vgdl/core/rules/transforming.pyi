"""Effects that transform sprites; C functions only."""
