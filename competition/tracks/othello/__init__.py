"""The Othello arena: systems that adapt to a board and rules they have never seen."""
