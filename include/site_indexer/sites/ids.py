"""Which ids a site may have (docs/spec/07-site-definition.md, 7.1)."""

from __future__ import annotations

import re

SITE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")

# Airflow masks the values of Variables whose key holds one of these, in its pages, its REST
# answers and task logs; a site's watermark must be readable there.
MASKED_WORDS = (
    "access_token",
    "api_key",
    "apikey",
    "authorization",
    "bearer",
    "dsn",
    "keyfile_dict",
    "passphrase",
    "passwd",
    "password",
    "private_key",
    "proxy",
    "secret",
    "service_account",
    "token",
)


def check_site_id(site: str) -> str:
    """Return the id unchanged. Raises ValueError that says what an id may be."""
    if SITE_ID.fullmatch(site) is None:
        raise ValueError(
            f"{site!r} is no site id; expected 1 to 61 lower-case letters, digits and hyphens, "
            "the first a letter or digit"
        )
    for word in MASKED_WORDS:
        if word in site:
            raise ValueError(
                f"{site!r} holds {word!r}: Airflow masks Variables with that word in their name, "
                "so nobody could read this site's watermark; choose another id"
            )
    return site
