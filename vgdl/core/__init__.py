"""The engine: numbers, no names.

Everything here is Cython. `data` holds the memory layout and the tables, `rules` the phases of a tick. On them stand
the public classes: `state` and `observation` for one game, `batch`, `vector` and `planes` for many; `api` is the C API
that compiled searches use. See ``docs/architecture.md`` for the memory layout.
"""
