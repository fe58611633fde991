"""The limit of memory holds for a real collection that does not fit into it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.measured import Measured, measured

LIMIT_MIB = 320


@pytest.mark.slow
@pytest.mark.corpus
def test_tally_stays_within_its_memory(players_archive: Path, tmp_path: Path) -> None:
    """All plies of 184,344 games: twice as many counts as the limit has room for."""

    def counted(store: str, mib: int) -> Measured:
        words = (
            "tally",
            players_archive,
            "-o",
            tmp_path / store,
            "--memory",
            f"{mib}MiB",
            "-j",
            2,
            "--quiet",
        )
        ran = measured(*words, report=tmp_path / "report")
        assert ran.code == 0, ran.err
        return ran

    assert counted("within", LIMIT_MIB).peak_mib < LIMIT_MIB < counted("whole", 2048).peak_mib
    within, whole = tmp_path / "within", tmp_path / "whole"
    assert {path.name: path.read_bytes() for path in within.iterdir()} == {
        path.name: path.read_bytes() for path in whole.iterdir()
    }
