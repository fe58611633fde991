"""Entry point of the command line: `bookbuilder …` and `python -m bookbuilder …`."""

from __future__ import annotations

import atexit
import gc
import os
import sys

GARBAGE_THRESHOLD = 20_000
"""New objects between two collections. Python's default costs a short command 3 % of its CPU time."""


def main() -> None:
    """Run the command of the command line and exit with its code."""
    if sys.argv[1:3] in (["engine", "uci"], ["engine", "ucci"]):
        # A GUI waits for the engine, so nothing else is loaded.
        from bookbuilder.cli.engine.pipe import serve_plainly

        if (code := serve_plainly(sys.argv[2:])) is not None:
            sys.exit(code)
    gc.set_threshold(GARBAGE_THRESHOLD)
    # At exit Python looks through all objects for cycles, to free memory that the system takes back anyway.
    atexit.register(gc.freeze)
    # No matrices are multiplied here, and numpy would start a thread for each processor to be ready for that.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from bookbuilder.cli.app import app

    app(prog_name="bookbuilder")


if __name__ == "__main__":
    main()
