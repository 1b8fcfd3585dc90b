"""A real OpenSearch, and a site of its own for each test."""

from __future__ import annotations

import datetime as dt
import itertools
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from site_indexer.index_store.change_sets import ChangeRecord, ChangeSet, RemovalRecord
from site_indexer.index_store.client import StoreClient, connect
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.draft_writer import DraftWriter
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.publishing import Published, PublishRequest, publish
from site_indexer.index_store.setup import ensure_shared, ensure_site
from site_indexer.urls import document_id
from site_indexer.urls.kinds import MaskKind

START = dt.datetime.now(dt.UTC).replace(microsecond=0) - dt.timedelta(hours=1)
_SERIAL = itertools.count(1)


@pytest.fixture(scope="session")
def client(opensearch_url: str) -> StoreClient:
    client = connect(opensearch_url)
    ensure_shared(client)
    return client


@pytest.fixture
def site(client: StoreClient) -> Iterator[str]:
    site = f"t-{uuid.uuid4().hex[:12]}"
    yield site
    for index in client.indices.get(index=f"{site}.*", params={"expand_wildcards": "all"}):
        client.indices.delete(index=index)


@pytest.fixture
def names(client: StoreClient, site: str) -> SiteNames:
    return ensure_site(client, site, START, replicas=0)


def day(number: int) -> dt.datetime:
    """The date of block ``number``."""
    return START - dt.timedelta(days=100) + dt.timedelta(days=number)


def url(name: str) -> str:
    return f"https://www.example.com/{name}"


@dataclass
class Run:
    """One run in the making: what it found, told briefly; blocks are dated by their number."""

    client: StoreClient
    names: SiteNames
    target: Target = Target.LIVE
    fresh_start: bool = False
    digest: str = field(default_factory=lambda: uuid.uuid4().hex)
    now: dt.datetime = field(default_factory=lambda: START + dt.timedelta(minutes=next(_SERIAL)))
    changes: ChangeSet = field(init=False)
    new_draft: Callable[[], DraftWriter | None] = field(default=lambda: None)
    _fetches: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        self.changes = ChangeSet.create(self.client, self.names, self.digest, self.now)

    def write(self, *pages: str, block: int | None = 1, text: str = "text", **more: object) -> Run:
        return self._put("write", "indexed", pages, block, {"text": text, **more})

    def gone(self, *pages: str, block: int | None = 1) -> Run:
        return self._put("remove", "gone", pages, block, None)

    def unchanged(self, *pages: str, block: int | None = 1) -> Run:
        return self._put("keep", "unchanged", pages, block, None)

    def delete(self, *pages: str, block: int = 1, line: int = 7) -> Run:
        removals = [RemovalRecord(line, block, day(block), url=url(page)) for page in pages]
        self.changes.put_removals(removals)
        return self

    def deletemask(
        self, mask: str, kind: MaskKind = MaskKind.PREFIX, *, block: int = 1, line: int = 8
    ) -> Run:
        removal = RemovalRecord(line, block, day(block), mask=mask, mask_kind=kind)
        self.changes.put_removals([removal])
        return self

    def request(self) -> PublishRequest:
        return PublishRequest(
            site=self.names.site,
            target=self.target,
            digest=self.digest,
            run_id=f"run-{self.digest[:6]}",
            now=self.now,
            watermark_before=None,
            watermark_after=None,
            fresh_start=self.fresh_start,
            replicas=0,
        )

    def publish(self) -> Published:
        return publish(self.client, self.request())

    def _put(
        self,
        action: str,
        outcome: str,
        pages: tuple[str, ...],
        block: int | None,
        document: dict[str, object] | None,
    ) -> Run:
        with self.changes.writer(self.new_draft()) as writer:
            for page in pages:
                fetched = int(self.now.timestamp() * 1000) + next(self._fetches)
                writer.put(
                    ChangeRecord(
                        document_id=document_id(url(page)),
                        url=url(page),
                        version_ms=fetched,
                        action=action,
                        block=block,
                        counts_as=None if block is None else day(block),
                        document=document and {"url": url(page), "title": page, **document},
                        facts={"outcome": outcome, "line": 3},
                    )
                )
        return self


StartRun = Callable[..., Run]


@pytest.fixture
def run(client: StoreClient, names: SiteNames) -> StartRun:
    """Begin a run of the site: ``run().write("a").publish()``."""

    def start(target: Target = Target.LIVE, *, fresh_start: bool = False) -> Run:
        return Run(client, names, target, fresh_start)

    return start


Shown = Callable[..., dict[str, str]]


@pytest.fixture
def shown(client: StoreClient, names: SiteNames) -> Shown:
    """What searchers see: text by page name."""

    def look(target: Target = Target.LIVE) -> dict[str, str]:
        documents = StoredDocuments(client, names.alias(target))
        found = documents.all(fields=("url", "text"))
        return {each["url"].rpartition("/")[2]: each["text"] for each in found}

    return look
