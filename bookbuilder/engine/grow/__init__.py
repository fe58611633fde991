"""Grow a book beyond its archive, by searches where games go."""
