"""A library for search: trees, populations, budgets, random generators, distances, and learning from events."""
