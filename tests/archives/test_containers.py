"""Containers, list files and standard input, through the Python face and the command line."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import tarfile
import zipfile
from pathlib import Path

import pytest
from support.cli_runner import run
from support.selections import ABSOLUTE

from bookbuilder.archives.find import detect_game, find_archives
from bookbuilder.archives.sources import STDIN, Source
from bookbuilder.cli.options.arguments import parse_bytes
from bookbuilder.errors import ArchiveError
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.tally import Tally, run_archives

GAME = '[Event "x"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n\n'
CHESS = TallyOptions(game="chess")


def games_read(path: Path, **options: int) -> int:
    return run_archives([path], CHESS, RunLimits(**options)).report.games_read


def tar_of(**members: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, content in members.items():
            header = tarfile.TarInfo(name)
            header.size = len(content)
            archive.addfile(header, io.BytesIO(content))
    return file.getvalue()


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_other_programs_archives_are_read(tmp_path, compress) -> None:
    path = tmp_path / "a"
    path.write_bytes(compress(GAME.encode()) + compress(b"" if compress is bytes else GAME.encode()))
    assert games_read(path) == (1 if compress is bytes else 2)
    path.write_bytes(compress(tar_of(one=compress(GAME.encode()), two=GAME.encode())))
    assert games_read(path) == 2


def test_files_that_an_archive_names_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Links, devices and paths out of the folder are names in an archive, nothing to follow."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outside.pgn").write_text(GAME)
    linked = io.BytesIO()
    with tarfile.open(fileobj=linked, mode="w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            header = tarfile.TarInfo(f"{kind!r}.pgn")
            header.type, header.linkname = kind, str(tmp_path / "outside.pgn")
            archive.addfile(header)
        for name in ("../outside.pgn", str(tmp_path / "outside.pgn")):
            archive.addfile(tarfile.TarInfo(name))
        own = tarfile.TarInfo("own.pgn")
        own.size = len(GAME)
        archive.addfile(own, io.BytesIO(GAME.encode()))
    (tmp_path / "a.tar").write_bytes(linked.getvalue())
    assert games_read(tmp_path / "a.tar") == 1
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        link = zipfile.ZipInfo("link.pgn")
        link.external_attr = 0o120777 << 16
        zipped.writestr(link, "outside.pgn")
        zipped.writestr("../outside.pgn", "")
        zipped.writestr("own.pgn", GAME)
    assert games_read(tmp_path / "a.zip") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar", "a.zip", "outside.pgn"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_text_is_read_in_every_encoding_with_every_line_end(tmp_path, encoding, line_end) -> None:
    path = tmp_path / "a.pgn"
    named = GAME.replace("[Event", '[White "Müller"]\n[Event') * 2
    path.write_bytes(named.replace("\n", line_end).encode(encoding))
    run = run_archives([path], CHESS)
    assert [(row["first_player"], row["line"]) for row in run.rows.games.to_pylist()] == [
        ("Müller", 1),
        ("Müller", 7),
    ]


def test_list_names_files_directories_and_patterns_from_its_own_place(tmp_path) -> None:
    for name in ("a.pgn", "sub/b.pgn", "sub/c.pgn.gz", "x y/d.pgn", "rest/e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(GAME)
    listed = tmp_path / "lists" / "games.lst"
    listed.parent.mkdir()
    listed.write_bytes(b"\xef\xbb\xbf# games\r\n\r\n../a.pgn\r\n  ../sub\r\n../x y/*.pgn\n../rest/e.txt")
    names = ["a.pgn", "e.txt", "b.pgn", "c.pgn.gz", "d.pgn"]
    assert [path.name for path in find_archives([f"@{listed}"])] == names
    assert len(find_archives([f"@{listed}", tmp_path / "a.pgn"])) == 5
    listed.write_text(str(tmp_path / "a.pgn"))
    assert find_archives([f"@{listed}"]) == [tmp_path / "a.pgn"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a.pgn\n\nnone.pgn\n", r"games\.lst: line 3: .*none\.pgn: no such file or directory"),
        ("#\n*.xqf\n", r"line 2: .*\.xqf: no archive found"),
        ("a\0b", "line 1: .*no such file"),
        ("# nothing\n\n", "names no archive"),
    ],
)
def test_list_with_a_missing_file_names_its_line(tmp_path, text, message) -> None:
    (tmp_path / "a.pgn").write_text(GAME)
    (tmp_path / "games.lst").write_text(text)
    with pytest.raises(ArchiveError, match=message):
        find_archives([f"@{tmp_path / 'games.lst'}"])
    with pytest.raises(ArchiveError, match="@none.lst: cannot be read: No such file"):
        find_archives(["@none.lst"])


def test_file_whose_name_begins_with_at_is_named_with_its_directory(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("@a.pgn").write_text(GAME)
    assert find_archives(["./@a.pgn"]) == [Path("@a.pgn")]


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress, lambda text: tar_of(member=text)])
def test_standard_input_is_read_compressed_too_and_called_so(tmp_path, compress) -> None:
    store = tmp_path / "store"
    answer = run(
        "tally", "-", "-o", store, "--json", stdin=compress((GAME + GAME.replace("Nf3", "Nf6")).encode())
    )
    assert answer.code == 0
    report = json.loads(answer.out)
    assert (report["games_read"], [each["source"] for each in report["sources"]]) == (2, [STDIN])
    tally = Tally.open(store)
    assert [source.source for source in tally.sources] == [STDIN]
    assert tally.games["source"].to_pylist() == [STDIN]
    rejects = tmp_path / "rejects"
    run("games", "check", "-", "--rejects", rejects, stdin=compress(GAME.replace("Nf3", "Nf6").encode()))
    assert json.loads(rejects.read_text())["source"] == STDIN
    counted = run("games", "count", "-", "--json", stdin=compress(GAME.encode()))
    assert json.loads(counted.out)["sources"] == [{"source": STDIN, "games": 1}]


def test_recipe_of_standard_input_says_that_it_cannot_be_read_again(tmp_path, monkeypatch) -> None:
    book = tmp_path / "a.book"
    assert run("build", *ABSOLUTE, "-", "-o", book, stdin=GAME.encode()).code == 0
    monkeypatch.chdir(tmp_path)
    again = run("build", "--recipe", book, "-o", tmp_path / "b.book")
    assert again.code != 0
    assert "-: is standard input, which is read once" in again.err
    with pytest.raises(ArchiveError, match="standard input"):
        Source.of_file(Path(STDIN))


def bomb(path: Path) -> Path:
    text = GAME * 3 + '[Event "bomb"]\n\n{' + " " * 2_000_000
    path.write_bytes(gzip.compress(text.encode()))
    return path


def test_bomb_is_cut_off_and_the_option_named(tmp_path) -> None:
    path = bomb(tmp_path / "a.pgn.gz")
    cut = run_archives([path], CHESS, RunLimits(max_inflate=1_000_000)).report
    (unread,) = cut.unreadable()
    assert re.search("more than the limit of 1000000 bytes.*decompression bomb", unread["reason"])
    assert cut.games_read == 3
    assert games_read(path) == 4
    assert Tally.from_archives(path, max_inflate=2_001_000).report is not None


def test_members_behind_a_bomb_in_a_zip_are_read(tmp_path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as container:
        container.writestr("a.pgn", " " * 2_000_000)
        container.writestr("b.pgn", GAME)
    assert detect_game([path], max_inflate=1_000_000) == "chess"
    report = run_archives([path], CHESS, RunLimits(max_inflate=1_000_000)).report
    assert report.games_read == 1
    assert [(each["member"], each["code"]) for each in report.unreadable()] == [("a.pgn", "max-inflate")]


def test_zip_of_empty_members_is_called_empty(tmp_path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as container:
        for number in range(9):
            container.writestr(f"{number}.pgn", "")
    with pytest.raises(ArchiveError, match=r"a\.zip: is empty"):
        detect_game([path])


@pytest.fixture
def mixed(tmp_path) -> Path:
    """A directory: no archive under the name of one, one that is cut, and a sound one."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    text = "".join(GAME.replace('"x"', f'"{number:05}"') for number in range(20_000))
    packed = gzip.compress(text.encode())
    (folder / "a.pgn").write_bytes(bytes(range(32)))
    (folder / "b.pgn.gz").write_bytes(packed[: len(packed) // 2])
    (folder / "c.pgn").write_text(GAME * 3)
    return folder


def test_unreadable_archives_affect_no_other(tmp_path, mixed) -> None:
    ran = run("tally", mixed, "-o", tmp_path / "store", "--json", "--quiet")
    report = json.loads(ran.out)
    assert ran.code == 3
    assert [Path(each["source"]).name for each in report["sources"]] == ["b.pgn.gz", "c.pgn"]
    cut, sound = (each["games"] for each in report["sources"])
    assert sound == 3
    assert 5_000 < cut < 15_000
    assert [(Path(each["source"]).name, each["code"]) for each in report["members_skipped"]] == [
        ("a.pgn", "foreign"),
        ("b.pgn.gz", "truncated"),
    ]
    assert [line.partition(": ")[0] for line in ran.err.splitlines()] == ["bookbuilder"] * 3
    for command in ("list", "convert", "filter", "count"):
        ran = run("games", command, mixed, "--quiet")
        assert ran.code == 3
        assert "a.pgn: holds" in ran.err
        assert "b.pgn.gz: truncated" in ran.err
    listed = run("games", "list", mixed, "--csv", "--quiet").out.splitlines()
    assert len(listed) == 1 + cut + sound
    # Checks and strict runs report rejects too.
    for command in (
        ("games", "check"),
        ("games", "convert", "--strict"),
        ("build", *ABSOLUTE, "-o", tmp_path / "b"),
    ):
        ran = run(*command, mixed, "--quiet")
        assert ran.code == 3
        assert "2 files could not be read" in ran.err
    (mixed / "c.pgn").unlink()
    (mixed / "b.pgn.gz").unlink()
    ran = run("tally", mixed, "-o", tmp_path / "other", "--quiet")
    assert (ran.code, (tmp_path / "other").exists()) == (3, False)


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("4096", 4096), ("4GiB", 2**32), ("1.5 kib", 1536), ("500MB", 500_000_000), ("1TB", 10**12)],
)
def test_sizes_are_written_with_units(text, size) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "many", "-1", "4 gallons", "1e9", "٣"])
def test_other_sizes_are_refused(tmp_path, text) -> None:
    ran = run("tally", tmp_path, "-o", tmp_path / "a.store", "--memory", text)
    assert ran.code == 2
    assert "is not a size" in ran.err
