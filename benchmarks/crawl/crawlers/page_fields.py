"""What is indexed of a page, and its links, by lxml in few passes."""

from __future__ import annotations

from typing import Any
from urllib.parse import urldefrag, urljoin

from lxml import html

_TEXT = "//body//text()[not(parent::script or parent::style)]"
_DESCRIPTION = 'string(//meta[@name="description"]/@content)'


def read_page(
    body: bytes, url: str, prefix: str, last_modified: str | None
) -> tuple[dict[str, Any], list[str]]:
    """The document, and the links below ``prefix`` that may be followed, without fragments."""
    root = html.document_fromstring(body)
    document = {
        "url": url,
        "title": (root.findtext(".//title") or "").strip(),
        "description": root.xpath(_DESCRIPTION),
        "text": " ".join(" ".join(root.xpath(_TEXT)).split()),
        "last_modified": last_modified,
    }
    links: dict[str, None] = {}
    for anchor in root.iter("a", "area"):
        href = anchor.get("href")
        if href is not None and "nofollow" not in (anchor.get("rel") or ""):
            target = urldefrag(urljoin(url, href.strip()))[0]
            if target.startswith(prefix):
                links[target] = None
    return document, list(links)
