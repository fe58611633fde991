"""Matches between two engines: openings, clocks, protocols, rulings and Elo."""
