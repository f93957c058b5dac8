"""ARC-AGI-3: VGDL games for its agents, and agents for its games."""
