"""What a release needs: files that agree, workflows that use pinned actions, a container without rights."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from support.project_files import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(scope="module")
def check_release() -> ModuleType:
    """The script that refuses a release."""
    spec = importlib.util.spec_from_file_location("check_release", ROOT / "packaging" / "check_release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """A copy of the files that must agree, ready for version 1.2.3."""
    (tmp_path / "core").mkdir()
    for name in ("pyproject.toml", "core/Cargo.toml", "CITATION.cff"):
        text = (ROOT / name).read_text(encoding="utf-8")
        text = re.sub(r'^version( = |: )"?0\.1\.0"?$', r"version\g<1>@", text, flags=re.MULTILINE)
        version = "1.2.3" if name.endswith("cff") else '"1.2.3"'
        assert "@" in text
        (tmp_path / name).write_text(text.replace("@", version, 1), encoding="utf-8")
    with (tmp_path / "CITATION.cff").open("a") as stream:
        stream.write("date-released: 2026-12-01\n")
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-12-01\n\n- New.\n\n## [0.1.0] - 2025-01-01\n"
    )
    return tmp_path


def test_files_that_agree_can_be_released(check_release: ModuleType, ready: Path) -> None:
    assert check_release.faults(ready, "v1.2.3") == []


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("pyproject.toml", "1.2.3", "1.2.4", "pyproject.toml: the version is 1.2.4"),
        ("core/Cargo.toml", "1.2.3", "1.2.4", "core/Cargo.toml: the version is 1.2.4"),
        ("CHANGELOG.md", "[1.2.3]", "[1.2.2]", "the newest version is 1.2.2"),
        ("CHANGELOG.md", " - 2026-12-01", "", "has no date"),
        ("CHANGELOG.md", "[Unreleased]\n", "[Unreleased]\n\n- More.\n", "stand under Unreleased"),
        ("CITATION.cff", "1.2.3", "1.2.2", "does not name the version"),
        ("CITATION.cff", "2026-12-01", "2026-12-02", "does not name the date"),
    ],
)
def test_release_is_refused(
    check_release: ModuleType, ready: Path, name: str, old: str, new: str, words: str
) -> None:
    path = ready / name
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    found = check_release.faults(ready, "v1.2.3")
    assert any(words in each for each in found), found


@pytest.mark.parametrize("tag", ["1.2.3", "v1.2", "v1.2.3rc1", "main"])
def test_tag_must_be_a_version(check_release: ModuleType, ready: Path, tag: str) -> None:
    assert "expected v and a version" in check_release.faults(ready, tag)[0]


def test_today_no_release_is_ready(check_release: ModuleType) -> None:
    # Changes stand under Unreleased. If this fails, a release is being prepared: take the test out with it.
    assert any("Unreleased" in each for each in check_release.faults(ROOT, "v0.1.0"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_pin_actions_and_hold_no_secret(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    uses = re.findall(r"uses: (\S+)(.*)", text)
    assert uses
    for action, comment in uses:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), comment
    assert "secrets." not in text
    assert "permissions: {}" in text
    # Files that they run are there.
    for script in re.findall(r"(?:bash|sh|python3) ((?:packaging|\.ci)/\w+(?:\.py)?)", text):
        assert (ROOT / script).exists(), script


def test_container_serves_without_rights() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    last = lines[max(number for number, line in enumerate(lines) if line.startswith("FROM")) :]
    assert "USER 10001" in last
    assert any(line.startswith("VOLUME") for line in last)
    assert 'ENTRYPOINT ["bookbuilder"]' in last
    command = next(line for line in last if line.startswith("CMD"))
    assert command.startswith('CMD ["serve", "/stores"')


def test_container_gets_what_the_build_reads() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line[1:] for line in lines if line.startswith("!")}
    assert {"LICENSE", "README.md", "bookbuilder", "core", "data", "pyproject.toml", ".cargo"} <= kept
    assert all((ROOT / name).exists() for name in kept)
