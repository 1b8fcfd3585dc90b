"""What the extractor keeps of real pages, what it leaves out and why (docs/extraction.md).

    PYTHONPATH=include python benchmarks/extraction_ledger.py --each 25 FOLDER...

Each folder is a source: a tree of HTML files such as a documentation package has in
/usr/share/doc. Of each, so many pages are taken by chance, the same ones each time. Every word of
a page is either kept or left out for a reason; the ledger says so by source, adds it up, and names
the pages whose sums do not agree, those of which little is kept, and every warning and error.
"""

from __future__ import annotations

import argparse
import datetime as dt
import random
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from site_indexer.crawling.extracted import ExtractedPage, UnreadableError
from site_indexer.crawling.extraction import Extractor
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.page_account import Account
from site_indexer.crawling.responses import Request, Response
from site_indexer.urls import SiteHosts

HOST = "docs.example.com"
MOST_BYTES = 10 * 2**20
LITTLE = 0.1
FEW = 20
TYPES = {".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml"}


@dataclass
class Tally:
    """What was found in the pages of one source, or of all."""

    pages: int = 0
    words: int = 0
    kept: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    main_parts: Counter[str] = field(default_factory=Counter)
    charsets: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    dates: Counter[str] = field(default_factory=Counter)
    without_text: int = 0
    without_title: int = 0
    headings: int = 0
    links: int = 0
    seconds: list[float] = field(default_factory=list)

    def add(self, page: ExtractedPage, account: Account, seconds: float) -> None:
        """Count one page."""
        self.pages += 1
        self.words += account.all
        self.kept += account.kept
        self.left_out.update(account.left_out)
        self.main_parts[account.main_part] += 1
        self.charsets[f"{page.charset} ({page.charset_source})"] += 1
        self.languages[page.language or "none stated"] += 1
        self.dates[page.date_source or "none stated"] += 1
        self.without_text += not page.text
        self.without_title += not page.title
        self.headings += len(page.headings)
        self.links += len(page.links)
        self.seconds.append(seconds)

    def __iadd__(self, other: Tally) -> Tally:
        for name, value in vars(other).items():
            mine = getattr(self, name)
            setattr(self, name, mine + value)
        return self


@dataclass
class Notes:
    """What somebody should look at."""

    warnings: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    unaccounted: list[tuple[int, str]] = field(default_factory=list)
    little_kept: list[tuple[float, int, str]] = field(default_factory=list)


def pages_of(folder: Path, each: int) -> list[Path]:
    """Some pages of a folder by chance, the same ones each time."""
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in TYPES and path.is_file() and not path.is_symlink()
    )
    return random.Random(f"{len(found)}").sample(found, min(each, len(found)))


def response_of(path: Path, folder: Path) -> Response:
    """The answer of a server that states no charset."""
    return Response(
        request=Request(f"https://{HOST}/{path.relative_to(folder).as_posix()}"),
        status=200,
        headers=(("content-type", TYPES[path.suffix]),),
        body=path.read_bytes()[:MOST_BYTES],
        received_at=dt.datetime.now(dt.UTC),
        elapsed_ms=0,
    )


def extractor() -> Extractor:
    settings = CrawlSettings(
        site="ledger", user_agent="SiteIndexer", hosts=(HOST,), default_language=""
    )
    return Extractor(settings, LinkResolver(SiteHosts(settings.hosts)))


def source_tally(folder: Path, each: int, reader: Extractor, notes: Notes) -> Tally:
    tally = Tally()
    for path in pages_of(folder, each):
        response = response_of(path, folder)
        started = time.process_time()
        try:
            page = reader.extract(response)
        except UnreadableError as error:
            notes.errors.append(f"{path}: {error}")
            continue
        seconds = time.process_time() - started
        account = reader.account(response, page) if page is not None else None
        if page is None or account is None:
            notes.errors.append(f"{path}: it is no page")
            continue
        tally.add(page, account, seconds)
        notes.warnings += page.warnings
        if account.unaccounted:
            notes.unaccounted.append((account.unaccounted, str(path)))
        if account.all > FEW and account.kept < LITTLE * account.all:
            notes.little_kept.append((account.kept / account.all, account.all, str(path)))
    return tally


def rows(tallies: dict[str, Tally]) -> Iterator[str]:
    width = max(map(len, tallies))
    yield f"{'source':<{width}} {'pages':>6} {'words':>9} {'kept':>9} {'share':>6}  left out"
    for name, tally in tallies.items():
        share = f"{tally.kept / tally.words:.0%}" if tally.words else ""
        left = ", ".join(f"{count} {reason}" for reason, count in tally.left_out.most_common())
        counts = f"{tally.pages:>6} {tally.words:>9} {tally.kept:>9} {share:>6}"
        yield f"{name:<{width}} {counts}  {left}"


def facts(total: Tally, notes: Notes) -> Iterator[str]:
    for name, counter in (
        ("main part", total.main_parts),
        ("charset", total.charsets),
        ("language", total.languages),
        ("date", total.dates),
    ):
        yield f"{name:<12} " + ", ".join(f"{count} {what}" for what, count in counter.most_common())
    yield f"{'links':<12} {total.links}"
    yield f"{'headings':<12} {total.headings}"
    yield f"{'no text':<12} {total.without_text} pages"
    yield f"{'no title':<12} {total.without_title} pages"
    times = [seconds * 1000 for seconds in total.seconds]
    yield (
        f"{'CPU a page':<12} median {statistics.median(times):.2f} ms, mean "
        f"{statistics.fmean(times):.2f} ms, most {max(times):.1f} ms"
    )
    lost = sum(abs(count) for count, _ in notes.unaccounted)
    yield f"{'unaccounted':<12} {lost} of {total.words} words on {len(notes.unaccounted)} pages"
    for count, path in sorted(notes.unaccounted, key=lambda each: -abs(each[0]))[:10]:
        yield f"{'':<12} {count:>6} {path}"
    yield f"{'little kept':<12} {len(notes.little_kept)} pages"
    for share, words, path in sorted(notes.little_kept)[:20]:
        yield f"{'':<12} {share:>6.1%} of {words} {path}"
    for name, sentences in (("warnings", notes.warnings), ("errors", notes.errors)):
        yield f"{name:<12} {len(sentences)}"
        yield from (f"{'':<12} {sentence}" for sentence in sentences[:20])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--each", type=int, default=25, help="pages of each folder")
    options = parser.parse_args(arguments)
    reader, notes, total = extractor(), Notes(), Tally()
    tallies = {}
    for folder in options.folders:
        tally = source_tally(folder, options.each, reader, notes)
        if tally.pages:
            tallies[folder.name] = tally
            total += tally
    tallies["all"] = total
    print("\n".join(rows(tallies)), "\n".join(facts(total, notes)), sep="\n\n")


if __name__ == "__main__":
    main()
