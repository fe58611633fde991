"""An engine of any protocol that does what a test says."""

from __future__ import annotations

import sys
from pathlib import Path


def fake(folder: Path, protocol: str, body: str, *, word: str = "go", move: str = "") -> str:
    """Return the command of an engine that runs `body` at a word, and plays a move when it is stopped."""
    hello = {"uci": "id name Fake 1\\nuciok", "ucci": "id name Fake 1\\nucciok", "xboard": ""}[protocol]
    path = folder / "fake.py"
    path.write_text(
        f"import sys, time\nfor line in sys.stdin:\n    word = line.split()[0]\n"
        f"    if word == '{protocol}': print('{hello}', flush=True)\n"
        f"    elif word == 'isready': print('readyok', flush=True)\n"
        f"    elif word == 'protover': print('feature ping=1 setboard=1 done=1', flush=True)\n"
        f"    elif word == 'ping': print(line.replace('ping', 'pong'), end='', flush=True)\n"
        f"    elif word == 'stop': print('bestmove {move}', flush=True)\n"
        f"    elif word == 'quit': break\n    elif word == '{word}':\n        {body}\n",
        encoding="utf-8",
    )
    return f"{protocol}:{sys.executable} {path}"
