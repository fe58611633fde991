"""Build opening books for chess and xiangqi from archives of games.

```python
import bookbuilder as bb

bb.build("games.pgn.zst", "book.bin")  # the same as: bookbuilder build games.pgn.zst -o book.bin

tally = bb.Tally.from_archives("games.pgn.zst", max_ply=40)
tally.moves("1.e4 c5")
chosen = bb.select(tally, margin="3%", min_games=5)
write_book(chosen, "my.book")
```

The folders, in the order of the flow: `archives` finds and filters games, `tally` counts their moves,
`selection` chooses moves, `book` writes them. `evals` has
what engines say about positions. `analysis` studies thresholds and books, `engine` plays,
`explorer` serves pages, and `cli` has the commands. `games` knows the positions of both games, and the native
core `_core` has their rules.

Each public name is imported on first use, so that `bookbuilder --help` does not wait for pandas or pyarrow.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import extend_path
from typing import TYPE_CHECKING, Final

# Python started in the root of a checkout finds this folder first. The native core is in the installed one.
__path__ = extend_path(__path__, __name__)

from bookbuilder.processor import require_processor

if TYPE_CHECKING:
    from bookbuilder import errors, schema
    from bookbuilder._core import Position
    from bookbuilder.analysis import plots
    from bookbuilder.analysis.calibration import calibrate
    from bookbuilder.analysis.coverage import coverage
    from bookbuilder.analysis.imitation import imitate
    from bookbuilder.analysis.threshold import threshold_curve
    from bookbuilder.analysis.tuner import Tuner
    from bookbuilder.archives.demo import demo
    from bookbuilder.archives.filters import GameFilter
    from bookbuilder.book.book import Book
    from bookbuilder.book.build import build, write_book
    from bookbuilder.book.edits import Edit, edit_book, repair_book, undo_edit
    from bookbuilder.book.formats.moves import MoveBook
    from bookbuilder.book.formats.registry import Written, convert, write_moves
    from bookbuilder.book.merge import diff_books, merge_books
    from bookbuilder.book.open import open_book
    from bookbuilder.engine.check import BookCheck, check_book
    from bookbuilder.engine.drivers.spec import ThinkLimit, parse_engine
    from bookbuilder.engine.endgames import Endgames, build_tables, table_stats
    from bookbuilder.engine.engine import Engine
    from bookbuilder.engine.evaluate.evaluate import evaluate_tally
    from bookbuilder.engine.match.match import run_match
    from bookbuilder.engine.match.standing import MatchOptions, Standing
    from bookbuilder.errors import BookBuilderError
    from bookbuilder.evals.table import Evals, merge_evals
    from bookbuilder.games.line import format_line
    from bookbuilder.games.openings import openings_of
    from bookbuilder.games.position import as_board, as_position
    from bookbuilder.games.ruling import Judgement, judge
    from bookbuilder.ratios import wilson_bounds
    from bookbuilder.selection.by_hand import MoveEdit, MoveEdits
    from bookbuilder.selection.explain import explain
    from bookbuilder.selection.options import SelectionOptions, preset
    from bookbuilder.selection.select import Selection, select
    from bookbuilder.tally.observations import Observations, observations
    from bookbuilder.tally.report import TallyReport
    from bookbuilder.tally.store.layout import store_parts
    from bookbuilder.tally.tally import Tally

__version__: Final = "0.1.0"

__all__ = [
    "Book",
    "BookBuilderError",
    "BookCheck",
    "Edit",
    "Endgames",
    "Engine",
    "Evals",
    "GameFilter",
    "Judgement",
    "MatchOptions",
    "MoveBook",
    "MoveEdit",
    "MoveEdits",
    "Observations",
    "Position",
    "Selection",
    "SelectionOptions",
    "Standing",
    "Tally",
    "TallyReport",
    "ThinkLimit",
    "Tuner",
    "Written",
    "as_board",
    "as_position",
    "build",
    "build_tables",
    "calibrate",
    "check_book",
    "convert",
    "coverage",
    "demo",
    "diff_books",
    "edit_book",
    "errors",
    "evaluate_tally",
    "explain",
    "format_line",
    "imitate",
    "judge",
    "merge_books",
    "merge_evals",
    "observations",
    "open_book",
    "openings_of",
    "parse_engine",
    "plots",
    "preset",
    "repair_book",
    "run_match",
    "schema",
    "select",
    "store_parts",
    "table_stats",
    "threshold_curve",
    "undo_edit",
    "wilson_bounds",
    "write_book",
    "write_moves",
]

_HOMES: Final = {
    "Book": "bookbuilder.book.book",
    "BookBuilderError": "bookbuilder.errors",
    "BookCheck": "bookbuilder.engine.check",
    "Edit": "bookbuilder.book.edits",
    "Endgames": "bookbuilder.engine.endgames",
    "Engine": "bookbuilder.engine.engine",
    "Evals": "bookbuilder.evals.table",
    "GameFilter": "bookbuilder.archives.filters",
    "Judgement": "bookbuilder.games.ruling",
    "MatchOptions": "bookbuilder.engine.match.standing",
    "MoveBook": "bookbuilder.book.formats.moves",
    "MoveEdit": "bookbuilder.selection.by_hand",
    "MoveEdits": "bookbuilder.selection.by_hand",
    "Observations": "bookbuilder.tally.observations",
    "Position": "bookbuilder._core",
    "Selection": "bookbuilder.selection.select",
    "SelectionOptions": "bookbuilder.selection.options",
    "Standing": "bookbuilder.engine.match.standing",
    "Tally": "bookbuilder.tally.tally",
    "TallyReport": "bookbuilder.tally.report",
    "ThinkLimit": "bookbuilder.engine.drivers.spec",
    "Tuner": "bookbuilder.analysis.tuner",
    "Written": "bookbuilder.book.formats.registry",
    "as_board": "bookbuilder.games.position",
    "as_position": "bookbuilder.games.position",
    "build": "bookbuilder.book.build",
    "build_tables": "bookbuilder.engine.endgames",
    "calibrate": "bookbuilder.analysis.calibration",
    "check_book": "bookbuilder.engine.check",
    "convert": "bookbuilder.book.formats.registry",
    "coverage": "bookbuilder.analysis.coverage",
    "demo": "bookbuilder.archives.demo",
    "diff_books": "bookbuilder.book.merge",
    "edit_book": "bookbuilder.book.edits",
    "evaluate_tally": "bookbuilder.engine.evaluate.evaluate",
    "explain": "bookbuilder.selection.explain",
    "format_line": "bookbuilder.games.line",
    "judge": "bookbuilder.games.ruling",
    "merge_books": "bookbuilder.book.merge",
    "merge_evals": "bookbuilder.evals.table",
    "observations": "bookbuilder.tally.observations",
    "openings_of": "bookbuilder.games.openings",
    "parse_engine": "bookbuilder.engine.drivers.spec",
    "preset": "bookbuilder.selection.options",
    "run_match": "bookbuilder.engine.match.match",
    "open_book": "bookbuilder.book.open",
    "select": "bookbuilder.selection.select",
    "store_parts": "bookbuilder.tally.store.layout",
    "table_stats": "bookbuilder.engine.endgames",
    "imitate": "bookbuilder.analysis.imitation",
    "threshold_curve": "bookbuilder.analysis.threshold",
    "repair_book": "bookbuilder.book.edits",
    "undo_edit": "bookbuilder.book.edits",
    "wilson_bounds": "bookbuilder.ratios",
    "write_book": "bookbuilder.book.build",
    "write_moves": "bookbuilder.book.formats.registry",
}
_MODULES: Final = {
    "errors": "bookbuilder.errors",
    "plots": "bookbuilder.analysis.plots",
    "schema": "bookbuilder.schema",
}

require_processor()


def _require_equal_versions() -> None:
    """Refuse a core that was installed from another version of this source."""
    try:
        installed = import_module("bookbuilder._core").CORE_VERSION
    except ImportError:
        return  # what first needs the core names what is wrong with it, and `doctor` does
    if installed != __version__:
        raise ImportError(
            f"the source in {__path__[0]} is version {__version__}, but the installed core is version "
            f"{installed}. Run: pip install ."
        )


if len(__path__) > 1:
    _require_equal_versions()


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOMES:
        raise AttributeError(f'module "bookbuilder" has no name "{name}"')
    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
