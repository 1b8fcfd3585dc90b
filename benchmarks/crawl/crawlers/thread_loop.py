"""A plain loop: requests in eight threads, lxml, helpers.bulk, Protego for robots.txt."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

import requests
from assignment import Assignment, assignment, document_id, report
from opensearchpy import OpenSearch, helpers
from page_fields import read_page
from protego import Protego

THREADS = 8
AGENT = "thread-loop"


class Loop:
    """What the threads share."""

    def __init__(self, work: Assignment) -> None:
        self.work = work
        answer = requests.get(f"{work.origin}/robots.txt", timeout=30)
        self.robots = Protego.parse(answer.text if answer.ok else "")
        self.urls: queue.Queue[str] = queue.Queue()
        self.documents: queue.Queue[dict[str, Any] | None] = queue.Queue(2_000)
        self.seen: set[str] = set()
        self.lock = threading.Lock()

    def reach(self, links: list[str]) -> None:
        with self.lock:
            news = [link for link in links if link not in self.seen]
            self.seen.update(news)
        for link in news:
            if self.robots.can_fetch(link, AGENT):
                self.urls.put(link)

    def crawl(self) -> None:
        session = requests.Session()
        session.headers["User-Agent"] = AGENT
        while True:
            url = self.urls.get()
            try:
                self.visit(session, url)
            finally:
                self.urls.task_done()

    def visit(self, session: requests.Session, url: str) -> None:
        answer = session.get(url, timeout=30)
        if answer.status_code != 200 or "text/html" not in answer.headers.get("Content-Type", ""):
            return
        modified = answer.headers.get("Last-Modified")
        document, links = read_page(answer.content, answer.url, self.work.prefix, modified)
        self.documents.put(document)
        self.reach(links)

    def taken(self) -> Iterator[dict[str, Any]]:
        while (document := self.documents.get()) is not None:
            yield {
                "_index": self.work.index,
                "_id": document_id(document["url"]),
                "_source": document,
            }


def main() -> None:
    loop = Loop(assignment())
    client = OpenSearch([loop.work.opensearch], timeout=60)
    written: list[int] = []
    writer = threading.Thread(
        target=lambda: written.append(helpers.bulk(client, loop.taken(), chunk_size=500)[0])
    )
    writer.start()
    loop.reach([loop.work.front])
    for _ in range(THREADS):
        threading.Thread(target=loop.crawl, daemon=True).start()
    loop.urls.join()
    loop.documents.put(None)
    writer.join()
    client.indices.refresh(index=loop.work.index)
    report(pages=written[0])


main()
