"""The texts of the page: each has its row in the table of translations, and each row is used."""

from __future__ import annotations

import json
import re
from typing import Final

from support.pages import WEB, translations

from bookbuilder.selection.options import PRESETS

HERE: Final = WEB.parent
HAN: Final = re.compile(r"[\u4e00-\u9fff]")
# What the server says in a word, which the page translates.
SPOKEN: Final = frozenset(
    (
        "chess", "xiangqi", "added", "removed", "checkmate", "stalemate", "insufficient-material",
        "unreachable", "engine veto", "selecting", "writing the files", "off", "all",
        "following the book from the start", "points", "games", "of weight 0 (score)",
        *PRESETS,
    )
)  # fmt: skip


def code() -> str:
    files = [file for file in WEB.rglob("*.js") if file.name != "translations.js"]
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted(files))


def literals(text: str) -> set[str]:
    return {json.loads(f'"{found}"') for found in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)}


def test_every_text_of_the_code_has_a_row() -> None:
    known = {english for english, *_ in translations()[0]}
    asked = {json.loads(f'"{found}"') for found in re.findall(r'\bt\(\s*"((?:[^"\\]|\\.)*)"', code())}
    assert len(asked) > 300
    assert sorted(asked - known) == []


def test_every_row_is_used_and_stands_once() -> None:
    words = [english for english, *_ in translations()[0]]
    # What a file does not keep is said by its format.
    formats = "".join(
        path.read_text(encoding="utf-8") for path in (HERE.parent / "book/formats").glob("*.py")
    )
    known = literals(code()) | SPOKEN
    assert [word for word in words if word not in known and f'"{word}"' not in formats] == []
    for table in translations():
        keys = [key for key, *_ in table]
        assert len(keys) == len(set(keys))
        assert keys == sorted(keys, key=str.lower)


def test_every_error_of_the_server_has_a_sentence() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(HERE.rglob("*.py")))
    codes = set(re.findall(r'(?:RefusedError|refusal)\(\s*\d+,\s*"([a-z-]+)"', text))
    codes |= {
        found for pair in re.findall(r': \(\d{3}, "([a-z-]+)"\)|\d{3}: \("([a-z-]+)"', text) for found in pair
    }
    codes |= {"http", "file"}
    assert len(codes) > 35
    assert {code for code, *_ in translations()[1]} == codes - {""}


def test_every_row_is_translated_with_the_same_values() -> None:
    for table in translations():
        for english, *chinese in table:
            assert len(chinese) == 2
            for text in chinese:
                assert HAN.search(text) or not re.search("[a-z]", re.sub(r"\{\w+\}", "", text)), english
                assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", english))
