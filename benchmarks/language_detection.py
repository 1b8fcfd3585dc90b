"""How often the language of real pages is found, and what it costs.

    PYTHONPATH=include python benchmarks/language_detection.py de=FOLDER fr=FOLDER ...

Each folder holds pages (``*.html``, at any depth) in that language: ``apt-get download PACKAGE``,
then ``dpkg-deb -x FILE FOLDER``. What pages state is not asked here.
"""

from __future__ import annotations

import datetime as dt
import random
import sys
import time
from collections import Counter
from pathlib import Path

from site_indexer.crawling.extraction import Extractor
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.page_language import detected_language
from site_indexer.crawling.responses import Request, Response
from site_indexer.urls import SiteHosts

EACH = 40


def main() -> None:
    settings = CrawlSettings(site="s", user_agent="benchmark", hosts=("h.test",))
    extractor = Extractor(settings, LinkResolver(SiteHosts(settings.hosts)))
    outcomes: Counter[str] = Counter()
    seconds = 0.0
    for argument in sys.argv[1:]:
        language, _, folder = argument.partition("=")
        paths = sorted(Path(folder).rglob("*.html"))
        random.Random(2).shuffle(paths)
        for path in paths[:EACH]:
            response = Response(
                request=Request("https://h.test/"),
                status=200,
                headers=(("content-type", "text/html"),),
                body=path.read_bytes(),
                received_at=dt.datetime.now(dt.UTC),
                elapsed_ms=1,
            )
            page = extractor.extract(response)
            if page is None or len(page.text) < 20:
                continue
            start = time.process_time()
            found = detected_language(page.title, page.text)
            seconds += time.process_time() - start
            outcomes["right" if found == language else f"{language} as {found or 'unclear'}"] += 1
    pages = outcomes.total()
    print(f"{pages} pages, {1000 * seconds / pages:.3f} ms of CPU each")
    for outcome, number in outcomes.most_common():
        print(f"{number:6} {outcome}")


if __name__ == "__main__":
    main()
