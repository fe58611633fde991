"""The declaration of an option of a selection: what it means and takes, and how it is offered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, get_args

from bookbuilder.errors import SelectionError

__all__ = ["Option", "declared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What an option means and takes, and how the command line and the explorer offer it.

    Attributes:
        kind: type in which a user writes a value: `str`, `int`, `bool` or a `Literal`.
        meaning: the meaning in one sentence.
        minimum: smallest number.
        maximum: largest number.
        parse: converts a value to the one that is stored, or raises SelectionError.
        unset: word that a user may write for None.
        flag: name on the command line, if it is offered there.
        query: name of the explorer's parameter, likewise.
        panel: group of options in the help of the command line.
        metavar: placeholder for the value in that help.
        shown: the default in that help.
        is_usual: whether the short help shows the option.
    """

    default: Any
    kind: Any
    meaning: str
    minimum: int | None = None
    maximum: int | None = None
    parse: Callable[[Any], Any] | None = None
    unset: str | None = None
    flag: str | None = None
    query: str | None = None
    panel: str | None = None
    metavar: str | None = None
    shown: str | None = None
    is_usual: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are allowed; empty = any value of `kind`."""
        choices = get_args(self.kind)
        return (*((self.unset,) if self.unset else ()), *choices) if choices else ()

    @property
    def can_be_unset(self) -> bool:
        """Whether None is a value."""
        return self.default is None or self.unset is not None

    def checked(self, name: str, value: Any) -> Any:  # noqa: ANN401 (any option's value)
        """Return a value of the option, which has this name, as it is stored.

        Raises:
            SelectionError: the value is not valid.
        """
        if self.can_be_unset and value in (None, self.unset):
            return None
        if self.words and value not in get_args(self.kind):
            known = [*(["None"] if self.can_be_unset else []), *get_args(self.kind)]
            raise SelectionError(f"{name} is {value}: expected {' or '.join(known)}")
        if self.kind is int and isinstance(value, str):
            value = self._number(name, value)
        if self.minimum is not None and value < self.minimum:
            raise SelectionError(f"{name} is {value}: expected at least {self.minimum}")
        if self.maximum is not None and value > self.maximum:
            raise SelectionError(f"{name} is {value}: expected at most {self.maximum}")
        try:
            return value if self.parse is None else self.parse(value)
        except SelectionError as error:
            # What is wrong stands behind the name that the parser gives the value.
            reason = str(error).partition(": ")[2] or str(error)
            raise SelectionError(f"{name} is {value}: {reason}") from error

    def _number(self, name: str, text: str) -> int:
        try:
            return int(text)
        except ValueError:
            expected = "a whole number" + (f" or {self.unset}" if self.unset else "")
            raise SelectionError(f"{name} is {text}: expected {expected}") from None


def declared(default: Any, kind: Any, meaning: str, **rest: Any) -> Any:  # noqa: ANN401 (fields of Option)
    """Return the field of a dataclass that an option declares."""
    option = Option(kind=kind, meaning=meaning, default=default, **rest)
    return field(default=default, metadata={"option": option})
