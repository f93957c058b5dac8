"""A complete track in a package of its own: programs guess a number, and the fewest guesses win."""
