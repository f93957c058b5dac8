"""The pages of a competition of turn-based games."""
