"""Which certificate authorities the HTTP clients trust."""

from __future__ import annotations

import ssl

import requests.utils


def ca_bundle() -> str:
    """The file of trusted certificates: the system's (or SSL_CERT_FILE's), else the one of certifi.

    libcurl as it comes with pycurl looks in a place that only some systems have.
    """
    return ssl.get_default_verify_paths().cafile or requests.utils.DEFAULT_CA_BUNDLE_PATH
