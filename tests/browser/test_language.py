"""The page in three languages: the browser's, or the one that the reader chose."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.pages import PAGES, translations

TEXTS = (Path(__file__).parent / "texts.js").read_text(encoding="utf-8")
# What a source says of itself, and names that have no other form.
FOREIGN = re.compile(r"opening|defen[cs]e|attack|gambit|system|variation|game: |pawn|selfplay|bookbuilder")
SENTENCE = re.compile(r"[a-z]{3,} [a-z]{2,} [a-z]{2,}")


@pytest.mark.parametrize("path", PAGES)
def test_chinese_page_shows_no_english_of_its_own(open_visit: Any, path: str) -> None:
    page = open_visit(locale="zh-CN").go(path, PAGES[path])
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    english = {row[0] for row in translations()[0] if row[0] != row[1] and re.search("[a-z]{3}", row[0])}
    shown = page.evaluate(TEXTS)
    assert shown
    assert [text for text in shown if text in english - {"engine"}] == []
    assert [text for text in shown if SENTENCE.search(text) and not FOREIGN.search(text.lower())] == []


@pytest.mark.parametrize(
    ("locale", "language", "notation"),
    [("zh-CN", "zh-Hans", "炮"), ("zh-HK", "zh-Hant", "進"), ("en-GB", "en", "C"), ("fr-FR", "en", "C")],
)
def test_language_is_that_of_the_browser(open_visit: Any, locale: str, language: str, notation: str) -> None:
    page = open_visit(locale=locale).go("/?src=xiangqi.store")
    assert page.evaluate("document.documentElement.lang") == language
    assert notation in page.locator(".moves tbody").inner_text()


def test_chosen_language_stays(open_visit: Any) -> None:
    page = open_visit().go("/?src=xiangqi.store")
    assert page.locator(".moves thead").inner_text().startswith("Move")
    page.locator("#language").select_option("zh-Hant")
    page.wait_for_selector(".moves thead:has-text('著法')")
    page.goto(page.url)
    page.wait_for_selector(".moves thead:has-text('著法')")
    page.locator("#language").select_option("en")
    page.wait_for_selector(".moves thead:has-text('Games')")
