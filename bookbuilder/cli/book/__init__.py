"""`bookbuilder book …`: inspect, change, compare and convert books."""

from __future__ import annotations
