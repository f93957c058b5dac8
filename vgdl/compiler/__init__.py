"""Compiles texts to tables: a description to the rules of a game, rules and a level to a board."""

from vgdl.compiler.board import CompiledBoard, compile_board
from vgdl.compiler.rules import CompiledRules, compile_rules, digest, read_space
from vgdl.compiler.space import choose

__all__ = ["CompiledBoard", "CompiledRules", "choose", "compile_board", "compile_rules", "digest", "read_space"]
