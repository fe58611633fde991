"""Build opening books for chess and xiangqi from archives of games.

```python
import bookbuilder as bb

tally = bb.Tally.from_archives("games.pgn.zst", max_ply=40)
curve = bb.threshold_curve(tally, min_games=[1, 5, 20])
chosen = bb.select(tally, min_win_rate="0.55", min_games=5)
book = bb.Book.write("my.book", chosen)
```

The folders, in the order of the flow: `archives` finds and filters games, `tally` counts their moves,
`selection` chooses moves, `book` writes them. `analysis` studies thresholds and books, `engine` plays,
`explorer` serves pages, and `cli` has the commands. `games` knows the positions of both games, and the native
core `_core` has their rules.

Each public name is imported on first use, so that `bookbuilder --help` does not wait for pandas or pyarrow.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bookbuilder import errors, schema
    from bookbuilder._core import Position
    from bookbuilder.analysis import plots
    from bookbuilder.analysis.threshold import threshold_curve
    from bookbuilder.analysis.tuner import Tuner
    from bookbuilder.archives.filters import GameFilter
    from bookbuilder.book.book import Book
    from bookbuilder.engine.endgames import Endgames
    from bookbuilder.engine.engine import Engine
    from bookbuilder.errors import BookBuilderError
    from bookbuilder.games.position import as_position
    from bookbuilder.games.ruling import Judgement, judge
    from bookbuilder.selection.select import Selection, select
    from bookbuilder.tally.report import TallyReport
    from bookbuilder.tally.tally import Tally

__all__ = [
    "Book",
    "BookBuilderError",
    "Endgames",
    "Engine",
    "GameFilter",
    "Judgement",
    "Position",
    "Selection",
    "Tally",
    "TallyReport",
    "Tuner",
    "as_position",
    "errors",
    "judge",
    "plots",
    "schema",
    "select",
    "threshold_curve",
]

_HOMES: Final = {
    "Book": "bookbuilder.book.book",
    "BookBuilderError": "bookbuilder.errors",
    "Endgames": "bookbuilder.engine.endgames",
    "Engine": "bookbuilder.engine.engine",
    "GameFilter": "bookbuilder.archives.filters",
    "Judgement": "bookbuilder.games.ruling",
    "Position": "bookbuilder._core",
    "Selection": "bookbuilder.selection.select",
    "Tally": "bookbuilder.tally.tally",
    "TallyReport": "bookbuilder.tally.report",
    "Tuner": "bookbuilder.analysis.tuner",
    "as_position": "bookbuilder.games.position",
    "judge": "bookbuilder.games.ruling",
    "select": "bookbuilder.selection.select",
    "threshold_curve": "bookbuilder.analysis.threshold",
}
_MODULES: Final = {
    "errors": "bookbuilder.errors",
    "plots": "bookbuilder.analysis.plots",
    "schema": "bookbuilder.schema",
}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name == "__version__":
        return import_module("bookbuilder._core").CORE_VERSION
    if name not in _HOMES:
        raise AttributeError(f'module "bookbuilder" has no name "{name}"')
    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
