"""A site's script through a real scheduler: dry run, first run, incremental run, nothing new."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest

from demo_site import expected
from tests.end_to_end.conftest import ScheduledSite

pytestmark = pytest.mark.end_to_end


def test_a_site_is_indexed_and_followed_by_the_scheduler(
    scheduled_site: Callable[[str], ScheduledSite],
) -> None:
    site = scheduled_site("first")

    dry = site.run(dry_run=True)
    assert dry.state == "success"
    assert dry.tasks["plan"] == "success"
    assert {dry.tasks[task] for task in ("branch", "add", "review", "publish")} == {"skipped"}
    table = "\n".join(site.api.task_log(site.dag_id, dry.run_id, "plan"))
    assert f"{site.web.url}/" in table
    assert "deletemask" in table
    assert site.documents() == {}
    assert site.watermark() is None

    first = site.run()
    assert first.state == "success"
    assert set(first.tasks.values()) == {"success"}
    assert expected.after_run(site.web.url).problems(site.documents()) == []
    assert site.watermark() is not None
    log = "\n".join(site.api.task_log(site.dag_id, first.run_id, "publish"))
    assert f"Published {site.site}.g-" in log

    change = site.web.change(dt.datetime.now(dt.UTC))
    second = site.run()
    assert second.state == "success"
    stored = site.documents()
    assert expected.after_run(site.web.url, (change.date,)).problems(stored) == []
    assert site.watermark() == change.date

    third = site.run()
    assert third.state == "success"
    assert third.tasks["read_script"] == "success"
    assert third.tasks["plan"] == third.tasks["publish"] == "skipped"
