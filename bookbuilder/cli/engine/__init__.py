"""`bookbuilder engine …`: search, play, test and serve the bundled engine."""

from __future__ import annotations
