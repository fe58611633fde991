"""Entry point of the command line: `bookbuilder …` and `python -m bookbuilder …`."""

from __future__ import annotations

import atexit
import gc
import os
import sys


def main() -> None:
    """Run the command of the command line and exit with its code."""
    _open_closed_streams()
    if sys.argv[1:3] in (["engine", "uci"], ["engine", "ucci"]):
        # A GUI waits for the engine, so nothing else is loaded.
        from bookbuilder.cli.engine.pipe import serve_plainly

        if (code := serve_plainly(sys.argv[2:])) is not None:
            sys.exit(code)
    # Linear algebra of numpy is not used, and each of its threads would spin for 20 ms.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Arrow's own allocator asks the system for fresh memory, where malloc has some that was freed.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # Modules stay, so the garbage collector would search them in vain, while they are made and at the end.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
    from bookbuilder.cli.app import app
    from bookbuilder.cli.exits import end_at_sigterm

    end_at_sigterm()
    app(prog_name="bookbuilder")


def _open_closed_streams() -> None:
    """Open the null device on standard streams that are closed: else files would take their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8"))  # noqa: SIM115, PTH123


if __name__ == "__main__":
    main()
