"""Find the archives that INPUT words name, on disk or behind URLs."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bookbuilder.archives.find import ARCHIVE_SUFFIXES, find_archives
from bookbuilder.archives.sources import STDIN
from bookbuilder.errors import ArchiveError, OptionError
from bookbuilder.tally.cluster.storage import filesystem, is_url, reason_of, storage_errors

__all__ = ["Archive", "find_everywhere"]


@dataclass(frozen=True, slots=True, order=True)
class Archive:
    """An archive: its name, and the absolute path or URL where workers find it."""

    name: str
    location: str


def find_everywhere(inputs: Sequence[str]) -> list[Archive]:
    """Return the archives that inputs name, sorted by name, each once.

    Args:
        inputs: inputs of `find_archives`, and URLs of files, of directories, or with patterns.

    Raises:
        ArchiveError: an input does not exist, cannot be listed, or holds no archive.
        OptionError: an input is standard input, or a URL whose scheme is unknown.
    """
    if STDIN in inputs:
        raise OptionError("a cluster cannot read standard input: with --cluster, name files or URLs")
    paths = find_archives([word for word in inputs if not is_url(word)])
    found = {Archive(str(path), str(path.absolute())) for path in paths}
    for word in inputs:
        if is_url(word):
            found |= {Archive(url, url) for url in _below(word)}
    return sorted(found)


def _below(url: str) -> list[str]:
    files, path = filesystem(url)
    try:
        if glob.has_magic(path):
            found = files.glob(path)
        elif files.isdir(path) and not files.isfile(path):
            found = [each for each in files.find(path) if Path(each).suffix.lower() in ARCHIVE_SUFFIXES]
        else:
            files.info(path)
            return [url]
    except storage_errors() as error:
        raise ArchiveError(f"{url}: cannot be read: {reason_of(error)}") from error
    if not found:
        raise ArchiveError(f"{url}: no archive found")
    return [str(files.unstrip_protocol(each)) for each in found]
