"""CPU a page of the HTML parsers that docs/adr/0007-html-parser.md weighs, and what they lose.

    PYTHONPATH=include python benchmarks/html_parsers.py --rounds 15 --pages 100

All do the same work on the same pages: title, description, robots, canonical, links resolved by the
product's own resolver, text with blocks apart. They take turns within each round, so that what
else the machine does hits all of them; CPU time is counted. Only ratios within one run mean
anything.
"""

from __future__ import annotations

import argparse
import datetime as dt
import random
import statistics
import time
from collections.abc import Callable, Iterator

from lxml import etree, html
from selectolax.lexbor import LexborHTMLParser

from site_indexer.crawling.extraction import Extractor
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.page_text import text_of_markup
from site_indexer.crawling.responses import Request, Response
from site_indexer.urls import SiteHosts

URL = "https://www.example.com/dir/page.html"
WORDS = (
    *("the", "of", "water", "tide", "observatory", "coast", "signal", "measure", "record", "salt"),
    *(
        "wind",
        "harbour",
        "light",
        "north",
        "island",
        "research",
        "station",
        "open",
        "data",
        "season",
    ),
)
BLOCKS = frozenset(
    {
        "br",
        "div",
        "h1",
        "h2",
        "h3",
        "li",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "td",
        "tr",
        "ul",
    }
)


def page(number: int, paragraphs: int, links: int) -> bytes:
    """One page of a documentation site: head, navigation, marked-up paragraphs."""
    chance = random.Random(number)
    parts = [
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Page {number}</title>'
        f'<meta name="description" content="About {number}"><meta name="robots" content="index">'
        f'<link rel="canonical" href="/dir/p{number}.html"><script>var x = 1;</script></head><body>'
        "<nav><ul>"
    ]
    parts += [f'<li><a class="nav" href="/p/{n}.html">Part {n}</a></li>' for n in range(links)]
    parts.append(f"</ul></nav><main><h1>Page {number}</h1>")
    for n in range(paragraphs):
        words = chance.choices(WORDS, k=60)
        words[5], words[9] = f"<b>{words[5]}</b>", f"<em>{words[9]}</em>ly"
        words[20] = f'<a href="../p/{chance.randrange(500)}.html?q={n}&amp;r=1">{words[20]}</a>'
        parts.append(f'<p class="para">\n  {" ".join(words)}\n</p>')
        if n % 6 == 0:
            parts.append(f"<h2>Part {n}</h2><table><tr><td>one</td><td>two</td></tr></table>")
    parts.append("</main><footer><p>Copyright</p></footer></body></html>")
    return "".join(parts).encode()


def with_lexbor() -> Callable[[bytes], int]:
    """The product's own extractor."""
    site = CrawlSettings(site="bench", user_agent="bench", hosts=("www.example.com",))
    extractor = Extractor(site, LinkResolver(SiteHosts(site.hosts)))
    request = Request(URL)
    headers = (("content-type", "text/html; charset=utf-8"),)
    now = dt.datetime.now(dt.UTC)

    def extract(body: bytes) -> int:
        found = extractor.extract(Response(request, 200, headers, body, now, 1))
        return len(found.text) if found is not None else 0

    return extract


def with_lxml(text_of: Callable[[etree._Element], str]) -> Callable[[bytes], int]:
    """The same by lxml, a way to take the text given."""
    resolver = LinkResolver(SiteHosts(["www.example.com"]))
    head = etree.XPath("//title/text() | //meta[@content]/@content | //link[@href]/@href")
    links = etree.XPath("//a[@href]")
    main = etree.XPath("//main")

    def extract(body: bytes) -> int:
        tree = html.document_fromstring(body, parser=html.HTMLParser(encoding="utf-8"))
        head(tree)
        resolve = resolver.on(URL)
        {target.url for link in links(tree) if (target := resolve(link.get("href"))) is not None}
        etree.strip_elements(tree, "script", "style", "noscript", with_tail=False)
        return len(text_of(main(tree)[0]))

    return extract


def written_out(element: etree._Element) -> str:
    """Text by writing the part out, as the product does."""
    return text_of_markup(html.tostring(element, encoding="unicode"))


def walked(element: etree._Element) -> str:
    """Text by a walk over the elements."""
    return " ".join("".join(_pieces(element)).split())


def _pieces(element: etree._Element) -> Iterator[str]:
    for event, node in etree.iterwalk(element, events=("start", "end")):
        text = node.text if event == "start" else node.tail
        if node.tag in BLOCKS:
            yield "\n"
        if text:
            yield text


def losses() -> None:
    """What each parser makes of a page that nests deeply, and of one that is long."""
    deep = b"<div>" * 1000 + b"deep" + b"</div>" * 1000 + b"<p>after"
    long = b"<p>" + b"word " * 2_500_000 + b"</p><p>after"
    for name, body in (("1,000 nested elements", deep), ("a text of 12.5 MB", long)):
        lexbor = LexborHTMLParser(body).body
        in_lexbor = (lexbor.html if lexbor is not None else "") or ""
        found = [
            f"lexbor: {_kept(in_lexbor)}",
            f"lxml: {_kept(_lxml_text(body, huge=False))}",
            f"lxml with huge_tree: {_kept(_lxml_text(body, huge=True))}",
        ]
        print(f"{name}: {'; '.join(found)}")


def _lxml_text(body: bytes, *, huge: bool) -> str:
    parser = html.HTMLParser(encoding="utf-8", huge_tree=huge)
    return str(html.document_fromstring(body, parser=parser).text_content())


def _kept(text: str) -> str:
    return f"{len(text):,} characters, the end {'kept' if 'after' in text else 'lost'}"


def measure(rounds: int, pages: int) -> None:
    """Print the CPU time a page of each, in ms: minimum, median and maximum of the rounds."""
    candidates: dict[str, Callable[[bytes], object]] = {
        "lexbor, parsing alone": LexborHTMLParser,
        "lxml, parsing alone": html.document_fromstring,
        "lexbor, whole page (the product)": with_lexbor(),
        "lxml, whole page, written out": with_lxml(written_out),
        "lxml, whole page, walked": with_lxml(walked),
    }
    for paragraphs, links in ((30, 13), (150, 200)):
        bodies = [page(number, paragraphs, links) for number in range(pages)]
        print(f"pages of {len(bodies[0]):,} bytes with {paragraphs + links} links")
        times: dict[str, list[float]] = {name: [] for name in candidates}
        for _ in range(rounds):
            for name, extract in candidates.items():
                start = time.process_time()
                for body in bodies:
                    extract(body)
                times[name].append((time.process_time() - start) / pages * 1000)
        for name, found in times.items():
            low, middle, high = min(found), statistics.median(found), max(found)
            print(f"  {name:34} {low:.3f} / {middle:.3f} / {high:.3f}")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=15)
    arguments.add_argument("--pages", type=int, default=100)
    chosen = arguments.parse_args()
    measure(chosen.rounds, chosen.pages)
    losses()
