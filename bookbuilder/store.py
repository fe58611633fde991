"""The tally store: a directory that holds one tally on disk.

In come the TALLY and GAMES tables with what is known of them; out comes a directory, and back again.

```
manifest.json                 what the store holds; the last file written, by rename
part-000-<digest>.parquet     TALLY rows of one key range, sorted; ranges ascend with the number
games-000-<digest>.parquet    GAMES rows
```

Parts are named by number and content and written under temporary names first, so a killed run leaves the old
store or the new one: files that the manifest does not name are leftovers. A save that fails or is interrupted
removes its own; those of a killed process go with the next save. One process writes a store at a time. The
same tally gives the same files, byte for byte, with one version of pyarrow.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bookbuilder.errors import BookBuilderError, OutputExistsError, StoreError
from bookbuilder.runner import Source, TallyOptions
from bookbuilder.schema import GAMES, TALLY, check, completed, empty

__all__ = ["MANIFEST", "StoreContent", "is_store", "read_store", "require_place", "write_store"]

MANIFEST: Final = "manifest.json"
"""Name of the file that says what a store holds."""
_KIND: Final = "bookbuilder tally store"
_VERSION: Final = 2
"""Version of the manifest. Version 1 named sources by SHA-256."""
_OURS: Final = ("part-", "games-", ".tmp-")

# The column of a kind of part that is delta coded, and those of which each row has its own.
_CODING: Final = {"part": ("key", "lock"), "games": ("offset", "fingerprint", "line_hash", "moves")}

ROWS_PER_PART: Final = 1 << 22
"""Most TALLY rows that a part has if keys are spread evenly: about 45 MB on disk; chosen, not tuned."""
_ROWS_PER_GROUP: Final = 128 * 1024
_GAMES_PER_PART: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreContent:
    """What a store holds: both tables, the options they were made with, and the archives they came from."""

    rows: pa.Table
    games: pa.Table
    options: TallyOptions
    sources: tuple[Source, ...]


def is_store(path: str | os.PathLike[str]) -> bool:
    """Return whether the path is a directory with a manifest."""
    return Path(path, MANIFEST).is_file()


def require_place(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse a path that a store cannot be written to.

    Args:
        path: the directory, which need not exist.
        force: whether a store that is there may be replaced.

    Raises:
        OutputExistsError: there is a store and `force` is not given, the path is a file, or the directory
            holds other files than a store's.
    """
    directory = Path(path)
    if directory.exists() and not directory.is_dir():
        raise OutputExistsError(f"{directory}: is a file, expected a directory or nothing")
    if is_store(directory) and not force:
        raise OutputExistsError(f"{directory}: a tally store is there already; replacing it needs force")
    for entry in directory.iterdir() if directory.exists() else ():
        if entry.name != MANIFEST and not entry.name.startswith(_OURS):
            raise OutputExistsError(
                f"{directory}: holds {entry.name}, expected a tally store or an empty directory"
            )


def write_store(path: str | os.PathLike[str], content: StoreContent, *, force: bool = False) -> None:
    """Write a store whole or not at all.

    Args:
        path: the directory; made if it does not exist.
        content: what to write.
        force: whether a store that is there may be replaced.

    Raises:
        OutputExistsError: there is a store and `force` is not given, the path is a file, or the directory
            holds other files than a store's.
    """
    directory = Path(path)
    require_place(directory, force=force)
    is_new = not directory.exists()
    directory.mkdir(parents=True, exist_ok=True)
    try:
        _write_files(directory, content)
    finally:
        _remove_leftovers(directory)
        if is_new and not any(directory.iterdir()):
            directory.rmdir()


def read_store(path: str | os.PathLike[str]) -> StoreContent:
    """Return what a store holds.

    Raises:
        StoreError: there is no store, it is of a newer version, or a file of it is missing or damaged.
    """
    directory = Path(path)
    manifest = _read_manifest(directory)
    try:
        options = TallyOptions.from_json(manifest["options"])
        sources = tuple(Source(**source) for source in manifest["sources"])
        rows = _read_parts(directory, manifest["parts"], TALLY, manifest["rows"])
        games = _read_parts(directory, manifest["game_parts"], GAMES, manifest["games"])
    except (KeyError, TypeError) as error:
        raise StoreError(f"{directory / MANIFEST}: entry missing or of the wrong kind: {error}") from error
    return StoreContent(rows=rows, games=games, options=options, sources=sources)


def _write_files(directory: Path, content: StoreContent) -> None:
    parts = [_publish(directory, "part", i, rows) for i, rows in enumerate(_key_ranges(content.rows))]
    games = [
        _publish(directory, "games", i, content.games.slice(start, _GAMES_PER_PART))
        for i, start in enumerate(range(0, content.games.num_rows, _GAMES_PER_PART))
    ]
    manifest = {
        "kind": _KIND,
        "schema": _VERSION,
        "game": content.options.game,
        "options": content.options.to_json(),
        "rows": content.rows.num_rows,
        "games": content.games.num_rows,
        "sources": [asdict(source) for source in content.sources],
        "parts": parts,
        "game_parts": games,
    }
    temporary = directory / f".tmp-{os.getpid()}-{MANIFEST}"
    with temporary.open("w", encoding="utf-8") as stream:
        json.dump(manifest, stream, indent=1, ensure_ascii=False)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(directory / MANIFEST)
    _sync_directory(directory)


def _remove_leftovers(directory: Path) -> None:
    """Remove what the manifest does not name; all, if there is none; nothing, if it cannot be read."""
    named = set()
    if is_store(directory):
        try:
            manifest = _read_manifest(directory)
            named = {part["file"] for part in manifest["parts"] + manifest["game_parts"]}
        except (StoreError, KeyError, TypeError):
            return
    for leftover in directory.iterdir():
        if leftover.name not in named and leftover.name.startswith(_OURS):
            leftover.unlink()


def _key_ranges(rows: pa.Table) -> Iterator[pa.Table]:
    """Yield the rows by equal ranges of the key, empty ranges left out."""
    bits = max(0, (rows.num_rows - 1).bit_length() - (ROWS_PER_PART - 1).bit_length())
    keys = rows.column("key").to_numpy()
    # Python integers: a shift by 64 is undefined for numpy's.
    starts = np.array([i << (64 - bits) for i in range(1, 1 << bits)], dtype=np.uint64)
    for start, end in pairwise([0, *np.searchsorted(keys, starts).tolist(), rows.num_rows]):
        if start < end:
            yield rows.slice(start, end - start)


def _publish(directory: Path, kind: str, number: int, table: pa.Table) -> dict[str, Any]:
    """Write one part under its final name; return its line of the manifest."""
    from bookbuilder import _core

    temporary = directory / f".tmp-{os.getpid()}-{kind}-{number:03}"
    with temporary.open("w+b") as stream:
        # Keys ascend: delta coding takes them from 8 to under 6 bytes, the best of the codings measured. What
        # differs in each row gains nothing from a dictionary.
        delta = _CODING[kind][0]
        pq.write_table(
            table,
            stream,
            compression="zstd",
            compression_level=3,
            # The stub knows only a bool; pyarrow also takes the columns' names.
            use_dictionary=[  # type: ignore[arg-type]
                name for name in table.column_names if name not in _CODING[kind]
            ],
            column_encoding={delta: "DELTA_BINARY_PACKED"},
            row_group_size=_ROWS_PER_GROUP,
            write_page_checksum=True,
        )
        stream.flush()
        os.fsync(stream.fileno())
    size, digest = _core.file_digest(str(temporary))
    name = f"{kind}-{number:03}-{digest[:16]}.parquet"
    temporary.replace(directory / name)
    line: dict[str, Any] = {"file": name, "rows": table.num_rows, "bytes": size, "blake3": digest}
    if kind == "part":
        keys = table.column("key")
        line |= {"first_key": f"0x{keys[0].as_py():016x}", "last_key": f"0x{keys[-1].as_py():016x}"}
    return line


def _sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read_manifest(directory: Path) -> dict[str, Any]:
    where = directory / MANIFEST
    try:
        manifest = json.loads(where.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StoreError(f"{directory}: is no tally store, {MANIFEST} is missing") from error
    except OSError as error:
        raise StoreError(f"{where}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise StoreError(f"{where}: is no JSON: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("kind") != _KIND:
        raise StoreError(f'{where}: is of another kind, expected "kind": "{_KIND}"')
    if manifest.get("schema") != _VERSION:
        found = f"schema version {manifest.get('schema')}, expected {_VERSION}"
        raise StoreError(f"{where}: {found}; make the store again from its archives")
    return manifest


def _read_parts(directory: Path, parts: Sequence[dict[str, Any]], schema: pa.Schema, rows: int) -> pa.Table:
    tables = [empty(schema), *(_read_part(directory / part["file"], part, schema) for part in parts)]
    table = pa.concat_tables(tables)
    if table.num_rows != rows:
        raise StoreError(f"{directory}: parts hold {table.num_rows} rows, the manifest says {rows}")
    return table.combine_chunks()


def _read_part(where: Path, part: dict[str, Any], schema: pa.Schema) -> pa.Table:
    try:
        size = where.stat().st_size
        if size != part["bytes"]:
            raise StoreError(f"{where}: has {size} bytes, the manifest says {part['bytes']}")
        with pq.ParquetFile(where, page_checksum_verification=True) as file:
            return check(completed(file.read(), schema), schema)
    except BookBuilderError as error:
        raise StoreError(f"{where}: {error}") from error
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"{where}: is missing or damaged: {error}") from error
