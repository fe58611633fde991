"""The options of counting are declared once: the command line and the core follow the declaration."""

from __future__ import annotations

from dataclasses import fields

import pytest

from bookbuilder import _core
from bookbuilder.archives.filters import GameFilter
from bookbuilder.cli.options.counting import Counting
from bookbuilder.schema import TALLY
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.rows import TallyRow


def test_the_command_line_follows_the_declaration() -> None:
    declared = {
        each.name: each.default
        for kind in (TallyOptions, GameFilter)
        for each in fields(kind)
        if each.name not in ("game", "filters", "facets")
    }
    offered = {each.name: each.default for each in fields(Counting) if each.name not in ("game", "side")}
    assert len(offered) > 10
    assert offered == {name: None if declared[name] == () else declared[name] for name in offered}


@pytest.mark.parametrize("name", [each.name for each in fields(TallyOptions)])
def test_the_core_reads_every_option(name: str, tmp_path) -> None:
    options = TallyOptions(game="chess")
    missing = type("Missing", (), {each.name: getattr(options, each.name) for each in fields(options)})
    delattr(missing, name)
    with pytest.raises((AttributeError, TypeError), match=name):
        _core.count_archives([str(tmp_path / "none.pgn")], missing(), RunLimits())  # type: ignore[arg-type]


def test_rows_have_the_columns_of_tally() -> None:
    assert TallyRow._fields == tuple(TALLY.names) == tuple(name for name, *_ in _core.TALLY_COLUMNS)
