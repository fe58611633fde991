"""An application at a port: a socket and an app in, answers until the process is told to end."""

from __future__ import annotations

import socket
from contextlib import suppress

import uvicorn
from starlette.applications import Starlette

from bookbuilder.errors import OptionError

__all__ = ["listen", "run"]

# Connections that wait to be accepted.
_WAITING = 128
# Seconds that answers under way have when the server ends.
_LAST_SECONDS = 2


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address.

    Raises:
        OptionError: the address is none of this machine, or another program listens there.
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
        reason = error.strerror or error
        raise OptionError(
            f"cannot listen at {host}, port {port}: {reason}; give another --host or --port"
        ) from error
    return door


def run(app: Starlette, door: socket.socket, *, connections: int) -> None:
    """Serve until the process gets SIGINT (Ctrl-C) or SIGTERM.

    Args:
        app: what answers.
        door: a socket that listens.
        connections: the most that are open at a time; further ones get 503.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=connections,
        timeout_graceful_shutdown=_LAST_SECONDS,
        http="h11",
        ws="none",
    )
    with suppress(KeyboardInterrupt):  # Ctrl-C is how a server ends
        _Server(config, app).run(sockets=[door])


class _Server(uvicorn.Server):
    """A server whose searches end before it waits for answers under way: by themselves they would not."""

    def __init__(self, config: uvicorn.Config, app: Starlette) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._app.state.engines is not None:
            await self._app.state.engines.close()
        await super().shutdown(sockets)
