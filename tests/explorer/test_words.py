"""The texts of the page: each has its row in the table of translations, and each row is used."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import bookbuilder.explorer

WEB: Final = Path(bookbuilder.explorer.__file__).parent / "web"
HAN: Final = re.compile(r"[\u4e00-\u9fff]")
# What the server says in a word, which the page translates.
SPOKEN: Final = frozenset(
    (
        "chess", "xiangqi", "added", "removed", "checkmate", "stalemate", "insufficient-material",
        "unreachable", "undefined p", "engine veto", "selecting", "writing the files", "off", "all",
        "following the book from the start",
    )
)  # fmt: skip


def rows() -> list[list[str]]:
    """Return the rows of the table: English, simplified and traditional Chinese."""
    text = (WEB / "translations.js").read_text(encoding="utf-8")
    return [json.loads(line.rstrip(",")) for line in text.splitlines() if line.startswith("  [")]


def code() -> str:
    files = [file for file in WEB.rglob("*.js") if file.name != "translations.js"]
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted(files))


def literals(text: str) -> set[str]:
    return {json.loads(f'"{found}"') for found in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)}


def test_every_text_of_the_code_has_a_row() -> None:
    known = {english for english, *_ in rows()}
    asked = {json.loads(f'"{found}"') for found in re.findall(r'\bt\(\s*"((?:[^"\\]|\\.)*)"', code())}
    assert len(asked) > 300
    assert sorted(asked - known) == []


def test_every_row_is_used_and_stands_once() -> None:
    words = [english for english, *_ in rows()]
    assert len(words) == len(set(words))
    assert [word for word in words if word not in literals(code()) | SPOKEN] == []


def test_every_row_is_translated_with_the_same_values() -> None:
    for english, *chinese in rows():
        assert len(chinese) == 2
        for text in chinese:
            assert HAN.search(text) or not re.search("[a-z]", re.sub(r"\{\w+\}", "", text)), english
            assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", english)), english


def test_rows_are_sorted() -> None:
    words = [english.lower() for english, *_ in rows()]
    assert words == sorted(words)
