"""The local explorer: serves stores and books over HTTP, as a page and as JSON.

| file | step |
|---|---|
| `app` | the routes |
| `guard` | checks of requests: Host, Origin, token, sizes; headers of answers |
| `sources` | the open stores and books |
| `query` | parameters of a request → source, position, selection |
| `facts` | a source and a position → its moves, each with counts and verdict |
| `samples`, `archive_game` | fingerprints → games of a store; a game → its text and moves, from the archive |
| `engine` | a position → lines and values of an engine, while the client listens |
| `answer` | values → JSON; errors → a message and a status |
| `api/` | the native answers, one file for each group of routes |
| `compat/` | answers in the shape of other explorers |
| `openapi.json` | the description of the native routes; a test compares it with the answers |
| `web/` | the page: plain files, no build step, nothing from another host |

Everything is read-only unless the server was started with `--write`. Then only entries of books can change.
"""

from __future__ import annotations

__all__: list[str] = []
