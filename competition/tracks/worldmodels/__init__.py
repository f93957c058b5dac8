"""Code world models: an author writes a game as code from its rules and a few recorded plays, and a planner plays it.

The track follows the paper "Code world models for general game playing". ``authors`` lists who can write programs:
language models, prepared scripts for tests, and a search that needs no model. [The documentation](docs/world-models.md)
explains how to bring a model, a game or an author of your own.
"""
