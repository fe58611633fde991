"""`bookbuilder …` and `python -m bookbuilder …`: the command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    if sys.argv[1:3] in (["engine", "uci"], ["engine", "ucci"]):
        # A GUI waits for the engine: nothing else is loaded.
        from bookbuilder.cli.engine_pipe import serve_plainly

        if (code := serve_plainly(sys.argv[2:])) is not None:
            sys.exit(code)
    from bookbuilder.cli.app import app

    app(prog_name="bookbuilder")


if __name__ == "__main__":
    main()
