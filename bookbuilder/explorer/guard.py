"""Checks requests before they reach the routes, and adds the headers of every response.

| refused | because |
|---|---|
| an unknown name as Host (421) | a foreign page could point its name here (DNS rebinding) |
| another Origin (403) | foreign pages must not use the user's browser; `--cors` lets them read |
| a missing or wrong token (401) | if the server was started with a token |
| a body over 4 KiB, of an import over 64 MiB (413), a path over 8 KiB (414) | no request needs one |

Numeric addresses cannot be rebound. Those of loopback are always accepted as Host, others if the server
listens beyond loopback.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bookbuilder.explorer.answer import API, refusal

COOKIE: Final = "bookbuilder_token"
"""Name of the cookie in which a browser keeps the token."""
WRITE_HEADER: Final = "x-bookbuilder-write"
"""Name of the header of a change. Forms and links of other pages cannot send it."""

# The only path that pages of other origins may never read, and the only one that takes an archive.
_WRITE_TOKEN: Final = f"{API}/write-token"
_IMPORTS: Final = f"{API}/imports"
_MOST_BODY: Final = 4096
_MOST_IMPORT: Final = 64 * 1024**2
_MOST_PATH: Final = 8192
_READING: Final = frozenset(("GET", "HEAD", "OPTIONS"))
_HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; style-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarding:
    """The allowed clients."""

    host: str = "127.0.0.1"  # the name or address that the server listens at
    cors: bool = False  # whether pages of other origins may read
    token: str | None = None  # the token that every request must carry; None = none

    def knows_host(self, host: str) -> bool:
        """Return whether a Host header, with or without a port, names this server."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
            if name in ("localhost", self.host.lower()):
                return True
            address = ipaddress.ip_address(name)
        except ValueError:  # neither a name that is known nor an address
            return False
        return address.is_loopback or not _is_loopback(self.host)

    def knows_token(self, given: str | None) -> bool:
        """Return whether a token is valid, by a comparison in constant time."""
        if self.token is None:
            return True
        return given is not None and hmac.compare_digest(given.encode(), self.token.encode())


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class Guard:
    """The outermost middleware of the server."""

    def __init__(self, app: ASGIApp, guarding: Guarding) -> None:
        """Wrap an application."""
        self._app = app
        self._guarding = guarding

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request or pass it on. Add the headers of this server to the response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers, received, most = Headers(scope=scope), 0, _MOST_BODY
        if scope["path"] == _IMPORTS and scope["method"] == "POST":
            # Only who may write can send an archive.
            given, token = headers.get(WRITE_HEADER, ""), scope["app"].state.write_token
            most = _MOST_IMPORT if hmac.compare_digest(given.encode(), token.encode()) else most

        async def receive_at_most() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:  # whatever its header says
                raise HTTPException(413, _too_large(most))
            return message

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                found = MutableHeaders(raw=message.setdefault("headers", []))
                found.update(_HEADERS)
                found.setdefault("cache-control", "no-store")
            await send(message)

        answering = self._refused(scope, headers, most) or self._app
        await answering(scope, receive_at_most, send_with_headers)

    def _refused(self, scope: Scope, headers: Headers, most: int) -> Response | None:
        host, length = headers.get("host", ""), headers.get("content-length", "0")
        if not self._guarding.knows_host(host):
            why = f'Host "{host[:80]}" is not this server: open it by its address, or start it with --host'
            return refusal(421, "host", why)
        is_open = self._guarding.cors and scope["method"] in _READING and scope["path"] != _WRITE_TOKEN
        if not is_open and _is_foreign(scope, headers, host):
            why = "pages of other origins may not ask here; to let them read, start the server with --cors"
            return refusal(403, "origin", why)
        if len(scope["path"]) + len(scope["query_string"]) > _MOST_PATH:
            return refusal(414, "too-long", f"the path is longer than {_MOST_PATH} bytes")
        if not length.isdecimal() or int(length[:10]) > most:
            return refusal(413, "too-large", _too_large(most))
        tokens = (None, *_given_tokens(scope, headers))
        if scope["method"] != "OPTIONS" and not any(map(self._guarding.knows_token, tokens)):
            why = "a token is needed: open the address that the server printed, or send it as a Bearer token"
            response = refusal(401, "token", why)
            response.headers["www-authenticate"] = "Bearer"
            return response
        return None


def _too_large(most: int) -> str:
    expected = "one entry or none" if most == _MOST_BODY else "a smaller archive; count this one with tally"
    return f"the body is larger than {most:,} bytes: expected {expected}"


def _given_tokens(scope: Scope, headers: Headers) -> Iterator[str]:
    """Yield the tokens of a request: as Bearer, in the cookie, and in the address."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        yield given.strip()
    cookies = cookie_parser(headers.get("cookie", ""))
    if COOKIE in cookies:
        yield str(cookies[COOKIE])
    if scope["path"] == "/":
        yield from parse_qs(scope["query_string"].decode("latin-1")).get("token", ())


def _is_foreign(scope: Scope, headers: Headers, host: str) -> bool:
    """Return whether the request is cross-origin. Following a link to one of our pages is not."""
    origin = headers.get("origin")
    if origin is not None:
        return origin.partition("://")[2].lower() != host.lower()
    # Requests for images and scripts carry no Origin, but browsers send Sec-Fetch-Site.
    is_link = headers.get("sec-fetch-mode") == "navigate" and not scope["path"].startswith("/api/")
    return headers.get("sec-fetch-site", "none") in ("cross-site", "same-site") and not is_link
