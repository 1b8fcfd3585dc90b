"""Pages made from a query: the collection database, the search and the tide calendar."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from datetime import UTC, datetime
from html import escape
from urllib.parse import parse_qsl

from demo_site.answers import HTML, Answer, found
from demo_site.catalogue import Catalogue, Item
from demo_site.layout import Frame, Layout

CATALOG = "/catalog"
SEARCH = "/search"
CALENDAR = "/en/calendar"
# The calendar links to the month before and after without an end that a crawler would reach in a
# sane time; that is the trap. Its own start is fixed, so the pages do not depend on the clock.
CALENDAR_START = (2025, 3)
_DATABASE_DATE = datetime(2024, 9, 12, 10, 0, tzinfo=UTC)
_CALENDAR_DATE = datetime(2025, 2, 3, 10, 0, tzinfo=UTC)


class DynamicPages:
    """Answers the targets whose page depends on the query."""

    def __init__(self, catalogue: Catalogue, layout: Layout, base_url: str) -> None:
        self._catalogue = catalogue
        self._layout = layout
        self._base_url = base_url
        self._items = {item.number: item for item in catalogue.items}

    def answer(self, path: str, query: str) -> Answer | None:
        """The answer to ``path?query``; None if the path is not dynamic or names nothing."""
        fields = dict(parse_qsl(query, keep_blank_values=True))
        if path == CATALOG:
            return self._catalog(fields)
        if path == SEARCH:
            return self._search(fields.get("q", ""))
        if path == CALENDAR:
            return self._calendar(fields.get("month", ""))
        return None

    def _catalog(self, fields: dict[str, str]) -> Answer | None:
        if "item" not in fields:
            return self._item_list(fields.get("sort", ""))
        number = fields["item"]
        item = self._items.get(int(number)) if number.isascii() and number.isdigit() else None
        return self._item(item, fields.get("view", "")) if item else None

    def _item_list(self, sort: str) -> Answer:
        items = sorted(self._catalogue.items, key=ORDERS.get(sort, _by_number))
        rows = "\n".join(
            f'<tr><td>{item.number}</td><td><a href="/catalog?item={item.number}">'
            f"{escape(item.name)}</a></td><td>{item.year}</td></tr>"
            for item in items
        )
        sorts = " · ".join(
            f'<a href="/catalog?sort={name}">by {name}</a>' for name in sorted(ORDERS)
        )
        text = (
            "<h1>Collection database</h1>\n<p>Objects of the observatory's collections that have "
            f"been described for the public. Order: {sorts}.</p>\n<table>\n<tr><th>No.</th>"
            f"<th>Object</th><th>Year</th></tr>\n{rows}\n</table>"
        )
        # The order is another view of the same page, which the canonical link says.
        return self._found(
            "Collection database",
            "All objects described in the collection database.",
            text,
            CATALOG,
            _DATABASE_DATE,
        )

    def _item(self, item: Item, view: str) -> Answer:
        short = f"/catalog?item={item.number}"
        text = (
            f"<h1>{escape(item.name)}</h1>\n<p>{escape(item.summary)}</p>\n<table>\n"
            f"<tr><th>Number</th><td>CL-{item.number:04d}</td></tr>\n"
            f"<tr><th>Year</th><td>{item.year}</td></tr>\n"
            f"<tr><th>Found at</th><td>{escape(item.place)}</td></tr>\n</table>"
        )
        canonical, title = short, item.name
        if view == "full":
            canonical, title = f"{short}&view=full", f"{item.name}: full record"
            text += (
                f"\n<h2>Full record</h2>\n<p>{escape(item.details)}</p>"
                f'\n<p><a href="{escape(short)}">Short record</a></p>'
            )
        else:
            text += (
                f'\n<p><a href="{escape(short)}&amp;view=full">Full record</a> · '
                f'<a href="{escape(short)}&amp;view=print">Print</a> · '
                f'<a href="{CATALOG}">All objects</a></p>'
            )
        return self._found(title, item.summary, text, canonical, item.date)

    def _search(self, words: str) -> Answer:
        wanted = words.lower().strip()
        pages = [
            page
            for page in self._catalogue.pages.values()
            if wanted and page.language == "en" and wanted in f"{page.title} {page.body}".lower()
        ]
        rows = "".join(
            f'<li><a href="{page.path}">{escape(page.title)}</a></li>' for page in pages[:20]
        )
        text = (
            f'<h1>Search</h1>\n<form action="{SEARCH}"><label>Words '
            f'<input name="q" value="{escape(words)}"></label> <button>Search</button></form>\n'
            f"<p>{len(pages)} pages found.</p>\n<ul>{rows}</ul>"
        )
        return self._found(
            f"Search: {words}",
            "Results of the site's own search.",
            text,
            "",
            _DATABASE_DATE,
            ("X-Robots-Tag", "noindex, nofollow"),
        )

    def _calendar(self, month: str) -> Answer | None:
        year, number = CALENDAR_START
        if month:
            try:
                parsed = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
            except ValueError:
                return None
            year, number = parsed.year, parsed.month
        if not 1950 <= year <= 2100:
            return None
        days = "".join(
            f"<tr><td>{day} {calendar.month_name[number]}</td><td>{_height(year, number, day)} m"
            "</td></tr>"
            for day in range(1, calendar.monthrange(year, number)[1] + 1)
        )
        before = f"{year - (number == 1)}-{(number - 2) % 12 + 1:02d}"
        after = f"{year + (number == 12)}-{number % 12 + 1:02d}"
        name = f"{calendar.month_name[number]} {year}"
        text = (
            f"<h1>Tide calendar, {name}</h1>\n<p>Highest water of each day at the pier, "
            "predicted from the harmonic constants of the gauge.</p>\n"
            f'<p><a href="{CALENDAR}?month={before}">Month before</a> · '
            f'<a href="{CALENDAR}?month={after}">Month after</a></p>\n<table>{days}</table>'
        )
        own = f"{CALENDAR}?month={month}" if month else CALENDAR
        return self._found(
            f"Tide calendar, {name}", f"High water at the pier, {name}.", text, own, _CALENDAR_DATE
        )

    def _found(
        self,
        title: str,
        description: str,
        text: str,
        canonical: str,
        date: datetime,
        *headers: tuple[str, str],
    ) -> Answer:
        head = ['<meta charset="utf-8">']
        if canonical:
            head.append(f'<link rel="canonical" href="{escape(self._base_url + canonical)}">')
        frame = Frame(self._catalogue.editions["en"], title, description, tuple(head))
        return found(self._layout.frame(frame, text).encode(), HTML, date, *headers)


def _by_number(item: Item) -> str:
    return f"{item.number:06d}"


ORDERS: dict[str, Callable[[Item], str]] = {
    "year": lambda item: f"{item.year:06d}",
    "name": lambda item: item.name,
}


def _height(year: int, month: int, day: int) -> str:
    """A plausible high water in metres: springs and neaps over half a lunar month."""
    phase = datetime(year, month, day, tzinfo=UTC).toordinal() % 15
    return f"{3.1 + abs(phase - 7) * 0.09:.2f}"
