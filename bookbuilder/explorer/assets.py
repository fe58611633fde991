"""The files of the page, in few requests: one script, one style sheet, compressed, kept by digest.

The modules in `web/` need no build step. At the start of the server each becomes a function that returns
what it exports, and the functions follow each other in the order of their imports. Imports and exports must
have one form: `import { a, b as c } from "./x.js";`, and `export` before `function`, `async function`,
`class` or `const`.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path
from typing import Final

__all__ = ["Asset", "Assets", "assets", "bundled"]

_IMPORT: Final = re.compile(r'^import \{ ([^}]+) \} from "([^"]+)";$', re.MULTILINE)
_EXPORT: Final = re.compile(
    r"^export (default )?((?:async )?function|class|const) ([A-Za-z_$][\w$]*)", re.MULTILINE
)
_LEFT: Final = re.compile(r"^(import|export)\b.*$", re.MULTILINE)
# Pages are loaded by name.
_PAGE: Final = ("await import(`./pages/${name}.js`)", "modules[`pages/${name}.js`]")
_STYLES: Final = re.compile(r'(\s*<link rel="stylesheet" href="/static/(\w+\.css)">)+')
_TYPES: Final = {
    ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml"
}  # fmt: skip
_PACKED: Final = frozenset((".js", ".css", ".json", ".svg"))


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
        files: by name.
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
    styles = re.findall(r'href="/static/(\w+\.css)"', html)
    texts = {
        "page.js": bundled(folder),
        "page.css": "\n".join((folder / name).read_text(encoding="utf-8") for name in styles),
        **{
            name: (folder / name).read_text(encoding="utf-8")
            for name in ("theme.js", "pieces.json", "favicon.svg")
        },
    }
    digest = blake2b("\0".join(texts.values()).encode(), digest_size=6).hexdigest()
    html = _STYLES.sub('\n  <link rel="stylesheet" href="/static/page.css">', html)
    html = html.replace("/static/app.js", "/static/page.js").replace("/static/", f"/static/{digest}/")
    return Assets(html.encode(), digest, {name: _asset(name, text) for name, text in texts.items()})


def _asset(name: str, text: str) -> Asset:
    # Without a time, the same files give the same bytes.
    return Asset(text.encode(), gzip.compress(text.encode(), mtime=0), _TYPES[Path(name).suffix])


def bundled(folder: Path) -> str:
    """Return all modules of a folder as one script.

    Raises:
        ValueError: an import or an export is of another form than this module understands.
    """
    parts = ["const modules = {};"]
    parts += [_module(name, text) for name, text in _in_order(folder)]
    return "\n".join(parts) + "\n"


def _in_order(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each module that `app.js` needs, after those that it imports."""
    done: set[str] = set()

    def visit(name: str) -> Iterator[tuple[str, str]]:
        if name in done:
            return
        done.add(name)
        text = (folder / name).read_text(encoding="utf-8")
        for _, path in _IMPORT.findall(text):
            yield from visit(_resolved(name, path))
        yield name, text

    for page in sorted(folder.glob("pages/*.js")):
        yield from visit(f"pages/{page.name}")
    yield from visit("app.js")


def _resolved(name: str, path: str) -> str:
    """Return the name of the module that a module imports as `path`: `./x.js`, or `../x.js` from a page."""
    return path.rsplit("/", 1)[-1] if path.startswith("../") or "/" not in name else f"pages/{path[2:]}"


def _module(name: str, text: str) -> str:
    def imported(found: re.Match[str]) -> str:
        names = found[1].replace(" as ", ": ")
        return f'const {{ {names} }} = modules["{_resolved(name, found[2])}"];'

    exported = [f"default: {own}" if default else own for default, _, own in _EXPORT.findall(text)]
    body = _EXPORT.sub(r"\2 \3", _IMPORT.sub(imported, text)).replace(*_PAGE)
    if left := _LEFT.search(body):
        raise ValueError(f"{name}: not understood: {left[0]}")
    return f'modules["{name}"] = (() => {{\n{body}\nreturn {{ {", ".join(exported)} }};\n}})();'
