"""Files that other programs read: books of foreign formats in and out, and archives of played games out.

Each layout has a file of its own. `registry` knows which there are; `moves` is what they all speak.
"""

from __future__ import annotations

__all__: list[str] = []
