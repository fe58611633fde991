"""The native answers of the explorer: they follow openapi.json and have the numbers of the command line."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from support.cli_runner import run
from support.explorer_server import Served, without_names

from bookbuilder.book.book import Book
from bookbuilder.explorer.app import make_app
from bookbuilder.explorer.endpoints import ENDPOINTS
from bookbuilder.explorer.facts import MoveFacts
from bookbuilder.explorer.sources import Sources
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

V1 = "/api/v1"
# No rule at all: what a query adds to it is the only rule.
ALL = "min_games=1&margin=off&min_share=off&max_ply=all"
KQK = "8/8/8/8/8/2k5/8/K6Q w - - 0 1"


def shown(*arguments: object) -> dict[str, Any]:
    """What a command prints with --json."""
    ran = run(*arguments, "--json")
    assert ran.code in (0, 1), ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_openapi_is_the_table_of_routes(client: TestClient) -> None:
    described = client.get(f"{V1}/openapi.json").json()
    told = {(path, method.upper()) for path, methods in described["paths"].items() for method in methods}
    assert told == {(each.path, each.method) for each in ENDPOINTS}
    text = json.dumps(described)
    for name in described["components"]["parameters"]:
        assert f'"#/components/parameters/{name}"' in text, name


def test_moves_of_every_source_have_one_shape(client: TestClient) -> None:
    names = {each.name for each in fields(MoveFacts)} | {"value"}
    for query in ("", "src=chess.book", "src=xiangqi.store", "src=xiangqi.book", "play=e2e4,e7e5"):
        moves = client.get(f"{V1}/position?{query}").json()["moves"]
        assert moves
        assert all(move.keys() == names for move in moves)


@pytest.mark.parametrize("p", ["0", "0.5", "2/3", "1"])
@pytest.mark.parametrize(
    ("source", "play"), [("chess", ""), ("chess", "e2e4,e7e5"), ("xiangqi", ""), ("xiangqi", "h2e2")]
)
def test_a_position_has_the_numbers_of_show(
    client: TestClient, served: Served, source: str, play: str, p: str
) -> None:
    store: Path = getattr(served, source)
    threshold = "0.6666666666" if p == "2/3" else p
    told = shown("show", store, play.replace(",", " "), "--min-win-rate", threshold, "--min-games", 2)
    query = {"src": store.name, "play": play, "p": threshold, "min_games": "2"}
    found = client.get(f"{V1}/position", params=query).json()
    for name in ("game", "fen", "key", "lock", "reached", "opening"):
        assert found[name] == told[name], name
    assert len(found["moves"]) == len(told["moves"]) > 0
    for one, other in zip(found["moves"], told["moves"], strict=True):
        del other["share"]  # of the weights of a book; here of the games
        assert {name: one[name] for name in other} == other
    assert client.get(f"{V1}/position", params={**query, "p": p}).json()["moves"]


@pytest.mark.parametrize("book", ["chess_book", "xiangqi_book"])
def test_a_position_of_a_book_has_the_numbers_of_show(client: TestClient, served: Served, book: str) -> None:
    path: Path = getattr(served, book)
    told = shown("show", path)
    found = client.get(f"{V1}/position?src={path.name}").json()
    assert found["reached"] == told["reached"]
    assert [{name: one[name] for name in told["moves"][0]} for one in found["moves"]] == told["moves"]


def test_sums_of_a_position_add_up(client: TestClient) -> None:
    found = client.get(f"{V1}/position").json()
    ended = found["ended_here"]
    assert found["reached"] == sum(row["played"] for row in found["moves"]) + ended["games"] == 6
    for name in ("first_wins", "draws", "second_wins"):
        assert found[name] == sum(row[name] for row in found["moves"]) + ended[name]
    assert sum(row["share"] for row in found["moves"]) == pytest.approx(1)
    # Twice played, reached by the same games; once 1. Nf3 e5 2. e4 too, but not here.
    assert next(row for row in found["moves"] if row["move"] == "e2e4")["judged"]["reached"] == 4


def test_empty_states_differ(client: TestClient) -> None:
    def state(query: str) -> str:
        return str(client.get(f"{V1}/position?{query}").json()["state"])

    assert state(f"play=e2e4&{ALL}") == "known"
    assert state("play=e2e4&p=1&min_games=100") == "all_dropped"
    assert state("play=a2a3") == "never_seen"
    assert state("play=e2e4,e7e5,g1f3,b8c6,f1b5,a7a6") == "ended"
    assert state("src=shallow&play=e2e4,e7e5") == "beyond_depth"
    assert state("src=shallow&play=a2a3,a7a6,b2b3") == "beyond_depth"
    assert state("src=shallow&play=a2a3") == "never_seen"
    assert state("src=chess.book&play=a2a3") == "never_seen"
    may_go_on = client.get(f"{V1}/position?src=shallow&play=e2e4,e7e5").json()["ended_here"]
    assert may_go_on == {"games": 2, "first_wins": 1, "draws": 0, "second_wins": 1, "may_go_on": True}


def test_destinations_names_and_ends(client: TestClient) -> None:
    chess = client.get(f"{V1}/position?play=e4,e5,Nf3").json()  # any notation
    assert [step["names"]["san"] for step in chess["path"]] == ["e4", "e5", "Nf3"]
    assert chess["dests"]["b8"] == ["a6", "c6"]
    assert chess["turn"] == "second"
    promotion = client.get(f"{V1}/position", params={"fen": "8/P6k/8/8/8/8/8/K7 w - - 0 1"}).json()
    assert promotion["dests"]["a7"] == ["a8"]
    xiangqi = client.get(f"{V1}/position?src=xiangqi.store&play=炮二平五").json()
    assert xiangqi["path"][0]["move"] == "h2e2"
    assert xiangqi["path"][0]["names"]["wxf"] == "C2=5"
    mated = client.get(f"{V1}/position?play=f2f3,e7e5,g2g4,d8h4").json()
    assert (mated["ended"], mated["check"], mated["dests"]) == ("checkmate", True, {})


def test_curve_is_that_of_the_rule_in_use(client: TestClient) -> None:
    for query, rule in (("min_games=1", "margin"), ("min_games=1&margin=off&min_share=off", "p")):
        found = client.get(f"{V1}/curve?{query}").json()
        assert found["rule"] == rule
        for point in found["points"]:
            size = client.get(f"{V1}/size?{query}&{rule}={point['value']}").json()
            assert size["moves"] == point["moves"]


def test_criteria_weigh_moves(client: TestClient) -> None:
    usual, by_games = (
        client.get("/api/v1/position", params={"src": "chess.store", "min_games": "1", "criteria": text})
        for text in ("usage=1,result=1", "result=0")
    )
    first, second = ([move["quality"] for move in each.json()["moves"]] for each in (usual, by_games))
    assert first != second


def test_the_tree_nests_positions(client: TestClient) -> None:
    tree = client.get(f"{V1}/tree?depth=2&width=1").json()
    first = tree["children"][0]
    assert (len(tree["children"]), first["move"], len(first["children"])) == (1, "e2e4", 1)
    below = client.get(f"{V1}/position?play=e2e4").json()["moves"][0]
    nested = {name: value for name, value in first["children"][0].items() if name != "children"}
    assert {name: below[name] for name in nested} == nested
    kept = client.get(f"{V1}/tree?depth=1&kept_only=1&p=1&min_games=1").json()["children"]
    assert [node["move"] for node in kept] == ["g1f3", "d2d4"]  # P = 1, and nobody won


def test_an_endgame_has_the_values_of_probe(client: TestClient, served: Served) -> None:
    found = client.get(f"{V1}/endgame", params={"fen": KQK}).json()
    told = shown("endgame", "probe", served.tables, KQK)
    assert {name: found[name] for name in told} == told
    assert [row["move"] for row in found["moves"]][: len(told["best"])] == told["best"]
    assert client.get(f"{V1}/endgame").status_code == 404  # 32 men: no table holds them


@pytest.mark.parametrize("source", ["chess.store", "xiangqi.store"])
def test_sample_game_is_read_from_its_archive(client: TestClient, source: str) -> None:
    play = "e2e4,e7e5" if source == "chess.store" else "h2e2"
    listed = client.get(f"{V1}/games?src={source}&play={play}").json()["games"]
    assert listed
    for row in listed:
        game = client.get(f"{V1}/games/{row['id']}?src={source}&play={play}").json()
        ply = game["ply"]
        move = mirrored_move(row["move"]) if game["is_mirrored"] else row["move"]
        assert game["moves"][ply]["move"] == move
        assert len(game["fens"]) == len(game["moves"]) + 1 == row["plies"] + 1
        board = client.get(f"{V1}/position?src={source}&play={play}").json()["fen"].split()[0]
        assert game["fens"][ply].split()[0] == (mirrored(board) if game["is_mirrored"] else board)
        text = client.get(f"{V1}/games/{row['id']}.pgn?src={source}")
        assert text.headers["content-type"].startswith("application/x-chess-pgn")
        assert f'[Result "{row["result"]}"]' in text.text


def mirrored_move(move: str) -> str:
    """A xiangqi move, left and right changed: a folded store may remember the mirror of a game."""
    return move.translate(str.maketrans("abcdefghi", "ihgfedcba"))


def mirrored(board: str) -> str:
    """The board of a FEN, left and right changed."""
    return "/".join(rank[::-1] for rank in board.split("/"))


@pytest.mark.parametrize(
    ("query", "status", "code", "words"),
    [
        ("/position?fen=nonsense", 400, "fen", "nonsense"),
        ("/position?margin=2", 400, "selection", "expected"),
        ("/position?criteria=0", 400, "selection", "0 is not one of usage"),
        ("/size?sharpen=9", 400, "selection", "expected"),
        ("/position?play=e2e5", 400, "move", "move 1"),
        ("/position?p=1.5", 400, "selection", "from 0 to 1"),
        ("/position?min_games=-1", 400, "option", "whole number"),
        ("/position?for=green", 400, "option", "expected first, second, white"),
        ("/position?src=other", 404, "source", "chess.store"),
        ("/position?game=go", 400, "option", "chess, xiangqi"),
        ("/position?p=" + "1" * 99, 400, "option", "0.55"),
        ("/position?p=1e-999999999", 400, "option", "0.55"),
        ("/position?p=1/0", 400, "selection", "from 0 to 1"),
        ("/position?fen=" + "8" * 300, 400, "too-long", "FEN"),
        ("/size?src=chess.book", 409, "not-a-store", "tally store"),
        ("/reach?src=chess.store", 409, "not-a-book", "build"),
        ("/position?connected=perhaps", 400, "option", "1 or 0"),
        ("/games/0123456789abcdef", 404, "game", "/games"),
        ("/games/nothing", 404, "game", "/games"),
        ("/nothing", 404, "no-route", "openapi"),
    ],
)
def test_errors_say_what_was_expected(
    client: TestClient, query: str, status: int, code: str, words: str
) -> None:
    found = client.get(V1 + query)
    assert found.status_code == status
    error = found.json()["error"]
    assert error["code"] == code
    assert re.search(re.escape(words), error["message"])


def test_the_documentation_names_every_route(repository: Path) -> None:
    page = (repository / "docs" / "explorer.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`/.*?) \|", page, re.MULTILINE)
    told = {path for row in rows for path in re.findall(r"`(/[^`]*)`", row)}
    told |= {path for path in re.findall(r"`(/[a-z.]+)`", page) if path in {each.path for each in ENDPOINTS}}
    assert told == {each.path.removeprefix(V1) for each in ENDPOINTS}


def test_empty_values_are_missing_and_unknown_names_ignored(client: TestClient) -> None:
    plain = client.get(f"{V1}/position?play=e2e4").json()
    for query in ("src=&min_games=&p=&margin=&max_ply=&for=", "no_such_name=1", "fen="):
        assert client.get(f"{V1}/position?play=e2e4&{query}").json() == plain, query


def test_reach_and_difference_are_those_of_the_commands(
    client: TestClient, served: Served, tmp_path: Path
) -> None:
    for against in ([], ["--against", served.chess]):
        told = shown("info", served.chess_book, *against)
        query = "src=chess.book" + ("&games=chess.store" if against else "")
        assert without_names(client.get(f"{V1}/reach?{query}").json()["reach"]) == told["reach"]
    other = tmp_path / "other.book"
    Book.write(other, select(Tally.open(served.chess), min_games=1, margin=None))
    with_other = TestClient(make_app(Sources([served.chess_book, other])), base_url="http://127.0.0.1:8000")
    moves = [tmp_path / f"{name}.csv" for name in "ab"]
    for source, target in zip((served.chess_book, other), moves, strict=True):
        assert run("book", "convert", source, target).code == 0
    told = shown("book", "diff", *moves, "--rows", 5)
    found = with_other.get(f"{V1}/diff?a=chess.book&b=other.book&rows=5").json()
    for name in ("moves_a", "moves_b", "added", "removed", "changed"):
        assert found[name] == told[name], name
    for query in ("a=chess.store&b=chess.book", "a=chess.book&b=xiangqi.book"):
        assert client.get(f"{V1}/diff?{query}").status_code == 409
