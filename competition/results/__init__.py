"""Results: the store that keeps them, scores, ratings, and tables of them."""
