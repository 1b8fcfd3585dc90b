"""The node that the whole test run shares."""

from __future__ import annotations

import pytest
import requests

pytestmark = pytest.mark.opensearch

ANALYZERS = ("english", "german", "thai", "cjk", "arabic", "standard")


def test_it_is_the_pinned_version(opensearch_url: str) -> None:
    answer = requests.get(opensearch_url, timeout=10).json()
    assert answer["version"]["number"] == "3.9.0"


@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_it_analyzes_languages(opensearch_url: str, analyzer: str) -> None:
    body = {"analyzer": analyzer, "text": "search สวัสดีครับ"}
    answer = requests.post(f"{opensearch_url}/_analyze", json=body, timeout=10)
    assert answer.status_code == 200
    assert answer.json()["tokens"]


def test_thai_words_are_broken(opensearch_url: str) -> None:
    body = {"tokenizer": "thai", "text": "ภาษาไทย"}
    answer = requests.post(f"{opensearch_url}/_analyze", json=body, timeout=10)
    assert [token["token"] for token in answer.json()["tokens"]] == ["ภาษา", "ไทย"]


def test_a_write_to_a_missing_index_creates_none(opensearch_url: str) -> None:
    answer = requests.put(f"{opensearch_url}/local-missing/_doc/1", json={"a": 1}, timeout=10)
    assert answer.status_code == 404


def test_scripts_and_reindex_are_there(opensearch_url: str) -> None:
    one, two = (f"{opensearch_url}/local-reindex-{number}" for number in (1, 2))
    settings = {"settings": {"number_of_replicas": 0}}
    try:
        for index in (one, two):
            requests.put(index, json=settings, timeout=30).raise_for_status()
        requests.put(f"{one}/_doc/1?refresh=true", json={"a": 1}, timeout=10).raise_for_status()
        body = {
            "source": {"index": "local-reindex-1"},
            "dest": {"index": "local-reindex-2"},
            "script": {"source": "ctx._source.a += 1"},
        }
        address = f"{opensearch_url}/_reindex?refresh=true"
        requests.post(address, json=body, timeout=30).raise_for_status()
        assert requests.get(f"{two}/_source/1", timeout=10).json() == {"a": 2}
    finally:
        for index in (one, two):
            requests.delete(index, timeout=30)
