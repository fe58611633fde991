"""Typed keyword arguments equal the options that are declared, and wrong names get a hint."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

import bookbuilder as bb
from bookbuilder.archives.filters import FilterArguments, GameFilter
from bookbuilder.selection.options import SelectArguments, SelectionOptions
from bookbuilder.tally.options import CountArguments, LimitArguments, RunLimits, TallyOptions

TYPED = [
    (FilterArguments, GameFilter, ()),
    (LimitArguments, RunLimits, ()),
    (SelectArguments, SelectionOptions, ()),
    (CountArguments, TallyOptions, ("game",)),
]


@pytest.mark.parametrize(("typed", "declared", "without"), TYPED)
def test_arguments_are_the_fields_that_are_declared(
    typed: Any, declared: Any, without: tuple[str, ...]
) -> None:
    own = {name: kind.__forward_arg__ for name, kind in typed.__annotations__.items()}
    more = {*FilterArguments.__annotations__, *LimitArguments.__annotations__}
    inherited = more if typed is CountArguments else set()
    kinds = {each.name: str(each.type) for each in fields(declared) if each.name not in without}
    assert own.keys() - inherited == kinds.keys()
    for name, kind in kinds.items():
        expected = {"tuple[str, ...]": "str | Sequence[str]", "tuple[Facet, ...]": "Sequence[Facet]"}
        assert own[name] == expected.get(kind, kind), name


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bb.build("a.pgn", "a.bin", min_elo=2400), "min_elo; did you mean min_rating?"),  # type: ignore[call-arg]
        (lambda: bb.observations(*bb.demo(), max_plies=4), "unknown option max_plies; did you mean max_ply?"),  # type: ignore[call-arg]
        (lambda: bb.Tally.from_archives(*bb.demo(), thread=2), "thread; expected one of check,"),  # type: ignore[call-arg]
        (lambda: bb.preset("engine", margins=1), "did you mean margin?"),  # type: ignore[call-arg]
        (
            lambda: bb.select(bb.Tally.from_archives(*bb.demo(), limit=2), min_game=1),
            "did you mean min_games?",
        ),  # type: ignore[call-arg]
    ],
)
def test_wrong_name_gets_a_hint(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize("call", [bb.select, bb.coverage, bb.Tally.open, bb.open_book, bb.Evals.read])
def test_argument_of_another_class_is_refused(call: Callable[[Any], object]) -> None:
    with pytest.raises(bb.errors.OptionError, match=r"found object, expected (the \w+ of|a path)"):
        call(object())


@pytest.mark.parametrize("call", [bb.build, bb.observations, bb.Tally.from_archives, bb.select, bb.preset])
def test_signatures_list_the_options(call: Callable[..., object]) -> None:
    parameters = inspect.signature(call).parameters
    assert ("min_games" in parameters) or ("min_rating" in parameters)
    assert all(each.kind is not inspect.Parameter.VAR_KEYWORD for each in parameters.values())
