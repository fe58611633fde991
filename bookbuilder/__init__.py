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
    from bookbuilder import errors as errors
    from bookbuilder import schema as schema
    from bookbuilder._core import Position as Position
    from bookbuilder.analysis import plots as plots
    from bookbuilder.analysis.calibration import calibrate as calibrate
    from bookbuilder.analysis.coverage import coverage as coverage
    from bookbuilder.analysis.imitation import imitate as imitate
    from bookbuilder.analysis.threshold import threshold_curve as threshold_curve
    from bookbuilder.analysis.tuner import Tuner as Tuner
    from bookbuilder.archives.demo import demo as demo
    from bookbuilder.archives.filters import GameFilter as GameFilter
    from bookbuilder.book.book import Book as Book
    from bookbuilder.book.build import build as build
    from bookbuilder.book.build import write_book as write_book
    from bookbuilder.book.edits import Edit as Edit
    from bookbuilder.book.edits import edit_book as edit_book
    from bookbuilder.book.edits import repair_book as repair_book
    from bookbuilder.book.edits import undo_edit as undo_edit
    from bookbuilder.book.formats.moves import MoveBook as MoveBook
    from bookbuilder.book.formats.registry import Written as Written
    from bookbuilder.book.formats.registry import convert as convert
    from bookbuilder.book.formats.registry import write_moves as write_moves
    from bookbuilder.book.merge import diff_books as diff_books
    from bookbuilder.book.merge import merge_books as merge_books
    from bookbuilder.book.open import open_book as open_book
    from bookbuilder.engine.check import BookCheck as BookCheck
    from bookbuilder.engine.check import check_book as check_book
    from bookbuilder.engine.drivers.spec import ThinkLimit as ThinkLimit
    from bookbuilder.engine.drivers.spec import parse_engine as parse_engine
    from bookbuilder.engine.endgames import Endgames as Endgames
    from bookbuilder.engine.endgames import build_tables as build_tables
    from bookbuilder.engine.endgames import table_stats as table_stats
    from bookbuilder.engine.engine import Engine as Engine
    from bookbuilder.engine.evaluate.evaluate import evaluate_tally as evaluate_tally
    from bookbuilder.engine.match.match import run_match as run_match
    from bookbuilder.engine.match.standing import MatchOptions as MatchOptions
    from bookbuilder.engine.match.standing import Standing as Standing
    from bookbuilder.errors import BookBuilderError as BookBuilderError
    from bookbuilder.evals.table import Evals as Evals
    from bookbuilder.evals.table import merge_evals as merge_evals
    from bookbuilder.games.line import format_line as format_line
    from bookbuilder.games.openings import openings_of as openings_of
    from bookbuilder.games.position import as_board as as_board
    from bookbuilder.games.position import as_position as as_position
    from bookbuilder.games.ruling import Judgement as Judgement
    from bookbuilder.games.ruling import judge as judge
    from bookbuilder.ratios import wilson_bounds as wilson_bounds
    from bookbuilder.selection.by_hand import MoveEdit as MoveEdit
    from bookbuilder.selection.by_hand import MoveEdits as MoveEdits
    from bookbuilder.selection.explain import explain as explain
    from bookbuilder.selection.options import SelectionOptions as SelectionOptions
    from bookbuilder.selection.options import preset as preset
    from bookbuilder.selection.select import Selection as Selection
    from bookbuilder.selection.select import select as select
    from bookbuilder.tally.observations import Observations as Observations
    from bookbuilder.tally.observations import observations as observations
    from bookbuilder.tally.report import TallyReport as TallyReport
    from bookbuilder.tally.store.layout import store_parts as store_parts
    from bookbuilder.tally.tally import Tally as Tally

__version__: Final = "0.1.0"

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

__all__ = sorted((*_HOMES, *_MODULES))  # type checkers read the imports above

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
