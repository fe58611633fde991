"""The log of a book that grows: what it reads back, what it repairs, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookbuilder.engine.grow.log import EXPANDED, MOVE, POSITION, Fact, GrowthLog, read_log
from bookbuilder.errors import EvalsError


def test_log_reads_what_it_wrote_and_repairs_its_end(tmp_path: Path) -> None:
    facts = [
        Fact(POSITION, score=-1000, best=65535),
        Fact(POSITION, 0, 0, 796, 0, 1000, 7, 0.25),
        Fact(MOVE, 0, 1, 3, 4_000_000_000, share=0.5),
        Fact(EXPANDED, owner=1, before=1),
    ]
    path = tmp_path / "a.growth"
    with GrowthLog(path, {"nodes": 1}) as log:
        assert list(log.facts()) == []
        log.append(*facts)
    whole = path.read_bytes()
    for cut in range(1, 24):
        path.write_bytes(whole[:-cut])
        with GrowthLog(path, {"nodes": 1}) as log:
            assert list(log.facts()) == facts[:-1]
            log.append(facts[-1])
        assert path.read_bytes() == whole
    for place in range(whole.index(b"\n") + 1, len(whole) - 24):
        changed = bytearray(whole)
        changed[place] ^= 0x10
        path.write_bytes(changed)
        with GrowthLog(path, {"nodes": 1}) as log, pytest.raises(EvalsError, match="damaged at byte"):
            list(log.facts())
        with pytest.raises(EvalsError, match="damaged at byte"):
            read_log(path)
    for place in range(whole.index(b"\n")):
        changed = bytearray(whole)
        changed[place] ^= 0x01
        path.write_bytes(changed)
        with pytest.raises(EvalsError, match="not the log|first line|another version"):
            read_log(path)
    path.write_bytes(whole)
    assert read_log(path) == ({"nodes": 1}, facts)
    with pytest.raises(EvalsError, match="another nodes"), GrowthLog(path, {"nodes": 2}):
        pass
    path.write_bytes(b"something else\n")
    with pytest.raises(EvalsError, match="is not the log"), GrowthLog(path, {"nodes": 1}):
        pass


def test_facts_in_another_order_or_of_another_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "chess.growth"
    facts = [Fact(POSITION, code=number) for number in range(100)]
    with GrowthLog(path, {"nodes": 1}) as log:
        log.append(*facts)
    content = path.read_bytes()
    begin = content.index(b"\n") + 1
    first, second = content[begin : begin + 24], content[begin + 24 : begin + 48]
    for changed in (
        content.replace(first + second, second + first),
        content.replace(second, first),
        content.replace(second, b""),
    ):
        path.write_bytes(changed)
        with pytest.raises(EvalsError, match="damaged at byte"):
            read_log(path)
    for version in (b"", b', "version": 3'):
        path.write_bytes(content.replace(b', "version": 2', version))
        with pytest.raises(EvalsError, match="another version"):
            read_log(path)


def test_facts_taken_back_are_written_again_alike(tmp_path: Path) -> None:
    path = tmp_path / "chess.growth"
    for kept in (1, 0):
        with GrowthLog(path, {"nodes": 1}) as log:
            list(log.facts())
            log.append(Fact(POSITION, code=1), Fact(POSITION, code=2))
            content = path.read_bytes()
            log.take_back(2 - kept)
            log.append(*[Fact(POSITION, code=number) for number in (1, 2)[kept:]])
            assert path.read_bytes() == content
        path.unlink()


def test_two_runs_do_not_write_one_log(tmp_path: Path) -> None:
    path = tmp_path / "a.growth"
    with GrowthLog(path, {"nodes": 1}) as log:
        log.append(Fact(POSITION))
        whole = path.read_bytes()
        with pytest.raises(EvalsError, match="another run is writing it"), GrowthLog(path, {"nodes": 1}):
            pass
        assert path.read_bytes() == whole
    with GrowthLog(path, {"nodes": 1}) as log:
        assert len(list(log.facts())) == 1
