"""`bookbuilder …` and `python -m bookbuilder …`: the command line."""

from __future__ import annotations

import gc
import sys

# What a command loads stays: looking for garbage among it, again and again, is a thirtieth of a short one's
# time.
_GARBAGE_THRESHOLD = 20_000


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    if sys.argv[1:3] in (["engine", "uci"], ["engine", "ucci"]):
        # A GUI waits for the engine: nothing else is loaded.
        from bookbuilder.cli.engine.pipe import serve_plainly

        if (code := serve_plainly(sys.argv[2:])) is not None:
            sys.exit(code)
    gc.set_threshold(_GARBAGE_THRESHOLD)
    from bookbuilder.cli.app import app

    app(prog_name="bookbuilder")


if __name__ == "__main__":
    main()
