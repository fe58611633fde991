"""Evaluations: what engines say about positions, kept beside the statistics of games."""
