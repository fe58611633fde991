"""Opening books from game archives, for chess and xiangqi: archives, tally, selection, book, search.

```python
import bookbuilder as bb

tally = bb.Tally.from_archives("games.pgn.zst", max_ply=40)
curve = bb.threshold_curve(tally, min_games=[1, 5, 20])
chosen = bb.select(tally, min_win_rate="0.55", min_games=5)
book = bb.Book.write("my.book", chosen)
```

Importing the package loads none of its parts: a name brings its module along when it is first used, so that
`bookbuilder --help` waits neither for pandas nor for pyarrow.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bookbuilder import errors, plots, schema
    from bookbuilder._core import Position
    from bookbuilder.book import Book
    from bookbuilder.endgame import Endgames
    from bookbuilder.engine import Engine
    from bookbuilder.errors import BookBuilderError
    from bookbuilder.filters import GameFilter
    from bookbuilder.games import as_position
    from bookbuilder.law import Judgement, judge
    from bookbuilder.runner import TallyReport
    from bookbuilder.selection import Selection, select
    from bookbuilder.tally import Tally
    from bookbuilder.threshold import threshold_curve
    from bookbuilder.tuner import Tuner

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
    "Book": "bookbuilder.book",
    "BookBuilderError": "bookbuilder.errors",
    "Endgames": "bookbuilder.endgame",
    "Engine": "bookbuilder.engine",
    "GameFilter": "bookbuilder.filters",
    "Judgement": "bookbuilder.law",
    "Position": "bookbuilder._core",
    "Selection": "bookbuilder.selection",
    "Tally": "bookbuilder.tally",
    "TallyReport": "bookbuilder.runner",
    "Tuner": "bookbuilder.tuner",
    "as_position": "bookbuilder.games",
    "judge": "bookbuilder.law",
    "select": "bookbuilder.selection",
    "threshold_curve": "bookbuilder.threshold",
}
_MODULES: Final = ("errors", "plots", "schema")


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"bookbuilder.{name}")
    if name == "__version__":
        return import_module("bookbuilder._core").CORE_VERSION
    if name not in _HOMES:
        raise AttributeError(f'module "bookbuilder" has no name "{name}"')
    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
