"""Pages of the explorer that the tests in a browser visit, each with what shows that it is drawn."""

import json
from pathlib import Path
from typing import Final

WEB: Final = Path(__file__).parents[2] / "bookbuilder/explorer/web"

PAGES: Final = {
    "/?src=full.store": ".moves",
    "/?src=chess.store&play=e2e4,e7e5": ".moves",
    "/?src=xiangqi.store": ".moves",
    "/?src=chess.book": ".moves",
    "/?src=chess.bin": ".moves",
    "/tune?src=chess.store": ".size strong",
    "/compare?a=chess.store&b=chess.book": ".compare",
    "/tree?src=xiangqi.store": ".tree",
    "/book?src=chess.book": ".replies",
    "/book?src=chess.bin": ".replies",
    "/book?src=chess.store": ".archives",
    "/endgame": ".worths",
}


def translations() -> list[list[list[str]]]:
    """Return the rows of both tables: of texts by their English, and of errors by their code."""
    parts = (WEB / "translations.js").read_text(encoding="utf-8").split("export const ")[1:]
    rows = [[line.rstrip(",") for line in part.splitlines() if line.startswith("  [")] for part in parts]
    return [[json.loads(line) for line in lines] for lines in rows]
