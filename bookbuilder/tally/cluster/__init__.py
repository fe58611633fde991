"""Count on many machines: tasks of a Dask cluster write the store that `grow` writes in one process.

```
archives ─► look ─► plan ─► count ─► run files ─► reduce ─► parts ─► manifest
            task           task     on storage    task     on storage
```

| file | step |
|---|---|
| `storage` | directories that all machines see, storage behind URLs, and archives in them |
| `plan` | archives → stretches of about equal work, in order |
| `tasks` | the tasks of workers: look, count a stretch, merge runs, reduce a range |
| `client` | the workers: run a task for each of many arguments |
| `run` | the whole run, from the plan to the manifest |

Dask only schedules; data goes through storage, and results of tasks are small values. The names and the
content of a task's files only depend on the plan. So each task can be repeated, and files of a killed
worker do no harm.
"""

from __future__ import annotations
