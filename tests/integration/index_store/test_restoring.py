"""Documents that an older block removed although a newer one had found them unchanged."""

from __future__ import annotations

import pytest

from site_indexer.errors import RunFailedError
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.generations import current
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.publishing import PublishStatus
from tests.integration.index_store.conftest import Run, Shown, StartRun, url


@pytest.fixture
def confirming(client: StoreClient, names: SiteNames, run: StartRun) -> Run:
    """A run whose block 3 has found both pages unchanged, and which is still to publish."""
    run().write("a", text="as it was", block=0).write("b", block=0).publish()
    begun = run()
    base = current(client, names, Target.LIVE)
    assert base is not None
    begun.changes.note_base(base)
    return begun.unchanged("a", "b", block=3)


def test_what_older_removals_took_meanwhile_comes_back(
    run: StartRun, confirming: Run, shown: Shown
) -> None:
    before = shown()
    run().delete("a", block=1).deletemask(url("b"), block=2).publish()
    assert shown() == {}
    published = confirming.publish()
    assert (published.written, published.documents_after) == (2, 2)
    assert shown() == before
    # It has the newer block's date now.
    run().delete("a", block=2).publish()
    assert shown() == before
    run().delete("a", block=4).publish()
    assert set(shown()) == {"b"}


def test_what_newer_removals_took_stays_away(run: StartRun, confirming: Run, shown: Shown) -> None:
    run().delete("a", block=4).publish()
    assert confirming.publish().status is PublishStatus.UNCHANGED
    assert set(shown()) == {"b"}


def test_what_a_later_block_of_the_same_run_removes_stays_away(
    run: StartRun, confirming: Run, shown: Shown
) -> None:
    run().delete("a", block=1).publish()
    confirming.delete("a", block=4).publish()
    assert set(shown()) == {"b"}


def test_a_page_that_was_gone_meanwhile_stays_away(
    run: StartRun, confirming: Run, shown: Shown
) -> None:
    run().gone("a", block=1).publish()
    assert confirming.publish().status is PublishStatus.UNCHANGED
    assert set(shown()) == {"b"}


def test_where_no_generation_has_it_any_more_the_run_is_to_be_repeated(
    client: StoreClient, run: StartRun, confirming: Run, shown: Shown
) -> None:
    (base,) = confirming.changes.bases()
    run().delete("a", block=1).publish()
    client.indices.close(index=base)
    with pytest.raises(RunFailedError, match=base) as caught:
        confirming.publish()
    assert url("a") in str(caught.value)
    assert "Run again from the first task" in str(caught.value)
    assert set(shown()) == {"b"}
