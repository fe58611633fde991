"""States that a disk may hold after a power loss during a recorded run."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, get_args

from support.lost_writes import Bytes, Call, Disk, Loss, Names, Tree

NOTHING: Final = Loss("none", "none")
"""Of what was not synced nothing is there."""
EVERYTHING: Final = Loss("all", "all")
_WITHOUT_BYTES: Final = (Loss("all", "none"), Loss("all", "zeros"))
"""Files have their names and, of what was not synced, no bytes; or zeros."""


class Cut(NamedTuple):
    """A state of a disk: after which of the calls, by which loss."""

    after: int
    loss: Loss
    tree: Tree

    def __str__(self) -> str:
        """Return it without its content."""
        names = ", ".join(
            f"{name}: {content and len(content)}" for name, content in sorted(self.tree.items())
        )
        return f"after {self.after} calls, {self.loss}: {names}"


def cuts(disk: Disk, calls: Sequence[Call], *, moments: int, seeds: int, seed: str) -> Iterator[Cut]:
    """Apply the calls to a disk, and yield states that it may hold at some moments, each state once.

    Args:
        disk: the state before.
        calls: the calls.
        moments: maximum number of moments.
        seeds: random losses at each, besides the fixed ones.
        seed: chooses them.
    """
    chance = random.Random(seed)
    chosen = {0, *chance.sample(range(len(calls) + 1), min(moments, len(calls) + 1))}
    seen: list[Tree] = []
    for number in range(len(calls) + 1):
        if number:
            disk.apply(calls[number - 1])
        for loss in [NOTHING, *_WITHOUT_BYTES, *_random(chance, seeds)] if number in chosen else ():
            tree = disk.after(loss)
            if tree not in seen:
                seen.append(tree)
                yield Cut(number, loss, tree)


def _random(chance: random.Random, count: int) -> list[Loss]:
    return [
        Loss(chance.choice(get_args(Names)), chance.choice(get_args(Bytes)), chance.getrandbits(32))
        for _ in range(count)
    ]
