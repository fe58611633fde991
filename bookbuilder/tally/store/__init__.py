"""The tally store: a directory with one tally.

```
manifest.json                   the description of the store; the last file written, by rename
part-00000-<digest>.parquet     TALLY rows of one key range, sorted; ranges ascend with the number
games-00000-<digest>.parquet    GAMES rows
.tmp-work/                      a current or interrupted run: its plan, run files, finished parts
```

| file | step |
|---|---|
| `layout` | the manifest, names of files, the lock |
| `grow` | a run: its plan, archives → runs, report, and resuming an interrupted run |
| `reduce` | runs and parts → parts, one range of keys each, published together |
| `reading` | an open store: rows of a position, columns and whole tables |
| `upkeep` | write tables as a store; verify, merge, remove sources |

The same archives give the same files, byte for byte, whatever the split, the order, the threads and the
memory, with one version of bookbuilder.
"""

from __future__ import annotations
