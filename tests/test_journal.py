"""Journals: what they read back, what they cut off, and what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookbuilder.errors import EvalsError
from bookbuilder.journal import Journal, read_journal

HEAD = {"match": {"game": "chess", "pair": ("a", "b")}}
ROWS = [{"number": number, "text": "Schön" * number, "share": 0.1 * number} for number in range(5)]


def written(path: Path) -> bytes:
    """Write a journal and return its bytes."""
    with Journal(path, HEAD) as journal:
        journal.append(*ROWS[:2])
        for row in ROWS[2:]:
            journal.append(row)
    return path.read_bytes()


def test_rows_are_read_back_and_added_to(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    whole = written(path)
    with Journal(path, HEAD) as journal:
        assert (journal.rows, journal.note) == (ROWS, "")
        journal.append({"number": 9})
    assert path.read_bytes().startswith(whole)
    assert read_journal(path).rows == [*ROWS, {"number": 9}]
    assert read_journal(tmp_path / "missing").head is None


@pytest.mark.parametrize("cut", [1, 2, 20])
def test_torn_end_is_cut_off_with_a_note(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.jsonl"
    whole = written(path)
    for torn in (whole[:-cut], whole[:-cut] + bytes(cut), whole + bytes(7)):
        path.write_bytes(torn)
        with Journal(path, HEAD) as journal:
            assert "its end was lost" in journal.note
            for row in ROWS[len(journal.rows) :]:
                journal.append(row)
        assert path.read_bytes() == whole


def test_changed_lines_are_refused_by_their_number(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = written(path).splitlines(keepends=True)
    for index in range(1, len(lines)):
        for place in range(len(lines[index]) - 1):
            changed = bytearray(lines[index])
            changed[place] ^= 4
            path.write_bytes(b"".join([*lines[:index], bytes(changed), *lines[index + 1 :]]))
            with pytest.raises(EvalsError, match=f"line {index + 1} is damaged"):
                read_journal(path)
    for order in ([0, 2, 1, 3], [0, 1, 1, 2], [0, 2, 3]):
        path.write_bytes(b"".join(lines[index] for index in order))
        with pytest.raises(EvalsError, match="is damaged"), Journal(path, HEAD):
            pass


def test_other_journals_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    whole = written(path)
    for head, why in (
        ({"match": {"game": "xiangqi", "pair": ["a", "b"]}}, "begun with other options .game."),
        ({"growth": {}}, "not the journal of this kind"),
    ):
        with pytest.raises(EvalsError, match=why), Journal(path, head):
            pass
        assert path.read_bytes() == whole
    path.write_text("some words\n")
    with pytest.raises(EvalsError, match="not a journal"), Journal(path, HEAD):
        pass


def test_two_runs_do_not_write_one_journal(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with (
        Journal(path, HEAD),
        pytest.raises(EvalsError, match="another run is writing it"),
        Journal(path, HEAD),
    ):
        pass
