"""The rules of both games as Python sees them: positions, rulings on a line, openings, pictures of boards."""
