"""Evaluate positions with engines, for tables of evaluations."""
