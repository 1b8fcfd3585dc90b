"""What the site says to crawlers: robots.txt and sitemap.xml."""

from __future__ import annotations

from datetime import datetime
from html import escape

from demo_site.catalogue import Catalogue

PRIVATE = "/private/"


def robots_txt(base_url: str) -> str:
    """Disallow what is private for all, everything for one named robot; name the sitemap."""
    return (
        "# Cabo Lirio Coastal Observatory\n"
        "User-agent: *\n"
        f"Disallow: {PRIVATE}\n\n"
        "User-agent: GreedyHarvester\n"
        "Disallow: /\n\n"
        f"Sitemap: {base_url}/sitemap.xml\n"
    )


def sitemap_entries(catalogue: Catalogue) -> list[tuple[str, datetime]]:
    """Path and date of each page and document that the sitemap lists, by path.

    Listed is what wants to be found: pages with a text of their own, and no duplicates.
    """
    pages = [(page.path, page.server_date) for page in catalogue.pages.values() if page.in_sitemap]
    documents = [(found.path, found.date) for found in catalogue.documents if found.in_sitemap]
    return sorted([*pages, *documents])


def sitemap_xml(catalogue: Catalogue, base_url: str) -> str:
    """The sitemap in the sitemaps.org 0.9 form, ``lastmod`` as a day."""
    rows = "\n".join(
        f"<url><loc>{escape(base_url + path)}</loc>"
        f"<lastmod>{date.date().isoformat()}</lastmod></url>"
        for path, date in sitemap_entries(catalogue)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{rows}\n</urlset>\n"
    )
