"""The generation track: generators of levels, rules and games, a referee with proofs, judges, and votes."""
