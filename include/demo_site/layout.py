"""HTML pages: head, banner, navigation, main, footer, and a little CSS."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape

from demo_site.catalogue import Catalogue, Edition, Page, Statement

# Their indexes change with each new page; the others only when someone rewrites them.
DATED_SECTIONS = {"news", "archive"}
MAIL = "info@cabolirio.example"
STYLE = """
:root{--sea:#0b4f6c;--sand:#f6f1e7;--ink:#1d2a30;--line:#d8d2c4}
*{box-sizing:border-box}
body{margin:0;color:var(--ink);background:#fff;font:17px/1.65 Georgia,"Noto Serif","Noto Serif SC",
"Songti SC","Amiri","Noto Naskh Arabic",serif}
a{color:var(--sea)}
.banner{background:var(--sea);color:#fff;padding:1.4rem 5vw}
.banner a{color:#fff;text-decoration:none;font-size:1.5rem;font-weight:bold}
.banner p{margin:.2rem 0 0;opacity:.85}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;margin:0;padding:.7rem 5vw}
.sections{background:var(--sand);border-bottom:1px solid var(--line)}
.languages{font-size:.9rem}
main{max-width:44rem;margin:1rem auto 3rem;padding:0 5vw}
h1{font-size:2rem;line-height:1.25;color:var(--sea)}
h2{font-size:1.3rem;margin-top:2rem}
.stated{color:#5d6b70;font-size:.9rem}
.listing li{margin:.5rem 0}
.notice{border-inline-start:4px solid var(--sea);background:var(--sand);padding:.6rem 1rem}
table{border-collapse:collapse;width:100%}
th,td{border-bottom:1px solid var(--line);padding:.35rem .6rem;text-align:start}
footer{background:var(--sand);border-top:1px solid var(--line);padding:1.2rem 5vw;font-size:.9rem}
"""


@dataclass(frozen=True, slots=True)
class Frame:
    """What surrounds the text of any page: head fields and the language's edition."""

    edition: Edition
    title: str
    description: str
    head: tuple[str, ...] = ()
    stated: str = ""
    translations: tuple[tuple[str, str], ...] = ()


class Layout:
    """Renders the catalogue's pages for one base URL such as ``http://127.0.0.1:8300``."""

    def __init__(self, catalogue: Catalogue, base_url: str) -> None:
        self._catalogue = catalogue
        self._base_url = base_url
        self._by_key: dict[str, dict[str, str]] = {}
        for page in catalogue.pages.values():
            if page.key:
                self._by_key.setdefault(page.key, {})[page.language] = page.path

    def page(self, page: Page) -> str:
        """The whole HTML document of a catalogue page."""
        frame = Frame(
            edition=self._catalogue.editions[page.language],
            title=page.title,
            description=page.description,
            head=tuple(self._head_of(page)),
            stated="" if page.statement is Statement.NONE else page.date.date().isoformat(),
            translations=tuple(sorted(self._by_key.get(page.key, {}).items())),
        )
        text = page.body
        if page.lists_section:
            text += self.listing(page)
        return self.frame(frame, f"<h1>{escape(page.title)}</h1>\n{text}")

    def listing(self, index: Page) -> str:
        """Links to the other pages of an index page's section."""
        members = section_members(self._catalogue, index)
        rows = "\n".join(
            f'<li><a href="{_relative(index.path, page.path)}">{escape(page.title)}</a>'
            f"<br>{escape(page.description)}</li>"
            for page in members
        )
        words = self._catalogue.editions[index.language].words
        return f'\n<h2>{escape(words["in_section"])}</h2>\n<ul class="listing">\n{rows}\n</ul>'

    def frame(self, frame: Frame, text: str) -> str:
        """``text`` as the main part of a document with head, navigation and footer."""
        edition = frame.edition
        words = edition.words
        stated = (
            f'\n<p class="stated">{escape(words["updated"])}: '
            f'<time datetime="{frame.stated}">{frame.stated}</time></p>'
            if frame.stated
            else ""
        )
        head = "\n".join(frame.head)
        return f"""<!doctype html>
<html lang="{edition.language}" dir="{edition.direction}">
<head>
{head}
<title>{escape(frame.title)} | {escape(edition.name)}</title>
<meta name="description" content="{escape(frame.description)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/img/logo.svg">
<style>{STYLE}</style>
</head>
<body>
<header class="banner">
<a href="{edition.home}">{escape(edition.name)}</a>
<p>{escape(edition.tagline)}</p>
</header>
<nav class="sections" aria-label="{escape(words["sections"])}">
<ul>{self._sections(edition)}</ul>
</nav>
<nav class="languages" aria-label="{escape(words["languages"])}">
<ul>{self._languages(dict(frame.translations))}</ul>
</nav>
<main>
{text}{stated}
</main>
<footer>
<p>{escape(words["address"])}</p>
<p>{escape(words["write_to_us"])}: <a href="mailto:{MAIL}">{MAIL}</a></p>
<p>{escape(words["network"])}</p>
</footer>
</body>
</html>
"""

    def _sections(self, edition: Edition) -> str:
        return "".join(
            f'<li><a href="{section.path}">{escape(section.label)}</a></li>'
            for section in edition.sections
        )

    def _languages(self, translations: dict[str, str]) -> str:
        return "".join(
            f'<li><a href="{translations.get(language, edition.home)}" hreflang="{language}" '
            f'lang="{language}">{escape(edition.words["own_name"])}</a></li>'
            for language, edition in self._catalogue.editions.items()
        )

    def _head_of(self, page: Page) -> list[str]:
        head = []
        if page.charset == "utf-8" or not page.charset_in_header:
            head.append(f'<meta charset="{page.charset}">')
        if page.base_href:
            head.append(f'<base href="{page.base_href}">')
        if page.refresh:
            head.append(f'<meta http-equiv="refresh" content="{escape(page.refresh)}">')
        if page.robots:
            head.append(f'<meta name="{page.robots_agent}" content="{page.robots}">')
        canonical = page.canonical or page.path
        if not canonical.startswith("http"):
            canonical = self._base_url + canonical
        head.append(f'<link rel="canonical" href="{escape(canonical)}">')
        head.extend(_date_statement(page))
        return head


def section_members(catalogue: Catalogue, index: Page) -> list[Page]:
    """The pages that an index page lists: those of its language and section.

    News and bulletins come newest first, all else in the order of the catalogue.
    """
    members = [
        page
        for page in catalogue.pages.values()
        if page.section == index.section
        and page.language == index.language
        and page.listed
        and page.path != index.path
    ]
    if index.section not in DATED_SECTIONS:
        return members
    return sorted(members, key=lambda page: (-page.date.timestamp(), page.path))


def _relative(source: str, target: str) -> str:
    """``target`` as seen from the folder page ``source``, in the short form editors write."""
    folder = source[: source.rindex("/") + 1]
    return target.removeprefix(folder) if target.startswith(folder) else target


def _date_statement(page: Page) -> list[str]:
    moment = page.date.strftime("%Y-%m-%dT%H:%M:%SZ")
    match page.statement:
        case Statement.DATE:
            return [f'<meta name="date" content="{moment[:10]}">']
        case Statement.LAST_MODIFIED:
            return [f'<meta name="last-modified" content="{moment}">']
        case Statement.ARTICLE:
            return [f'<meta property="article:modified_time" content="{moment}">']
        case Statement.JSON_LD:
            data = json.dumps(
                {
                    "@context": "https://schema.org",
                    "@type": "WebPage",
                    "headline": page.title,
                    "dateModified": moment,
                },
                ensure_ascii=False,
            )
            return [f'<script type="application/ld+json">{data}</script>']
        case Statement.NONE:
            return []
