"""`bookbuilder serve`: serve stores and books with the local explorer."""

from __future__ import annotations

import gc
from importlib import util
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from bookbuilder.cli.console import note
from bookbuilder.errors import OptionError

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
# Maximum number of connections; a browser opens six.
_CONNECTIONS = 256


def serve(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="STORE|BOOK...", help="Tally stores, books, and folders of these.", show_default=False
        ),
    ],
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="Port; 0: any.")] = 8000,
    endgames: Annotated[Path | None, typer.Option(metavar="DIR", help="A folder of endgame tables.")] = None,
    cors: Annotated[bool, typer.Option("--cors", help="Let pages of other origins read.")] = False,
    token: Annotated[
        str | None,
        typer.Option(metavar="TEXT", envvar="BOOKBUILDER_TOKEN", help="Answer only who sends this token."),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Let the page build books and change entries.")
    ] = False,
    evals: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Evaluations to show beside moves; may be repeated."),
    ] = None,
    engine: Annotated[
        str, typer.Option(metavar="CMD", help="Engine of the page: `bundled`, or a command line.")
    ] = "bundled",
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Option of the engine; may be repeated.")
    ] = None,
    no_engine: Annotated[
        bool, typer.Option("--no-engine", help="Do not let the page ask an engine.")
    ] = False,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve the explorer of stores and books, until Ctrl-C."""
    if util.find_spec("starlette") is None or util.find_spec("uvicorn") is None:
        raise OptionError('serving needs starlette and uvicorn: pip install "bookbuilder[web]"')
    if write and token is None and host not in _LOOPBACK:
        raise OptionError(f"--write at {host}: others could change books; add --token TEXT")
    if token is not None and not (token.isascii() and token.isprintable() and token.strip()):
        raise OptionError("--token: expected printable ASCII characters")
    from bookbuilder.system import limit_heaps

    limit_heaps()  # before pyarrow is imported
    from bookbuilder.engine.endgames import Endgames
    from bookbuilder.explorer.app import make_app
    from bookbuilder.explorer.engine import KnownValues
    from bookbuilder.explorer.guard import Guarding
    from bookbuilder.explorer.serving import listen, run
    from bookbuilder.explorer.sources import Sources

    served = Sources(_unpacked(sources), is_writable=write)
    guarding = Guarding(host=host, cors=cors, token=token)
    tables = None if endgames is None else Endgames(endgames)
    app = make_app(
        served,
        guarding=guarding,
        endgames=tables,
        engine=None if no_engine else engine,
        options=option or (),
        values=KnownValues(evals or ()),
    )
    with listen(host, port) as door:
        name = "127.0.0.1" if host in ("0.0.0.0", "") else "::1" if host == "::" else host
        shown = f"[{name}]" if ":" in name and not name.startswith("[") else name
        query = "" if token is None else f"?token={quote(token)}"
        address = f"http://{shown}:{door.getsockname()[1]}/{query}"
        if host not in _LOOPBACK and token is None:
            note("others on the network can read this; --token TEXT keeps them out")
        note(f"serving {len(served)} at {address} (Ctrl-C ends it)")
        if open_page:
            typer.launch(address)
        gc.set_threshold(700)  # as Python has it: a server makes garbage without end
        run(app, door, connections=_CONNECTIONS)


def _unpacked(sources: list[Path]) -> list[Path]:
    """Return the sources, with the stores and books of a folder in its place."""
    from bookbuilder.archives.kinds import recognise

    found: list[Path] = []
    for source in sources:
        if not source.is_dir() or recognise(source) is not None:
            found.append(source)
            continue
        known = ((path, recognise(path)) for path in sorted(source.iterdir()))
        inside = [path for path, kind in known if kind is not None and kind.kind in ("store", "book")]
        if not inside:
            raise OptionError(f"{source}: holds no tally store and no book")
        found += inside
    return found
