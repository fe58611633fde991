"""Arguments: names for editors, a hint for a wrong name, and a refusal of a wrong number or type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from inspect import Parameter, signature
from numbers import Integral
from types import UnionType
from typing import Any, Final, TypeVar

from bookbuilder.errors import OptionError

_F = TypeVar("_F", bound=Callable[..., Any])

_OTHER_WORDS: Final = {
    "elo": "rating",
    "plies": "ply",
    "threads": "jobs",
    "n": "games",
    "winrate": "win_rate",
}
"""Words that other programs use in the names of options, and ours."""


def spelled_out(declared: type) -> Callable[[_F], _F]:
    """Return a decorator that lists the keywords of a typed dictionary in the signature of a function.

    Editors and notebooks complete them.

    Example:
        >>> import inspect, bookbuilder as bb
        >>> "min_rating" in inspect.signature(bb.build).parameters
        True
    """
    more = [
        Parameter(
            name, Parameter.KEYWORD_ONLY, default=..., annotation=getattr(kind, "__forward_arg__", kind)
        )
        for name, kind in declared.__annotations__.items()
    ]

    def listed(function: _F) -> _F:
        plain = signature(function)
        own = [each for each in plain.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        known = {each.name for each in own}
        whole = plain.replace(parameters=[*own, *(each for each in more if each.name not in known)])
        function.__signature__ = whole  # type: ignore[attr-defined]
        return function

    return listed


def require_known(given: Iterable[str], known: Collection[str]) -> None:
    """Refuse a keyword that is not the name of an option.

    Raises:
        TypeError: a name is unknown; the message names the nearest known one.

    Example:
        >>> require_known(["min_elo"], ["min_games", "min_rating"])
        Traceback (most recent call last):
        ...
        TypeError: unknown option min_elo; did you mean min_rating?
    """
    for name in given:
        if name not in known:
            from difflib import get_close_matches

            ours = "_".join(_OTHER_WORDS.get(word, word) for word in name.lower().split("_"))
            near = [ours] if ours in known else get_close_matches(ours, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(sorted(known))}"
            raise TypeError(f"unknown option {name}; {hint}")


_MAKERS: Final = {
    "Evals": "Evals.read or evaluate_tally",
    "MoveBook": "MoveBook.from_selection",
    "PlayableBook": "open_book",
    "Selection": "select",
    "SelectionOptions": "preset",
    "Table": "Selection.to_arrow",
    "Tally": "Tally.open or Tally.from_archives",
}


def require_kind(function: str, value: object, kind: type | UnionType) -> None:
    """Refuse an argument of another class, such as a path in place of a tally. A union of kinds means a path.

    Raises:
        OptionError: it is one.

    Example:
        >>> bb.select("games.store")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.OptionError: select: found str, expected the Tally of Tally.open or ...
    """
    if not isinstance(value, kind):
        expected = f"the {kind.__name__} of {_MAKERS[kind.__name__]}" if isinstance(kind, type) else "a path"
        raise OptionError(f"{function}: found {type(value).__name__}, expected {expected}")


def as_integer(name: str, value: object, least: int, most: int | None = None) -> int | None:
    """Return the value of an option, for instance of numpy, as a whole number within its limits, or None.

    Raises:
        OptionError: it is not.

    Example:
        >>> as_integer("jobs", "4", 1)
        Traceback (most recent call last):
        ...
        bookbuilder.errors.OptionError: jobs is '4': expected a whole number
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise OptionError(f"{name} is {value!r}: expected a whole number")
    number = int(value)
    most = 2**63 - 1 if most is None else most
    if not least <= number <= most:
        bound = f"least {least}" if number < least else f"most {most}"
        raise OptionError(f"{name} is {number}: expected at {bound}")
    return number
