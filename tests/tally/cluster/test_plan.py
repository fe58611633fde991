"""The plan of a run on a cluster: stretches of about equal work that together read each archive once."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from support.zstd_frames import framed

from bookbuilder.tally.cluster.plan import Looked, Place, shards_of
from bookbuilder.tally.cluster.storage import Archive, is_url, local_archive
from bookbuilder.tally.cluster.tasks import look
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.report import add_figures, reject_pieces
from bookbuilder.tally.store.grow import Stretch, spill

pytest.importorskip("distributed", reason='needs the extra "cluster"')

OPTIONS = TallyOptions(game="chess")
DECODER_BYTES = 128 << 10  # read at a time
BAD_GAME = '[Event "Bad \\"1\\""]\n[Result "1-0"]\n\n1. e4 e5 2. Ke3 1-0\n\n'


def test_stretches_of_frames_read_only_their_part(data, tmp_path) -> None:
    text = (data / "chess_selfplay.pgn").read_text(encoding="utf-8")
    texts = [text.replace('[White "', f'[White "{number} ') + BAD_GAME for number in range(8)]
    archive = tmp_path / "framed.pgn.zst"
    archive.write_bytes(framed("".join(texts).encode(), 100_003))
    content, name = archive.read_bytes(), str(archive)
    task_bytes = len(content) // 6 + 1
    shards = list(shards_of(look([Archive(name, name)], "chess", task_bytes, None), task_bytes))
    assert len(shards) == 6

    def counted(path: Path, stretch: Stretch | None, directory: Path) -> tuple[int, list[int], int]:
        """Games, offsets of bad ones, and bytes that were read."""
        read: list[int] = []
        tell = lambda now, *_: read.append(now)  # noqa: E731
        limits = RunLimits(progress=tell)
        runs = spill([path], OPTIONS, limits, directory=directory, names=[name], stretch=stretch)
        rejects = b"".join(reject_pieces(runs, as_text=False)).splitlines()
        offsets = [json.loads(line)["offset"] for line in rejects]
        return add_figures(runs)["sources"][0]["games_read"], offsets, read[-1]

    games, offsets, fetched = 0, [], []
    for shard in shards:
        begin, end = shard.fetched or (0, 0)
        fetched.append(end - begin)
        with tempfile.TemporaryDirectory(dir=tmp_path) as each:
            # What is copied of an archive behind a URL has a hole in place of what is not.
            copy = local_archive(f"local://{archive}", Path(each), shard.fetched)
            assert copy.read_bytes() == bytes(begin) + content[begin:end]
            of_copy = counted(copy, shard.stretch, Path(each))
        with tempfile.TemporaryDirectory(dir=tmp_path) as each:
            of_archive = counted(archive, shard.stretch, Path(each))
        assert of_copy[:2] == of_archive[:2]
        assert of_archive[2] <= end - begin + DECODER_BYTES
        games += of_copy[0]
        offsets += of_copy[1]
    assert (games, offsets) == counted(archive, None, tmp_path)[:2]
    assert len(offsets) >= len(texts)
    assert max(fetched) < len(content) // 3
    assert sum(fetched) < len(content) * 3 // 2


def test_stretches_cover_a_plan_once() -> None:
    text = tuple((64 * number, (number * 1000, number, None, number * 1000)) for number in range(100))
    looked = [Looked(10, "a"), Looked(20, "b"), Looked(100_000, "c", text), Looked(95, "d"), Looked(6, "e")]
    shards = list(shards_of(looked, 100))
    starts = [shard.stretch[0] for shard in shards]
    ends = [shard.stretch[2] for shard in shards]
    assert starts == [(0, 0), *ends[:-1]]
    assert ends[-1] == (5, 0)
    assert sum(shard.bytes for shard in shards) == 100_131
    assert len(shards) == 1 + 100 + 2
    assert [shard.fetched for shard in shards[1:101]] == [(at, at + 1000) for at in range(0, 100_000, 1000)]
    assert shards[100].stretch[1] == (99_000, 99, None, None)


def test_skipped_text_limits_the_number_of_stretches() -> None:
    def cuts(frame_texts: int) -> int:
        def place(number: int) -> Place:
            frame = number // frame_texts * frame_texts
            return 64 * number, (number * 1000, number, (frame * 100, frame * 1000), number * 100)

        looked = Looked(10_000, "a", tuple(place(number) for number in range(100)))
        return len(list(shards_of([looked], 100)))

    assert [cuts(frame_texts) for frame_texts in (1, 10, 15)] == [100, 100, 100]
    assert cuts(100) == 16
    assert 16 < cuts(60) < 40
    unknown = Looked(100_000, "a", tuple((blocks, None) for blocks in range(0, 6400, 64)))
    shards = list(shards_of([unknown], 100))
    assert len(shards) == 16
    assert {(shard.stretch[1], shard.fetched) for shard in shards} == {(None, None)}
    assert len(list(shards_of([Looked(1000, "without games")], 100))) == 1


@pytest.mark.parametrize(
    ("word", "expected"),
    [("s3://a/b", True), ("simplecache::s3://a", True), ("a.pgn", False), ("./a:b/c", False), ("", False)],
)
def test_urls_and_paths_are_distinguished(word, expected) -> None:
    assert is_url(word) is expected
