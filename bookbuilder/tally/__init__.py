"""Count moves: replay archives, add up results for each position and move, and keep them in a store."""
