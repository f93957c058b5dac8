"""ARC-AGI-3: our games for its agents, and agents for its games."""
