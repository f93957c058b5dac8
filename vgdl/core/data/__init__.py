"""Parts of a state: structs and opcodes, tables, the random generator, scratch memory of a tick."""
