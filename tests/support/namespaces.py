"""Hosts of a bad network on this machine: network namespaces around a switch that lose packets and links."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Final

_NEEDED: Final = (
    "needs root, `ip` (iproute2) and `nft` (nftables), which make hosts out of network namespaces"
)


def require_namespaces() -> None:
    """Fail if this process cannot create network namespaces."""
    missing = [tool for tool in ("ip", "nft") if shutil.which(tool) is None]
    if os.geteuid() != 0:
        missing.append("root")
    assert not missing, f"this test {_NEEDED}; missing: {', '.join(missing)}"


class Network:
    """Named hosts, each in a namespace of its own. All are removed at the end of a `with` block."""

    def __init__(self, hosts: Sequence[str], *, lost_percent: int) -> None:
        """Name the hosts, at most 200, and the share of packets that each of them loses."""
        self._prefix = f"bookbuilder-{os.getpid()}"
        self._hosts = list(hosts)
        self._lost = lost_percent
        self._running: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Network:
        with ExitStack() as stack:
            stack.callback(self._remove)
            self._create()
            stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def address(self, host: str) -> str:
        """Return the address of a host."""
        return f"10.77.0.{self._hosts.index(host) + 1}"

    def start(self, host: str, command: Sequence[str], **options: object) -> subprocess.Popen[str]:
        """Start a program on a host; it is killed at the end of the `with` block if it still runs."""
        words = ["ip", "netns", "exec", self._name(host), *command]
        running = subprocess.Popen(words, text=True, start_new_session=True, **options)  # type: ignore[call-overload]
        self._running.append(running)
        return running

    def unplug(self, host: str) -> None:
        """Take the link of a host down."""
        _do("ip", "-n", self._name("switch"), "link", "set", self._port(host), "down")

    def plug(self, host: str) -> None:
        """Bring the link of a host up again."""
        _do("ip", "-n", self._name("switch"), "link", "set", self._port(host), "up")

    def lost(self, host: str) -> int:
        """Return the number of packets that a host has lost, except those of unplugged links."""
        said = _do("nft", "list", "counter", "inet", "bad", "lost", inside=self._name(host))
        return int(said.split("packets")[1].split()[0])

    def _create(self) -> None:
        switch = self._name("switch")
        _do("ip", "netns", "add", switch)
        _do("ip", "-n", switch, "link", "add", "bridge", "type", "bridge")
        _do("ip", "-n", switch, "link", "set", "bridge", "up")
        for host in self._hosts:
            name, port = self._name(host), self._port(host)
            _do("ip", "netns", "add", name)
            _do(
                "ip", "-n", switch, "link", "add", port, "type", "veth", "peer", "name", "wire", "netns", name
            )
            _do("ip", "-n", switch, "link", "set", port, "master", "bridge", "up")
            _do("ip", "-n", name, "address", "add", f"{self.address(host)}/24", "dev", "wire")
            _do("ip", "-n", name, "link", "set", "lo", "up")
            _do("ip", "-n", name, "link", "set", "wire", "up")
            rule = f'iifname "wire" numgen random mod 100 < {self._lost} counter name lost drop'
            _do(
                "nft",
                "add table inet bad; add counter inet bad lost; "
                "add chain inet bad arriving { type filter hook input priority 0; }; "
                f"add rule inet bad arriving {rule}",
                inside=name,
            )

    def _remove(self) -> None:
        for running in self._running:
            if running.poll() is None:
                running.kill()
            running.wait()
            for stream in (running.stdout, running.stderr):
                if stream is not None:
                    stream.close()
        for host in [*self._hosts, "switch"]:
            with suppress(subprocess.CalledProcessError):
                _do("ip", "netns", "delete", self._name(host))

    def _name(self, host: str) -> str:
        return f"{self._prefix}-{host}"

    def _port(self, host: str) -> str:
        return f"port{self._hosts.index(host)}"


def _do(*command: str, inside: str | None = None) -> str:
    words = command if inside is None else ("ip", "netns", "exec", inside, *command)
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout
