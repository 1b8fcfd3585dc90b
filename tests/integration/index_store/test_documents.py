"""Reading documents on a real OpenSearch."""

from __future__ import annotations

import pytest

from site_indexer.index_store import scan
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.masks import compile_mask
from site_indexer.urls import document_id
from site_indexer.urls.kinds import MaskKind

from .conftest import StartRun, url

pytestmark = pytest.mark.opensearch


@pytest.fixture
def documents(client: StoreClient, names: SiteNames) -> StoredDocuments:
    return StoredDocuments(client, names.alias(Target.LIVE))


def page(key: str) -> str:
    return document_id(url(key))


def test_lookup_gives_what_a_crawl_needs(run: StartRun, documents: StoredDocuments) -> None:
    run().write("a", "b", etag='"1"', content_digest="d", links=[url("b")], nofollow=True).publish()
    found = documents.lookup([page("a"), page("none")])
    assert found.keys() == {page("a")}
    source = found[page("a")]
    assert source["etag"] == '"1"'
    assert source["links"] == [url("b")]
    assert source["nofollow"] is True
    assert "text" not in source
    assert documents.lookup([]) == {}


def test_get_gives_the_whole_document(run: StartRun, documents: StoredDocuments) -> None:
    run().write("a", language="es", fields={"product": ["x" * 40_000, "y"]}).publish()
    found = documents.get(page("a"))
    assert found is not None
    assert (found["title"], found["language"]) == ("a", "es")
    assert documents.get(page("none")) is None


@pytest.mark.parametrize(
    ("mask", "kind", "expected"),
    [
        (url("x"), MaskKind.PREFIX, {"x", "x/1", "xy"}),
        (url("x/"), MaskKind.PREFIX, {"x/1"}),
        ("*1", MaskKind.WILDCARD, {"x/1", "1"}),
        (url("*1"), MaskKind.WILDCARD, {"x/1", "1"}),
        ("[0-9]$", MaskKind.REGEXP, {"x/1", "1"}),
        (r"^https://www\.example\.com/x[^/]*$", MaskKind.REGEXP, {"x", "xy"}),
        ("https://elsewhere.example.com/", MaskKind.PREFIX, set()),
    ],
)
def test_masks(
    run: StartRun, documents: StoredDocuments, mask: str, kind: MaskKind, expected: set[str]
) -> None:
    run().write("x", "x/1", "xy", "1", "y").publish()
    found = list(documents.matching(compile_mask(mask, kind)))
    assert sorted(found) == sorted(map(url, expected))


def test_all_are_sorted_by_url_over_many_pages(
    run: StartRun, documents: StoredDocuments, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "PAGE", 3)
    names = [f"p{number}" for number in range(10)]
    run().write(*reversed(names)).publish()
    found = list(documents.all())
    assert [each["url"] for each in found] == [url(each) for each in names]
    assert found[0].keys() == {"url", "title", "date", "content_digest", "tier"}
    assert found[0]["date"] is None
    some = documents.all(compile_mask("*p[34]", MaskKind.WILDCARD))
    assert list(some) == []
    some = documents.all(compile_mask("p[34]$", MaskKind.REGEXP))
    assert [each["url"] for each in some] == [url("p3"), url("p4")]


def test_scans_read_all_however_many(
    client: StoreClient, names: SiteNames, run: StartRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run().write(*(f"p{number}" for number in range(25))).publish()
    index = names.alias(Target.LIVE)
    for few in (24, 25, 26, 5):
        monkeypatch.setattr(scan, "FEW", few)
        hits = list(scan.scan(client, index, query={"match_all": {}}, source=["url"], size=5))
        assert len({hit["_id"] for hit in hits}) == len(hits) == 25


def test_a_scan_given_up_leaves_nothing_open(
    client: StoreClient, names: SiteNames, run: StartRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run().write(*(f"p{number}" for number in range(8))).publish()
    monkeypatch.setattr(scan, "FEW", 1)
    hits = scan.scan(
        client, names.alias(Target.LIVE), query={"match_all": {}}, source=False, size=2
    )
    next(hits)
    hits.close()  # type: ignore[attr-defined]
    path = f"{names.alias(Target.LIVE)}"
    stats = client.indices.stats(index=path, metric="search")
    assert stats["_all"]["total"]["search"]["open_contexts"] == 0


class TestSearch:
    def test_words_are_all_needed_and_accents_do_not_matter(
        self, run: StartRun, documents: StoredDocuments
    ) -> None:
        run().write("a", text="Una canción de cuna").write("b", text="Una casa").publish()
        found = documents.search("CANCION una")
        assert (found.total, [hit.url for hit in found.hits]) == (1, [url("a")])
        assert found.hits[0].highlights["text"] == ("<em>Una</em> <em>canción</em> de cuna",)

    def test_a_title_counts_more_than_text(self, run: StartRun, documents: StoredDocuments) -> None:
        run().write("b", title="Bread").write("a", text="bread and butter").publish()
        assert [hit.url for hit in documents.search("bread").hits] == [url("b"), url("a")]

    def test_supplemental_results_come_last(
        self, run: StartRun, documents: StoredDocuments
    ) -> None:
        run().write("b", title="bread", tier="supplemental").write("a", text="bread").publish()
        hits = documents.search("bread").hits
        assert [hit.tier for hit in hits] == ["full", "supplemental"]

    def test_other_scripts(self, run: StartRun, documents: StoredDocuments) -> None:
        run().write("ja", text="東京都の天気").write("ru", text="Погода в Москве").publish()
        assert [hit.url for hit in documents.search("東京").hits] == [url("ja")]
        assert [hit.url for hit in documents.search("погода").hits] == [url("ru")]

    def test_words_are_found_in_the_forms_of_their_language(
        self, run: StartRun, documents: StoredDocuments
    ) -> None:
        cases = [
            ("en", "The ferry runs daily.", "running ferries"),
            ("en", "The skipper's café", "skippers cafes"),
            ("de", "Unser Haus am Meer", "Häuser"),
            ("de", "Die Gärten am See", "garten"),
            ("fr", "Les chevaux de l'été", "cheval ete"),
            ("es", "Las canciones de cuna", "cancion"),
            ("nb", "Husene ved sjøen", "husen"),
            ("ru", "Новые книги", "книга"),
            ("el", "Τα βιβλία", "ΒΙΒΛΙΑ"),
            ("ar", "الكتب الجديدة", "كتب"),
            ("tr", "Evlerin kapısı", "ev"),
            ("th", "ภาษาไทยง่าย", "ไทย"),
            ("ja", "東京都の天気", "東京"),
            ("ko", "서울의 날씨", "서울"),
            ("pl", "Łódź nad jeziorem", "lodz"),
            ("", "no language known", "known"),
        ]
        changes = run()
        for number, (language, text, _) in enumerate(cases):
            changes.write(f"p{number}", text=text, language=language)
        changes.publish()
        for number, (_, text, query) in enumerate(cases):
            found = documents.search(query)
            assert [hit.url for hit in found.hits] == [url(f"p{number}")], text
            assert "<em>" in found.hits[0].highlights["text"][0], text

    def test_one_query_finds_documents_of_all_languages(
        self, run: StartRun, documents: StoredDocuments
    ) -> None:
        changes = run().write("en", title="The hotels", language="en")
        changes.write("de", title="Das Hotel", text="mit Blick auf the Rhein", language="de")
        changes.write("fr", title="Un hôtel", language="fr")
        changes.write("zh", title="Hotel 東京", language="zh").publish()
        found = {hit.url: hit.title for hit in documents.search("hotels").hits}
        assert found.keys() == {url("en"), url("de"), url("fr")}
        assert found[url("fr")] == "Un hôtel"
        assert {hit.url for hit in documents.search("the hotel").hits} == {url("en"), url("de")}

    def test_words_of_the_url(self, run: StartRun, documents: StoredDocuments) -> None:
        run().write("shop/tents_2026/z%C3%BCrich.html?model=X7", "else").publish()
        for query in ("shop", "tents", "2026", "Zürich", "zurich", "x7"):
            assert documents.search(query).total == 1, query
        for query in ("html", "https", "example"):
            assert documents.search(query).total == 0, query

    def test_very_many_words_in_many_languages(
        self, run: StartRun, documents: StoredDocuments
    ) -> None:
        changes = run()
        words = " ".join(f"word{number}" for number in range(400))
        for language in ("en", "de", "fr", "es", "it", "nl", "sv", "da", "ru", "tr", "fi", "hu"):
            changes.write(language, text=words, language=language, headings=["a"], description="b")
        changes.publish()
        assert documents.search(words).total == 12

    @pytest.mark.parametrize("query", ['"', "(", "a AND", "title:[", "***", "\\", "", "-", "|"])
    def test_any_text_is_a_query(
        self, run: StartRun, documents: StoredDocuments, query: str
    ) -> None:
        run().write("a", text="some text").publish()
        assert documents.search(query).total >= 0

    def test_phrases_and_exclusions(self, run: StartRun, documents: StoredDocuments) -> None:
        run().write("a", text="red green blue").write("b", text="green red").publish()
        assert [hit.url for hit in documents.search('"red green"').hits] == [url("a")]
        assert [hit.url for hit in documents.search("red -blue").hits] == [url("b")]

    def test_a_very_long_text(self, run: StartRun, documents: StoredDocuments) -> None:
        run().write("a", text="word " * 300_000 + "needle").publish()
        assert documents.search("needle").total == 1

    def test_size_and_total(self, run: StartRun, documents: StoredDocuments) -> None:
        run().write("a", "b", "c", text="same").publish()
        found = documents.search("same", size=2)
        assert (found.total, len(found.hits)) == (3, 2)


def test_facets_can_be_counted(client: StoreClient, run: StartRun, names: SiteNames) -> None:
    changes = run().write("a", "b", language="en", content_type="text/html", site="s")
    changes.write("c", language="de", fields={"product": "tent"}).publish()
    facets = ("language", "content_type", "site", "host", "fields.product")
    body = {"size": 0, "aggs": {each: {"terms": {"field": each}} for each in facets}}
    found = client.search(index=names.alias(Target.LIVE), body=body)["aggregations"]
    counts = {
        each: {bucket["key"]: bucket["doc_count"] for bucket in found[each]["buckets"]}
        for each in facets
    }
    assert counts == {
        "language": {"en": 2, "de": 1},
        "content_type": {"text/html": 2},
        "site": {"s": 2},
        "host": {"www.example.com": 3},
        "fields.product": {"tent": 1},
    }


def test_an_alias_leads_to_its_document(run: StartRun, documents: StoredDocuments) -> None:
    run().write("a", aliases=[url("old"), url("older")]).publish()
    assert documents.stored_under_alias(url("old")) == url("a")
    assert documents.stored_under_alias(url("a")) is None
