"""Rulings on lines of play: `bb.judge` and `engine judge`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.cli_runner import run

import bookbuilder as bb
from bookbuilder._core import Referee
from bookbuilder.errors import FenError, MoveError, OptionError
from bookbuilder.games.position import as_position

KNIGHTS = ["g1f3", "g8f6", "f3g1", "f6g8"]
# A lone rook checks along ranks 9 and 8.
ROOK = "3k5/9/9/9/9/9/9/9/9/R4K3 w - - 0 1"
CHECKS = ["a0a9", "d9d8", "a9a8", "d8d9", "a8a9", "d9d8", "a9a8", "d8d9", "a8a9"]
# A rook runs after an unprotected cannon.
CANNON = "3k5/9/9/9/9/7R1/9/9/9/4K3c w - - 0 1"
RUNS = ["h4i4", "i0h0", "i4h4", "h0i0"]


def test_the_third_occurrence_draws_in_chess() -> None:
    assert bb.judge("chess", moves=KNIGHTS).verdict == "none"
    found = bb.judge("chess", moves=KNIGHTS * 2)
    assert (found.verdict, found.reason, found.loser) == ("draw", "repetition", None)
    assert found.cycle == tuple(KNIGHTS * 2)
    assert bb.judge("chess", moves=KNIGHTS, occurrences=2).cycle == tuple(KNIGHTS)


@pytest.mark.parametrize(
    ("fen", "moves", "expected"),
    [
        ("7k/R7/6K1/8/8/8/8/8 w - - 0 1", "a7a8", ("loss", "mate", "second")),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7", ("draw", "stalemate", None)),
        ("8/8/8/3k4/8/8/3n4/3K4 w - - 0 1", "d1d2", ("draw", "insufficient-material", None)),
        ("4k3/8/8/8/8/8/7P/R3K3 w - - 98 70", "a1a2 e8e7", ("draw", "move-count", None)),
        ("4k3/8/8/8/8/8/7P/R3K3 w - - 98 70", "a1a2", ("none", None, None)),
    ],
)
def test_chess_ends_by_its_rules(fen: str, moves: str, expected: tuple[str, str | None, str | None]) -> None:
    found = bb.judge("chess", fen, moves=moves.split())
    assert (found.verdict, found.reason, found.loser) == expected


def test_a_side_without_a_move_loses_in_xiangqi() -> None:
    found = bb.judge("xiangqi", "3k5/4P4/9/9/9/9/9/9/9/4K4 b - - 0 1")
    assert (found.verdict, found.reason, found.loser) == ("loss", "stalemate", "second")


def test_perpetual_check_loses_for_the_checker() -> None:
    found = bb.judge("xiangqi", ROOK, moves=CHECKS)
    assert (found.verdict, found.reason, found.loser, found.axf_article) == (
        "win",
        "perpetual-check",
        "first",
        "6",
    )
    assert found.cycle == tuple(CHECKS[1:])
    before = bb.judge("xiangqi", ROOK, moves=CHECKS[:-1], occurrences=2)
    assert (before.verdict, before.reason) == ("loss", "perpetual-check")


def test_the_victim_of_a_chase_is_named() -> None:
    found = bb.judge("xiangqi", CANNON, moves=RUNS * 2)
    assert (found.verdict, found.reason, found.loser, found.victim) == (
        "loss",
        "perpetual-chase",
        "first",
        "i0",
    )


def test_a_referee_plays_move_by_move() -> None:
    referee = Referee("xiangqi", CANNON)
    for text in RUNS * 2:
        assert referee.judge()["reason"] is None
        referee.play(referee.position.parse_move(text))
    assert (len(referee), referee.moves(), referee.fen) == (len(RUNS * 2), list(RUNS * 2), CANNON)
    assert referee.judge() == Referee("xiangqi", CANNON, RUNS * 2).judge()
    assert referee.judge()["reason"] == "perpetual-chase"
    assert Referee("xiangqi", None, ["a0a1"]).moves("uci") == ["a1a2"]
    with pytest.raises(MoveError):
        referee.play(0)


def test_the_rule_decides() -> None:
    def reason(rule: Any) -> str | None:
        return bb.judge("xiangqi", CANNON, moves=RUNS * 2, rule=rule).reason

    assert [reason(rule) for rule in ("axf", "cxa", "check-only", "none")] == [
        "perpetual-chase",
        "forbidden-series",
        "nothing-forbidden",
        "repetition",
    ]


def test_the_engine_plays_by_the_rule_and_its_contempt() -> None:
    # Red can only check with its rook, or is mated by two.
    fen = "3k5/R8/9/9/9/9/9/7r1/8r/5K3 w - - 0 1"
    lost = bb.Engine("xiangqi").search(fen, depth=8)
    assert lost.mate_in is not None
    assert lost.mate_in < 0
    assert bb.Engine("xiangqi", rule="none").search(fen, depth=8).score_cp == 0
    assert bb.Engine("xiangqi", rule="none", contempt=20).search(fen, depth=8).score_cp == -20
    with pytest.raises(OptionError, match="unknown repetition rule"):
        bb.Engine("xiangqi", rule="fide")  # type: ignore[arg-type]


def test_bad_requests_are_refused() -> None:
    with pytest.raises(OptionError, match="expected one of axf, cxa, check-only, none"):
        bb.judge("xiangqi", rule="fide")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="expected at least 2"):
        bb.judge("chess", occurrences=1)
    with pytest.raises(MoveError):
        bb.judge("chess", moves=["e2e5"])
    with pytest.raises(FenError):
        bb.judge("chess", ROOK)


def test_judge_command_gives_json() -> None:
    ran = run("engine", "judge", CANNON, "moves", " ".join(RUNS * 2), "--json")
    answer = json.loads(ran.out)
    assert ran.code == 0
    assert answer == {
        "schema": 1,
        "game": "xiangqi",
        "rule": "axf",
        "fen": CANNON,
        "verdict": "loss",
        "reason": "perpetual-chase",
        "loser": "first",
        "axf_article": "15-36",
        "victim": "i0",
        "cycle": RUNS * 2,
        "cycle_plies": 8,
    }
    alive = json.loads(run("engine", "judge", "--game", "chess", "--json").out)
    assert (alive["verdict"], alive["reason"], alive["cycle"]) == ("none", None, None)


def test_judge_command_prints_text() -> None:
    assert run("engine", "judge", CANNON, "moves", " ".join(RUNS * 2)).out.splitlines() == [
        "verdict    loss for the side to move",
        "reason     perpetual-chase, AXF 15-36: Red chases the same piece with every move (on i0)",
        "cycle      h4i4 i0h0 i4h4 h0i0 h4i4 i0h0 i4h4 h0i0 (8 plies)",
    ]
    assert run("engine", "judge", "--game", "chess").out == "verdict    none: the game goes on\n"


def test_every_reason_has_its_words() -> None:
    from bookbuilder.cli.engine.search import _WORDS
    from bookbuilder.games.ruling import Judgement

    told = Judgement.__doc__ or ""
    assert all(f"`{reason}`" in told for reason in _WORDS)


def test_the_command_refuses_bad_input() -> None:
    assert run("engine", "judge", "--repetition-rule", "fide").code == 2
    ran = run("engine", "judge", "--game", "chess", "e2e4 e2e4")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "move 2" in ran.err


@pytest.mark.parametrize("moves", [["C2=5", "H8+7"], ["炮二平五", "馬8進7"], ["h2e2", "h9g7"]])
def test_lines_of_xiangqi_are_judged_in_any_notation(moves: list[str]) -> None:
    found = bb.judge("xiangqi", moves=moves)
    assert found.fen == as_position("h2e2 h9g7", "xiangqi").fen
    assert found.verdict == "none"
