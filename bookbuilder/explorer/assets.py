"""The files of the page, compressed, and kept by browsers under a digest of them all.

The page is plain ES modules. The document names all of them with `modulepreload`, so that a browser asks for
them at once and not one after the other, in the order of their imports.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import Final

_TYPES: Final = {
    ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml"
}  # fmt: skip
_ENTRY: Final = '<script type="module" src="/static/app.js"></script>'


@dataclass(frozen=True, slots=True)
class Asset:
    """A file: its bytes, plain and compressed, and its media type."""

    plain: bytes
    packed: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Assets:
    """The page and its files.

    Attributes:
        html: the document, whose links have the digest.
        digest: of all files.
        files: by path.
    """

    html: bytes
    digest: str
    files: dict[str, Asset]


@cache
def assets() -> Assets | None:
    """Return the page and its files, None if this installation lacks them."""
    folder = Path(str(resources.files("bookbuilder.explorer").joinpath("web")))
    if not (folder / "index.html").is_file():
        return None
    html = (folder / "index.html").read_text(encoding="utf-8")
    contents = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.suffix in _TYPES
    }
    digest = blake2b(b"\0".join([html.encode(), *contents.values()]), digest_size=6).hexdigest()
    modules = (name for name in contents if name.endswith(".js") and name not in ("app.js", "theme.js"))
    preloads = (f'<link rel="modulepreload" href="/static/{name}">' for name in modules)
    html = html.replace(_ENTRY, "\n  ".join([*preloads, _ENTRY])).replace("/static/", f"/static/{digest}/")
    # Without a time, the same files give the same bytes.
    files = {
        name: Asset(content, gzip.compress(content, mtime=0), _TYPES[Path(name).suffix])
        for name, content in contents.items()
    }
    return Assets(html.encode(), digest, files)
