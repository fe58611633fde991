"""Pages of the explorer that the tests in a browser visit, each with what shows that it is drawn."""

from typing import Final

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
    "/endgame": ".worths",
}
