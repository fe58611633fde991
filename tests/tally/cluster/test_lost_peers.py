"""Lost workers and failing storage: what a command on a cluster reports, and what it goes on after."""

from __future__ import annotations

import os

import pytest

from bookbuilder.errors import ArchiveError, OptionError, StoreError
from bookbuilder.tally.cluster.client import LOCAL, cluster_at
from bookbuilder.tally.cluster.storage import Folder, find_everywhere, local_archive

pytest.importorskip("distributed", reason='needs the extra "cluster"')
fsspec = pytest.importorskip("fsspec", reason='needs the extra "cluster"')


def test_unreachable_worker_does_not_end_the_command(monkeypatch) -> None:
    here = os.getpid()

    def version() -> str:
        if os.getpid() != here:
            raise TimeoutError("Timed out trying to connect")
        return "here"

    monkeypatch.setattr("bookbuilder.tally.cluster.client.core_version", version)
    with cluster_at(LOCAL, jobs=1):
        pass


def test_worker_of_another_version_that_comes_late_is_refused(monkeypatch) -> None:
    with cluster_at(LOCAL, jobs=1) as crew:
        assert crew.run(max, [(1, 2), (4, 3)]) == [2, 4]
        # To the worker, this process has another version now.
        monkeypatch.setattr("bookbuilder.tally.cluster.client.core_version", lambda: "another")
        with pytest.raises(OptionError, match="a worker has bookbuilder .*, here is another"):
            crew.run(max, [(1, 2)])


def test_errors_of_storage_packages_are_reported(tmp_path, monkeypatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("Unable to locate\ncredentials")

    memory = type(fsspec.filesystem("memory"))
    for method in ("info", "isdir", "size", "ls"):
        monkeypatch.setattr(memory, method, fail)
    for act in (
        lambda: find_everywhere(["memory://games/a.pgn"]),
        lambda: local_archive("memory://games/a.pgn", tmp_path),
        lambda: Folder("memory://store").names(),
    ):
        with pytest.raises((ArchiveError, StoreError), match="Unable to locate credentials"):
            act()
