"""libcurl's error numbers as failures of a crawl (docs/spec/04-crawling.md, 4.1 Fetching)."""

from __future__ import annotations

from typing import Final

import pycurl

from site_indexer.crawling.responses import Failure

_FAILURES: Final = {
    pycurl.E_OPERATION_TIMEDOUT: Failure.TIMEOUT,
    pycurl.E_COULDNT_RESOLVE_HOST: Failure.DNS,
    pycurl.E_COULDNT_RESOLVE_PROXY: Failure.DNS,
    pycurl.E_COULDNT_CONNECT: Failure.CONNECTION,
    pycurl.E_GOT_NOTHING: Failure.CONNECTION,
    pycurl.E_SEND_ERROR: Failure.CONNECTION,
    pycurl.E_RECV_ERROR: Failure.CONNECTION,
    pycurl.E_PARTIAL_FILE: Failure.TRUNCATED,
    pycurl.E_FILESIZE_EXCEEDED: Failure.TOO_LARGE,
    pycurl.E_BAD_CONTENT_ENCODING: Failure.BAD_ENCODING,
    pycurl.E_SSL_CONNECT_ERROR: Failure.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: Failure.TLS,
    pycurl.E_SSL_CERTPROBLEM: Failure.TLS,
    pycurl.E_SSL_CIPHER: Failure.TLS,
    pycurl.E_SSL_CACERT_BADFILE: Failure.TLS,
    pycurl.E_SSL_ISSUER_ERROR: Failure.TLS,
    pycurl.E_SSL_INVALIDCERTSTATUS: Failure.TLS,
    pycurl.E_USE_SSL_FAILED: Failure.TLS,
}
_TOO_LONG: Final = 100  # CURLE_TOO_LARGE has no name in pycurl
_TRANSIENT: Final = frozenset(
    {
        pycurl.E_OPERATION_TIMEDOUT,
        pycurl.E_COULDNT_RESOLVE_HOST,
        pycurl.E_COULDNT_RESOLVE_PROXY,
        pycurl.E_COULDNT_CONNECT,
        pycurl.E_GOT_NOTHING,
        pycurl.E_SEND_ERROR,
        pycurl.E_RECV_ERROR,
        pycurl.E_PARTIAL_FILE,
        pycurl.E_SSL_CONNECT_ERROR,
    }
)


def failure_of_error(number: int) -> Failure:
    """The failure for an error number of libcurl; what has no class of its own is PROTOCOL."""
    return _FAILURES.get(number, Failure.PROTOCOL)


def is_transient_error(number: int) -> bool:
    """Whether the same request can well succeed within seconds."""
    return number in _TRANSIENT


def words_of_error(number: int) -> str:
    """What to say of an error of which libcurl says nothing itself."""
    if number == _TOO_LONG:
        return "a header line is longer than 100 KB"
    return f"libcurl error {number}"
