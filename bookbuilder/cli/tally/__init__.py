"""`bookbuilder tally …`: count archives into a store, and maintain stores."""

from __future__ import annotations
