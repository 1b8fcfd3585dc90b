"""What a site's ``crawl.connection`` holds: a log-in, further headers, a proxy.

Connections are kept by Airflow; the shell reads the same from the environment. Nothing of them may
come into a log, so values are in no message here and in no ``repr``
(docs/spec/07-site-definition.md, 7.5).
"""

from __future__ import annotations

import base64
import json
import os
import re
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from site_indexer.errors import ConfigurationError
from site_indexer.sites.definition import SiteDefinition

VARIABLE_PREFIX = "SITE_INDEXER_CONNECTION_"
_EXTRA = frozenset({"headers", "proxy"})
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")
# What the crawler says about itself, or what HTTP itself is made of.
_NOT_TO_SET = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "host",
        "if-modified-since",
        "if-none-match",
        "transfer-encoding",
        "user-agent",
    }
)


@dataclass(frozen=True, slots=True)
class SiteAccess:
    """How a site is reached: ``headers`` are sent to its own hosts, ``proxy`` is a URL or None."""

    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    proxy: str | None = field(default=None, repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be seen in a log: the values of all headers, the proxy's password."""
        password = urllib.parse.urlsplit(self.proxy or "").password
        found = [value for _, value in self.headers]
        found += [password, urllib.parse.unquote(password)] if password else []
        return tuple(found)


class Connections(Protocol):
    """Where connections are kept."""

    def get(self, name: str) -> SiteAccess:
        """What the connection of that name holds.

        Raises ConfigurationError where there is none, or it is unusable.
        """
        ...


class EnvironmentConnections:
    """Connections of the shell, in variables ``SITE_INDEXER_CONNECTION_<NAME>``.

    A value is what Airflow takes in ``AIRFLOW_CONN_<NAME>``: JSON, or a URL.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = environment

    def get(self, name: str) -> SiteAccess:
        """What the variable holds. Raises ConfigurationError where it is missing or unusable."""
        variable = VARIABLE_PREFIX + re.sub(r"[^A-Z0-9]", "_", name.upper())
        text = self._environment.get(variable, "").strip()
        if not text:
            raise ConfigurationError(
                f"The connection {name!r} is not there: the environment variable {variable} is"
                " not set.",
                hint='Set it to JSON such as {"login": "user", "password": "..."}.',
            )
        if text.startswith("{"):
            fields = _object(text, f"The environment variable {variable}")
            return access_of(
                name, **{key: fields.get(key) for key in ("login", "password", "extra")}
            )
        return _of_url(name, text, variable)


def site_access(connections: Connections, definition: SiteDefinition) -> SiteAccess:
    """How a site is reached; plainly, where its file names no connection."""
    name = definition.crawl.connection
    return SiteAccess() if name is None else connections.get(name)


def access_of(
    name: str,
    *,
    login: str | None = None,
    password: str | None = None,
    extra: str | Mapping[str, Any] | None = None,
) -> SiteAccess:
    """What the fields of a connection mean; ``extra`` is a JSON object, read or not.

    Raises ConfigurationError that names the connection and the field, and no value.
    """
    subject = f"The connection {name!r}"
    further = _object(extra or "{}", f"{subject}: its extra field")
    unknown = sorted(set(further) - _EXTRA)
    if unknown:
        raise ConfigurationError(
            f"{subject}: its extra field has {', '.join(unknown)}; expected headers or proxy.",
            hint='Write it as {"headers": {"X-Key": "..."}, "proxy": "http://proxy.example:3128"}.',
        )
    headers = tuple(_headers(subject, further.get("headers") or {}))
    if login or password:
        if any(header.lower() == "authorization" for header, _ in headers):
            raise ConfigurationError(
                f"{subject} has a login and a header Authorization.", hint="Keep one of them."
            )
        plain = f"{login or ''}:{password or ''}".encode()
        headers = (("Authorization", f"Basic {base64.b64encode(plain).decode()}"), *headers)
    return SiteAccess(headers, _proxy(subject, further.get("proxy")))


def _object(text: str | Mapping[str, Any], subject: str) -> Mapping[str, Any]:
    found: object = text
    if isinstance(text, str):
        try:
            found = json.loads(text)
        except ValueError:
            found = None
    if not isinstance(found, Mapping):
        # Not even where JSON went wrong is said: that would quote from it.
        raise ConfigurationError(f"{subject} is no JSON object.")
    return found


def _of_url(name: str, text: str, variable: str) -> SiteAccess:
    try:
        parts = urllib.parse.urlsplit(text)
        query = dict(urllib.parse.parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    except ValueError:
        raise ConfigurationError(
            f"The environment variable {variable} is neither JSON nor a URL."
        ) from None
    if "headers" in query:
        query["headers"] = dict(_object(query["headers"], f"{variable}: headers"))  # type: ignore[assignment]
    return access_of(
        name,
        login=parts.username and urllib.parse.unquote(parts.username),
        password=parts.password and urllib.parse.unquote(parts.password),
        extra=query.get("__extra__") or query,
    )


def _headers(subject: str, headers: object) -> Iterator[tuple[str, str]]:
    if not isinstance(headers, Mapping):
        raise ConfigurationError(f"{subject}: headers is no JSON object of names and values.")
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or name.lower() in _NOT_TO_SET:
            raise ConfigurationError(f"{subject}: {name!r} is no header that can be set.")
        if not isinstance(value, str) or not _HEADER_VALUE.fullmatch(value):
            raise ConfigurationError(
                f"{subject}: the value of the header {name} is no text of printable ASCII."
            )
        yield name, value.strip()


def _proxy(subject: str, proxy: object) -> str | None:
    if proxy is None or proxy == "":
        return None
    try:
        parts = urllib.parse.urlsplit(str(proxy))
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = None
    if not usable or not str(proxy).isascii() or not str(proxy).isprintable():
        raise ConfigurationError(
            f"{subject}: proxy is no URL such as http://user:password@proxy.example:3128."
        )
    return str(proxy)
