"""The one OpenSearch that all crawlers fill."""

from __future__ import annotations

from collections.abc import Iterator

import psutil
from contestants import OTHER_INDEX_BODY, other_index
from opensearchpy import OpenSearch, helpers

from local_opensearch import Node


class Store:
    """A running node, emptied between crawls."""

    def __init__(self, node: Node) -> None:
        self.url = node.url
        self._pid = node.status().pid
        self._client = OpenSearch([node.url], timeout=120)

    def processes(self) -> list[psutil.Process]:
        """The process of the node."""
        return [] if self._pid is None else [psutil.Process(self._pid)]

    def clear(self) -> None:
        """Delete every index, and make the one of the other crawlers."""
        for each in self._client.cat.indices(params={"format": "json", "expand_wildcards": "all"}):
            self._client.indices.delete(index=each["index"])
        self._client.indices.create(index=other_index(), body=OTHER_INDEX_BODY)

    def urls(self, index: str) -> frozenset[str]:
        """The URLs of all documents that a search finds."""
        return frozenset(self._urls(index))

    def _urls(self, index: str) -> Iterator[str]:
        query = {"query": {"match_all": {}}, "_source": ["url"]}
        for hit in helpers.scan(self._client, query=query, index=index, size=5_000):
            yield hit["_source"]["url"]
