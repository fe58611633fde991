"""Twenty typical uses of the package, for the type checker; no test runs them."""

from __future__ import annotations

import chess
import pandas as pd
import pyarrow as pa

import bookbuilder as bb


def count_and_look() -> None:
    """Count games and ask the tally."""
    tally: bb.Tally = bb.Tally.from_archives("games.pgn", max_ply=40, since="2010", eco=["B20-B99"], jobs=2)
    tally = tally.add_archives("more.pgn", memory=1 << 30)
    frame: pd.DataFrame = tally.moves("1.e4 c5")[["san", "played"]]
    tree: pd.DataFrame = tally.tree(max_ply=6, min_games=5)
    reached: int = tally.reached(chess.Board())
    store = bb.Tally.open(tally.save("games.store", force=True), filters=bb.GameFilter(since="2015"))
    print(frame, tree, reached, store.game_count, len(store), tally + tally)


def frames() -> None:
    """Go from games to frames and back."""
    seen: bb.Observations = bb.observations("games.pgn", max_ply=20, min_rating=2400)
    rows: pd.DataFrame = seen.to_pandas()
    table: pa.Table = seen.to_arrow()
    sizes: list[int] = [batch.num_rows for batch in seen]
    counts = rows.groupby(["key", "lock", "move", "mover", "ply"]).size().rename("games").reset_index()
    tally: bb.Tally = bb.Tally.from_frame(counts, game="chess")
    print(table, sizes, tally.to_pandas(), tally.games.to_pandas())


def make_books() -> None:
    """Select and write."""
    tally = bb.Tally.open("games.store")
    chosen: bb.Selection = bb.select(tally, margin="3%", min_games=5, for_side="white", connected=True)
    chosen = bb.select(tally, bb.preset("literature", min_win_rate=0.6), keep=lambda rows: rows["wins"] > 2)
    written: bb.Written = bb.write_book(chosen, "book.abk", as_format="abk")
    written = bb.build(["a.pgn", "b.pgn"], "book.bin", preset="broad", top=3, max_ply=30, force=True)
    reasons: dict[str, int] = chosen.reasons()
    book: bb.Book = bb.Book.write("book.book", chosen, columns=False)
    print(written.moves, reasons, book.recipe, bb.explain(tally, chosen, "1.e4"))


def use_books() -> None:
    """Read books and play."""
    book = bb.open_book("book.bin", game="chess")
    frame: pd.DataFrame = book.to_pandas()
    move: str | None = book.pick("startpos", "weighted", seed=1)
    known: bool = "1.e4" in book
    rows = [row for row in book]  # noqa: C416 (iteration is what is checked)
    engine = bb.Engine("chess", hash_mib=16, book=bb.Book.open("book.book"))
    best: str | None = engine.search("startpos", depth=8, lines=2).move
    curve: pd.DataFrame = bb.threshold_curve(bb.Tally.open("games.store"), min_games=[1, 5])
    bb.plots.threshold(curve, chosen="55%").set_title("Positions kept")
    print(frame, move, known, len(rows), best, bb.format_line(["e4", "e5"]))


def positions() -> None:
    """Play moves of both games."""
    start: bb.Position = bb.as_position("炮二平五", "xiangqi")
    after: bb.Position = start.play(start.parse_move("h9g7"))
    board: chess.Board = bb.as_board("1.e4 c5")
    print(after.fen, board, bb.openings_of("xiangqi").classify(["h2e2"]), bb.judge("xiangqi", "h2e2 h9g7"))
