"""Runs an application at a port until the process gets a signal to end."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from typing import Final

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from bookbuilder.errors import OptionError

# Connections that wait to be accepted.
_WAITING = 128
# Seconds that running answers get when the server ends.
_LAST_SECONDS = 2
REQUEST_SECONDS: Final = 10.0
"""Seconds that a client has to send a request, which is never larger than 12 KiB."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address.

    Raises:
        OptionError: the address is not of this machine, or another program listens there.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # With the protocol named, asyncio sends small answers at once (TCP_NODELAY); otherwise the body of an
        # answer waits 40 ms until its head is acknowledged.
        door = socket.socket(family, kind, protocol)
        try:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind(place)
            door.listen(_WAITING)
        except OSError:
            door.close()
            raise
    except OSError as error:
        why = f"{error.strerror or error}; give another --host or --port"
        raise OptionError(f"cannot listen at {host}, port {port}: {why}") from error
    return door


def run(app: Starlette, door: socket.socket, *, connections: int) -> None:
    """Serve at a listening socket until the process gets SIGINT (Ctrl-C) or SIGTERM."""
    with suppress(KeyboardInterrupt):  # Ctrl-C is how a server ends
        server_of(app, connections=connections).run(sockets=[door])


def server_of(
    app: Starlette, *, connections: int, request_seconds: float = REQUEST_SECONDS
) -> uvicorn.Server:
    """Return the server that `run` runs.

    Connections beyond the maximum get 503. A client has `request_seconds` to send a request.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=connections,
        timeout_graceful_shutdown=_LAST_SECONDS,
        http=type("_Timed", (_Timed,), {"seconds": request_seconds}),
        ws="none",
    )
    return _Server(config, app)


class _Timed(H11Protocol):
    """A connection that is closed when a request arrives too slowly, so that it does not block others."""

    seconds: float
    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._forget()
        elif self._limit is None:
            self._limit = self.loop.call_later(self.seconds, self.transport.abort)

    def _forget(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None


class _Server(uvicorn.Server):
    """A server that ends its searches before it waits for running answers."""

    def __init__(self, config: uvicorn.Config, app: Starlette) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._app.state.engines is not None:
            await self._app.state.engines.close()
        await super().shutdown(sockets)
