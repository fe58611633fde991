"""Examples of each command, as its help shows them. Tests run them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

EXAMPLES: Final[Mapping[str, Sequence[str]]] = {
    "": ("build games.pgn -o book.bin", "tally games.pgn -o chess.store", "show chess.store 'e4 c5'"),
    "build": (
        "build games.pgn -o book.bin",
        "build games.pgn -o white.bin --side white",
        "build chess.store --explain '1.e4 c5'",
    ),
    "show": ("show chess.store 'e4 c5'", "show book.book startpos --svg board.svg"),
    "info": ("info games.pgn", "info book.bin --json", "info book.book --against chess.store"),
    "openings": ("openings --find sicilian", "openings --game xiangqi"),
    "threshold": ("threshold chess.store", "threshold chess.store --min-games 5,20"),
    "coverage": ("coverage book.book games.pgn", "coverage book.book games.pgn --side white --csv"),
    "calibrate": ("calibrate games.pgn", "calibrate games.pgn --axis prior --split games"),
    "serve": ("serve chess.store book.book", "serve chess.store --port 8080 --open"),
    "demo": ("demo", "demo -o demo-files"),
    "doctor": ("doctor", "doctor --json"),
    "tally add": ("tally games.pgn -o chess.store", "tally folder/ -o big.store --max-ply 40 --facet year"),
    "tally verify": ("tally verify chess.store", "tally verify chess.store --json"),
    "tally merge": (
        "tally merge chess.store more.store -o both.store",
        "tally merge chess.store more.store -o both.store --jobs 1",
    ),
    "tally remove-source": (
        "tally remove-source chess.store more.pgn",
        "tally remove-source chess.store more.pgn -o rest.store",
    ),
    "tally export": (
        "tally export chess.store -o tree.parquet",
        "tally export chess.store -o tree.csv --from 1.e4 --max-ply 6",
    ),
    "book verify": ("book verify book.book", "book verify book.bin --json"),
    "book convert": ("book convert book.book book.abk", "book convert book.bin book.pgn"),
    "book edit": ("book edit book.bin startpos e4 --weight 500", "book edit book.bin '1.e4 c5' a3 --add"),
    "book repair": ("book repair book.bin", "book repair book.bin --json"),
    "book merge": (
        "book merge book.book other.book -o both.book",
        "book merge book.bin white.bin -o both.bin --ratio 2:1",
    ),
    "book gaps": (
        "book gaps white.bin --against chess.store --side white",
        "book gaps book.book --against chess.store --min-share 5% --rows 50",
    ),
    "book check": (
        "book check book.bin --against chess.store --nodes 1000",
        "book check book.bin --against chess.store --nodes 900 -o s.bin",
        "book check book.bin --against chess.store --nodes 900 --json",
    ),
    "book grow": (
        "book grow chess.store -o grown.bin --searches 20 --nodes 500",
        "book grow chess.store -o grown.book --searches 9 --nodes 500",
    ),
    "book diff": ("book diff book.book other.book", "book diff book.book other.book --rows 5"),
    "games count": ("games count games.pgn", "games count folder/ --json"),
    "games check": ("games check games.pgn", "games check games.pgn --rejects bad.pgn"),
    "games list": ("games list games.pgn", "games list games.pgn --csv"),
    "games filter": (
        "games filter games.pgn -o recent.pgn --since 2005",
        "games filter games.pgn -o won.pgn --result 1-0 --dedupe exact",
    ),
    "games convert": (
        "games convert xiangqi.zip -o games-in-wxf.pgn --notation wxf",
        "games convert games.pgn --to lines --no-results",
    ),
    "engine uci": ("engine uci --book book.book", "engine uci --option Hash=64 --option Threads=2"),
    "engine ucci": ("engine ucci --book xiangqi.book", "engine ucci --option hashsize=64"),
    "engine match": (
        "engine match bundled stockfish --game chess --games 100",
        "engine match stockfish stockfish --game chess --book-a book.bin",
    ),
    "engine walk": (
        "engine walk book.bin none --against chess.store",
        "engine walk book.bin --against chess.store --walks 40 --nodes 2000",
    ),
    "engine search": ("engine search 'e4 c5' --depth 8", "engine search --book book.book --pick weighted"),
    "engine judge": (
        "engine judge 'e4 e5 Ke2 Ke7 Ke1 Ke8 Ke2 Ke7'",
        "engine judge --game xiangqi 'h2e2 h9g7 b0c2'",
    ),
    "evaluate": (
        "evaluate chess.store -o chess.evals --positions 20 --nodes 1000",
        "evaluate chess.store -o few.evals --positions 5 --nodes 500",
    ),
    "endgame build": ("endgame build KRvK -o tables", "endgame build KPvK -o tables --metric dtc"),
    "endgame stats": ("endgame stats tables KRvK", "endgame stats tables KRvK --json"),
    "endgame verify": ("endgame verify tables", "endgame verify tables KRvK"),
    "endgame probe": (
        "endgame probe tables '8/8/8/8/8/4k3/8/R3K3 w - - 0 1'",
        "endgame probe tables '8/8/8/8/8/4k3/8/R3K3 b - - 0 1' --json",
    ),
}
"""The command lines of each command without `bookbuilder`; the front page has the name ""."""
