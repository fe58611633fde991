"""The local explorer: stores and books in, a page and its answers over HTTP out.

| file | step |
|---|---|
| `app` | the routes, put together |
| `guard` | who may ask: Host, Origin, token, sizes; headers of every answer |
| `sources` | what is served: stores and books that are open |
| `query` | parameters of a request → source, position, selection |
| `facts` | a source and a position → its moves, each with counts and verdict |
| `samples`, `archive_game` | fingerprints → games of a store; a game → its text and moves, from the archive |
| `engine_line` | a position → lines of the bundled engine, as long as somebody listens |
| `answer` | values → JSON; errors → one sentence and a status |
| `api/` | the native answers, one file for each group of routes |
| `compat/` | answers in the shape of other explorers |
| `openapi.json` | the native routes, as clients read them; a test compares it with what is served |
| `web/` | the page: plain files, no build step, nothing from another host |

Everything is read-only unless the server was started for writing, and then only the entries of books change.
"""

from __future__ import annotations

__all__: list[str] = []
