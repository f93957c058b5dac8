"""What a state is made of: structs and opcodes, tables, the random generator, scratch memory of a tick."""
