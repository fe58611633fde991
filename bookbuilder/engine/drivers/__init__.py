"""Drivers of engines: processes that speak UCI, UCCI or xboard, one at a time or many."""
