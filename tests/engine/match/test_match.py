"""Matches: rules and adjudication, openings, engines that misbehave, journals, and engines of others."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.cli_runner import run
from support.fake_engine import fake

from bookbuilder import Position
from bookbuilder._core import Referee
from bookbuilder.archives.write import write_archive
from bookbuilder.engine.drivers import player
from bookbuilder.engine.drivers.spec import BUNDLED, EngineSpec, ThinkLimit, parse_engine
from bookbuilder.engine.match.elo import Sprt
from bookbuilder.engine.match.match import run_match
from bookbuilder.engine.match.openings import Opening, Openings, choose_openings
from bookbuilder.engine.match.referee import Adjudication, MatchGame, rule
from bookbuilder.engine.match.standing import MatchOptions, Standing, played_games
from bookbuilder.errors import EvalsError, OptionError
from bookbuilder.games.position import Game

QUICK = ThinkLimit(nodes=300)


def engine(
    text: str = BUNDLED, game: Game = "chess", *, limit: ThinkLimit = QUICK, name: str = "one"
) -> EngineSpec:
    """An engine that thinks little."""
    return parse_engine(text, game, name=name, options=(), limit=limit)


def match(*engines: EngineSpec, game: Game = "chess", games: int = 2, journal: Path | None = None, **options):
    """Play a match and return its games."""
    chosen = MatchOptions(game=game, engines=(engines[0], engines[1]), games=games, **options)
    return run_match(chosen, journal=journal, tell=lambda _game, _standing: None)


def line_of(game: Game, fen: str | None, moves: str) -> Referee:
    """A game after some moves."""
    return Referee(game, fen, moves.split())


SHUFFLE = "g1f3 g8f6 f3g1 f6g8 "


@pytest.mark.parametrize(
    ("game", "fen", "moves", "expected"),
    [
        ("chess", None, "f2f3 e7e5 g2g4 d8h4", ("0-1", "mate")),
        ("chess", "7k/8/4Q1K1/8/8/8/8/8 w - - 0 1", "e6f7", ("1/2-1/2", "stalemate")),
        ("chess", "7k/8/8/8/8/8/r7/1K6 w - - 0 1", "b1a2", ("1/2-1/2", "insufficient material")),
        ("chess", None, SHUFFLE, None),
        ("chess", None, SHUFFLE * 2, ("1/2-1/2", "repetition")),
        ("chess", "7k/8/8/8/8/8/r7/2K3R1 w - - 98 90", "c1b1", None),
        ("chess", "7k/8/8/8/8/8/r7/2K3R1 b - - 99 90", "h8h7", ("1/2-1/2", "move-count rule")),
        ("xiangqi", "3k5/9/2P6/9/9/9/9/9/9/4K4 w - - 0 1", "c7c8", ("1-0", "stalemate")),
        ("xiangqi", None, "h0g2 h9g7 g2h0 g7h9 " * 2, ("1/2-1/2", "repetition")),
    ],
)
def test_rules_end_a_game(game: Game, fen: str | None, moves: str, expected: tuple[str, str] | None) -> None:
    assert rule(line_of(game, fen, moves)) == expected


# orange-048 of the suite of repetitions: the rook chases the cannon with every move.
CHASE_FEN = "4kab2/4a4/4b4/3rC2R1/9/9/4n4/4B4/4A4/4KAB1c w - - 0 1"
CHASE = "h6i6 i0h0 i6h6 h0i0 " * 3


def test_perpetual_chase_loses_a_match_game(tmp_path: Path) -> None:
    scripted = (
        f"moves = line.split(' moves ')[1].split() if ' moves ' in line else []\n"
        f"        answer = {CHASE.split()!r}[len(moves)]\n"
        f"    elif word == 'go':\n        print('bestmove', answer, flush=True)"
    )
    program = fake(tmp_path, "ucci", scripted, word="position")
    epd = tmp_path / "chase.epd"
    epd.write_text(CHASE_FEN, encoding="utf-8")
    games = match(
        engine(program, "xiangqi"), engine(program, "xiangqi", name="two"), game="xiangqi", openings=epd
    )
    assert [(done.result, done.reason) for done in games] == [("0-1", "perpetual chase")] * 2
    assert [done.points for done in games] == [0, 2]
    assert [" ".join(done.moves) for done in games] == [CHASE[: len(CHASE) * 2 // 3].strip()] * 2


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_bundled_engine_plays_itself_in_pairs(game: Game, tmp_path: Path) -> None:
    options = MatchOptions(
        game=game,
        engines=(engine(game=game), engine(game=game, name="two", limit=ThinkLimit(depth=1))),
        games=4,
        opening_plies=4,
        concurrency=2,
        rules=Adjudication(most_plies=60),
    )
    games = run_match(options, tell=lambda _game, _standing: None)
    assert [done.number for done in games] == [1, 2, 3, 4]
    assert all(done.reason != "fault" for done in games)
    assert games[0].moves[:4] == games[1].moves[:4] != games[2].moves[:4]
    for done in games:
        line_of(game, done.fen, " ".join(done.moves))
    written = tmp_path / "games.pgn"
    with written.open("wb") as stream:
        assert write_archive(stream, ".pgn", game, played_games(options, games)) == 4
    text = written.read_text(encoding="utf-8")
    assert text.count('"one"') == text.count('"two"') == 4
    assert text.count("[Termination ") == 4


def test_match_is_resumed_from_journal(tmp_path: Path) -> None:
    journal = tmp_path / "match.jsonl"
    short = Adjudication(most_plies=20)
    first = match(engine(), engine(name="two"), games=2, journal=journal, rules=short)
    # A run that was killed leaves half a line.
    with journal.open("a", encoding="utf-8") as stream:
        stream.write('{"number": 3, "resu')
    both = match(engine(), engine(name="two"), games=4, journal=journal, rules=short)
    assert both[:2] == first
    assert len(both) == 4
    assert match(engine(), engine(name="two"), games=4, journal=journal, rules=short) == both
    with pytest.raises(EvalsError, match="begun with other options .engines."):
        match(engine(), engine(name="three"), games=4, journal=journal, rules=short)
    (tmp_path / "other").write_text("{}\n")
    with pytest.raises(EvalsError, match="not a journal"):
        match(engine(), engine(name="two"), games=4, journal=tmp_path / "other", rules=short)


@pytest.mark.parametrize(
    ("protocol", "body", "reason"),
    [
        ("uci", "print('bestmove e2e5', flush=True)", "fault"),
        ("uci", "print('bestmove', flush=True)", "fault"),
        ("uci", "sys.exit(3)", "fault"),
        ("xboard", "print('move e2e5', flush=True)", "fault"),
        ("xboard", "sys.exit(3)", "fault"),
        ("xboard", "print('resign', flush=True)", "resignation"),
        ("ucci", "time.sleep(2); print('nobestmove', flush=True)", "time"),
        ("ucci", "print('nobestmove', flush=True)", "resignation"),
        ("ucci", "print('bestmove h2e2 resign', flush=True)", "resignation"),
    ],
)
def test_faulty_engine_loses_the_game(tmp_path: Path, protocol: str, body: str, reason: str) -> None:
    game: Game = "xiangqi" if protocol == "ucci" else "chess"
    limit = ThinkLimit(movetime_ms=20)
    games = match(
        engine(fake(tmp_path, protocol, body), game, limit=limit),
        engine(game=game, name="two"),
        game=game,
        rules=Adjudication(time_margin_ms=1500),
    )
    assert [done.reason for done in games] == [reason, reason]
    assert [done.points for done in games] == [0, 0]
    if reason == "time":
        standing = Standing.of(games, None)
        assert (standing.late, standing.late_ms[0] > 1500) == ((2, 0), True)
    if reason == "fault":
        assert [done.faulty_player for done in games] == [0, 0]
        assert all(done.detail for done in games)


def test_unusable_engine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no-such-program"):
        match(engine("no-such-program"), engine(name="two"))
    with pytest.raises(OptionError, match="UCCI"):
        match(engine("ucci:cat"), engine(name="two"))
    silent = parse_engine(BUNDLED, "chess", name="x", options=["No such=1"], limit=QUICK)
    with pytest.raises(OptionError, match="No such"):
        match(silent, engine(name="two"))
    for option, why in (
        ("MultiPV=2", "sets MultiPV"),
        ("Hash=0", "expected 1 to"),
        ("Hash=x", "expected 1 to"),
    ):
        wrong = parse_engine(BUNDLED, "chess", name="x", options=[option], limit=QUICK)
        with pytest.raises(OptionError, match=why):
            match(wrong, engine(name="two"))
    silent = parse_engine(BUNDLED, "chess", name="x", options=["Ponder=false", "Clear Hash"], limit=QUICK)
    assert len(match(silent, engine(name="two"), rules=Adjudication(most_plies=10))) == 2


def test_a_hung_engine_loses_by_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "_GRACE_SECONDS", 0.5)
    for game, protocol in (("chess", "uci"), ("xiangqi", "ucci")):
        hung = engine(fake(tmp_path, protocol, "pass"), game, limit=ThinkLimit(movetime_ms=20))
        (done,) = match(hung, engine(game=game, name="two"), game=game, games=1)
        assert (done.faulty_player, done.detail) == (0, "one did not move in 0.5 s")


@pytest.mark.parametrize(
    ("game", "command"),
    [("chess", "cat"), ("xiangqi", "cat"), ("xiangqi", "ucci:cat"), ("chess", "true"), ("xiangqi", "true")],
)
def test_program_that_is_no_engine_is_named_soon(
    game: Game, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = command.rpartition(":")[2]
    # A busy machine may take long to start and end a program.
    monkeypatch.setattr(player, "_HELLO_SECONDS", 60 if program == "true" else 0.3)
    why = "it ended at once" if program == "true" else "it did not answer in 0 s"
    with pytest.raises(OptionError, match=rf"^{program} does not speak UCC?I: {why}; write .*xboard: before"):
        match(engine(command, game, name=program), engine(game=game, name="two"), game=game)


def first(count: int, openings: Openings) -> list[Opening]:
    return [openings[number] for number in range(count)]


def test_openings_from_positions_and_archives(tmp_path: Path, chess_pgn: Path) -> None:
    fens = [
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
        "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1",
    ]
    epd = tmp_path / "openings.epd"
    # The second is a stalemate, the third of the other game, the last no position.
    epd.write_text("\n".join([*fens, Position("xiangqi").fen, "nonsense"]), encoding="utf-8")
    openings = first(3, choose_openings("chess", epd, plies=9, seed=1))
    assert [opening.fen for opening in openings] == [fens[0]] * 3
    from_games = first(5, choose_openings("chess", chess_pgn, plies=2, seed=1, shuffle=False))
    assert from_games[0].moves == ("e2e4", "e7e5")
    assert {opening.moves for opening in from_games} >= {("e2e4", "c7c5"), ("d2d4", "d7d5"), ("g1f3", "e7e5")}
    (tmp_path / "chess.epd").write_text(fens[0], encoding="utf-8")
    with pytest.raises(OptionError, match="no opening of xiangqi"):
        choose_openings("xiangqi", tmp_path / "chess.epd", plies=4, seed=1)


def finished(number: int, result: str) -> MatchGame:
    """A game that ended so."""
    return MatchGame(number=number, result=result, reason="mate")  # type: ignore[arg-type]


def test_standing_counts_pairs_for_the_first_player() -> None:
    # Player one has the first side in odd games.
    games = [
        finished(1, "1-0"),
        finished(2, "0-1"),
        finished(3, "1/2-1/2"),
        finished(4, "1-0"),
        finished(5, "0-1"),
    ]
    standing = Standing.of(games, Sprt(0, 10))
    assert (standing.wins, standing.draws, standing.losses) == (2, 1, 2)
    assert standing.pairs == (0, 1, 0, 0, 1)
    assert standing.elo is not None
    assert standing.elo.score == pytest.approx(0.625)
    # None has a move: all are one game, with either colour.
    assert standing.different == 2
    assert standing.sprt is not None
    assert standing.sprt.decision is None


def test_sprt_ends_the_match() -> None:
    strong, weak = engine(limit=ThinkLimit(nodes=2000)), engine(name="two", limit=ThinkLimit(nodes=1))
    games = match(strong, weak, games=400, sprt=Sprt(0, 200, 0.2, 0.2), rules=Adjudication(most_plies=120))
    assert len(games) < 400
    decided = Standing.of(games, Sprt(0, 200, 0.2, 0.2)).sprt
    assert decided is not None
    assert decided.decision == "elo1"


def test_match_command_reports_score_and_elo(tmp_path: Path) -> None:
    common = ("--game", "xiangqi", "--limit", "nodes=20", "--games", 2)
    ran = run("engine", "match", BUNDLED, BUNDLED, *common, "--json", "-o", tmp_path / "games.zip", "--quiet")
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["games"] == answer["wins"] + answer["draws"] + answer["losses"] == 2
    assert sum(answer["pairs"]) == 1
    assert {"elo", "elo_low", "elo_high", "los", "sprt", "faults", "reasons", "different"} <= set(answer)
    assert [player["name"] for player in answer["players"]] == ["bundled A", "bundled B"]
    assert run("games", "count", tmp_path / "games.zip").code == 0
    table = run("engine", "match", BUNDLED, BUNDLED, *common, "--sprt", "0,10")
    assert "LLR" in table.out
    # A short match prints no line of progress in a pipe.
    assert table.err == ""


OTHERS = [
    ("stockfish", "chess", "uci", "movetime=30", "movetime=30"),
    ("fairy-stockfish", "chess", "uci", "tc=2+0.02", "tc=2+0.02"),
    ("fairy-stockfish", "xiangqi", "uci", "movetime=30", "movetime=30"),
    ("hoichess", "chess", "xboard", "tc=2+0", "tc=2+0"),
    ("hoixiangqi", "xiangqi", "xboard", "movetime=30", "depth=3"),
]


@pytest.mark.parametrize(("program", "game", "protocol", "own", "limit"), OTHERS)
def test_match_with_other_engine(program: str, game: Game, protocol: str, own: str, limit: str) -> None:
    path = shutil.which(program) or shutil.which(f"/usr/games/{program}")
    if path is None:
        pytest.skip(f"{program} is not installed")
    games = match(
        engine(game=game, limit=ThinkLimit.parse(own)),
        engine(f"{protocol}:{path}", game, limit=ThinkLimit.parse(limit), name=program),
        game=game,
        opening_plies=4,
        rules=Adjudication(most_plies=40, time_margin_ms=30_000),
    )
    assert [done.detail for done in games] == ["", ""]
    assert all(done.reason not in {"fault", "time"} for done in games)
