"""Publishing on a real OpenSearch."""

from __future__ import annotations

import pytest

from site_indexer.index_store.publishing import PublishStatus

from .conftest import Shown, StartRun

pytestmark = pytest.mark.opensearch


def test_what_a_run_wrote_is_what_searchers_see(run: StartRun, shown: Shown) -> None:
    published = run().write("a", "b").publish()
    assert published.status is PublishStatus.PUBLISHED
    assert (published.documents_before, published.documents_after) == (0, 2)
    assert shown() == {"a": "text", "b": "text"}
