"""Choose the moves of a book from a tally, and explain each verdict."""
