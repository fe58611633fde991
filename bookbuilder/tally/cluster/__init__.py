"""One tally on many machines: the store that `grow` makes in one process, made by tasks of a Dask cluster.

```
archives ─► look ─► plan ─► count ─► run files ─► reduce ─► parts ─► manifest
            task           task     on storage    task     on storage
```

| file | step |
|---|---|
| `storage` | directories that all machines see, and storage behind URLs: names in, local files out |
| `inputs` | INPUT words → archives, on disk or behind URLs |
| `plan` | archives → stretches of about equal work, in order |
| `tasks` | what a worker does: look, count a stretch, merge runs, reduce a range |
| `client` | the cluster: functions and arguments in, answers out, in order |
| `preload` | what worker processes of this machine do first |
| `run` | the whole run, from the plan to the manifest |

Dask is the scheduler, storage is the shuffle: answers of tasks are small values. A task writes files whose
names and content only depend on the plan, a note last; so each can be repeated, and what a worker that was
killed leaves changes nothing.
"""

from __future__ import annotations

__all__: list[str] = []
