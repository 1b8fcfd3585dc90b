"""The expectation: in itself consistent, and what it says of differences."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from demo_site.catalogue import LANGUAGES, catalogue, read_content
from demo_site.expected import after_run
from demo_site.website import Website

BASE = "http://127.0.0.1:8300"
FIRST = after_run(BASE)
SITE = Website(catalogue(), BASE)


def test_the_first_run_stores_enough_in_every_language() -> None:
    assert FIRST.count >= 100
    languages = {document.language for document in FIRST.documents.values()}
    assert languages >= set(LANGUAGES)


def test_every_stored_page_answers_200_under_its_title() -> None:
    for url, document in FIRST.documents.items():
        answer = SITE.answer(url.removeprefix(BASE))
        assert answer.status == 200
        if document.title and document.language not in {"zh", "es"}:
            assert f"<title>{document.title}</title>" in answer.body.decode().replace("&#x27;", "'")


def test_what_is_stored_left_out_and_an_alias_are_apart() -> None:
    aliases = {alias for document in FIRST.documents.values() for alias in document.aliases}
    choices = frozenset().union(*FIRST.one_of)
    groups = [set(FIRST.documents), set(FIRST.left_out), aliases, set(choices)]
    assert len(set().union(*groups)) == sum(map(len, groups))


def test_every_name_in_the_lists_exists() -> None:
    lists = read_content("expected")
    for path in lists["aliases"]:
        assert BASE + path in FIRST.documents
    for path in lists["stored_all_the_same"]:
        assert BASE + path in FIRST.documents
    for path in lists["left_out"]:
        status = SITE.answer(path).status
        says_so = f"it answers {status}" == lists["left_out"][path]
        assert says_so == (status in {404, 410})


@pytest.mark.parametrize("chosen", sorted(FIRST.one_of[0]))
def test_either_page_of_a_pair_will_do(chosen: str) -> None:
    assert FIRST.problems([*FIRST.documents, chosen]) == []


def test_differences_are_named() -> None:
    pair = sorted(FIRST.one_of[0])
    stored = {*FIRST.documents, *pair, f"{BASE}/private/rota.html", f"{BASE}/x"}
    stored.remove(f"{BASE}/en/")
    problems = FIRST.problems(stored)
    assert problems[0] == f"missing: {BASE}/en/"
    assert "robots.txt" in problems[1]
    assert "nothing leads here" in problems[2]
    assert problems[3].startswith("exactly one expected of")
    assert len(problems) == 4


def test_changes_move_pages_in_and_out() -> None:
    dates = tuple(datetime(2026, 11, day, tzinfo=UTC) for day in range(1, 7))
    after = after_run(BASE, dates)
    assert f"{BASE}/en/news/notice-6.html" in after.documents
    assert f"{BASE}/es/noticias/aviso-6.html" in after.documents
    # The sixth change withdraws the notice of the second.
    assert f"{BASE}/en/news/notice-2.html" not in after.documents
    assert after.left_out[f"{BASE}/en/news/notice-2.html"] == "it was withdrawn and answers 404"
    assert after.left_out[f"{BASE}/en/news/2019-lamp.html"] == "it was withdrawn and answers 410"
