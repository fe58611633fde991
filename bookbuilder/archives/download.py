"""Download archives that a URL names.

A broken download is resumed at the byte where it broke, if the server sends ranges of the same file
(`If-Range`). Otherwise it starts again.
"""

from __future__ import annotations

import os
import string
import time
from collections.abc import Callable
from http.client import HTTPException, IncompleteRead
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from bookbuilder.disk import FULL
from bookbuilder.errors import ArchiveError

_BLOCK: Final = 1 << 20
# Tries in a row that bring no byte; the server is asked again after 1, 2, 4, … times the pause.
_TRIES: Final = 5
_PAUSE: Final = 1.0
_TIMEOUT: Final = 60.0
_TOO_MANY_REQUESTS: Final = 429
_SERVER_ERROR: Final = 500
_PART: Final = 206
# Bytes of a file name, on most file systems.
_NAME: Final = 255


def download(url: str, folder: Path, progress: Callable[[int, int], None]) -> Path:
    """Return the path of the file that a URL names, downloaded into a folder.

    Reports call the file by its URL, since its path ends with the URL: see `source_name`.

    `progress` is called with the bytes that have come, and all bytes; 0 = not known.

    Raises:
        ArchiveError: the URL names no file, or the server does not send it whole.
        OSError: the file cannot be written.
    """
    scheme, _, address = url.partition("://")
    name = PurePosixPath(address)
    if not _has_server(url) or ".." in name.parts:
        raise ArchiveError(f"{url}: expected the address of a file, such as https://server/games.pgn.zst")
    if any(len(os.fsencode(part)) > _NAME for part in name.parts):
        raise ArchiveError(f"{url}: a name in it is too long for a file; download it, then name the file")
    path = folder / f"{scheme}:" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    failures, version = 0, ""
    with path.open("wb") as file:
        while True:
            before = file.tell()
            try:
                version, is_whole = _continue(url, version, file, progress)
                if is_whole:
                    return path
                why = "the connection ended early"
            except HTTPError as error:
                why = f"the server answers {error.code} {error.reason}"
                if error.code < _SERVER_ERROR and error.code != _TOO_MANY_REQUESTS:
                    raise ArchiveError(f"{url}: {why}; check the address") from error
            except IncompleteRead:
                why = "the connection ended early"
            except (OSError, HTTPException, ValueError) as error:
                if isinstance(error, OSError) and error.errno in FULL:
                    raise
                why = str(getattr(error, "reason", error)) or type(error).__name__
            failures = 0 if file.tell() > before else failures + 1
            if failures == _TRIES:
                what = f"{why}; {file.tell():,} bytes came"
                raise ArchiveError(
                    f"{url}: cannot be downloaded: {what}. Try again, or name a copy of the file"
                )
            time.sleep(_PAUSE * 2**failures)


def _has_server(url: str) -> bool:
    """Return whether a URL names a server and, if any, a valid port; a password is not sent."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        return False


def _continue(
    url: str, version: str, file: BinaryIO, progress: Callable[[int, int], None]
) -> tuple[str, bool]:
    """Download what a file lacks; return the version that the server names, and whether the file is whole."""
    # Blanks and letters beyond ASCII are sent as browsers send them.
    request = Request(quote(url, safe=string.punctuation), headers={"User-Agent": "bookbuilder"})
    if file.tell() and version:
        request.add_header("Range", f"bytes={file.tell()}-")
        request.add_header("If-Range", version)
    with urlopen(request, timeout=_TIMEOUT) as answer:
        if answer.status != _PART:
            file.seek(0)
            file.truncate()
        elif not (answer.headers.get("Content-Range") or "").startswith(f"bytes {file.tell()}-"):
            return "", False  # another part was sent: the next request asks for the whole file
        version = answer.headers.get("ETag") or answer.headers.get("Last-Modified") or ""
        length = answer.headers.get("Content-Length")
        total = 0 if length is None else file.tell() + int(length)
        while block := answer.read1(_BLOCK):
            file.write(block)
            progress(file.tell(), total)
    return version, length is None or file.tell() == total
