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
| `spill` | archives → run files; what run files say of their sources |
| `grow` | a run over archives: its plan, what a broken-off one left, and the store it ends with |
| `reduce` | run files and parts → parts, one range of keys each, published together |
| `reading` | a store that is open: rows of a position, columns, whole tables |
| `upkeep` | info, verify, compact, merge, remove-source, subtract |

The same archives give the same files, byte for byte, whatever the split, the order, the threads and the
memory, with one version of bookbuilder.
"""

from __future__ import annotations

__all__: list[str] = []
