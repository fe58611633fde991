"""What the tests in a browser share: a server of small stores and books, Chromium, and a visit to the page.

Chromium is the distribution's, found on the path; without it these tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.selections import LITERATURE

import bookbuilder as bb

# An answer takes milliseconds; a machine that runs other things beside may need long to give any.
PATIENCE_MS = 30_000
THRESHOLDS = {"min_win_rate": "0.5", "min_games": 3}
PLIES = 16


@dataclass(frozen=True)
class Served:
    """A server that runs.

    Attributes:
        address: of its page.
        folder: where its stores and books are: chess.store, chess.book, and so on; `dated.store` has facets,
            `full.store` all columns.
    """

    address: str
    folder: Path


def dated_store(folder: Path) -> None:
    """Make `dated.store`, which keeps years and speeds apart."""
    from bookbuilder.tally.options import RunLimits, TallyOptions
    from bookbuilder.tally.store.grow import grow

    archive, game = (
        folder / "dated.pgn",
        '[Event "?"]\n[Date "{}.??.??"]\n[TimeControl "{}"]\n\n1. {} 1-0\n\n',
    )
    games = ((2001, "60", "e4"), (2005, "300+3", "e4"), (2011, "300+3", "d4"))
    archive.write_text("".join(game.format(*each) for each in games))
    grow(folder / "dated.store", [archive], TallyOptions(game="chess", facets=("year", "speed")), RunLimits())


def full_store(folder: Path) -> None:
    """Make `full.store`, whose moves have all that a table shows, in numbers of many digits."""
    archive = folder / "full.pgn"
    tags = '[Event "?"]\n[Date "{}.??.??"]\n[WhiteElo "2650"]\n[BlackElo "2700"]\n\n'
    games = ("1. e4 1-0", "1. e4 1/2-1/2", "1. d4 0-1", "1. Nf3 1-0")
    texts = (tags.format(year) + game for year in (1886, 2021) for game in games)
    archive.write_text("\n\n".join(text + "\n\n" for text in texts for _ in range(6000)))
    bb.Tally.from_archives(archive).save(folder / "full.store")


@pytest.fixture(scope="session")
def served(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a store and a book of each game, and of the tables of KRvK."""
    pytest.importorskip("starlette")
    uvicorn = pytest.importorskip("uvicorn")
    from bookbuilder.engine.endgames import build_tables
    from bookbuilder.explorer.app import make_app
    from bookbuilder.explorer.guard import Guarding
    from bookbuilder.explorer.serving import listen
    from bookbuilder.explorer.sources import Sources

    folder = tmp_path_factory.mktemp("served")
    for game, archive in (("chess", "chess_selfplay.pgn"), ("xiangqi", "xiangqi_selfplay.zip")):
        tally = bb.Tally.from_archives(data / archive, max_ply=PLIES)
        tally.save(folder / f"{game}.store")
        bb.Book.write(folder / f"{game}.book", bb.select(tally, LITERATURE, **THRESHOLDS))
    bb.write_book(bb.select(bb.Tally.open(folder / "chess.store"), min_games=3), folder / "chess.bin")
    dated_store(folder)
    full_store(folder)
    build_tables(["KRvK"], folder / "tables")
    sources = Sources(
        sorted(folder.glob("*.store")) + sorted([*folder.glob("*.book"), *folder.glob("*.bin")]),
        is_writable=True,
    )
    app = make_app(sources, guarding=Guarding(), endgames=bb.Endgames(folder / "tables"))
    with listen("127.0.0.1", 0) as door:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", http="h11", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
        thread.start()
        yield Served(f"http://127.0.0.1:{door.getsockname()[1]}", folder)
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The distribution's Chromium; of a module, since its event loop must not stay for other tests."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("chromium is not installed")
    playwright = pytest.importorskip("playwright.sync_api")
    # Chromium refuses to run as root with its sandbox; it opens pages of this test's server alone.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


class Visit:
    """A page that is open, with what went wrong on it."""

    def __init__(self, browser: Any, served: Served, **context: Any) -> None:
        """Open an empty page."""
        options = {"viewport": {"width": 1280, "height": 900}, **context}
        self.served = served
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.foreign: list[str] = []
        self.page.on("console", lambda line: line.type == "error" and self.faults.append(line.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", self._asked)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.served.address, "data:", "blob:")):
            self.foreign.append(request.url)

    def go(self, path: str, wait: str = ".moves, .empty") -> Any:
        """Open a path of the page, and return the page when it shows what is waited for."""
        self.page.goto(self.served.address + path)
        self.page.wait_for_selector(wait)
        return self.page

    def copied(self, page: Any, button: str) -> str:
        """Press a button that copies, and return the text when it is there; the server may write it."""
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.evaluate("document.getElementById('live').textContent = ''")
        page.get_by_role("button", name=button).click()
        page.wait_for_function("() => document.getElementById('live').textContent.endsWith(' copied')")
        return str(page.evaluate("navigator.clipboard.readText()"))

    def play_is(self, moves: str) -> None:
        """Wait until the address says that these moves were played, and the table is theirs."""
        self.page.wait_for_function(
            "moves => (new URLSearchParams(location.search).get('play') ?? '') === moves"
            " && !document.querySelector('[aria-busy]')",
            arg=moves,
        )


@pytest.fixture
def open_visit(chromium: Any, served: Served) -> Iterator[Any]:
    """A function that opens a page; at the end no page may have an error or have asked another host."""
    visits: list[Visit] = []

    def open_one(**context: Any) -> Visit:
        visits.append(Visit(chromium, served, **context))
        return visits[-1]

    yield open_one
    for visit in visits:
        visit.context.close()
    assert [visit.faults for visit in visits if visit.faults] == []
    assert [visit.foreign for visit in visits if visit.foreign] == []


@pytest.fixture
def visit(open_visit: Any) -> Visit:
    """A page of 1280 × 900."""
    return open_visit()
