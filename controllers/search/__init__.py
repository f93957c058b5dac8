"""A library of search: trees, populations, budgets, random generators, distances, knowledge learned from events."""
