"""``fetch``: what would be indexed of one URL (docs/spec/08-shell.md, 8.5)."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from site_indexer.cli.fact_lines import fact_line
from site_indexer.cli.inputs import clock, read_input, site_of
from site_indexer.cli.output import Output
from site_indexer.errors import UsageError
from site_indexer.index_script.rendering import printable
from site_indexer.indexing.single_page import Look, SavedAnswer, look_at
from site_indexer.urls import normalize

_MOST_LINKS = 20


def fetch(arguments: argparse.Namespace, output: Output) -> int:
    """Show what a crawl would see of a URL; 3 if its server does not answer."""
    url = normalize(arguments.url)
    now = clock(arguments)
    found = look_at(
        Look(
            url=url,
            now=now,
            definition=site_of(arguments),
            timeout_s=arguments.timeout,
            resolve=tuple(arguments.resolve),
            answer=_saved_answer(arguments),
            robots=None if arguments.robots is None else read_input(arguments.robots, now)[0],
        )
    )
    if output.as_json:
        output.document(found)
        return 0
    for line in _lines(found):
        output.text(line)
    return 0


def _saved_answer(arguments: argparse.Namespace) -> SavedAnswer | None:
    if arguments.body is None:
        if arguments.header or arguments.status is not None:
            raise UsageError(
                "--header and --status describe a saved answer.",
                hint="Give its bytes with --body FILE.",
            )
        return None
    if arguments.body == arguments.robots == "-":
        raise UsageError("--body and --robots cannot both be read from standard input.")
    body, _ = read_input(arguments.body, clock(arguments))
    return SavedAnswer(body, tuple(arguments.header), arguments.status or 200)


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    """The same for people: what decides first, what is long last."""
    if found["kind"] == "page":
        yield _verdict(found)
    for hop in found["redirects"]:
        yield fact_line("redirect", f"{hop['status']} {hop['url']}")
    yield fact_line("final URL", found["final_url"])
    kind = found["content_type"] or "no type stated"
    yield fact_line("answer", f"{found['status']}, {kind}, {found['bytes']:,} bytes")
    yield from _sitemap(found) if found["kind"] == "sitemap" else _page(found)
    for warning in found["warnings"]:
        yield fact_line("warning", warning)


def _verdict(found: Mapping[str, Any]) -> str:
    words = "is indexed" if found["index"] else "is not indexed"
    return f"{found['final_url']} {words}: {printable(found['reason'])}"


def _sitemap(found: Mapping[str, Any]) -> Iterator[str]:
    yield fact_line("sitemap", f"{len(found['urls'])} URLs, {len(found['sitemaps'])} sitemaps")
    for entry in found["urls"][:_MOST_LINKS]:
        yield fact_line("", f"{entry['url']}  {entry['lastmod'] or ''}".rstrip())
    for url in found["sitemaps"][:_MOST_LINKS]:
        yield fact_line("", url)


def _page(found: Mapping[str, Any]) -> Iterator[str]:
    if found["charset"]:
        yield fact_line("charset", f"{found['charset']} (by {found['charset_source']})")
    robots = found["robots"]
    allowed = "allowed" if robots["allowed"] else "forbidden"
    yield fact_line("robots.txt", f"{allowed} ({robots['rule'] or 'no rule forbids it'})")
    says = [word for word in ("noindex", "nofollow") if robots[word]]
    if says:
        yield fact_line("page says", f"{', '.join(says)} ({robots['source']})")
    for name in ("title", "description", "language", "canonical"):
        if found[name]:
            yield fact_line(name, found[name])
    if found["date"]:
        yield fact_line("date", f"{found['date']} ({found['date_source']})")
    for name, value in found["fields"].items():
        yield fact_line("field", f"{name}: {value}")
    if found["words"]:
        yield from _words(found["words"])
    yield from _links(found["anchors"])
    if found["text"]:
        yield ""
        yield from map(printable, found["text"].split("\n"))


def _words(words: Mapping[str, Any]) -> Iterator[str]:
    where = f"in {words['main_part']}" if words["main_part"] != "body" else "no main part is marked"
    yield fact_line("words", f"{words['kept']} of {words['all']} kept ({where})")
    for reason, count in words["left_out"].items():
        yield fact_line("", f"{count} {reason}")


def _links(anchors: list[Mapping[str, str]]) -> Iterator[str]:
    yield fact_line("links", str(len(anchors)))
    for each in anchors[:_MOST_LINKS]:
        yield fact_line("", f"{each['url']}  {each['text']}".rstrip())
    if len(anchors) > _MOST_LINKS:
        yield fact_line("", f"... and {len(anchors) - _MOST_LINKS} more (--format json lists all)")
