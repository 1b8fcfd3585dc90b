"""The connection to OpenSearch, and its errors in the words of this product."""

from __future__ import annotations

import logging
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias
from urllib.parse import unquote, urlsplit

import orjson
from opensearchpy import OpenSearch
from opensearchpy.exceptions import (
    ConnectionError as ClientConnectionError,
)
from opensearchpy.exceptions import (
    OpenSearchException,
    SerializationError,
    TransportError,
)
from opensearchpy.serializer import Serializer

from site_indexer.errors import (
    ConfigurationError,
    SiteIndexerError,
    StoreRefusedError,
    StoreUnreachableError,
    TransientError,
)

StoreClient: TypeAlias = OpenSearch
"""A connection to OpenSearch, for packages that hand it on without using it."""

OLDEST_VERSION = (2, 12)
"""The first version whose ``_aliases`` knows ``must_exist`` for removals."""

_POOL_SIZE = 16
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+")
# The blocks of index.blocks.write and index.blocks.read_only.
_SEALS = ("/8/", "/5/")
_BUSY = frozenset({429, 502, 503, 504})


class StoreFullError(TransientError):
    """OpenSearch has made an index read-only because a disk is full."""

    code = "opensearch-full"
    exit_status = 3


class OrjsonSerializer(Serializer):
    """JSON by orjson: bytes out, several times as fast as the client's own."""

    mimetype = "application/json"

    def loads(self, s: str) -> object:
        """Parse an answer. Raises the client's SerializationError."""
        try:
            return orjson.loads(s)
        except ValueError as error:
            raise SerializationError(s, error) from error

    def dumps(self, data: object) -> str | bytes:
        """Encode a body; text and bytes are sent as they are."""
        return data if isinstance(data, str | bytes) else orjson.dumps(data)


def connect(
    url: str,
    *,
    user: str | None = None,
    password: str | None = None,
    ca_certs: str | None = None,
    timeout_s: float = 60,
) -> StoreClient:
    """A client for the node or load balancer at ``url``. Connects to nothing yet.

    ``user`` and ``password`` go before those in the URL. Certificates are checked, against
    ``ca_certs`` (a file) where given. One client serves any number of threads.
    Raises ConfigurationError for a URL or a certificate file that cannot be used.
    """
    host = _host_of(url)
    user, password = user or host.pop("user"), password or host.pop("password")
    # A 404 is an answer here, not an incident; what matters is raised.
    logging.getLogger("opensearch").setLevel(logging.ERROR)
    return OpenSearch(
        hosts=[{key: value for key, value in host.items() if key not in ("user", "password")}],
        http_auth=(user, password or "") if user else None,
        ssl_context=_tls(ca_certs) if host["use_ssl"] else None,
        http_compress=False,  # a quarter slower on loopback
        timeout=timeout_s,
        pool_maxsize=_POOL_SIZE,
        serializer=OrjsonSerializer(),
    )


def address_of(client: StoreClient) -> str:
    """Scheme, host and port of the connection, without credentials."""
    (connection, *_) = client.transport.connection_pool.connections
    return str(connection.host)


def require_supported(client: StoreClient) -> str:
    """The version of OpenSearch behind ``client``.

    Raises StoreRefusedError if it is no OpenSearch, or older than 2.12: publishing needs an
    ``_aliases`` request that fails as a whole where an alias has moved meanwhile.
    """
    with store_errors("ask for its version", client):
        version = client.info()["version"]
    number = str(version["number"])
    if version.get("distribution") != "opensearch":
        raise StoreRefusedError(
            f"What answers at {address_of(client)} is not OpenSearch (it says version {number}).",
            hint="Point the setting opensearch (SITE_INDEXER_OPENSEARCH_URL) to OpenSearch 2.12"
            " or newer.",
        )
    major, minor = (int(part) for part in number.split(".")[:2])
    if (major, minor) < OLDEST_VERSION:
        raise StoreRefusedError(
            f"OpenSearch {number} at {address_of(client)} is too old: 2.12 or newer is needed, as"
            " publishing relies on must_exist in an _aliases request.",
            hint="Upgrade OpenSearch.",
        )
    return number


@contextmanager
def store_errors(doing: str, client: StoreClient | None = None) -> Iterator[None]:
    """Translate the client's exceptions that leave the block.

    ``doing`` completes "OpenSearch could not ...", e.g. "write the change set". Raises
    StoreUnreachableError (no answer, or one that says not now), StoreFullError (a full disk),
    StoreRefusedError (all else).
    """
    try:
        yield
    except OpenSearchException as error:
        raise _translate(error, doing, client) from error


def blocked_error(index: str, reason: str, doing: str) -> SiteIndexerError:
    """The error for what a block on ``index`` refused; ``reason`` is OpenSearch's."""
    if _is_disk_block(reason):
        return full_error(index, doing)
    if not any(sign in reason for sign in _SEALS):
        return StoreRefusedError(
            f"OpenSearch refused to {doing}: the index {index} is blocked ({reason}).",
            hint="Somebody has closed or blocked it. Open it, or take the block off, in its"
            f" settings (/{index}/_settings), and run again.",
            index=index,
        )
    return StoreRefusedError(
        f"OpenSearch refused to {doing}: the index {index} is sealed against writing ({reason}).",
        hint="Published indexes never change. If this is a task that ran late, nothing is lost:"
        " its run was published or replaced.",
        index=index,
    )


def full_error(index: str, doing: str) -> StoreFullError:
    """The error for an index that is read-only because a disk is full."""
    return StoreFullError(
        f"OpenSearch cannot {doing}: a disk is full, so the index {index} is read-only.",
        hint="Free disk space (fewer kept generations, other indexes) or add some. OpenSearch"
        " takes the block away by itself once the disk is below its high watermark; to do it by"
        f' hand: PUT /{index}/_settings {{"index.blocks.read_only_allow_delete": null}}.'
        " Then run again.",
        index=index,
    )


def error_type(error: TransportError) -> str:
    """OpenSearch's word for what went wrong, e.g. ``index_not_found_exception``, or ""."""
    return _cause(error)[0]


def is_blocked(error: TransportError) -> bool:
    """Whether a block refused it, which no repetition changes: a sealed index or a full disk.

    Blocks of a cluster that is coming up (503) pass by themselves, and are none of these.
    """
    kinds = ("cluster_block_exception", "index_create_block_exception")
    return error_type(error) in kinds and error.status_code != 503


def _translate(
    error: OpenSearchException, doing: str, client: StoreClient | None
) -> SiteIndexerError:
    where = f" at {address_of(client)}" if client is not None else ""
    if not isinstance(error, TransportError):
        return StoreRefusedError(
            f"OpenSearch{where} gave an answer that makes no sense to {doing}."
        )
    if isinstance(error, ClientConnectionError):
        where = where or _address_in(error)
        return StoreUnreachableError(
            f"OpenSearch{where} does not answer (it was asked to {doing}): {_plain_reason(error)}.",
            hint="Is it running, and is the address right? Then run again: nothing was changed"
            " that a searcher can see.",
        )
    kind, reason, index = _cause(error)
    if is_blocked(error):
        return blocked_error(index or _blocked_index(reason), reason, doing)
    if error.status_code in _BUSY:
        return StoreUnreachableError(
            f"OpenSearch{where} could not {doing} now (HTTP {error.status_code}): {reason}.",
            hint="It is overloaded or not all of it is up. Run again later.",
        )
    if error.status_code in (401, 403):
        return StoreRefusedError(
            f"OpenSearch{where} did not let us {doing} (HTTP {error.status_code}).",
            hint="Check user and password, and what that user may do.",
        )
    return StoreRefusedError(f"OpenSearch{where} refused to {doing}: {reason} ({kind}).")


def _cause(error: TransportError) -> tuple[str, str, str]:
    """Type, reason and index of an error answer."""
    info = error.info if isinstance(error.info, Mapping) else {}
    cause = info.get("error", {})
    if not isinstance(cause, Mapping):
        return "", str(cause), ""
    roots = cause.get("root_cause") or [cause]
    root = roots[0]
    return (
        str(root.get("type", cause.get("type", ""))),
        str(root.get("reason", error.error)),
        str(root.get("index", "")),
    )


def _is_disk_block(reason: str) -> bool:
    """Whether a block's text is that of a full disk: number 12, or 10 for creating indexes."""
    return any(sign in reason for sign in ("/12/", "read-only-allow-delete", "/10/"))


def _blocked_index(reason: str) -> str:
    return reason.partition("index [")[2].partition("]")[0] or "to be created"


def _plain_reason(error: TransportError) -> str:
    """Why there was no answer, without the client's object addresses."""
    text = str(error.error)
    return text.rpartition("): ")[2] or text


def _address_in(error: TransportError) -> str:
    pool: Any = getattr(error.info, "conn", None) or getattr(error.info, "pool", None)
    host, port = getattr(pool, "host", None), getattr(pool, "port", None)
    return f" at {host}:{port}" if host else ""


def _host_of(url: str) -> dict[str, Any]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(parts.hostname or ""):
        raise ConfigurationError(
            "The address of OpenSearch is not an http(s) URL.",
            hint="Set SITE_INDEXER_OPENSEARCH_URL (or the Airflow connection) to the form"
            " https://search.example.com:9200.",
        )
    return {
        "host": parts.hostname,
        "port": port or (443 if parts.scheme == "https" else 80),
        "use_ssl": parts.scheme == "https",
        "url_prefix": parts.path.strip("/"),
        "user": unquote(parts.username) if parts.username else None,
        "password": unquote(parts.password) if parts.password else None,
    }


def _tls(ca_certs: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_certs)
    except OSError as error:
        raise ConfigurationError(
            f"The file of certificates {ca_certs} cannot be used: {error.strerror or error}.",
            hint="Name a readable PEM file, or none to use the system's certificates.",
        ) from error
