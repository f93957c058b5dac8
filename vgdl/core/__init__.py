"""The engine: numbers, no names.

Everything here is Cython. Rules and levels arrive as tables of numbers (`layout`), a game state is one flat block of
memory, and a tick is a function from such a block to the next. See ``docs/architecture.md`` for the memory layout.
"""
