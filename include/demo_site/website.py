"""The site as answers: from a request target to what is there."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import quote, unquote

from demo_site import crawler_files
from demo_site.answers import Answer, failure, found, redirect
from demo_site.catalogue import Catalogue, Document, Page
from demo_site.dynamic import DynamicPages
from demo_site.layout import DATED_SECTIONS, Frame, Layout, section_members
from demo_site.pdf import pdf
from demo_site.script import PLACEHOLDER

_LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" '
    'rx="8" fill="#0b4f6c"/><path d="M6 42q13-12 26 0t26 0" fill="none" stroke="#fff" '
    'stroke-width="5"/><path d="M32 8l6 24H26z" fill="#f6f1e7"/></svg>\n'
)
# What browsers understand by these names (WHATWG Encoding): quotation marks and all.
_ENCODINGS = {"ISO-8859-1": "windows-1252", "gb2312": "gbk"}
_FAILURES = {
    404: ("Page not found", "No page of the observatory has this address."),
    410: ("Page withdrawn", "This page was withdrawn by the observatory and will not return."),
}


class Website:
    """All answers of one catalogue under one base URL. Built once, then only read."""

    def __init__(self, catalogue: Catalogue, base_url: str) -> None:
        self._catalogue = catalogue
        self._base_url = base_url
        self._layout = Layout(catalogue, base_url)
        self._dynamic = DynamicPages(catalogue, self._layout, base_url)
        self._answers: dict[str, Answer] = {}
        self._fill()

    def answer(self, target: str) -> Answer:
        """What is at a request target (path and query, percent-encoded).

        A query that a plain page does not know is passed over, as most servers do.
        """
        path, _, query = target.partition("?")
        # However the client spells a path, its normalized spelling is the key.
        path = quote(unquote(path), safe="/-._~!$&'()*+,;=:@")
        answer = self._dynamic.answer(path, query) or self._answers.get(path)
        return answer or self._failure(404)

    def _fill(self) -> None:
        for page in self._catalogue.pages.values():
            self._answers[page.path] = self._page(page)
        for document in self._catalogue.documents:
            self._answers[document.path] = _document(document)
        for moved in self._catalogue.redirects:
            location = moved.to.replace(PLACEHOLDER, self._base_url)
            self._answers[moved.path] = redirect(moved.status, location)
        for path, status in self._catalogue.gone.items():
            self._answers[path] = self._failure(status)
        newest = max(date for _, date in crawler_files.sitemap_entries(self._catalogue))
        oldest = min(page.server_date for page in self._catalogue.pages.values())
        self._answers["/robots.txt"] = found(
            crawler_files.robots_txt(self._base_url).encode(), "text/plain; charset=utf-8", oldest
        )
        self._answers["/sitemap.xml"] = found(
            crawler_files.sitemap_xml(self._catalogue, self._base_url).encode(),
            "application/xml",
            newest,
        )
        self._answers["/img/logo.svg"] = found(_LOGO.encode(), "image/svg+xml", oldest)

    def _page(self, page: Page) -> Answer:
        content_type = "text/html"
        if page.charset_in_header:
            content_type = f"text/html; charset={page.charset}"
        headers = [("X-Robots-Tag", page.x_robots_tag)] if page.x_robots_tag else []
        encoding = _ENCODINGS.get(page.charset, page.charset)
        # What an old charset lacks, such as the names of the other languages, is written as &#n;.
        body = self._layout.page(page).encode(encoding, errors="xmlcharrefreplace")
        return found(body, content_type, self._modified(page), *headers)

    def _modified(self, page: Page) -> datetime:
        """A page that lists others by date is as new as the newest of them."""
        dates = [page.server_date]
        if page.lists_section and page.section in DATED_SECTIONS:
            dates += [member.server_date for member in section_members(self._catalogue, page)]
        return max(dates)

    def _failure(self, status: int) -> Answer:
        title, text = _FAILURES[status]
        frame = Frame(self._catalogue.editions["en"], title, text, ('<meta charset="utf-8">',))
        return failure(status, self._layout.frame(frame, f"<h1>{title}</h1>\n<p>{text}</p>"))


def _document(document: Document) -> Answer:
    headers = [("X-Robots-Tag", document.x_robots_tag)] if document.x_robots_tag else []
    if document.content_type == "application/pdf":
        body = pdf(document.title, document.lines)
    else:
        body = "\n".join([*document.lines, ""]).encode()
    return found(body, document.content_type, document.date, *headers)
