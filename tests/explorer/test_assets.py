"""The files of the page: one script of all modules, kept by digest, compressed."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bookbuilder.explorer.assets import assets, bundled

FOUND = assets()
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


def test_every_module_is_in_the_script_once() -> None:
    text = bundled(WEB)
    modules = {path.relative_to(WEB).as_posix() for path in WEB.rglob("*.js")} - {"theme.js"}
    defined = re.findall(r'^modules\["([^"]+)"\] = ', text, re.MULTILINE)
    assert sorted(defined) == sorted(modules)
    for place, name in enumerate(defined):
        body = text.partition(f'modules["{name}"] = ')[2].partition("\n})();")[0]
        used = re.findall(r'= modules\["([^"]+)"\];', body)
        assert set(used) <= set(defined[:place]), name


@pytest.mark.parametrize(
    "line",
    [
        'import x from "./y.js";',
        'import * as x from "./y.js";',
        "export { x };",
        "export let x = 1;",
        'export * from "./y.js";',
    ],
)
def test_other_forms_of_imports_are_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "app.js").write_text(f"{line}\n")
    with pytest.raises(ValueError, match="app.js: not understood"):
        bundled(tmp_path)


def test_renamed_imports_and_defaults(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "one.js").write_text("export const a = 1;\nexport async function f() {}\n")
    (tmp_path / "pages/two.js").write_text(
        'import { a as b, f } from "../one.js";\nexport default class Two {}\n'
    )
    (tmp_path / "app.js").write_text('import { a } from "./one.js";\n')
    text = bundled(tmp_path)
    assert 'const { a: b, f } = modules["one.js"];' in text
    assert "return { default: Two };" in text
    assert "return { a, f };" in text
    assert text.index('modules["one.js"] =') < text.index('modules["pages/two.js"] =')


def test_files_are_kept_for_ever_by_their_digest(client: TestClient) -> None:
    assert FOUND is not None
    html = client.get("/").text
    links = re.findall(r'"(/static/[^"]+)"', html)
    assert {link.rsplit("/", 1)[1] for link in links} == {"favicon.svg", "theme.js", "page.css", "page.js"}
    assert client.get("/").headers["cache-control"] == "no-cache"
    for link in links:
        answer = client.get(link, headers={"accept-encoding": "identity"})
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert "content-encoding" not in answer.headers
        packed = client.get(link, headers={"accept-encoding": "gzip"})
        assert packed.headers["content-encoding"] == "gzip"
        assert packed.content == answer.content == FOUND.files[link.rsplit("/", 1)[1]].plain
        assert gzip.decompress(FOUND.files[link.rsplit("/", 1)[1]].packed) == answer.content
        old = link.replace(FOUND.digest, "0" * len(FOUND.digest))
        assert client.get(old).status_code == 404
