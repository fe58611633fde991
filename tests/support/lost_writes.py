"""What a disk may hold after a power loss, by the calls that changed a folder until then.

The model is a file system of POSIX that keeps no order. What was synced is there: the content of a
file after `fsync` of the file, the names of a folder after `fsync` of the folder. Of everything later any
part may be there. A `Loss` says which part: of the names, and of the bytes.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

_HEADER: Final = struct.Struct("<QQQIIII")
_PAGE: Final = 4096

Tree = dict[str, bytes | None]
"""The content of a folder: the bytes of each file, None for a folder, by path."""
Names = Literal["none", "all", "journal", "folders", "some"]
"""Changes of names that survive: those before a moment, before a moment of each folder, or any."""
Bytes = Literal["none", "zeros", "first", "some", "all"]
"""Writes that survive: zeros up to the size, those before a moment, or any pages."""


class Call(NamedTuple):
    """A recorded call: its kind as in `faults/record.c`, the file or the names, and what was written."""

    kind: str
    inode: int
    place: int
    one: Path
    two: Path
    content: bytes


class Loss(NamedTuple):
    """What survives of the changes that were not synced."""

    names: Names
    bytes: Bytes
    seed: int = 0


def read_calls(log: Path) -> list[Call]:
    """Return the calls of a log."""
    data, place, calls = log.read_bytes(), 0, []

    def take(size: int) -> bytes:
        nonlocal place
        place += size
        return data[place - size : place]

    while place < len(data):
        inode, where, size, kind, one, two, _ = _HEADER.unpack(take(_HEADER.size))
        names = [Path(take(length).decode()) for length in (one, two)]
        calls.append(Call(chr(kind), inode, where, names[0], names[1], take(size)))
    return calls


def tree_of(folder: Path) -> Tree:
    """Return the content of a folder."""
    found = ((path.relative_to(folder), path) for path in folder.rglob("*"))
    return {str(name): None if path.is_dir() else path.read_bytes() for name, path in found}


def write_tree(tree: Tree, folder: Path) -> None:
    """Create a folder with a content."""
    folder.mkdir()
    for name, content in sorted(tree.items()):
        if content is None:
            (folder / name).mkdir(parents=True, exist_ok=True)
        else:
            (folder / name).write_bytes(content)


class _Write(NamedTuple):
    """A write of at most a page, or the size that a file was cut to."""

    place: int
    content: bytes | None

    def apply(self, content: bytearray) -> None:
        if self.content is None:
            _resize(content, self.place)
        else:
            _resize(content, max(len(content), self.place))
            content[self.place : self.place + len(self.content)] = self.content


def _resize(content: bytearray, size: int) -> None:
    del content[size:]
    content.extend(bytes(size - len(content)))


class _Change(NamedTuple):
    """A change of names of a folder, by its number: to a file, or to nothing."""

    number: int
    names: dict[str, _Node | None]


@dataclass(eq=False, slots=True)
class _Node:
    """A file or a folder: what of it is synced, and what was changed since."""

    is_folder: bool
    content: bytes = b""
    writes: list[_Write] = field(default_factory=list)
    names: dict[str, _Node] = field(default_factory=dict)
    changes: list[_Change] = field(default_factory=list)
    live: dict[str, _Node] = field(default_factory=dict)

    def sync(self) -> None:
        content = bytearray(self.content)
        for write in self.writes:
            write.apply(content)
        self.content, self.names = bytes(content), dict(self.live)
        self.writes, self.changes = [], []

    def write(self, place: int, content: bytes) -> None:
        start = 0
        while start < len(content):
            end = start + _PAGE - (place + start) % _PAGE
            self.writes.append(_Write(place + start, content[start:end]))
            start = end

    def kept(self, loss: Loss, chance: random.Random) -> bytes:
        """Return the content that survives."""
        content, size = bytearray(self.content), len(self.content)
        first = chance.randint(0, len(self.writes))
        for place, write in enumerate(self.writes):
            size = write.place if write.content is None else max(size, write.place + len(write.content))
            is_kept = {"none": False, "zeros": write.content is None, "all": True, "first": place < first}
            if is_kept.get(loss.bytes, False) or (loss.bytes == "some" and chance.random() < 0.5):
                write.apply(content)
        # The size is known sooner than the bytes, or later.
        if loss.bytes == "zeros" or (loss.bytes == "some" and chance.random() < 0.5):
            _resize(content, size)
        return bytes(content)

    def kept_names(self, loss: Loss, before: int, chance: random.Random) -> dict[str, _Node]:
        """Return the names that survive; by a journal, the names of changes before a number."""
        names, first = dict(self.names), chance.randint(0, len(self.changes))
        for place, change in enumerate(self.changes):
            is_kept = {"all": True, "journal": change.number < before, "folders": place < first}
            if is_kept.get(loss.names, False) or (loss.names == "some" and chance.random() < 0.5):
                for name, node in change.names.items():
                    names.pop(name, None)
                    names |= {name: node} if node is not None else {}
        return names


class Disk:
    """A folder on a disk, to which calls are applied one by one."""

    def __init__(self, folder: Path) -> None:
        """Read the folder; all of it is synced."""
        self._folder = folder
        self._nodes: dict[int, _Node] = {}
        self._number = 0
        self._root = self._read(folder)

    def _read(self, path: Path) -> _Node:
        inode = path.lstat().st_ino
        if inode not in self._nodes:  # a file may have two names
            node = self._nodes[inode] = _Node(path.is_dir(), b"" if path.is_dir() else path.read_bytes())
            if node.is_folder:
                node.names = {each.name: self._read(each) for each in path.iterdir()}
                node.live = dict(node.names)
        return self._nodes[inode]

    def apply(self, call: Call) -> None:
        """Take a call into account."""
        match call.kind:
            case "C" | "M":
                self._nodes[call.inode] = node = _Node(call.kind == "M")
                self._change(call.one.parent, {call.one.name: node})
            case "U":
                self._change(call.one.parent, {call.one.name: None})
            case "L":
                self._change(call.two.parent, {call.two.name: self._at(call.one)})
            case "R":
                self._rename(call.one, call.two)
            case "T":
                self._nodes[call.inode].writes.append(_Write(call.place, None))
            case "W":
                self._nodes[call.inode].write(call.place, call.content)
            case "S":
                self._nodes[call.inode].sync()
            case "A":
                for node in self._nodes.values():
                    node.sync()

    def _at(self, path: Path) -> _Node:
        node = self._root
        for name in path.relative_to(self._folder).parts:
            node = node.live[name]
        return node

    def _rename(self, old: Path, new: Path) -> None:
        node = self._at(old)
        if old.parent == new.parent:
            self._change(old.parent, {old.name: None, new.name: node})
        else:
            self._change(new.parent, {new.name: node})
            self._change(old.parent, {old.name: None})

    def _change(self, folder: Path, names: dict[str, _Node | None]) -> None:
        node = self._at(folder)
        self._number += 1
        node.changes.append(_Change(self._number, names))
        for name, of in names.items():
            node.live.pop(name, None)
            node.live |= {name: of} if of is not None else {}

    def after(self, loss: Loss) -> Tree:
        """Return what the folder holds if the power is lost now."""
        chance = random.Random(f"{loss} {self._number}")
        before = chance.randint(1, self._number + 1)
        contents: dict[_Node, bytes] = {}  # a file may have two names

        def left(folder: _Node, path: str) -> Iterator[tuple[str, bytes | None]]:
            for name, node in folder.kept_names(loss, before, chance).items():
                if node.is_folder:
                    yield path + name, None
                    yield from left(node, f"{path}{name}/")
                else:
                    if node not in contents:
                        contents[node] = node.kept(loss, chance)
                    yield path + name, contents[node]

        return dict(left(self._root, ""))


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
    names, written = get_args(Names), get_args(Bytes)
    chosen = {0, *chance.sample(range(len(calls) + 1), min(moments, len(calls) + 1))}
    seen: list[Tree] = []
    for number in range(len(calls) + 1):
        if number:
            disk.apply(calls[number - 1])
        drawn = (
            Loss(chance.choice(names), chance.choice(written), chance.getrandbits(32)) for _ in range(seeds)
        )
        for loss in [NOTHING, *_WITHOUT_BYTES, *drawn] if number in chosen else ():
            tree = disk.after(loss)
            if tree not in seen:
                seen.append(tree)
                yield Cut(number, loss, tree)
