"""Changes by hand: what a file of them makes of selections and of books of every format."""

from __future__ import annotations

import json
from pathlib import Path

import chess.pgn
import pyarrow as pa
import pytest
from support.cli_runner import run

import bookbuilder as bb
from bookbuilder.book.reach import selection_reach
from bookbuilder.errors import MoveError, SelectionError

HEAD = '{"edits": {"version": 1, "game": "chess"}}\n'


@pytest.fixture(scope="module")
def tally(data: Path) -> bb.Tally:
    return bb.Tally.from_archives(data / "chess_selfplay.pgn", max_ply=14)


@pytest.fixture(scope="module")
def xiangqi(data: Path) -> bb.Tally:
    return bb.Tally.from_archives(data / "xiangqi_selfplay.zip", max_ply=10)


def edited(game: str = "chess", *changes: dict[str, object]) -> bb.MoveEdits:
    edits = bb.MoveEdits(game)
    for change in changes:
        edits = edits.added(bb.MoveEdit(**{"position": "startpos", **change}))
    return edits


def shares(path: Path, position: str = "startpos") -> dict[str, float]:
    moves = bb.open_book(path).moves(position)
    return dict(zip(moves.san, moves.get("share", moves.get("reached")), strict=True))


@pytest.mark.parametrize("shape", ["moves", "positions"])
def test_no_change_changes_nothing(tally: bb.Tally, shape: str) -> None:
    plain, same = bb.select(tally, shape=shape), bb.select(tally, shape=shape, edits=bb.MoveEdits("chess"))
    assert same.table.equals(plain.table)


@pytest.mark.parametrize("suffix", ["book", "bin", "abk", "pgn", "csv"])
def test_dropped_move_is_in_no_format(tally: bb.Tally, tmp_path: Path, suffix: str) -> None:
    chosen = bb.select(tally, edits=edited("chess", {"move": "e4", "keep": False}))
    assert chosen.reasons()["by-hand"] == 1
    path = tmp_path / f"mine.{suffix}"
    bb.write_book(chosen, path)
    if suffix == "pgn":
        assert "{1028" not in path.read_text()
        return
    assert "e4" not in shares(path)
    assert "d4" in shares(path)


def test_what_a_dropped_move_leads_to_is_unreachable(tally: bb.Tally) -> None:
    plain = bb.select(tally).reasons()
    chosen = bb.select(tally, edits=edited("chess", {"move": "e4", "keep": False})).reasons()
    assert chosen["unreachable"] > plain.get("unreachable", 0)
    assert chosen[""] < plain[""]


@pytest.mark.parametrize("rules", [{"min_games": 50, "connected": True}, {"min_games": 50}, {"top": 1}])
@pytest.mark.parametrize("shape", ["moves", "positions"])
def test_kept_move_passes_every_rule(tally: bb.Tally, shape: str, rules: dict[str, object]) -> None:
    edits = edited("chess", {"move": "Nc3", "keep": True})
    assert "Nc3" not in kept_at_start(tally, bb.select(tally, shape=shape, **rules))
    assert "Nc3" in kept_at_start(tally, bb.select(tally, shape=shape, edits=edits, **rules))


def kept_at_start(tally: bb.Tally, chosen: bb.Selection) -> set[str]:
    moves = bb.explain(tally, chosen, "startpos")
    return set(moves.san[moves.kept])


@pytest.mark.parametrize("suffix", ["book", "bin", "abk", "csv"])
def test_novelty_is_in_the_book(tally: bb.Tally, tmp_path: Path, suffix: str) -> None:
    edits = edited("chess", {"move": "h4", "keep": True}, {"position": "1.h4", "move": "e5", "keep": True})
    path = tmp_path / f"mine.{suffix}"
    bb.write_book(bb.select(tally, edits=edits), path)
    assert shares(path)["h4"] >= 0
    assert list(shares(path, "1.h4")) == ["e5"]


@pytest.mark.parametrize(("quality", "share"), [(31, 1.0), (10, 10 / 31), (1, 1 / 31), (None, 1.0)])
def test_quality_is_a_weight_against_the_heaviest_move(
    tally: bb.Tally, tmp_path: Path, quality: int | None, share: float
) -> None:
    change = {"move": "h4", "keep": True, **({} if quality is None else {"quality": quality})}
    bb.write_book(bb.select(tally, edits=edited("chess", change)), tmp_path / "mine.bin")
    found = shares(tmp_path / "mine.bin")
    assert found["h4"] / max(each for name, each in found.items() if name != "h4") == pytest.approx(
        share, abs=1e-3
    )


def test_marks_and_comments_are_in_a_pgn(tally: bb.Tally, tmp_path: Path) -> None:
    edits = edited(
        "chess", {"move": "e4", "mark": "!?", "comment": "best by test"}, {"move": "d4", "mark": "!"}
    )
    chosen = bb.select(tally, shape="moves", edits=edits)
    bb.write_book(chosen, tmp_path / "mine.pgn")
    with (tmp_path / "mine.pgn").open() as file:
        game = chess.pgn.read_game(file)
    assert game is not None
    first = {node.san(): node for node in game.variations}
    assert first["e4"].nags == {5}
    assert first["e4"].comment.endswith("; best by test")
    assert first["d4"].nags == {1}
    assert bb.write_book(chosen, tmp_path / "mine.bin").lost["marks and comments"] == 2


def test_mirrored_moves_of_xiangqi_are_one(xiangqi: bb.Tally) -> None:
    left, right = (edited("xiangqi", {"move": move, "keep": False}) for move in ("C2=5", "C8=5"))
    chosen = [bb.select(xiangqi, shape="moves", edits=edits) for edits in (left, right)]
    assert chosen[0].table.equals(chosen[1].table)
    assert chosen[0].reasons()["by-hand"] == 1


def test_file_reads_what_was_written(tmp_path: Path) -> None:
    edits = edited(
        "xiangqi", {"move": "炮二平五", "keep": True, "comment": "中炮"}, {"move": "h2e2", "mark": "!"}
    )
    edits.write(tmp_path / "mine.edits")
    assert bb.MoveEdits.read(tmp_path / "mine.edits") == edits
    assert bb.MoveEdits.from_json(json.loads(json.dumps(edits.to_json()))) == edits


def test_recipe_repeats_the_changes(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    edited("chess", {"move": "h4", "keep": True, "quality": 9}).write("mine.edits")
    archive = str(data / "chess_selfplay.pgn")
    assert run("build", archive, "--edits", "mine.edits", "-o", "one.book").code == 0
    Path("mine.edits").unlink()
    assert run("build", "--recipe", "one.book", "-o", "two.book").code == 0
    assert Path("two.book").read_bytes() == Path("one.book").read_bytes()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is not a file of changes by hand"),
        ("1. e4 e5 *\n", "is not a file of changes by hand"),
        (HEAD.replace("1", "2"), "is not a file of changes by hand"),
        (HEAD + "e4\n", "change 1: expected a JSON object"),
        (HEAD + '{"position": "startpos"}\n', "change 1: expected a JSON object"),
        (HEAD + '{"position": "startpos", "move": 4}\n', "change 1: expected a JSON object"),
        (HEAD + '{"position": "startpos", "move": "e4", "weight": 4}\n', "change 1: expected a JSON object"),
        (HEAD + '{"position": "startpos", "move": "e5"}\n', "change 1: .*e5"),
        (HEAD + '{"position": "8/8", "move": "e4"}\n', "change 1: "),
        (HEAD + '{"position": "startpos", "move": "e4", "keep": 1}\n', "change 1: keep is 1"),
        (HEAD + '{"position": "startpos", "move": "e4", "quality": 32}\n', "change 1: quality is 32"),
        (HEAD + '{"position": "startpos", "move": "e4", "time": "noon"}\n', "change 1: time is 'noon'"),
        (HEAD + '{"position": "startpos", "move": "e4", "mark": "?!?"}\n', "change 1: mark is"),
        (HEAD + '{"position": "startpos", "move": "e4", "comment": "a}b"}\n', "change 1: comment"),
    ],
)
def test_broken_file_is_refused_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "bad.edits").write_text(text)
    with pytest.raises(SelectionError, match=complaint):
        bb.MoveEdits.read(tmp_path / "bad.edits")


def test_illegal_move_is_refused() -> None:
    with pytest.raises(MoveError):
        edited("chess", {"move": "e5"})


def test_reason_is_explained(tally: bb.Tally) -> None:
    moves = bb.explain(
        tally, bb.select(tally, edits=edited("chess", {"move": "e4", "keep": False})), "startpos"
    )
    assert moves.why[moves.san == "e4"].tolist() == ["dropped by hand"]
    edits = edited("chess", {"move": "h4", "keep": True}, {"move": "Nc3", "keep": True})
    for shape in ("positions", "moves"):
        moves = bb.explain(tally, bb.select(tally, edits=edits, shape=shape), "startpos").set_index("san")
        assert moves.index[-1] == "h4"
        assert moves.loc[["Nc3", "h4"], "why"].tolist() == ["kept by hand"] * 2
        assert moves.loc["h4", ["played", "reached", "kept"]].tolist() == [0, 0, True]
    assert pa.types.is_dictionary(bb.select(tally).table.schema.field("reason").type)


@pytest.mark.parametrize("suffix", ["book", "bin", "pgn", "csv"])
def test_reach_shows_rare_moves_and_novelties(tally: bb.Tally, tmp_path: Path, suffix: str) -> None:
    edits = edited(
        "chess",
        {"move": "Nc3", "keep": True, "quality": 31},
        {"move": "h4", "keep": True, "quality": 31},
        {"position": "1.h4", "move": "e5", "keep": True},
    )
    chosen = bb.select(tally, edits=edits, shape="positions" if suffix == "book" else "moves")
    path = tmp_path / f"mine.{suffix}"
    bb.write_book(chosen, path)
    book = bb.Book.open(path) if suffix == "book" else bb.MoveBook.from_selection(chosen)
    if suffix == "bin":  # it lacks moves of weight 0
        book = book.select(book.column("weight") > 0)
    found = selection_reach(chosen, book)
    first = found.branches[0]
    assert len(first.replies) + first.more == len(kept_at_start(tally, chosen) | {"h4"})
    if suffix != "book":  # a record of a move without games is hardly ever played
        assert {"Nc3", "h4"} <= {reply.san for reply in first.replies}
    assert len(book) == found.records
    if suffix in ("book", "bin"):
        tally.save(tmp_path / "mine.store")
        said = json.loads(run("info", path, "--against", tmp_path / "mine.store", "--json").out)
        assert said["reach"]["reachable"] == found.reachable


def test_example_of_the_page_is_a_file_of_changes(repository: Path, tmp_path: Path) -> None:
    page = (repository / "docs" / "selection.md").read_text(encoding="utf-8")
    file = tmp_path / "example.edits"
    file.write_text(page.partition("```json\n")[2].partition("```")[0], encoding="utf-8")
    edits = bb.MoveEdits.read(file).edits
    assert [(edit.move, edit.keep, edit.quality, edit.mark, edit.comment) for edit in edits] == [
        ("f1c4", False, None, None, "too slow for me"),
        ("g2g4", True, 8, "!?", None),
    ]
