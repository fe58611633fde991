"""Measure the value of a book for the search: search positions in every book mode and compare the results.

The positions are 0 to 3 plies outside the book, on a known way back into it. Such a way is a line of the book
with its moves in another order, which transposes back at its end. Random moves would hardly ever do so.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import exp
from typing import Final

import numpy as np
import numpy.typing as npt

from bookbuilder._core import Position
from bookbuilder.book.book import Book
from bookbuilder.engine.engine import BOOK_MODES, BookMode, BookPolicy, Engine, Result
from bookbuilder.errors import OptionError
from bookbuilder.ratios import wilson_bounds

__all__ = ["MOST_OUT", "Estimate", "ModeRow", "Root", "bench_book", "find_roots"]

MOST_OUT: Final = 3
"""Maximum distance of a position, in plies outside the book."""

# Maximum length of a line of the book, plies of the windows whose moves are reordered, lines per wanted
# position, orders tried in a window, and bootstrap samples; chosen.
_MOST_PLIES: Final = 40
_WINDOWS: Final = (4, 6)
_WALKS: Final = 60
_DETOURS: Final = 6
_RESAMPLES: Final = 2000


@dataclass(frozen=True, slots=True)
class Root:
    """A position to search.

    Attributes:
        moves: moves from the start, UCI or ICCS.
        plies_out: plies since the line was last in the book.
        way_back: moves from here to a position of the book; empty if it is in the book.
    """

    moves: tuple[str, ...]
    plies_out: int
    way_back: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval; all None without data."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeRow:
    """The results of a mode at one distance.

    Attributes:
        plies_out: plies outside the book.
        mode: how the book was used.
        positions: number of positions.
        answered: number of positions answered from the book without a search.
        nodes: ratio of the nodes to those of mode `off`; geometric mean over the searched positions,
            bootstrap interval.
        seconds: ratio of the processor time of these searches to that of mode `off`.
        agreement: share of moves that the longer search plays too, Wilson interval.
        book_moves: share of moves that are in the book, among positions with a book move, Wilson interval.
    """

    plies_out: int
    mode: BookMode
    positions: int
    answered: int
    nodes: Estimate
    seconds: float | None
    agreement: Estimate
    book_moves: Estimate


@dataclass(frozen=True, slots=True)
class _Trial:
    """The results of one position: by mode, by the longer search, and the moves of the book."""

    root: Root
    found: dict[BookMode, Result]
    seconds: dict[BookMode, float]
    reference: str | None
    book_moves: frozenset[str]


def bench_book(
    book: Book,
    *,
    positions: int = 40,
    depth: int = 8,
    times: int = 10,
    seed: int = 1,
    hash_mib: int = 16,
    tell: Callable[[int], None] = lambda done: None,
) -> list[ModeRow]:
    """Search positions in and near a book in every book mode and compare the modes.

    Args:
        book: a clustered book.
        positions: maximum number of positions at each distance.
        depth: plies of each search.
        times: nodes of the longer search, as a multiple of those of mode `off`.
        seed: seed of the choice of positions.
        hash_mib: size of the transposition table, which is cleared before each search.
        tell: called after each position with the number of finished positions.

    Returns:
        One row for each distance and mode.

    Raises:
        OptionError: the book has no line from the start position.
    """
    roots = find_roots(book, positions, seed=seed)
    if not roots:
        raise OptionError(f"{book!r}: no line to follow: expected a book whose first moves are in it")
    engines = {mode: Engine(book.game, hash_mib=hash_mib, book=book, book_mode=mode) for mode in BOOK_MODES}
    trials = []
    for done, root in enumerate(roots, start=1):
        trials.append(_try(root, book, engines, depth, times))
        tell(done)
    groups = ([each for each in trials if each.root.plies_out == plies] for plies in range(MOST_OUT + 1))
    return [_row(mode, group) for group in groups if group for mode in BOOK_MODES]


def find_roots(book: Book, count: int, *, seed: int = 1) -> list[Root]:
    """Return up to `count` different positions at each distance from 0 to 3 plies outside a book.

    Lines are drawn by usage. Positions of the book have a book move; the others have a known way back. A
    small book may have fewer positions at the larger distances, or none.
    """
    drawn = random.Random(seed)
    wanted = dict.fromkeys(range(MOST_OUT + 1), count)
    seen: set[tuple[int, int]] = set()
    roots = []
    for _ in range(_WALKS * count):
        for root, stored in _roots_of_walk(book, _walk(book, drawn), drawn):
            if wanted[root.plies_out] and stored not in seen:
                seen.add(stored)
                wanted[root.plies_out] -= 1
                roots.append(root)
        if not any(wanted.values()):
            break
    return sorted(roots, key=lambda root: root.plies_out)


def _known(book: Book, position: Position) -> dict[int, int]:
    """Return the book's moves in a position with their usage."""
    records = {code: book.native.probe_position(position.play(code)) for code in position.moves()}
    return {code: record.usage for code, record in records.items() if record is not None}


def _walk(book: Book, drawn: random.Random) -> list[int]:
    """Return the moves of a line of the book."""
    here, codes = Position(book.game), list[int]()
    while len(codes) < _MOST_PLIES and (known := _known(book, here)):
        (code,) = drawn.choices(list(known), [usage + 1 for usage in known.values()])
        codes.append(code)
        here = here.play(code)
    return codes


def _roots_of_walk(
    book: Book, codes: list[int], drawn: random.Random
) -> Iterator[tuple[Root, tuple[int, int]]]:
    """Yield a position of a line and the positions of its detours, each with stored key and lock."""
    if len(codes) < 2:
        return
    start = drawn.randrange(1, len(codes))
    here, texts = Position(book.game), list[str]()
    for code in codes[:start]:
        texts.append(here.coordinates(code))
        here = here.play(code)
    yield Root(tuple(texts), 0, ()), here.stored(book.fold)
    for length in _WINDOWS:
        line = codes[start : start + length]
        others = list(_orders(line)) if len(line) == length else []
        for order in drawn.sample(others, min(_DETOURS, len(others))):
            yield from _roots_of_detour(book, here, texts, order)


def _orders(line: list[int]) -> Iterator[list[int]]:
    """Yield the other orders of a line's moves; each side's moves stay its own."""
    for own in permutations(line[0::2]):
        for replies in permutations(line[1::2]):
            order = [code for pair in zip(own, replies, strict=True) for code in pair]
            if order != line:
                yield order


def _roots_of_detour(
    book: Book, here: Position, texts: list[str], order: list[int]
) -> Iterator[tuple[Root, tuple[int, int]]]:
    """Yield the positions of a detour outside the book, before it returns."""
    spelled, places, outside = list[str](), list[Position](), 0
    for code in order:
        if code not in here.moves():
            return
        spelled.append(here.coordinates(code))
        here = here.play(code)
        places.append(here)
    inside = [book.native.probe_position(place) is not None for place in places]
    for ply, place in enumerate(places):
        outside = 0 if inside[ply] else outside + 1
        if 0 < outside <= MOST_OUT and True in inside[ply:]:
            back = ply + inside[ply:].index(True)
            way_back = tuple(spelled[ply + 1 : back + 1])
            yield Root((*texts, *spelled[: ply + 1]), outside, way_back), place.stored(book.fold)


def _try(root: Root, book: Book, engines: dict[BookMode, Engine], depth: int, times: int) -> _Trial:
    found, seconds = dict[BookMode, Result](), dict[BookMode, float]()
    for mode, engine in engines.items():
        engine.clear()
        # Only `root` answers from the book here: of the other modes the search itself is measured.
        policy: BookPolicy = "best" if mode == "root" else "off"
        begun = time.process_time()
        found[mode] = engine.search(moves=root.moves, depth=depth, book_policy=policy)
        seconds[mode] = time.process_time() - begun
    engines["off"].clear()
    reference = engines["off"].search(moves=root.moves, nodes=times * max(found["off"].nodes, 1))
    here = Position(book.game)
    for text in root.moves:
        here = here.play(here.parse_move(text))
    known = frozenset(here.coordinates(code) for code in _known(book, here))
    return _Trial(root, found, seconds, reference.move, known)


def _row(mode: BookMode, trials: Sequence[_Trial]) -> ModeRow:
    searched = [trial for trial in trials if trial.found[mode].source == "search"]
    nodes = np.array([[trial.found[each].nodes for each in (mode, "off")] for trial in searched], np.float64)
    seconds = [sum(trial.seconds[each] for trial in searched) for each in (mode, "off")]
    with_moves = [trial for trial in trials if trial.book_moves]
    return ModeRow(
        plies_out=trials[0].root.plies_out,
        mode=mode,
        positions=len(trials),
        answered=len(trials) - len(searched),
        nodes=_mean_ratio(np.log(nodes[:, 0] / nodes[:, 1])) if searched else Estimate(),
        seconds=seconds[0] / seconds[1] if searched and seconds[1] > 0 else None,
        agreement=_share([trial.found[mode].move == trial.reference for trial in trials]),
        book_moves=_share([trial.found[mode].move in trial.book_moves for trial in with_moves]),
    )


def _mean_ratio(logs: npt.NDArray[np.float64]) -> Estimate:
    """Return the geometric mean of ratios, with the bootstrap's 95 % interval."""
    rows = np.random.default_rng(0).integers(0, logs.size, (_RESAMPLES, logs.size))
    low, high = np.quantile(logs[rows].mean(axis=1), [0.025, 0.975])
    return Estimate(exp(logs.mean()), exp(low), exp(high))


def _share(hits: Sequence[bool]) -> Estimate:
    """Return the share of hits, with Wilson's 95 % interval."""
    if not hits:
        return Estimate()
    count = np.array([sum(hits)], np.uint64)
    low, high = wilson_bounds(count, np.array([len(hits)], np.uint64) - count)
    return Estimate(sum(hits) / len(hits), float(low[0]), float(high[0]))
