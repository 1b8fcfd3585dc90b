"""Which certificate authorities the HTTP clients trust."""

from __future__ import annotations

import ssl
from pathlib import Path

import requests.utils

# Where systems keep their authorities in one file: Debian, Red Hat, SUSE, Alpine and macOS. Not
# every Python knows the place of its own system (Debian's knows a folder only).
SYSTEM_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


def ca_bundle() -> str:
    """The file of trusted certificates: the system's (or SSL_CERT_FILE's), else the one of certifi.

    The system's comes first, as the authority of a company's network is known only there; and
    libcurl as it comes with pycurl looks in a place that only some systems have.
    """
    known = ssl.get_default_verify_paths().cafile
    found = next((path for path in SYSTEM_BUNDLES if Path(path).is_file()), None)
    return known or found or requests.utils.DEFAULT_CA_BUNDLE_PATH
