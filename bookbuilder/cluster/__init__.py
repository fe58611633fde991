"""One tally on many machines: the store that `grow` makes in one process, made by tasks of a Dask cluster.

```
archives ─► look ─► plan ─► count ─► run files ─► reduce ─► parts ─► manifest
            task           task     on storage    task     on storage
```

| file | step |
|---|---|
| `places` | directories that all machines see, and storage behind URLs: names in, local files out |
| `inputs` | INPUT words → archives, on disk or behind URLs |
| `plan` | archives → stretches of about equal work, in order |
| `tasks` | what a worker does: look, count a stretch, merge runs, reduce a range |
| `crew` | the cluster: functions and arguments in, answers out, in order |
| `preload` | what worker processes of this machine do first |
| `growth` | the whole run, from the plan to the manifest |

Dask is the scheduler, storage is the shuffle: answers of tasks are small values. A task writes files whose
names and content only depend on the plan, a note last; so each can be repeated, and what a worker that was
killed leaves changes nothing.
"""

from __future__ import annotations

from bookbuilder.cluster.growth import TASK_BYTES, grow_on_cluster, require_cluster_options
from bookbuilder.cluster.inputs import Archive, find_everywhere
from bookbuilder.cluster.places import is_url, plain_path

__all__ = [
    "TASK_BYTES",
    "Archive",
    "find_everywhere",
    "grow_on_cluster",
    "is_url",
    "plain_path",
    "require_cluster_options",
]
