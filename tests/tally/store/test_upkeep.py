"""Stores as a whole: merged, with sources taken out, verified."""

from __future__ import annotations

import json
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.cli_runner import run
from support.stores import files

from bookbuilder import Tally
from bookbuilder.archives.find import find_archives
from bookbuilder.archives.sources import Source
from bookbuilder.errors import OptionError, OutputExistsError, StoreError
from bookbuilder.schema import TALLY
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.store import layout
from bookbuilder.tally.store.grow import grow
from bookbuilder.tally.store.layout import MANIFEST, read_manifest
from bookbuilder.tally.store.upkeep import Finding, merge_stores, remove_sources, verify

OPTIONS = TallyOptions(game="chess")
HOW = RunLimits(jobs=1)


@pytest.fixture(scope="module")
def archives(data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four archives, cut from those in `data/`."""
    folder = tmp_path_factory.mktemp("archives")
    games = (data / "chess_selfplay.pgn").read_text(encoding="utf-8").split("[Event ")[1:]
    for number in range(4):
        piece = "".join("[Event " + game for game in games[number * 60 : number * 60 + 60])
        (folder / f"{number}.pgn").write_text(piece, encoding="utf-8")
    return find_archives([folder])


def store_of(path: Path, archives: list[Path], options: TallyOptions = OPTIONS) -> Path:
    grow(path, archives, options, HOW)
    return path


def test_stores_that_share_an_archive_merge_to_the_set_of_archives(archives, tmp_path) -> None:
    a, b = store_of(tmp_path / "a", archives[:3]), store_of(tmp_path / "b", archives[2:])
    report = merge_stores([a, b], tmp_path / "ab", HOW)
    assert len(report.sources) == 4
    assert files(tmp_path / "ab") == files(store_of(tmp_path / "whole", archives))


@pytest.mark.parametrize("dedupe", ["exact", "prefix"])
def test_merging_deduplicated_stores_deduplicates(archives, tmp_path, dedupe) -> None:
    options = TallyOptions(game="chess", dedupe=dedupe)
    copy = tmp_path / "copy.pgn"
    copy.write_text(archives[0].read_text() + archives[1].read_text())
    a, b = store_of(tmp_path / "a", archives, options), store_of(tmp_path / "b", [copy], options)
    merge_stores([a, b], tmp_path / "ab", HOW)
    assert files(tmp_path / "ab") == files(store_of(tmp_path / "whole", [*archives, copy], options))


def test_removing_sources_leaves_the_tally_of_the_rest(archives, tmp_path) -> None:
    store = store_of(tmp_path / "a", archives)
    rest = files(store_of(tmp_path / "rest", [archives[0], *archives[2:]]))
    gone = [source for source in read_manifest(store).sources if source.source == str(archives[1])]
    before = files(store)
    remove_sources(store, gone, HOW, output=tmp_path / "b")
    assert (files(tmp_path / "b"), files(store)) == (rest, before)
    remove_sources(store, gone, HOW)
    assert files(store) == rest
    with pytest.raises(OptionError, match="does not hold"):
        remove_sources(store, gone, HOW)
    with pytest.raises(OptionError, match="nothing would remain"):
        remove_sources(store, read_manifest(store).sources, HOW)


def test_archives_to_read_again_must_be_unchanged(data, tmp_path) -> None:
    paths = [tmp_path / "1.pgn", tmp_path / "2.pgn"]
    for path in paths:
        path.write_text((data / "historic.pgn").read_text() + f'[Event "{path.stem}"]\n\n1. e4 *\n\n')
    store = store_of(tmp_path / "a", paths)
    before = files(store)
    gone = read_manifest(store).sources[:1]
    paths[1].write_text("other")
    with pytest.raises(StoreError, match=r"2\.pgn: must be read again .*, but it has changed"):
        remove_sources(store, gone, HOW)
    paths[1].unlink()
    with pytest.raises(StoreError, match=r"2\.pgn: must be read again"):
        remove_sources(store, gone, HOW)
    assert files(store) == before


def faults(store: Path) -> list[Finding]:
    return [finding for finding in verify(store) if finding.fault]


def test_verify_finds_damage(archives, tmp_path) -> None:
    store = store_of(tmp_path / "a", archives)
    assert faults(store) == []
    where = store / MANIFEST
    text = where.read_text()
    for name, value, expected in (
        ("games", 1, "add up to other numbers"),
        ("first_key", f"0x{1:016x}", "the manifest says otherwise"),
        ("blake3", "00", "its digest is"),
    ):
        manifest = json.loads(text)
        manifest["parts"][0][name] = value
        manifest["digest"] = layout._digest(manifest)
        where.write_text(json.dumps(manifest))
        assert [expected in finding.fault for finding in faults(store)] == [True]
    manifest = json.loads(text)
    manifest["sources"][0]["games"] += 1
    manifest["digest"] = layout._digest(manifest)
    where.write_text(json.dumps(manifest))
    assert [finding.file for finding in faults(store)] == [MANIFEST]
    where.write_text(text)
    for kind in ("part", "games"):
        part = next(store.glob(f"{kind}-*"))
        good = part.read_bytes()
        part.write_bytes(good[:500] + bytes([good[500] ^ 1]) + good[501:])
        assert [finding.file for finding in faults(store)] == [part.name]
        part.write_bytes(good)
    stray = store / "part-00000-0123456789abcdef.parquet"
    stray.write_bytes(good)
    assert [(finding.file, "not named" in finding.fault) for finding in faults(store)] == [(stray.name, True)]
    assert stray not in layout.store_parts(store)
    assert grow(store, archives, OPTIONS, HOW).games_read == 0
    assert faults(store) == []
    assert not stray.exists()


@pytest.mark.parametrize("count", [2, 3])
def test_merged_parts_are_the_whole_store(archives, tmp_path, count) -> None:
    parts = [tmp_path / str(number) for number in range(count)]
    whole, merged = tmp_path / "whole", tmp_path / "merged"
    for number, store in [*enumerate(parts, start=1), (1, parts[0])]:  # the first part runs again
        assert run("tally", *archives, "-o", store, "--part", f"{number}/{count}").code == 0
    assert run("tally", *archives, "-o", whole).code == 0
    ran = run("tally", "merge", *parts, "-o", merged)
    assert (ran.code, "no archive was read" in ran.err) == (0, True)
    assert files(merged) == files(whole)


def test_merge_refuses_other_options_and_existing_stores(archives, tmp_path) -> None:
    a, b = store_of(tmp_path / "a", archives[:1]), store_of(tmp_path / "b", archives[1:])
    other = store_of(tmp_path / "c", archives[1:], TallyOptions(game="chess", max_ply=9))
    with pytest.raises(StoreError, match="c: was counted with other options: --max-ply none against 9"):
        merge_stores([a, other], tmp_path / "d", HOW)
    assert not (tmp_path / "d").exists()
    with pytest.raises(OutputExistsError):
        merge_stores([a, b], other, HOW)
    with pytest.raises(OptionError, match="is one of the stores"):
        merge_stores([a, b], a, HOW, force=True)


@pytest.mark.parametrize("part", ["0/2", "3/2", "1", "a/b", "90/99"])
def test_strange_parts_are_refused(archives, tmp_path, part) -> None:
    ran = run("tally", archives[0], "-o", tmp_path / "a", "--part", part)
    assert (ran.code, "--part" in ran.err) == (2, True)


# Laws, over tables of few positions so that rows meet.

COUNTS = ("games", "first_wins", "draws", "second_wins", "rating_sum", "rated", "paired", "surplus")
ROW = st.fixed_dictionaries(
    {
        "key": st.sampled_from([0, 1, 2**40, 2**58 - 1, 2**58, 2**63, 2**64 - 1]),
        "lock": st.integers(0, 1),
        "move": st.integers(0, 2),
        "mover": st.just(0),
        **{name: st.integers(0, 9) for name in COUNTS},
        "ply": st.integers(0, 60),
        "year_min": st.just(0),
        "year_max": st.integers(0, 2030),
        "marks": st.integers(-9, 9),
        "sample": st.integers(0, 2**64 - 1),
        "sample_rating": st.integers(0, 2),
    }
)


def tally_of(rows: list[dict[str, int]], number: int) -> Tally:
    unique = {(row["key"], row["lock"], row["move"]): row for row in rows}
    table = pa.Table.from_pylist([unique[identity] for identity in sorted(unique)], schema=TALLY)
    return Tally(
        table, OPTIONS, sources=[Source(source=f"{number}.pgn", size=number, blake3=f"{number:064x}")]
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables=st.lists(st.lists(ROW, max_size=12), min_size=3, max_size=3), data=st.data())
def test_stores_add_up_in_any_order_and_grouping(tables, data, tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("laws")
    tallies = [tally_of(rows, number) for number, rows in enumerate(tables)]
    whole = reduce(add, tallies)
    paths = [tally.save(folder / str(number)) for number, tally in enumerate(tallies)]
    for path, tally in zip(paths, tallies, strict=True):
        assert Tally.open(path) == tally, "what is written is what is read"
    one, two, three = data.draw(st.permutations(paths))
    merge_stores([one, two], folder / "pair", HOW)
    merge_stores([three, folder / "pair"], folder / "grouped", HOW)
    merge_stores([one, two, three], folder / "flat", HOW)
    whole.save(folder / "whole")
    assert files(folder / "grouped") == files(folder / "flat") == files(folder / "whole")
    assert np.array_equal(Tally.open(folder / "flat").column("games"), whole.column("games"))
