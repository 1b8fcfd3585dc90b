"""What generations say of themselves, on a real OpenSearch."""

from __future__ import annotations

import pytest

from site_indexer.errors import StoreRefusedError
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.generations import (
    all_generations,
    current,
    describe,
    list_generations,
)
from site_indexer.index_store.names import SiteNames, Target

from .conftest import START, StartRun

pytestmark = pytest.mark.opensearch


def test_newest_first_with_what_people_ask(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    changes = run().write("a", "b")
    changes.publish()
    staged = run(Target.STAGED).write("c", block=2).publish()
    newest, live, first = list_generations(client, names)
    assert (newest.generation, newest.current) == (staged.generation, (Target.STAGED,))
    assert (live.current, live.documents, live.open) == ((Target.LIVE,), 2, True)
    assert live.run_id == changes.request().run_id
    assert (first.generation, first.current) == (names.generation(START), ())
    assert (first.documents, first.published_at, first.watermark) == (0, START, None)


def test_indexes_of_others_are_not_listed(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    live = run().write("a").publish().generation
    client.indices.create(index=f"{names.site}.g-notes")
    copy = f"{names.site}.g-20200101t000000z"
    client.indices.clone(index=live, target=copy)
    listed = [each.generation for each in list_generations(client, names)]
    assert len(listed) == 2
    assert copy not in listed
    assert copy in {each.name for each in all_generations(client, names)}


def test_a_closed_one_can_be_described(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    run().write("a").publish()
    client.indices.close(index=names.generation(START))
    found = describe(client, names, names.generation(START))
    assert found is not None
    assert not found.open
    assert describe(client, names, names.generation(run().now)) is None
    assert current(client, names, Target.STAGED) is None


def test_an_alias_on_several_indexes_is_an_error(client: StoreClient, names: SiteNames) -> None:
    client.indices.put_alias(index=names.none_index, name=names.alias(Target.LIVE))
    with pytest.raises(StoreRefusedError, match="several"):
        describe(client, names, names.alias(Target.LIVE))
