"""The native answers under `/api/v1`: one file for each group of routes."""
