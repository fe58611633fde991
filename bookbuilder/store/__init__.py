"""The tally store: a directory that holds one tally on disk.

```
manifest.json                   what the store holds; the last file written, by rename
part-00000-<digest>.parquet     TALLY rows of one key range, sorted; ranges ascend with the number
games-00000-<digest>.parquet    GAMES rows
.tmp-work/                      a run that is under way or was broken off: its plan, run files, finished parts
```

| file | step |
|---|---|
| `layout` | the manifest, names of files, who may write |
| `counting` | archives → run files; what run files say of their sources |
| `work` | a run over archives: its plan, what a broken-off one left, and the store it ends with |
| `reduce` | run files and parts → parts, one range of keys each, published together |
| `reading` | a store that is open: rows of a position, columns, whole tables |
| `upkeep` | info, verify, compact, merge, remove-source, subtract |

The same archives give the same files, byte for byte, whatever the split, the order, the threads and the
memory, with one version of bookbuilder.
"""

from __future__ import annotations

from bookbuilder.store.counting import (
    Stretch,
    ToldRun,
    rejects_of,
    report_of_runs,
    require_unchanged,
    spill,
    take_figures,
    take_runs,
)
from bookbuilder.store.layout import (
    MANIFEST,
    WORK,
    Manifest,
    is_store,
    json_text,
    locked,
    read_manifest,
    remove_leftovers,
    require_place,
    sync_directory,
)
from bookbuilder.store.reading import OpenStore, TallyRow, TemporaryStore, write_store
from bookbuilder.store.reduce import (
    MOST_RUNS,
    Inputs,
    as_run_inputs,
    bits_for,
    count_range,
    key_range,
    letters,
    manifest_of,
    part_name,
    reduce_games,
    reduce_range,
    sample_range,
)
from bookbuilder.store.upkeep import Finding, compact, merge_stores, remove_sources, verify
from bookbuilder.store.work import Addition, count_repeats, grow

__all__ = [
    "MANIFEST",
    "MOST_RUNS",
    "WORK",
    "Addition",
    "Finding",
    "Inputs",
    "Manifest",
    "OpenStore",
    "Stretch",
    "TallyRow",
    "TemporaryStore",
    "ToldRun",
    "as_run_inputs",
    "bits_for",
    "compact",
    "count_range",
    "count_repeats",
    "grow",
    "is_store",
    "json_text",
    "key_range",
    "letters",
    "locked",
    "manifest_of",
    "merge_stores",
    "part_name",
    "read_manifest",
    "reduce_games",
    "reduce_range",
    "rejects_of",
    "remove_leftovers",
    "remove_sources",
    "report_of_runs",
    "require_place",
    "require_unchanged",
    "sample_range",
    "spill",
    "sync_directory",
    "take_figures",
    "take_runs",
    "verify",
    "write_store",
]
