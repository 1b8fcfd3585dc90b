"""A staged index: how it begins, how it goes live, how it goes away (5.19)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from site_indexer.errors import (
    PublishConflictError,
    RemovalsNotApprovedError,
    RunFailedError,
    UsageError,
)
from site_indexer.index_store.approvals import ApprovalStore
from site_indexer.index_store.generations import describe
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.indexing import pushing
from site_indexer.indexing.approving import ask, record_answer
from site_indexer.indexing.model import RunStatus
from site_indexer.indexing.pushing import look_at_push, push_live
from site_indexer.indexing.retrying import retry_list
from site_indexer.indexing.staging import drop_staged
from site_indexer.planning.model import Window
from tests.integration.indexing.conftest import NOW, Workbench
from tests.integration.indexing.small_sites import adding, day, pages, script_of, serve

STAGED = Target.STAGED
BLOCKS = (adding(range(6)), adding([6]), ["delete {web}/p/0"])


def with_blocks(workbench: Workbench, count: int) -> None:
    serve(workbench, range(10))
    workbench.use_script(*script_of(*BLOCKS[:count]))


def mark(workbench: Workbench, target: Target) -> dt.datetime | None:
    return workbench.collaborators.watermarks.get(workbench.site, target)


def shown(workbench: Workbench, target: Target) -> Any:
    names = SiteNames(workbench.site)
    return describe(workbench.collaborators.client, names, names.alias(target))


def push(workbench: Workbench, run_id: str = "shell__push", **options: Any) -> dict[str, Any]:
    return push_live(workbench.collaborators, workbench.site, run_id=run_id, now=NOW, **options)


def test_a_first_staged_run_begins_as_a_copy_of_live_and_where_live_is(
    workbench: Workbench,
) -> None:
    with_blocks(workbench, 1)
    workbench.run()
    workbench.web.requests.clear()
    result = workbench.run(target=STAGED)
    assert result.status is RunStatus.PUBLISHED
    assert workbench.comparable(STAGED) == workbench.comparable()
    assert mark(workbench, STAGED) == mark(workbench, Target.LIVE) == day(0)
    assert {access.path for access in workbench.web.requests.all()} == {"/indexlist.txt"}
    assert shown(workbench, STAGED).meta["base_live"] == workbench.generation()
    assert workbench.run(target=STAGED).status is RunStatus.UNCHANGED

    with_blocks(workbench, 2)
    assert workbench.run(target=STAGED).status is RunStatus.PUBLISHED
    assert pages(workbench, STAGED) == set(range(7))
    assert pages(workbench) == set(range(6))
    assert (mark(workbench, STAGED), mark(workbench, Target.LIVE)) == (day(1), day(0))


def test_a_window_too_begins_it_with_lives_watermark(workbench: Workbench) -> None:
    with_blocks(workbench, 1)
    workbench.run()
    with_blocks(workbench, 2)
    workbench.run(target=STAGED, window=window_of(1))
    assert pages(workbench, STAGED) == set(range(7))
    assert mark(workbench, STAGED) == day(0)


def window_of(block: int) -> Window:
    return Window(day(block), day(block + 1))


def test_pushed_live_has_index_watermark_and_retry_list_of_staged(workbench: Workbench) -> None:
    with_blocks(workbench, 1)
    workbench.run()
    serve(workbench, [6], status=500)
    workbench.use_script(*script_of(*BLOCKS))
    workbench.run(target=STAGED)
    staged = shown(workbench, STAGED)
    before = workbench.generation()
    outlook = look_at_push(workbench.collaborators, workbench.site, run_id="shell__push", now=NOW)
    assert staged.name in outlook.text
    assert "2026-01-01T10:00:00Z -> 2026-01-03T10:00:00Z" in outlook.text
    assert (outlook.gained, outlook.question, outlook.blocks_again) == ((), None, 0)

    facts = push(workbench)
    assert (facts["generation"], facts["replaced"]) == (staged.name, before)
    assert facts["watermark"] == "2026-01-03T10:00:00Z"
    assert workbench.generation() == staged.name
    assert pages(workbench) == set(range(1, 6))
    assert shown(workbench, STAGED) is None
    assert mark(workbench, STAGED) is None
    live = retry_list(workbench.collaborators, workbench.site, Target.LIVE)
    assert [each["url"] for each in live] == [f"{workbench.web.url}/p/6"]
    assert retry_list(workbench.collaborators, workbench.site, STAGED) == []

    # The next run goes on from there: it retries, and finds no block new.
    serve(workbench, [6])
    workbench.run()
    assert pages(workbench) == set(range(1, 7))
    # What staged removed is removed: an older block does not bring it back.
    workbench.run(window=window_of(0))
    assert pages(workbench) == set(range(1, 7))


def test_what_live_has_gained_since_is_shown_and_needs_force(workbench: Workbench) -> None:
    with_blocks(workbench, 1)
    workbench.run()
    workbench.run(target=STAGED)
    with_blocks(workbench, 2)
    gained = workbench.run()
    outlook = look_at_push(workbench.collaborators, workbench.site, run_id="r", now=NOW)
    assert [each.name for each in outlook.gained] == [gained.generation]
    assert outlook.blocks_again == 1
    assert "1 blocks will run again" in outlook.text
    assert "1 written, 0 removed" in outlook.text
    with pytest.raises(RunFailedError, match=str(gained.generation)):
        push(workbench)
    assert workbench.generation() == gained.generation
    push(workbench, force=True)
    assert (pages(workbench), mark(workbench, Target.LIVE)) == (set(range(6)), day(0))
    workbench.run()
    assert pages(workbench) == set(range(7))


def test_pushing_asks_the_brake_and_the_answer_on_record(workbench: Workbench) -> None:
    with_blocks(workbench, 1)
    workbench.run()
    workbench.use_script(*script_of(BLOCKS[0], ["deletemask {web}/p/"]))
    workbench.run(target=STAGED)
    outlook = look_at_push(workbench.collaborators, workbench.site, run_id="r", now=NOW)
    assert outlook.question is not None
    assert "6 of 6 documents would go" in outlook.text
    assert "6 by deletemask, line 10" in outlook.text
    with pytest.raises(RemovalsNotApprovedError):
        push(workbench, run_id="r")
    assert pages(workbench) == set(range(6))
    named: dict[str, Any] = {
        "site": workbench.site,
        "target": Target.LIVE,
        "run_id": "r",
        "subject": outlook.change.subject,
        "now": NOW,
    }
    ask(workbench.collaborators, outlook.question, **named)
    assert workbench.run().status is RunStatus.WAITING_FOR_APPROVAL
    record_answer(workbench.collaborators, approved=True, by="Ada", **named)
    push(workbench, run_id="r")
    assert pages(workbench) == set()
    assert ApprovalStore(workbench.collaborators.client).read(workbench.site, Target.LIVE) is None


@pytest.mark.parametrize(
    "step", ["_move_watermark", "hand_over_ended", "put_meta", "forget_staged"]
)
def test_a_push_that_dies_after_its_swap_is_completed_by_its_retry_or_the_next_run(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with_blocks(workbench, 1)
    workbench.run()
    serve(workbench, [6], status=500)
    workbench.use_script(*script_of(*BLOCKS[:2]))
    workbench.run(target=STAGED)
    staged = shown(workbench, STAGED).name
    with monkeypatch.context() as patch:
        patch.setattr(f"site_indexer.indexing.push_completion.{step}", die)
        with pytest.raises(KeyboardInterrupt):
            push(workbench)
    assert workbench.generation() == staged
    if step == "put_meta":
        workbench.run()
    else:
        assert push(workbench)["generation"] == staged
    assert (workbench.generation(), mark(workbench, Target.LIVE)) == (staged, day(1))
    assert len(retry_list(workbench.collaborators, workbench.site, Target.LIVE)) == 1
    assert shown(workbench, Target.LIVE).meta["target"] == "live"


def die(*arguments: Any, **options: Any) -> Any:
    raise KeyboardInterrupt


def test_a_run_that_publishes_at_the_same_moment_wins(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_blocks(workbench, 1)
    workbench.run()
    workbench.run(target=STAGED)
    with_blocks(workbench, 2)
    real: Callable[..., bool] = vars(pushing)["push"]

    def late(*arguments: Any) -> bool:
        workbench.run()
        return real(*arguments)

    monkeypatch.setattr(pushing, "push", late)
    with pytest.raises(PublishConflictError):
        push(workbench)
    assert pages(workbench) == set(range(7))
    assert shown(workbench, STAGED) is not None


def test_without_anything_staged_there_is_nothing_to_push(workbench: Workbench) -> None:
    with_blocks(workbench, 1)
    workbench.run()
    with pytest.raises(UsageError, match="Nothing is staged"):
        push(workbench)


def test_dropped_a_staged_index_leaves_nothing_and_the_next_begins_anew(
    workbench: Workbench,
) -> None:
    with_blocks(workbench, 1)
    workbench.run()
    serve(workbench, [6], status=500)
    workbench.use_script(*script_of(*BLOCKS))
    workbench.run(target=STAGED)
    dropped = drop_staged(workbench.collaborators, workbench.site)
    assert dropped["dropped"] is not None
    assert drop_staged(workbench.collaborators, workbench.site)["dropped"] is None
    assert mark(workbench, STAGED) is None
    assert retry_list(workbench.collaborators, workbench.site, STAGED) == []
    assert (pages(workbench), mark(workbench, Target.LIVE)) == (set(range(6)), day(0))
    workbench.use_script(*script_of(BLOCKS[0], adding([6])))
    serve(workbench, [6])
    workbench.run(target=STAGED)
    assert pages(workbench, STAGED) == set(range(7))
