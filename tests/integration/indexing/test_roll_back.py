"""An earlier generation is shown again, and stays until a person says otherwise (5.19)."""

from __future__ import annotations

from typing import Any

import pytest

from site_indexer.errors import (
    PublishConflictError,
    RemovalsNotApprovedError,
    RunFailedError,
    UsageError,
)
from site_indexer.index_store.names import Target
from site_indexer.indexing import rolling_back
from site_indexer.indexing.holding import ReleaseTo, hold_of, put_on_hold, release_hold
from site_indexer.indexing.model import RunStatus
from site_indexer.indexing.publishing import publish
from site_indexer.indexing.pushing import push_live
from site_indexer.indexing.rolling_back import look_at_rollback, roll_back
from tests.integration.indexing.conftest import NOW, Workbench
from tests.integration.indexing.small_sites import adding, day, pages, script_of, serve

BLOCKS = (adding(range(6)), ["delete {web}/p/5"], adding([6]))


def back(workbench: Workbench, to: str | None = None, **options: Any) -> dict[str, Any]:
    return roll_back(
        workbench.collaborators, workbench.site, run_id="shell__back", by="Ada", now=NOW, to=to,
        **options,
    )  # fmt: skip


def run_blocks(workbench: Workbench) -> list[str]:
    """Publish each block by itself; returns the generations, oldest first."""
    serve(workbench, range(10))
    generations = []
    for count in range(1, len(BLOCKS) + 1):
        workbench.use_script(*script_of(*BLOCKS[:count]))
        generations.append(str(workbench.run().generation))
    return generations


def test_rolled_back_the_site_is_on_hold_until_it_is_released(workbench: Workbench) -> None:
    _, second, third = run_blocks(workbench)
    outlook = look_at_rollback(workbench.collaborators, workbench.site, run_id="r")
    assert outlook.change.to.name == second
    assert "2026-01-02T10:00:00Z" in outlook.text
    facts = back(workbench)
    assert (facts["generation"], facts["replaced"], facts["held"]) == (second, third, True)
    assert (workbench.generation(), pages(workbench)) == (second, set(range(5)))
    assert workbench.watermark() == day(2)

    held = workbench.run()
    assert held.status is RunStatus.HELD
    assert f"rolled back from {third} to {second} (by Ada)" in held.diagnostics[0]["message"]
    assert workbench.generation() == second

    assert release_hold(workbench.collaborators, workbench.site) == day(1)
    assert workbench.run().status is RunStatus.PUBLISHED
    assert pages(workbench) == {0, 1, 2, 3, 4, 6}


def test_released_with_its_watermark_kept_what_was_rolled_back_does_not_run_again(
    workbench: Workbench,
) -> None:
    run_blocks(workbench)
    back(workbench)
    release_hold(workbench.collaborators, workbench.site, ReleaseTo.KEEP)
    assert workbench.watermark() == day(2)
    assert workbench.run().status is RunStatus.UNCHANGED
    assert pages(workbench) == set(range(5))


def test_one_can_go_back_further_and_forward_again(workbench: Workbench) -> None:
    first, second, third = run_blocks(workbench)
    back(workbench, first)
    assert pages(workbench) == set(range(6))
    back(workbench, third)
    assert pages(workbench) == {0, 1, 2, 3, 4, 6}
    back(workbench)
    assert workbench.generation() == second
    again = back(workbench, second)
    assert (again["generation"], workbench.generation()) == (second, second)


def test_removals_that_are_rolled_back_keep_nothing_out_any_more(workbench: Workbench) -> None:
    first, *_ = run_blocks(workbench)
    back(workbench, first)
    workbench.use_script(*script_of(BLOCKS[0], adding([7])))
    release_hold(workbench.collaborators, workbench.site)
    assert workbench.watermark() == day(0)
    workbench.run()
    # The delete of page 5 is out of the script, and an old window adds the page once more.
    workbench.use_script(*script_of([f"add {{web}}/p/{n} nofollow" for n in (5, 8)]))
    workbench.window(day(0), day(1))
    assert pages(workbench) == {*range(6), 7, 8}


def test_a_closed_generation_is_opened(workbench: Workbench) -> None:
    first, *_ = run_blocks(workbench)
    workbench.collaborators.client.indices.close(index=first)
    back(workbench, first)
    assert pages(workbench) == set(range(6))


def test_one_that_is_closed_at_the_very_moment_is_open_in_the_end(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *_ = run_blocks(workbench)
    client = workbench.collaborators.client
    real = vars(rolling_back)["put_back"]

    def close_before(*arguments: Any) -> bool:
        client.indices.close(index=first)
        moved: bool = real(*arguments)
        return moved

    monkeypatch.setattr(rolling_back, "put_back", close_before)
    back(workbench, first)
    assert pages(workbench) == set(range(6))


def test_going_back_to_nothing_asks_the_brake(workbench: Workbench) -> None:
    serve(workbench, range(6))
    workbench.use_script(*script_of(BLOCKS[0]))
    generation = workbench.run().generation
    outlook = look_at_rollback(workbench.collaborators, workbench.site, run_id="r")
    assert outlook.question is not None
    assert "6 of 6 documents would go" in outlook.text
    with pytest.raises(RemovalsNotApprovedError):
        back(workbench)
    assert workbench.generation() == generation
    assert hold_of(workbench.collaborators, workbench.site) is None
    back(workbench, accept=True)
    assert pages(workbench) == set()


def test_a_run_that_was_under_way_does_not_publish_on_top_of_a_roll_back(
    workbench: Workbench,
) -> None:
    run_blocks(workbench)
    workbench.use_script(*script_of(*BLOCKS, adding([7])))
    request = workbench.request()
    digest = workbench.prepare(request)
    facts = back(workbench)
    with pytest.raises(RunFailedError, match="on hold"):
        publish(workbench.collaborators, request, digest)
    assert workbench.generation() == facts["generation"]
    assert workbench.watermark() == day(2)


def test_a_run_that_publishes_at_the_same_moment_wins_and_there_is_no_hold(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_blocks(workbench)
    serve(workbench, [7])
    workbench.use_script(*script_of(*BLOCKS, adding([7])))
    request = workbench.request()
    digest = workbench.prepare(request)
    real = vars(rolling_back)["_swap_on_hold"]

    def late(*arguments: Any, **options: Any) -> None:
        publish(workbench.collaborators, request, digest)
        real(*arguments, **options)

    monkeypatch.setattr(rolling_back, "_swap_on_hold", late)
    with pytest.raises(PublishConflictError):
        back(workbench)
    assert pages(workbench) == {0, 1, 2, 3, 4, 6, 7}
    assert hold_of(workbench.collaborators, workbench.site) is None


def test_a_removed_alias_is_put_back(workbench: Workbench) -> None:
    *_, third = run_blocks(workbench)
    client = workbench.collaborators.client
    client.indices.delete_alias(index=third, name=f"{workbench.site}.live")
    back(workbench)
    assert workbench.generation() == third


def test_a_push_is_undone_by_going_back_to_what_live_showed(workbench: Workbench) -> None:
    *_, third = run_blocks(workbench)
    workbench.use_script(*script_of(*BLOCKS, adding([7])))
    workbench.run(target=Target.STAGED)
    push_live(workbench.collaborators, workbench.site, run_id="shell__push", now=NOW)
    assert pages(workbench) == {0, 1, 2, 3, 4, 6, 7}
    back(workbench)
    assert workbench.generation() == third


def test_only_what_was_live_can_be_shown_again(workbench: Workbench) -> None:
    serve(workbench, range(6))
    workbench.use_script(*script_of(BLOCKS[0]))
    workbench.run()
    staged = workbench.run(target=Target.STAGED).generation
    with pytest.raises(UsageError, match=str(staged)):
        back(workbench, staged)


def test_a_hold_can_be_set_and_a_site_without_one_not_released(workbench: Workbench) -> None:
    with pytest.raises(RunFailedError, match="not on hold"):
        release_hold(workbench.collaborators, workbench.site)
    put_on_hold(workbench.collaborators, workbench.site, by="Ada", now=NOW)
    assert workbench.run().status is RunStatus.HELD
    assert workbench.run(dry_run=True).status is RunStatus.DRY_RUN
