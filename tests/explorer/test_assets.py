"""The files of the page: plain modules, kept by digest, compressed."""

from __future__ import annotations

import re
from pathlib import Path

from starlette.testclient import TestClient

from bookbuilder.explorer.app import assets

_, DIGEST, FILES = assets()
WEB = Path(__file__).parents[2] / "bookbuilder/explorer/web"


def test_page_builds_text_and_loads_nothing_from_elsewhere() -> None:
    """Names of players and events cannot become markup or a script, and no other host is asked."""
    markup = r"innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|document\.write"
    running = r"\beval\(|new Function|\bon\w+=\""
    elsewhere = r"(?:src|href|url\(|fetch\(|import )[=\s]*[\"'(]*(?:https?:)?//"
    wrong = [
        f"{path.name}: {found[0]}"
        for path in sorted(WEB.rglob("*"))
        if path.suffix in {".js", ".html", ".css"}
        for found in re.finditer(f"{markup}|{running}|{elsewhere}", path.read_text(encoding="utf-8"))
    ]
    assert not wrong, "\n".join(wrong)


def test_document_names_every_module_and_style(client: TestClient) -> None:
    links = re.findall(r'"/static/[0-9a-f]+/([^"]+)"', client.get("/").text)
    files = {path.relative_to(WEB).as_posix() for path in WEB.rglob("*") if path.suffix in (".js", ".css")}
    assert set(links) == files | {"favicon.svg"}
    for name in (name for name in files if name.endswith(".js")):
        text = (WEB / name).read_text(encoding="utf-8")
        for found in re.findall(r'^import .* from "([^"]+)";$', text, re.MULTILINE):
            assert ((WEB / name).parent / found).is_file(), (name, found)


def test_files_are_kept_for_ever_by_their_digest(client: TestClient) -> None:
    html = client.get("/").text
    links = re.findall(r'"(/static/[^"]+)"', html)
    assert len(links) > 10
    assert client.get("/").headers["cache-control"] == "no-cache"
    for link in links:
        answer = client.get(link, headers={"accept-encoding": "identity"})
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert "content-encoding" not in answer.headers
        packed = client.get(link, headers={"accept-encoding": "gzip"})
        assert ("content-encoding" in packed.headers) == (len(packed.content) >= 1000)
        assert packed.content == answer.content == FILES[link.split("/", 3)[3]]
        old = link.replace(DIGEST, "0" * len(DIGEST))
        assert client.get(old).status_code == 404
