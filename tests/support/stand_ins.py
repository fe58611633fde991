"""Files that the pages name as the reader's own, and the bundled archives that stand in for them in tests."""

from __future__ import annotations

from pathlib import Path
from typing import Final

STAND_INS: Final = {
    "games.pgn": "chess_selfplay.pgn",
    "my-games.pgn": "historic.pgn",
    "engine-games.pgn": "chess_selfplay.pgn",
    "xiangqi.zip": "xiangqi_selfplay.zip",
}
"""The archive in `data/` for each file name."""


def link_archives(folder: Path, data: Path) -> None:
    """Link `data/` and the stand-ins into a folder, like a checkout with the reader's files."""
    (folder / "data").symlink_to(data)
    for name, archive in STAND_INS.items():
        (folder / name).symlink_to(data / archive)
