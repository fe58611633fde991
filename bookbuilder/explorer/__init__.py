"""The local explorer: serves stores and books over HTTP, as a page and as JSON.

| file | step |
|---|---|
| `app` | the application; where each answer is made |
| `endpoints` | the routes in one table, from which `/openapi.json` is generated |
| `guard` | checks of requests: Host, Origin, token, sizes; headers of answers |
| `sources` | the open stores and books |
| `query` | parameters of a request → source, position, selection |
| `facts` | a source and a position → its moves, each with counts and verdict |
| `answer` | values → JSON; errors → a message and a status |
| `api/` | the native answers, one file for each group of routes |
| `lichess` | answers in the shape of lichess's explorer |
| `web/` | the page: plain files, no build step, nothing from another host |

Everything is read-only unless the server was started with `--write`.
"""

from __future__ import annotations
