"""The pages are correct: commands print what is shown, Python code runs, links and paths exist.

Run `PYTHONPATH=tests python tests/project/test_docs.py` after a change in what a command prints: it rewrites
the pages.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from support.cli_runner import run

import bookbuilder
from bookbuilder.cli.app import app
from bookbuilder.cli.help import commands_below

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FRONT: Any = typer.main.get_command(app)
COMMANDS: dict[tuple[str, ...], Any] = {(): FRONT} | {
    tuple(path.split()): each for path, each in commands_below(FRONT)
}
EVERYWHERE = {"-h", "--help", "-q", "--quiet", "--wide", "--color", "--notation"}
# Folders that the build writes.
APART = ("_build", "_ext", "commands", "notebooks")
PAGES = sorted(path for path in DOCS.rglob("*.md") if not set(path.relative_to(DOCS).parts) & set(APART))
FRONT_PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
# A job goes on after the first code of its page.
JOB = re.compile(r"<!-- job -->\n```python\n(.*?)```", re.DOTALL)
# A command may continue after a backslash at the end of a line.
COMMAND = re.compile(r"^\$ bookbuilder ((?:[^\n]*\\\n)*[^\n]*)\n((?:(?!\$ ).*\n?)*)", re.MULTILINE)


def command(*words: str) -> str:
    """Return the output of a command, run in this process because pages have many."""
    ran = run(*words)
    assert ran.code == 0, f"{shlex.join(words)}: {ran.err}"
    return ran.out


def name_of(path: Path) -> str:
    """Return the name of a page in test output."""
    return str(path.relative_to(ROOT))


def words_of(line: str) -> list[str]:
    """Return the words of a command line, without its comment."""
    return shlex.split(line.replace("\\\n", " "), comments=True)


def text_of(path: Path) -> str:
    """Return the text of a page."""
    return path.read_text(encoding="utf-8")


STAND_INS = {
    "games.pgn": "chess_selfplay.pgn",
    "my-games.pgn": "historic.pgn",
    "engine-games.pgn": "chess_selfplay.pgn",
    "xiangqi.zip": "xiangqi_selfplay.zip",
}
"""The archive in `data/` for each file that the pages name as the reader's own."""
# Figures that depend on the machine, the strength of the engine or the length of a recipe.
VOLATILE = re.compile(
    r"time|memory|per CPU|per second|nodes|score |depth|book hits|table hits|^line|^move .*search|^bytes "
)


def stable_lines(text: str) -> list[str]:
    """Return the lines that are equal on every machine, without space, which depends on the figures."""
    lines = (" ".join(line.replace("─", "").split()) for line in text.splitlines())
    return [line for line in lines if line and not VOLATILE.search(line)]


def link_archives(folder: Path) -> None:
    """Link `data/` and the stand-ins into a folder, like a checkout with the reader's files."""
    (folder / "data").symlink_to(ROOT / "data")
    for name, archive in STAND_INS.items():
        (folder / name).symlink_to(ROOT / "data" / archive)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory that contains only archives, like a checkout."""
    link_archives(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "matplotlib"))
    return tmp_path


def run_code(code: str) -> None:
    """Run an example of Python in another process, in which warnings are errors; it must print."""
    ran = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MPLBACKEND": "agg"},
    )
    assert ran.returncode == 0, f"{code}\n{ran.stderr}"
    assert ran.stdout, code


RUN = [ROOT / "README.md", ROOT / "README.zh.md"]
RUN += [path for path in PAGES if BLOCK.search(text_of(path)) or PYTHON.search(text_of(path))]


@pytest.mark.parametrize("path", RUN, ids=name_of)
def test_page_commands_print_what_is_shown_and_code_runs(path: Path, checkout: Path) -> None:
    text = text_of(path)
    for line, output in [found for block in BLOCK.findall(text) for found in COMMAND.findall(block)]:
        printed = command(*words_of(line))
        if output.strip():
            assert stable_lines(printed) == stable_lines(output), line
    jobs = JOB.findall(text)
    alone = [code for code in PYTHON.findall(text) if code not in jobs]
    for code in ["\n".join([*alone[:1], *jobs]), *alone[1:]] if alone else []:
        run_code(code)


def test_cookbook_has_ten_jobs_of_five_lines() -> None:
    jobs = JOB.findall(text_of(DOCS / "guides" / "python.md"))
    assert len(jobs) == 10
    assert not [job for job in jobs if len(job.splitlines()) > 5 or "print(" not in job]


def shell_commands(text: str) -> Iterator[list[str]]:
    """Return the words of every `bookbuilder` command of a page, in blocks and between backticks."""
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r"&&|\|", line):
                if found := re.match(r"\s*(?:\$ )?bookbuilder (.*)", part):
                    yield words_of(found[1])
    for line in re.findall(r"`bookbuilder ([^`\n]+)`", text):
        yield line.split()


def test_commands_and_options_on_pages_exist() -> None:
    wrong = []
    for page in FRONT_PAGES + PAGES:
        for words in shell_commands(text_of(page)):
            depth = next(depth for depth in (2, 1, 0) if tuple(words[:depth]) in COMMANDS)
            found, rest = COMMANDS[tuple(words[:depth])], words[depth:]
            if words[0] == "tally" and rest and depth == 1:  # `tally` without a command is `tally add`
                found = COMMANDS["tally", "add"]
            known = {option for each in found.params for option in (*each.opts, *each.secondary_opts)}
            options = [re.match(r"--?[\w-]+", word) for word in rest]
            unknown = {option[0] for option in options if option} - known - EVERYWHERE
            # A group is named alone, with one of its commands, or with some: `tally info|verify`.
            is_unknown = hasattr(found, "commands") and rest and re.fullmatch(r"[a-z][a-z-]*", rest[0])
            if unknown or is_unknown:
                wrong.append(f"{name_of(page)}: bookbuilder {shlex.join(words)}")
    assert not wrong, "\n".join(wrong)


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and MyST create them."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(text: str) -> list[str]:
    """Return the targets of a page's links and pictures, except links to other sites."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    found = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'<img[^>]* src="([^"]+)"', text)
    return [target for target in found if not re.match(r"[a-z]+:", target)]


@pytest.mark.parametrize("path", FRONT_PAGES + PAGES, ids=name_of)
def test_links_lead_to_files_and_headings(path: Path) -> None:
    wrong = []
    for target in links(text_of(path)):
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists() or (anchor and anchor not in anchors(text_of(file))):
            wrong.append(target)
    assert not wrong


def test_files_that_contributing_names_exist() -> None:
    """A name without its folder is one of the files that the tree has."""
    text = text_of(ROOT / "CONTRIBUTING.md")
    named = re.findall(r"`([\w./-]+\.(?:py|pyi|rs|md|toml|yml))`", text)
    folders = ("bookbuilder", "core/src", "tests", "docs", "packaging", ".github", "benches", "data")
    files = [f"/{name_of(path)}" for folder in folders for path in (ROOT / folder).rglob("*")]
    files += [f"/{path.name}" for path in ROOT.iterdir()] + ["/core/Cargo.toml"]
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == []


def test_reference_has_every_public_name_once() -> None:
    page = text_of(DOCS / "reference" / "python.md")
    named = re.findall(
        r"auto(?:class|function|module):: bookbuilder\.(?:analysis\.)?(\w+)$", page, re.MULTILINE
    )
    # The module of errors has their base too.
    assert sorted([*named, "BookBuilderError"]) == sorted(bookbuilder.__all__)


@pytest.mark.slow
def test_site_builds_without_warnings(tmp_path: Path) -> None:
    pytest.importorskip("myst_nb", reason='needs the extra "docs"')
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path / "matplotlib"), "PYTHONWARNINGS": ""}
    arguments = ["-W", "--keep-going", "-q", "-d", str(tmp_path / "trees"), str(DOCS), str(tmp_path / "site")]
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "sphinx", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    site = tmp_path / "site"
    assert "--min-win-rate" in (site / "reference" / "commands" / "build.html").read_text(encoding="utf-8")
    assert "threshold_curve" in (site / "reference" / "python" / "analyse.html").read_text(encoding="utf-8")
    # Pages load nothing from a network.
    for page in site.rglob("*.html"):
        fetched = re.findall(
            r'<(?:script|img|link rel="stylesheet")[^>]*(?:src|href)="(https?:[^"]+)"', text_of(page)
        )
        assert not fetched, f"{page.name}: {fetched}"


def renewed(text: str) -> str:
    """Return the page with the current output of its commands."""

    def renew(found: re.Match[str]) -> str:
        # Tables have lines of blanks above and below them.
        lines = [line.rstrip() for line in command(*words_of(found[1])).splitlines() if not line.isspace()]
        shown = "\n".join(lines).strip("\n")
        return f"$ bookbuilder {found[1]}\n{shown + chr(10) if found[2].strip() else found[2]}"

    return BLOCK.sub(lambda block: f"```console\n{COMMAND.sub(renew, block[1])}```", text)


if __name__ == "__main__":
    for each in FRONT_PAGES + PAGES:
        if BLOCK.search(text_of(each)):
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                link_archives(Path(folder))
                each.write_text(renewed(text_of(each)), encoding="utf-8")
