"""The engine: numbers, no names.

Everything here is Cython. `data` holds the memory layout and the tables, `rules` the phases of a tick. On them stand
the public classes: `state` and `observation` for one game, `batch` and `vector` for many, with the observers `planes`,
`sprite_rows`, `pictures` and `texts`; `api` and `vector` are the C API that compiled searches and trainers use. See
``docs/architecture.md`` for the memory layout.
"""
