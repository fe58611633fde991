"""The files of the page, which browsers keep under a digest of them all.

The page is plain ES modules. The document names all of them with `modulepreload`, so that a browser asks for
them at once and not one after the other, in the order of their imports.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple

TYPES: Final = {
    ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml"
}  # fmt: skip
"""Media types of the files by suffix."""
_ENTRY: Final = '<script type="module" src="/static/app.js"></script>'


class Assets(NamedTuple):
    """The document, whose links have the digest; the digest of all files; the files by path."""

    html: bytes
    digest: str
    files: dict[str, bytes]


@cache
def assets() -> Assets:
    """Return the page and its files."""
    folder = Path(str(resources.files("bookbuilder.explorer").joinpath("web")))
    html = (folder / "index.html").read_text(encoding="utf-8")
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.suffix in TYPES
    }
    digest = blake2b(b"\0".join([html.encode(), *files.values()]), digest_size=6).hexdigest()
    modules = (name for name in files if name.endswith(".js") and name not in ("app.js", "theme.js"))
    preloads = (f'<link rel="modulepreload" href="/static/{name}">' for name in modules)
    html = html.replace(_ENTRY, "\n  ".join([*preloads, _ENTRY])).replace("/static/", f"/static/{digest}/")
    return Assets(html.encode(), digest, files)
